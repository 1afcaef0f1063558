"""
Tutorial: too many features, or too many labels
===============================================

From a table to a fitted model: split the data, measure a baseline, ask which methods suit, put a reducer into a
pipeline, compare several, search automatically, and store the result. You can download this page as a notebook.
"""

# %%
# Load data
# ---------
# :func:`mlreduce.load_dataset` loads data by name, and :func:`mlreduce.read` reads your files, such as
# ``mlreduce.read("songs.csv", labels={"last": 6})``. Here the data are generated: counts of words in documents, each of
# which has some of 30 topics.
from mlreduce.datasets.embedded import documents

data = documents(n_samples=500, n_features=1000, n_labels=30, n_words=150)
print(data)
print("labels of a document, on average:", round(data.describe()["cardinality"], 1))

# %%
# X has one row per document and one column per word; Y has one column per topic, with 1 where a document has the topic.
# Split the rows so that each part has its share of each label, rare ones included.
from mlreduce.model_selection import multilabel_train_test_split

X, X_test, Y, Y_test = multilabel_train_test_split(data.X, data.Y, test_size=0.3, random_state=0)

# %%
# Measure a baseline
# ------------------
# First predict from all features. Ridge regression is a good predictor where features are many; its penalty is chosen
# in ``fit``. Average precision judges how scores order the labels of a document: 1 is perfect.
import mlreduce
from mlreduce.metrics import evaluate

baseline = mlreduce.ThresholdClassifier(mlreduce.RidgeRegressor()).fit(X, Y)
print("all features:", round(evaluate("average-precision", Y_test, baseline.predict_scores(X_test)), 3))

# %%
# Ask which methods suit
# ----------------------
# :func:`mlreduce.recommend` fits nothing. It looks at the shape of the data, at what each method costs, and at how
# often the method was near the best on the data sets of our benchmark, with the predictor that you name.
print(mlreduce.recommend(X, Y, goal="projection", predictor="ridge", time_budget=10))

# %%
# Put a reducer into a pipeline
# -----------------------------
# A projection combines all features to a few. In a pipeline it is fitted to the training rows alone.
from mlreduce.pipeline import make_pipeline

model = make_pipeline(mlreduce.MDDMp(n_components=20), mlreduce.ThresholdClassifier(mlreduce.RidgeRegressor()))
model.fit(X, Y)
print("20 directions:", round(evaluate("average-precision", Y_test, model.predict_scores(X_test)), 3))

# %%
# A selector keeps some of the features as they are, so that you can name them.
selector = mlreduce.MLFS(k=30).fit(X, Y)
print(selector.get_feature_names_out(data.feature_names)[:5])

# %%
# A label coder reduces the labels instead: ten codes are predicted, and decoded to 30 labels.
coded = mlreduce.CodedClassifier(mlreduce.CPLST(n_components=10)).fit(X, Y)
print("10 codes:", round(evaluate("average-precision", Y_test, coded.predict_scores(X_test)), 3))

# %%
# Compare several methods
# -----------------------
# :func:`mlreduce.compare` cross-validates on the training rows. Name the predictor: rankings of methods change with it.
comparison = mlreduce.compare(
    X,
    Y,
    methods=["all-features", "mddmp", "pca", "mlfs", "random-features"],
    predictors=["ridge", "ml-knn"],
    cv=3,
    sizes=[1, 2, 5],
    measures=["average-precision"],
    progress=False,
)
print(comparison)

# %%
# Sizes are percentages of the features. Ridge regression gains little from a selection here. Neighbours gain more:
# hundreds of words without information blur the distances between documents.
axis = comparison.plot("sizes", predictor="ml-knn")
axis.set_title("Generated documents: ML-kNN on fewer features")

# %%
# Let a search choose
# -------------------
# :class:`mlreduce.AutoReducer` tries pipelines within a time, all features among them. Give it minutes for your data.
auto = mlreduce.AutoReducer(time_budget=3, random_state=0).fit(X, Y)
print(auto.explain())

# %%
# The leaderboard has a row for each candidate. Scores are cross-validated, and that of the best of many is a little too
# good, so measure the model on the test rows.
print(auto.leaderboard_[["candidate", "features", "score", "status"]].head().round(3))
print("test rows:", round(evaluate("average-precision", Y_test, auto.predict_scores(X_test)), 3))

# %%
# Save and load
# -------------
# skops stores a fitted model so that loading runs no code; pickle and joblib work too.
import tempfile
from pathlib import Path

import skops.io

from mlreduce.persistence import trusted_types

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "model.skops"
    skops.io.dump(model, file)
    loaded = skops.io.load(file, trusted=trusted_types())
print((loaded.predict(X_test) != model.predict(X_test)).sum(), "predictions differ")
