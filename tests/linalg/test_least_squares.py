from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from mlreduce.exceptions import DataError
from mlreduce.linalg.least_squares import Design, HeldOutLeastSquares
from mlreduce.predictors.linear import LinearRegressor


def lstsq(X, T, rcond=1e-10):
    design = np.column_stack([np.ones(len(X)), X])
    return np.linalg.lstsq(design, T, rcond=rcond)[0], design


def problem(kind, rng, n=40):
    """Designs of every rank situation that held-out least squares has to deal with."""
    T = rng.standard_normal((n, 3))
    if kind == "tall":
        return rng.standard_normal((n, 6)), T
    if kind == "wide":
        return rng.standard_normal((n, 2 * n)), T
    if kind == "duplicate columns":
        X = rng.standard_normal((n, 4))
        return np.column_stack([X, X[:, :2]]), T
    if kind == "rare words":  # columns that occur in one or two rows: gone from some training parts
        X = (rng.random((n, 25)) < 0.04).astype(float)
        X[np.arange(25) % n, np.arange(25)] = 1
        return X, T
    if kind == "constant":
        return np.ones((n, 3)), T
    assert kind == "duplicate rows"
    X = rng.standard_normal((n // 4, 2 * n))
    return np.repeat(X, 4, axis=0), T


KINDS = ["tall", "wide", "duplicate columns", "rare words", "constant", "duplicate rows"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_test", "n_train"), [(1, 39), (8, 32), (20, 20), (8, 31), (8, 6), (20, 1)])
def test_leaving_rows_out_equals_solving_on_the_training_rows(kind, n_test, n_train, rng):
    """Whether all other rows train or only some of them."""
    X, T = problem(kind, rng)
    shared = HeldOutLeastSquares(Design.factorise(X, 0.0), T)
    for _ in range(5):
        test, train = (np.sort(rows) for rows in np.split(rng.permutation(len(X))[: n_test + n_train], [n_test]))
        coefficients, design = lstsq(X[train], T[train])
        solution = shared.solve(train, test)
        expected = np.column_stack([np.ones(n_test), X[test]]) @ coefficients
        np.testing.assert_allclose(solution.predictions, expected, atol=1e-9)
        np.testing.assert_allclose(solution.explained_gram, T[train].T @ design @ coefficients, atol=1e-9)


def test_rows_that_train_twice_count_twice(rng):
    """As many rows as there are, but not all of them."""
    X, T = problem("tall", rng)
    test, train = np.arange(8), np.r_[np.arange(8, 24), np.arange(8, 24)]
    coefficients, _ = lstsq(X[train], T[train])
    expected = np.column_stack([np.ones(8), X[test]]) @ coefficients
    solution = HeldOutLeastSquares(Design.factorise(X, 0.0), T).solve(train, test)
    np.testing.assert_allclose(solution.predictions, expected, atol=1e-9)


@given(
    X=st.integers(5, 14).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 1), min_size=6, max_size=6), min_size=n, max_size=n)
    ),
    n_test=st.integers(1, 3),
)
def test_leaving_rows_out_of_any_binary_design(X, n_test):
    X = np.array(X, dtype=float)
    T = np.arange(len(X) * 2, dtype=float).reshape(-1, 2) % 5
    test, train = np.arange(n_test), np.arange(n_test, len(X))
    coefficients, _ = lstsq(X[train], T[train])
    predictions = HeldOutLeastSquares(Design.factorise(X), T).solve(train, test).predictions
    np.testing.assert_allclose(predictions, np.column_stack([np.ones(n_test), X[test]]) @ coefficients, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_coefficients_are_those_of_numpy(kind, rng):
    X, T = problem(kind, rng)
    expected, _ = lstsq(X, T)
    np.testing.assert_allclose(Design.factorise(X).coefficients(T), expected, atol=1e-10)


def test_regressor_equals_scikit_learn_at_full_rank(rng):
    X, T = problem("tall", rng)
    ours, theirs = LinearRegressor().fit(X, T), LinearRegression().fit(X, T)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-10)
    one = LinearRegressor().fit(X, T[:, 0])
    np.testing.assert_allclose(one.predict(X), theirs.predict(X)[:, 0], atol=1e-10)
    assert one.coef_.shape == (6,)


def test_sparse_features_give_the_same_fit(rng):
    X, T = problem("rare words", rng)
    dense, sparse = LinearRegressor().fit(X, T), LinearRegressor().fit(sp.csr_array(X), T)
    np.testing.assert_array_equal(dense.coef_, sparse.coef_)
    np.testing.assert_allclose(sparse.predict(sp.csr_array(X)), dense.predict(X))


def test_cut_off_decides_the_rank(rng):
    X = rng.standard_normal((30, 3))
    X = np.column_stack([X, X[:, 0] + 1e-7 * rng.standard_normal(30)])
    assert LinearRegressor(rcond=1e-10).fit(X, X[:, 0]).rank_ == 5
    assert LinearRegressor(rcond=1e-5).fit(X, X[:, 0]).rank_ == 4
    fine = Design.factorise(X, 0.0)
    np.testing.assert_array_equal(fine.truncated(1e-5).left, Design.factorise(X, 1e-5).left)


def test_design_survives_its_file(tmp_path, rng):
    design = Design.factorise(rng.standard_normal((9, 4)))
    design.save(tmp_path / "d.npz")
    for ours, theirs in zip(Design.load(tmp_path / "d.npz"), design, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_half_a_design_is_refused(tmp_path, rng):
    path = tmp_path / "d.npz"
    Design.factorise(rng.standard_normal((9, 4))).save(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match="not a complete factorised design"):
        Design.load(path)
    np.savez(path, left=np.eye(2))
    with pytest.raises(DataError, match="'singular_values' is missing"):
        Design.load(path)


@pytest.mark.parametrize("rcond", [-0.1, 1.0, np.nan])
def test_impossible_cut_off_is_refused(rcond):
    with pytest.raises(DataError, match=r"rcond must lie in \[0, 1\)"):
        LinearRegressor(rcond=rcond).fit([[0.0], [1.0]], [0.0, 1.0])
