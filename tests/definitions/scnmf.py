"""Non-negative coefficients as similar as the features, apart for labels that are: the conditions of a minimum."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import bends, cosines

from ._scores import stationary

PARAMETERS = {"alpha": 0.3, "beta": 0.5, "gamma": 6.0, "tol": 1e-6, "max_iter": 20_000}


def definition(X, Y, fitted):
    W, d = fitted.coef_, X.shape[1]
    distances = np.array([[np.linalg.norm(x - other) for other in X.T] for x in X.T])
    G = np.exp(-(distances**2) / (2 * (distances.sum() / (d * (d - 1))) ** 2))
    R = 1 - cosines(Y)
    gradient = 2 * X.T @ (X @ W - Y) - 4 * 0.3 * (G - W @ W.T) @ W + 2 * 0.5 * W @ R
    value = np.sum((X @ W - Y) ** 2) + 0.3 * np.sum((G - W @ W.T) ** 2) + 0.5 * bends(W.T, R)
    assert (W >= 0).all()
    stationary(fitted, value + 6 * np.linalg.norm(W, axis=1).sum(), gradient, 6.0, by_row=True)
