"""Positive factors with a mode V that features and labels share and few features give, each minimised in turn."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import scmfs_objective

from ._scores import THREE_ITERATIONS, scored

PARAMETERS = {**THREE_ITERATIONS, "n_latent": 2, "alpha": 0.5, "beta": 2.0}


def definition(X, Y, fitted):
    both = np.hstack([np.sqrt(0.5) * X, np.sqrt(2.0) * Y])
    V, U = positive_parts(both, 2)
    W = np.zeros((X.shape[1], 2))
    for _ in range(3):
        for j, x in enumerate(X.T):
            W[j] = 0
            target = np.maximum(x @ (V - X @ W), 0)
            norm = np.linalg.norm(target)
            W[j] = max(1 - 0.3 / (2 * norm), 0) * target / (x @ x) if norm else 0
        for c in range(2):
            rest = both - V @ U.T + np.outer(V[:, c], U[:, c])
            V[:, c] = np.maximum(X @ W[:, c] + rest @ U[:, c], 0) / 2
        for c in range(2):
            rest = both - V @ U.T + np.outer(V[:, c], U[:, c])
            U[:, c] = np.maximum(rest.T @ V[:, c], 0)
            U[:, c] /= np.linalg.norm(U[:, c])
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-6)
    np.testing.assert_allclose(fitted.common_mode_, V, atol=1e-6)
    Q, B = U[: X.shape[1]].T / np.sqrt(0.5), U[X.shape[1] :].T / np.sqrt(2.0)
    np.testing.assert_allclose(fitted.objective_[-1], scmfs_objective(X, Y, W, V, Q, B, 0.5, 2.0, 0.3), rtol=1e-7)
    scored(fitted, np.linalg.norm(W, axis=1), rtol=1e-6)


def positive_parts(both, number):
    """The start: of each pair of singular vectors the positive or the negative parts, those of the larger product."""
    left, values, right = np.linalg.svd(both, full_matrices=False)
    V, U = np.zeros((len(both), number)), np.zeros((both.shape[1], number))
    for c in range(number):
        parts = [(np.maximum(s * left[:, c], 0), np.maximum(s * right[c], 0)) for s in (1, -1)]
        one, other = max(parts, key=lambda pair: np.linalg.norm(pair[0]) * np.linalg.norm(pair[1]))
        U[:, c] = other / np.linalg.norm(other)
        V[:, c] = values[c] * np.linalg.norm(other) * one
    return V, U
