"""Weights of entries and of rows near the information on labels, alike and little redundant: a minimum's conditions."""

from __future__ import annotations

import numpy as np
from information_by_the_book import bins_of, equal_frequency, information
from regressions_by_the_book import bends, laplacian, lengths

from ._scores import graph

PARAMETERS = {"sparsity": 0.02, "row_sparsity": 0.03, "sharing": 2.0, "redundancy": 0.5, "smoothness": 0.3}
PARAMETERS |= {"tol": 1e-9, "max_iter": 50_000}


def definition(X, Y, fitted):
    varying = np.flatnonzero((X[0] != X).any(axis=0))
    F = np.column_stack([bins_of(x, equal_frequency(x, 2)) for x in X[:, varying].T.tolist()])
    G = np.array([[information(a, b) for b in F.T] for a in F.T]) / np.log(2)
    np.fill_diagonal(G, 1)
    R = np.array([[information(f, y) for y in Y.T] for f in F.T]) / np.log(2)
    W, M, L = fitted.coef_[varying], fitted.common_coef_[varying], laplacian(graph(X[:, varying].T))
    assert fitted.n_negative_eigenvalues_ == 0
    assert W.any() or M.any()
    slopes = (W + M - R) + 0.5 * G @ (W + M) + 0.3 * L @ (W + M)
    for weights, other, penalty, norms in ((W, M, 0.02, np.abs(W)), (M, W, 0.03, lengths(M)[:, np.newaxis])):
        slope = slopes + 2.0 * other @ (other.T @ weights)
        steepness = np.abs(slope) if weights is W else lengths(slope)[:, np.newaxis]
        active = norms > 0
        assert (steepness[~active] <= penalty * (1 + 1e-6)).all()
        missed = np.where(active, slope + penalty * weights / np.where(active, norms, 1.0), 0.0)
        np.testing.assert_allclose(missed, 0, atol=1e-7)
    scores = (fitted.coef_ + fitted.common_coef_).sum(axis=1)
    np.testing.assert_allclose(fitted.scores_, scores)
    order = varying[np.lexsort((-R.sum(axis=1).round(9), -fitted.scores_[varying]))]
    np.testing.assert_array_equal(np.argsort(fitted.ranking_)[: len(varying)], order)
    objective = (np.sum((W + M - R) ** 2) + 2.0 * np.sum((W.T @ M) ** 2)) / 2 + 0.02 * np.abs(W).sum()
    objective += 0.03 * lengths(M).sum() + 0.25 * bends(W + M, G) + 0.15 * bends(W + M, L)
    np.testing.assert_allclose(fitted.objective_[-1], objective, rtol=1e-9)
