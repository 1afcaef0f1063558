"""
A good model in one call
========================

:class:`mlreduce.AutoReducer` searches for a pipeline of scaling, reduction and predictor within a time. Handwritten
digits, to which a hundred features of noise are added: neighbours are misled by these, and few pixels suffice.
"""

import matplotlib.pyplot as plt
import numpy as np

import mlreduce
from mlreduce.metrics import evaluate
from mlreduce.model_selection import multilabel_train_test_split

data = mlreduce.load_dataset("digits-300")
noise = 8 * np.random.default_rng(0).standard_normal((300, 100))
X, X_test, Y, Y_test = multilabel_train_test_split(np.hstack([data.X, noise]), data.Y)
tried = {
    f"{name} {k}, ml-knn": mlreduce.pipeline.make_pipeline(mlreduce.make(name, k=k), mlreduce.MLKNN(n_neighbors="loo"))
    for name in ("mlfs", "mdmr")
    for k in (40, 20, 10)
}
model = mlreduce.AutoReducer(time_budget=60, candidates=list(tried.items()), random_state=0).fit(X, Y)
print(model.explain())

# %%
# The leaderboard says how each was scored, and on how many rows and folds.
print(model.leaderboard_[["candidate", "features", "score", "low", "high", "folds", "status"]].round(3))

# %%
# On rows that were in no fold: the model, and ridge regression and ML-kNN on all features.
others = {"AutoReducer": model, "ridge": mlreduce.ThresholdClassifier(), "ml-knn": mlreduce.MLKNN(n_neighbors="loo")}
for name, one in others.items():
    fitted = one if one is model else one.fit(X, Y)
    print(f"{name:12} {evaluate('average-precision', Y_test, fitted.predict_scores(X_test)):.3f}")

# %%
# Scores against the seconds of a trial.
figure, axis = plt.subplots(figsize=(7.2, 4.0), layout="constrained")
model.plot(axis)
axis.set_title("Digits and a hundred features of noise")
