"""Label vectors embedded so that products of neighbours are kept, their ridge regression, and votes there."""

from __future__ import annotations

import numpy as np
from selection_by_the_book import binary_relevance

from ._predictions import new_rows, predicts

PARAMETERS = {"n_components": 2, "n_neighbors": 3, "n_label_neighbors": 4, "alpha": 0.7, "max_iter": 3, "tol": 0}


def definition(X, Y, fitted):
    Z, Xc, new = embedded(Y, fitted.n_components_, 4, 3), X - X.mean(axis=0), new_rows(X)
    W = np.linalg.solve(Xc.T @ Xc + 0.7 * np.eye(X.shape[1]), Xc.T @ Z)
    votes = binary_relevance(Xc @ W, Y, (new - X.mean(axis=0)) @ W, 3)
    predicts(fitted, new, votes / 3, "predict_scores", 0.5)
    predicts(fitted, new, votes / 3 - 0.5)


def embedded(Y, rank, number, n_steps):
    """Steps of singular value projection on the products of neighbouring label vectors."""
    n, G = len(Y), Y @ Y.T
    known = np.eye(n, dtype=bool)
    for i in range(n):
        near = sorted(range(n), key=lambda j: (-G[i, j], Y[j].sum(), j))[:number]
        known[i, near] = known[near, i] = True
    Z = leading(G, rank)
    for _ in range(n_steps):
        errors = np.where(known, G - Z @ Z.T, 0)
        span = np.linalg.qr(np.hstack([Z, errors @ Z]))[0]
        Z = span @ leading(span.T @ (Z @ Z.T + errors) @ span, rank)
    return Z


def leading(M, rank):
    """Z with ZZ' nearest to M, of a rank and without negative eigenvalues."""
    values, vectors = np.linalg.eigh(M)
    return vectors[:, ::-1][:, :rank] * np.sqrt(np.maximum(values[::-1][:rank], 0))
