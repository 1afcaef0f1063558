"""Numerical labels at the minimum, and two ratios of sums over pairs: neighbours by both, and neighbours or not."""

from __future__ import annotations

import numpy as np

from ._scores import scored

PARAMETERS = {"n_neighbors": 3, "ridge": 0.01}


def definition(X, Y, fitted):
    n, mu, signs = len(X), fitted.numerical_labels_, 2 * Y - 1
    near = [sorted((j for j in range(n) if j != i), key=lambda j: ((X[i] - X[j]) @ (X[i] - X[j]), j)) for i in range(n)]
    A = np.zeros((n, n))
    for i in range(n):
        gram = (X[near[i][:3]] - X[i]) @ (X[near[i][:3]] - X[i]).T
        weights = np.linalg.solve(gram + 1e-3 * np.trace(gram) * np.eye(3), np.ones(3))
        A[i, near[i][:3]] = weights / weights.sum()
    M = (np.eye(n) - A).T @ (np.eye(n) - A)
    slopes = signs * ((M + 0.01 * np.trace(M) / n * np.eye(n)) @ mu)
    assert (signs * mu >= 1).all()
    np.testing.assert_allclose(slopes[signs * mu > 1], 0, atol=1e-9)
    assert slopes.min() > -1e-9
    assert (signs * mu > 1).any()
    assert fitted.kkt_residual_ < 1e-11

    S = closeness(X) * closeness(np.array([row / np.linalg.norm(row) for row in mu]))
    joined = np.array([[j in near[i][:3] or i in near[j][:3] for j in range(n)] for i in range(n)])
    scores = []
    for raw, x in zip(X.T, np.array([row / (np.linalg.norm(row) or 1) for row in X]).T, strict=True):
        centred = x - (S.sum(axis=1) @ x) / S.sum()
        squares, pairs = np.subtract.outer(x, x) ** 2, np.subtract.outer(raw, raw) ** 2
        laplacian = (S * squares).sum() / 2 / (S.sum(axis=1) @ centred**2)
        scores.append(-laplacian * pairs[joined].sum() / pairs[~joined].sum())
    scored(fitted, scores)


def closeness(rows):
    """From an instance to each of its three nearest: how much nearer than the fourth; the mean of both directions."""
    W = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        squares = [(row - other) @ (row - other) for other in rows]
        *near, last = sorted((j for j in range(len(rows)) if j != i), key=lambda j: (round(squares[j], 9), j))[:4]
        closer = [max(0.0, squares[last] - squares[j]) for j in near]
        W[i, near] = np.array(closer) / sum(closer) if sum(closer) > 1e-9 else 1 / 3
    return (W + W.T) / 2
