"""Shared by the definitions of selectors."""

from __future__ import annotations

import numpy as np
import proximity_by_the_book
from information_by_the_book import bins_of, equal_width

#: Of the selectors by regression: close to a minimum in which rows are zero.
AT_MINIMUM = {"sparsity": "15%", "tol": 1e-12, "max_iter": 5000}


def scored(fitted, scores, rtol=1e-9):
    """The scores, and the features in their order; of equal scores the first column comes first."""
    scores = np.asarray(scores)
    np.testing.assert_allclose(fitted.scores_, scores, rtol=rtol, atol=rtol * np.abs(scores).max())
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), np.argsort(-fitted.scores_, kind="stable"))


def at_minimum(fitted, objective, slopes, order=2):
    """The conditions of a minimum, by half the negative gradient of the loss by W; scores and their order follow."""
    W, norms, gamma = fitted.coef_, np.linalg.norm(fitted.coef_, axis=1), fitted.sparsity_
    steepness, active = 2 * np.linalg.norm(slopes, axis=1) / gamma, norms > 0
    assert active.any()
    np.testing.assert_allclose(gamma, 0.15 * fitted.sparsity_max_)
    np.testing.assert_allclose(2 * slopes[active], gamma * W[active] / norms[active, np.newaxis], atol=2e-5 * gamma)
    assert (steepness[~active] <= 1 + 1e-9).all()
    np.testing.assert_allclose(fitted.scores_, np.linalg.norm(W, order, axis=1), rtol=1e-12)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), np.lexsort((-steepness.round(7), -fitted.scores_)))
    np.testing.assert_allclose(fitted.objective_[-1], objective, rtol=1e-7)
    assert fitted.gap_ <= 1e-12


def stationary(fitted, objective, gradient, weight, by_row=False, positive=True):
    """The conditions of a minimum of a loss, by its gradient, plus a weighted norm; scores are sums of the rows."""
    W, slopes = fitted.coef_, -gradient
    if positive:
        assert (W >= 0).all()
        slopes = np.where(W == 0, np.maximum(slopes, 0), slopes)  # no entry can fall below zero
    sizes = np.linalg.norm(W, axis=1, keepdims=True) * np.ones_like(W) if by_row else np.abs(W)
    most = np.linalg.norm(slopes, axis=1, keepdims=True) * np.ones_like(W) if by_row else np.abs(slopes)
    active = sizes > 0
    assert active.any()
    np.testing.assert_allclose(slopes[active], weight * W[active] / sizes[active], atol=2e-3 * weight)
    assert (most[~active] <= weight * 1.001).all()
    steepness = np.abs(most).max(axis=1) / weight
    np.testing.assert_allclose(fitted.scores_, np.abs(W).sum(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(np.argsort(fitted.ranking_), np.lexsort((-steepness.round(7), -fitted.scores_)))
    np.testing.assert_allclose(fitted.objective_[-1], objective, rtol=1e-9)
    assert (np.diff(fitted.objective_) <= 0).all()


def known_part(X, y):
    """The rows where a label is known."""
    return X[~np.isnan(y)], y[~np.isnan(y)]


def completed(Y, fitted, intercept=False):
    """The labels, and what is fitted in place of those that are not known, which then have no error."""
    return np.where(np.isnan(Y), fitted + (np.nanmean(Y - fitted, axis=0) if intercept else 0), Y)


def bins(X):
    """Each feature in three bins of equal width, the default of the selectors by information."""
    return np.column_stack([bins_of(x, equal_width(x, 3)) for x in X.T.tolist()])


def graph(points):
    return proximity_by_the_book.weights(points)


def steps(F, Y, fitted, criterion, relevance=None):
    """Every feature taken has the largest value of the criterion, of equal ones the more relevant, then the first.

    ``criterion(F, Y, f, S)`` is the value of the feature f where those of the list S have been taken. The rest follow
    by their values in the last step, and then the constant features, which have no information.
    """
    order, d = np.argsort(fitted.ranking_), F.shape[1]
    np.testing.assert_array_equal(fitted.scores_[order], np.arange(d)[::-1])
    varying = np.flatnonzero((F[0] != F).any(axis=0))
    assert fitted.n_informative_ == len(varying)
    if not len(varying):
        varying = np.arange(d)
    assert not fitted.gains_[order[len(varying) :]].any()
    number, order = min(int(fitted.get_support().sum()), len(varying)), order[: len(varying)]
    of = {f: 0.0 if relevance is None else round(relevance(F, Y, f, []), 9) for f in varying.tolist()}
    for step in range(number):
        values = {f: criterion(F, Y, f, order[:step].tolist()) for f in varying.tolist() if f not in order[:step]}
        best = max(values, key=lambda f: (round(values[f], 9), of[f], -f))
        assert order[step] == best, f"feature {order[step]} is taken in step {step}, not {best}"
        np.testing.assert_allclose(fitted.gains_[best], values[best], atol=1e-9)
    last = order[: number - 1].tolist() if fitted.looks_back else []
    values = [criterion(F, Y, f, last) for f in order[number:]]
    np.testing.assert_allclose(fitted.gains_[order[number:]], values, atol=1e-9)
    assert (np.diff(fitted.gains_[order[number:]]) <= 0).all()


def correlation_distances(X, Y):
    """One minus the correlation of each feature with each label."""
    return np.array([[1 - np.corrcoef(x, y)[0, 1] for y in Y.T] for x in X.T])


def ridge_coefficients(X, Y):
    """Of the labels on the features over their standard deviations, not centred, with the penalty 10."""
    X = X / X.std(axis=0)
    return np.linalg.solve(X.T @ X + 10 * np.eye(X.shape[1]), X.T @ Y)
