"""Squared errors, similar coefficients for similar labels, and absolute values: the conditions of a minimum."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import bends, centring, cosines, laplacian

from ._scores import stationary

PARAMETERS = {"label_smoothness": 2.0, "sparsity": "15%", "tol": 1e-6, "max_iter": 20_000}


def definition(X, Y, fitted):
    W, H, L = fitted.coef_, centring(len(X)), laplacian(cosines(Y))
    errors = H @ (X @ W - Y)
    np.testing.assert_allclose(fitted.sparsity_, 0.15 * np.abs(X.T @ H @ Y).max())
    value = np.sum(errors**2) / 2 + bends(W.T, L) + fitted.sparsity_ * np.abs(W).sum()
    stationary(fitted, value, X.T @ errors + 2 * W @ L, fitted.sparsity_, positive=False)
