"""The probability of a label by the number of the nearest instances that have it, with counts from training."""

from __future__ import annotations

from information_by_the_book import ml_knn

from ._predictions import new_rows, predicts

PARAMETERS = {"n_neighbors": 3, "pseudocount": 0.5, "decision": "half"}


def definition(X, Y, fitted):
    new = new_rows(X)
    predicts(fitted, new, ml_knn(X, Y.astype(int), new, 3, 0.5), "predict_proba", 0.5)
