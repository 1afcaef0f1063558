"""Positive factors with a mode V that features and labels share and few features give: none better alone."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import scmfs_objective

from ._scores import AT_MINIMUM, at_minimum, completed

PARAMETERS = {**AT_MINIMUM, "n_latent": 2, "feature_error": 0.5, "label_error": 2.0}


def definition(X, Y, fitted):
    W, V, Q, B = fitted.coef_, fitted.common_mode_, fitted.feature_factors_.T, fitted.label_factors_
    Y = completed(Y, V @ B)
    both = np.hstack([np.sqrt(0.5) * X, np.sqrt(2.0) * Y])
    U = np.hstack([np.sqrt(0.5) * Q, np.sqrt(2.0) * B]).T
    assert min(W.min(), V.min(), U.min()) >= 0
    for c in range(2):
        rest = both - V @ U.T + np.outer(V[:, c], U[:, c])
        np.testing.assert_allclose(V[:, c], np.maximum(X @ W[:, c] + rest @ U[:, c], 0) / 2, atol=1e-4)
        best = np.maximum(rest.T @ V[:, c], 0)
        np.testing.assert_allclose(U[:, c], best / np.linalg.norm(best), atol=1e-5)
    slopes = X.T @ (V - X @ W)
    slopes[(W == 0) & (slopes < 0)] = 0  # no entry can fall below zero
    at_minimum(fitted, scmfs_objective(X, Y, W, V, Q, B, 0.5, 2.0, fitted.sparsity_), slopes)
