"""
Compare methods in one call
===========================

:func:`mlreduce.compare` runs methods and predictors on the same folds, and computes for each pair the probability that
one is better, by more than a margin. Classes of other packages take part by their import path.
"""

import mlreduce

data = mlreduce.load_dataset("digits-300")
comparison = mlreduce.compare(
    data,
    methods={
        "pca": "pca",
        "mddmp": "mddmp",
        "mvmd": {"method": "mvmd", "beta": 0.001},
        "mlfs": "mlfs",
        "random": "random-projection",
        "nmf": {"class": "sklearn.decomposition.NMF", "n_components": 8, "max_iter": 1000},
    },
    predictors=["ml-knn"],
    scaling="none",
    measures=["micro-f1", "hamming-loss"],
    sizes=[5, 10, 20, 40],
    progress=False,
)
print(comparison)

# %%
axis = comparison.plot("sizes")
axis.set_title("Handwritten digits: ML-kNN on the reduced features")

# %%
# Rows against columns at the largest size: mean difference, folds won, tied and lost, and the largest of the three
# probabilities. ``comparison.to_html("report.html")`` writes all of this as a page.
axis = comparison.plot("pairs")
axis.set_title("Rows against columns: micro-F1 with ML-kNN at the largest size")
