from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from mlreduce.exceptions import DataError
from mlreduce.linalg.kernel_path import KernelRidgePath
from mlreduce.linalg.kernels import gaussian_kernel, kernel_ridge, squared_distances

KINDS = [np.asarray, sp.csr_array, sp.csr_matrix]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other_kind", KINDS)
def test_distances_match_scipy(kind, other_kind, rng):
    X, other = (np.round(rng.standard_normal((n, 5)), 1) * (rng.random((n, 5)) < 0.6) for n in (8, 6))
    np.testing.assert_allclose(squared_distances(kind(X), other_kind(other)), cdist(X, other) ** 2, atol=1e-12)
    np.testing.assert_allclose(squared_distances(kind(X)), cdist(X, X) ** 2, atol=1e-12)


@given(st.integers(1, 12), st.integers(1, 6), st.floats(-1e3, 1e3), st.sampled_from(KINDS))
def test_distances_of_a_matrix_to_itself(n, d, offset, kind):
    rng = np.random.default_rng(n + 17 * d)
    X = rng.standard_normal((n, d)) + offset
    X = kind(np.vstack([X, X[:1]]))
    distances = squared_distances(X)
    assert not np.diag(distances).any()
    assert (distances >= 0).all()
    np.testing.assert_array_equal(distances, distances.T)
    np.testing.assert_allclose(squared_distances(X, X.copy()), distances, atol=1e-8)


def test_an_offset_costs_dense_features_no_accuracy(rng):
    X = np.round(rng.standard_normal((10, 3)), 3)
    np.testing.assert_allclose(squared_distances(X + 2.0**30), squared_distances(X), rtol=1e-3, atol=1e-6)


def test_rows_with_other_features_have_no_distance():
    with pytest.raises(DataError, match="the same features; got 3 columns and 2"):
        squared_distances(np.zeros((4, 3)), np.zeros((4, 2)))


@pytest.mark.parametrize("gamma", [1e-3, 0.5, 40])
def test_the_gaussian_kernel_matches_scikit_learn(gamma, rng):
    X, other = rng.standard_normal((9, 4)), rng.standard_normal((5, 4))
    distances = squared_distances(X, other)
    kernel = gaussian_kernel(distances, gamma)
    np.testing.assert_allclose(kernel, rbf_kernel(X, other, gamma=gamma), rtol=1e-10)
    np.testing.assert_allclose(distances, cdist(X, other) ** 2)
    assert gaussian_kernel(distances, gamma, overwrite=True) is distances
    np.testing.assert_array_equal(distances, kernel)


@given(st.integers(1, 15), st.integers(1, 4), st.floats(1e-6, 1e3))
def test_ridge_solves_its_equations(n, q, alpha):
    rng = np.random.default_rng(n + 31 * q)
    K = gaussian_kernel(squared_distances(rng.standard_normal((n, 3))), 0.3)
    before, T = K.copy(), rng.standard_normal((n, q))
    solution = kernel_ridge(K, alpha, T)
    np.testing.assert_array_equal(K, before)
    np.testing.assert_allclose(K @ solution.coefficients + alpha * solution.coefficients, T, atol=1e-7)
    np.testing.assert_allclose(T - K @ solution.coefficients, solution.residual, atol=1e-7)


@pytest.mark.parametrize("alpha", [1e-17, 1e-40, 1e-300])
def test_a_penalty_lost_in_rounding_errors_gives_the_limit(alpha, rng):
    X = np.repeat(rng.standard_normal((6, 3)), 2, axis=0)  # every row twice: the kernel has rank 6
    K, T = gaussian_kernel(squared_distances(X), 0.3), rng.standard_normal((12, 2))
    solution = kernel_ridge(K, alpha, T)
    means = np.repeat((T[::2] + T[1::2]) / 2, 2, axis=0)  # no function of the features tells the two apart
    np.testing.assert_allclose(K @ solution.coefficients, means, atol=1e-8)
    np.testing.assert_allclose(solution.residual, T - means, atol=1e-8)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 40, 130])
def test_one_reduction_serves_every_penalty(n, rng):
    X, held_out, T = rng.standard_normal((n, 4)), rng.standard_normal((7, 4)), rng.standard_normal((n, 3))
    K, crossed = (gaussian_kernel(squared_distances(X, other), 0.2) for other in (None, held_out))
    path = KernelRidgePath(K.copy(), T, crossed)
    for alpha in (1e-4, 0.1, 1.0, 1e4):
        step, expected = path.solve(alpha), kernel_ridge(K, alpha, T)
        np.testing.assert_allclose(step.predictions, crossed.T @ expected.coefficients, atol=1e-8)
        np.testing.assert_allclose(step.residual_gram, expected.residual.T @ expected.residual, atol=1e-8)


def test_a_path_says_where_rounding_errors_win():
    K = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1 - 1e-12]])  # a negative eigenvalue
    path = KernelRidgePath(K.copy(), np.ones((3, 1)), np.ones((3, 2)))
    assert path.solve(1e-14) is None
    assert path.solve(1e-3) is not None
