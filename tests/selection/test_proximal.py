"""Selectors by proximal gradient steps: monotone, at a minimum, and refused where there is none."""

from __future__ import annotations

import numpy as np
import pytest
import regressions_by_the_book as book
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.selection import LLSF, PNC, SCNMF

every = pytest.mark.parametrize("name", ["llsf", "lrlsf", "scnmf"])


def problem(n=40, d=7, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, d))
    W = rng.standard_normal((d, q)) * (np.arange(d) < 3)[:, np.newaxis]
    scores = X @ W + 0.5 * rng.standard_normal((n, q))
    return X, (scores > np.median(scores, axis=0)).astype(float)


@every
@given(n=st.integers(2, 20), d=st.integers(1, 20), q=st.integers(1, 4), seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_the_objective_never_rises(name, n, d, q, seed):
    X, Y = problem(n, d, q, seed)
    fitted = mlreduce.make(name, tol=0, max_iter=30).fit(X, Y)
    assert len(fitted.objective_) == fitted.n_iter_ <= 30
    assert (np.diff(fitted.objective_) <= 0).all()


@every
def test_without_a_unit_the_weight_is_a_share_of_that_which_leaves_nothing(name):
    X, Y = problem()
    fitted = mlreduce.make(name, sparsity="20%").fit(X, Y)
    assert fitted.sparsity_ == pytest.approx(0.2 * fitted.sparsity_max_)
    assert fitted.scores_.any()
    if name != "scnmf":  # which has minima elsewhere, too
        assert not mlreduce.make(name, sparsity=fitted.sparsity_max_ * 1.001).fit(X, Y).scores_.any()


@every
def test_too_few_iterations_are_told(name):
    with pytest.warns(ConvergenceWarning, match="after 2 iterations the conditions of a minimum are missed by"):
        mlreduce.make(name, max_iter=2).fit(*problem())


@every
def test_copies_of_a_feature_have_its_score(name):
    X, Y = problem()
    fitted = mlreduce.make(name, k=None, tol=1e-5).fit(np.hstack([X, X[:, :1]]), Y)
    np.testing.assert_allclose(fitted.scores_[0], fitted.scores_[-1], rtol=1e-9)


def test_pnc_without_its_fourth_term_shares_coefficients_among_copies():
    X, Y = problem()
    fitted = PNC(k=None, subspace_error=0.0, sparsity="5%").fit(np.hstack([X, X[:, :1]]), Y)
    np.testing.assert_allclose(fitted.scores_[0], fitted.scores_[-1], rtol=1e-9)
    np.testing.assert_allclose(fitted.correlation_, book.correlations(np.hstack([X, X[:, :1]]), Y), atol=1e-12)


def test_llsf_without_its_second_term_is_a_lasso_for_each_label():
    X, Y = problem()
    fitted = LLSF(k=None, label_smoothness=0.0, sparsity=2.0, tol=1e-6, max_iter=20_000).fit(X, Y)
    lasso = Lasso(alpha=2.0 / len(X), tol=1e-12, max_iter=100_000).fit(X, Y)
    np.testing.assert_allclose(fitted.coef_, lasso.coef_.T, atol=1e-4 * np.abs(lasso.coef_).max())


def test_the_papers_term_of_llsf_is_refused_where_the_objective_falls_without_end():
    X, Y = problem()
    between, scatter = 1 - book.cosines(Y), X.T @ book.centring(len(X)) @ X
    most = -np.linalg.eigvalsh(scatter)[0] / np.linalg.eigvalsh(between)[0]
    assert LLSF(label_smoothness=0.99 * most, label_term="distance").fit(X, Y).scores_.any()
    with pytest.raises(DataError, match="has no minimum with label_term='distance'"):
        LLSF(label_smoothness=1.01 * most, label_term="distance").fit(X, Y)
    direction = np.outer(np.linalg.eigh(scatter)[1][:, 0], np.linalg.eigh(between)[1][:, 0])
    values = [
        np.sum((book.centring(len(X)) @ (X @ W - Y)) ** 2) / 2
        + 1.01 * most / 2 * book.bends(W.T, between) + np.abs(W).sum()
        for W in (10.0**power * direction for power in (3, 4, 5, 6))
    ]  # fmt: skip
    assert (np.diff(values) < 0).all()
    with pytest.raises(DataError, match="no minimum"):  # more features than instances
        LLSF(label_smoothness=1e-6, label_term="distance").fit(X[:5], Y[:5])


def test_scnmf_ends_no_higher_than_the_multiplicative_loop_of_its_program():
    X, Y = problem()
    X /= X.max(axis=0)
    fitted = SCNMF(
        k=None, scale=None, feature_similarity=0.05, label_smoothness=0.1, sparsity=1.0, tol=1e-6, max_iter=20_000
    ).fit(X, Y)
    W, objective = book.scnmf(X, Y, 0.05, 0.1, 1.0, 5000)
    assert fitted.objective_[-1] <= objective * (1 + 1e-9)
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-2 * W.max())


def test_scnmf_refuses_negative_features():
    X, Y = problem()
    with pytest.raises(DataError, match="Negative values in data passed to SCNMF"):
        SCNMF().fit(X - X.mean(axis=0), Y)
