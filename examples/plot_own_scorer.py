"""
Your scorer
===========

Which number of directions is best depends on what counts. Here a user-defined measure: the gain of a reader who is
shown three labels per image, where a wrong label costs as much as a right one helps. It takes the scores of the labels,
as scikit-learn's ``make_scorer`` passes them on. Two measures of the library are computed too.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline

import mlreduce
from mlreduce.metrics import get_scorer


def gain_of_three(y_true, scores):
    """Return the labels among the three best that are right, minus those that are wrong, per instance."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :3]
    right = np.take_along_axis(np.asarray(y_true), best, axis=1).sum(axis=1)
    return float((right - (3 - right)).mean())


scorers = {
    "gain of three labels": make_scorer(gain_of_three, response_method="predict_proba"),
    "subset accuracy": get_scorer("subset-accuracy"),
    "micro-averaged F1": get_scorer("micro-f1"),
}
X, y = mlreduce.load_dataset("digits-300", return_X_y=True)
sizes = [1, 2, 3, 4, 6, 8, 12, 16, 24]
results = {name: [] for name in scorers}
for size in sizes:
    model = make_pipeline(mlreduce.PCA(n_components=size), mlreduce.MLKNN(n_neighbors=5))
    scores = cross_validate(model, X, y, cv=5, scoring=scorers)
    for name in scorers:
        results[name].append(scores[f"test_{name}"])

# %%
# The star is the smallest number of directions within one standard error of the best.
figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained")
for axis, (name, values) in zip(axes, results.items(), strict=True):
    mean, error = np.mean(values, axis=1), np.std(values, axis=1, ddof=1) / np.sqrt(5)
    axis.errorbar(sizes, mean, yerr=error, marker="o", markersize=4, capsize=2)
    enough = int(np.argmax(mean >= mean.max() - error[mean.argmax()]))
    axis.plot(sizes[enough], mean[enough], marker="*", markersize=16, color="#d55e00")
    axis.set(title=name, xlabel="directions")
