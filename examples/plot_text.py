"""
Text: scikit-learn in two directions
====================================

The documents are the docstrings of scikit-learn's estimators. Their labels are the kinds of an estimator: a classifier,
a regressor, a transformer, a clusterer, whether it is an ensemble, linear, takes a random state or chooses a parameter
by cross-validation. :class:`mlreduce.MLSI` finds directions of the words from the words themselves and from the labels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils import all_estimators

import mlreduce

estimators = [(name, cls) for name, cls in all_estimators() if cls.__doc__ and len(cls.__doc__) > 500]
kinds = {kind: {name for name, _ in all_estimators(kind)} for kind in ("classifier", "regressor", "transformer")}
kinds["clusterer"] = {name for name, _ in all_estimators("cluster")}
kinds["ensemble"] = {name for name, cls in estimators if ".ensemble." in cls.__module__}
kinds["linear model"] = {name for name, cls in estimators if ".linear_model." in cls.__module__}
kinds["cross-validated"] = {name for name, _ in estimators if name.endswith("CV")}
Y = np.array([[name in members for members in kinds.values()] for name, _ in estimators]).astype(int)

# %%
# Words in at least three docstrings, without the name of the class; sparse, as text should be.
texts = [cls.__doc__.partition("Examples\n")[0].replace(name, "") for name, cls in estimators]
vectors = TfidfVectorizer(min_df=3, stop_words="english", sublinear_tf=True, token_pattern=r"[a-z]{3,}")
X = vectors.fit_transform(texts)
print(X.shape, "words,", Y.shape[1], "labels")

# %%
# The map shows the documents that the directions were fitted to. It does not show how well the kinds of new documents
# are distinguished.
model = mlreduce.MLSI(n_components=3, beta=0.5)
Z = model.fit_transform(X, Y)
axis = mlreduce.plot.label_map(Z, Y, label_names=list(kinds), size=22)
axis.figure.set_size_inches(9, 5.5)
axis.set_title("Estimators of scikit-learn by the words of their docstrings")
shown = ["RandomForestClassifier", "Ridge", "LassoCV", "PCA", "SVC", "SVR", "DBSCAN"]
places = {name: place for (name, _), place in zip(estimators, Z, strict=True)}
for name in shown:
    axis.annotate(name, places[name][:2], fontsize=8, xytext=(4, 4), textcoords="offset points")

# %%
# The words that count most along each direction, for and against.
words = vectors.get_feature_names_out()
figure, axes = plt.subplots(1, 3, figsize=(9.5, 4), layout="constrained")
for number, (axis, direction) in enumerate(zip(axes, model.components_, strict=True), start=1):
    order = np.argsort(direction)
    ends = np.r_[order[:8], order[-8:]]
    axis.barh(words[ends], direction[ends], color=np.where(direction[ends] > 0, "#0072b2", "#d55e00"))
    axis.set_title(f"direction {number}")
    axis.tick_params(labelsize=8)
    axis.axvline(0, color="black", linewidth=0.8)
