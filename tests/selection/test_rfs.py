"""RFS against information_by_the_book.py, a generic minimiser, and its own second linear system."""

from __future__ import annotations

import information_by_the_book as book
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from mlreduce.exceptions import DataError
from mlreduce.selection import RFS, rfs
from mlreduce.selection.rfs import _weighted_ridge

seeds = st.integers(0, 10**6)


def problem(n=40, d=7, q=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    W = rng.standard_normal((d, q)) * (np.arange(d) < 3)[:, np.newaxis]
    return X, (X @ W + 0.3 * rng.standard_normal((n, q)) > 0.3).astype(int)


def paper(**parameters):
    return RFS(solver="reweighted", **{"sparsity": 1.0, **parameters})


@given(st.integers(2, 25), st.integers(1, 25), seeds, st.sampled_from([0.1, 1.0, 5.0]), st.integers(1, 6))
def test_coefficients_match_the_reference(n, d, seed, gamma, n_iter):
    X, Y = problem(n, d, seed=seed)
    fitted = paper(sparsity=gamma, max_iter=n_iter).fit(X, Y)
    W = book.rfs(X, Y.astype(float), gamma, n_iter)
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-5)
    np.testing.assert_allclose(fitted.scores_, np.linalg.norm(fitted.coef_, axis=1))
    assert fitted.objective_[-1] == pytest.approx(book.rfs_objective(X, Y, fitted.coef_, gamma))


@given(st.integers(2, 30), st.integers(1, 30), seeds, st.sampled_from([0.01, 0.1, 1.0, 20.0]))
def test_the_objective_never_rises(n, d, seed, gamma):
    X, Y = problem(n, d, seed=seed)
    X[:, 0] = 0
    objective = paper(sparsity=gamma, max_iter=15).fit(X, Y).objective_
    assert len(objective) == 15
    assert (np.diff(objective) <= 1e-7 * objective[:-1] + 1e-6).all()


@pytest.mark.parametrize(("n", "d", "gamma"), [(40, 7, 1.0), (40, 7, 5.0), (12, 20, 1.0)])
def test_the_limit_is_the_minimum(n, d, gamma):
    X, Y = problem(n, d)
    fitted = paper(sparsity=gamma, max_iter=300).fit(X, Y)

    def smooth(flat, width):
        W = flat.reshape(d, 3)
        E = X @ W - Y
        a, b = np.sqrt(np.square(E).sum(axis=1) + width), np.sqrt(np.square(W).sum(axis=1) + width)
        return a.sum() + gamma * b.sum(), (X.T @ (E / a[:, None]) + gamma * W / b[:, None]).ravel()

    flat = np.zeros(3 * d)
    for width in 10.0 ** -np.arange(2, 14):
        flat = minimize(smooth, flat, args=(width,), jac=True, method="L-BFGS-B", options={"maxiter": 5000}).x
    theirs = book.rfs_objective(X, Y, flat.reshape(d, 3), gamma)
    assert fitted.objective_[-1] == pytest.approx(theirs, rel=1e-4)
    if n > d:
        np.testing.assert_allclose(fitted.coef_, flat.reshape(d, 3), atol=0.02)


@given(st.integers(1, 20), st.integers(1, 20), seeds)
def test_both_systems_have_the_same_solution(n, d, seed):
    X, Y = problem(n, d, seed=seed)
    rng = np.random.default_rng(seed)
    s, t = rng.random(d), rng.random(n) + 0.1
    over_rows, over_columns = (_weighted_ridge(X, Y.astype(float), s, t, 0.7, over) for over in (True, False))
    np.testing.assert_allclose(over_rows, over_columns, atol=1e-9)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("n", "d"), [(60, 9), (9, 40)])
def test_scores_do_not_depend_on_the_system(n, d, make, monkeypatch):
    solved = []
    monkeypatch.setattr(rfs, "penalised", lambda K, T, p, own=rfs.penalised: (solved.append(K.shape), own(K, T, p))[1])
    X, Y = problem(n, d)
    X[np.random.default_rng(0).random(X.shape) < 0.4] = 0
    scores = {system: paper(system=system).fit(make(X), Y).scores_ for system in ("auto", "instances", "features")}
    assert solved == [(min(n, d), min(n, d))] * 10 + [(n, n)] * 10 + [(d, d)] * 10
    np.testing.assert_allclose(scores["instances"], scores["features"], atol=1e-9)
    np.testing.assert_array_equal(scores["auto"], scores["instances" if n <= d else "features"])


def test_an_unknown_system_is_refused():
    with pytest.raises(DataError, match="unknown system 'instance'; did you mean 'instances'"):
        RFS(system="instance").fit(*problem())


def test_features_that_matter_come_first_despite_outliers():
    X, Y = problem(n=200, d=12)
    assert set(np.argsort(paper(sparsity=2.0).fit(X, Y).ranking_)[:3]) == {0, 1, 2}
    X[:4, 11] = 1e4  # a squared loss would follow these
    Y[:4] = 1
    assert set(np.argsort(paper(sparsity=2.0).fit(X, Y).ranking_)[:3]) == {0, 1, 2}


@pytest.mark.parametrize(("n", "d"), [(40, 7), (12, 20)])
def test_rows_are_exactly_zero_where_the_minimum_has_zeros(n, d):
    """Norms of residuals below a tenth count by their squares, which adds n / 20 at most."""
    X, Y = problem(n, d)
    for gamma in (5.0, 1.0):
        fitted = RFS(sparsity=gamma, tol=1e-12, max_iter=5000).fit(X, Y)
        E, W = X @ fitted.coef_ - Y, fitted.coef_
        norms, own = np.linalg.norm(E, axis=1), np.linalg.norm(W, axis=1)
        slopes = X.T @ (E / np.maximum(norms, 0.1)[:, None])
        np.testing.assert_allclose(slopes[own > 0], -gamma * W[own > 0] / own[own > 0, None], atol=1e-4 * gamma)
        assert (np.linalg.norm(slopes[own == 0], axis=1) <= gamma * (1 + 1e-9)).all()
        paper_objective = paper(sparsity=gamma, max_iter=300).fit(X, Y).objective_[-1]
        assert paper_objective - 1e-6 <= fitted.objective_[-1] <= paper_objective + n / 20
        assert book.rfs_objective(X, Y, W, gamma) <= fitted.objective_[-1]
    assert fitted.gap_ <= 1e-12
