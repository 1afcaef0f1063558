"""Shared by the selectors by quadratic programming."""

from __future__ import annotations

import numpy as np
from information_by_the_book import dependency, relevance

from ._scores import bins

#: Below this share of the largest entropy a diagonal is zero.
_NOTHING = 1e-9


def minimises(X, Y, fitted, fill=lambda Q: Q):
    """The weights x >= 0 minimise x'Qx / 2 - c'x, Q being the nearest matrix without negative eigenvalues.

    `fill` makes Q of the mutual information of the features. The scores are the weights; of equal ones the more
    relevant feature comes first.
    """
    F = bins(X)
    exact, c = dependency(F), relevance(F, Y)
    Q = fill(exact)
    nothing = np.diag(Q) <= _NOTHING * np.diag(exact).max()
    Q[nothing, nothing] = exact[nothing, nothing]
    values, vectors = np.linalg.eigh(Q)
    Q = (vectors * np.maximum(values, 0)) @ vectors.T
    np.testing.assert_allclose(fitted.dependency_, Q, atol=1e-9)
    np.testing.assert_allclose(fitted.relevance_, c, atol=1e-12)
    x = fitted.scores_
    np.testing.assert_array_equal(fitted.weights_, x)
    slope = Q @ x - c
    assert (x >= 0).all(), "a weight is negative"
    assert (slope >= -1e-8).all(), "a larger weight of a feature would be better"
    np.testing.assert_allclose(slope[x > 0], 0, atol=1e-8)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), np.lexsort((-fitted.relevance_, -x)))


def sampled_rows(fitted, n_features):
    """The seed's sample of the features, ascending."""
    drawn = np.random.RandomState(fitted.random_state).permutation(n_features)
    rows = np.sort(drawn[: max(1, int(fitted.sampling * n_features))])
    np.testing.assert_array_equal(fitted.sampled_, rows)
    return rows
