"""Products of centred features and forms of them, and what rounding must not make of zero."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from projection_problems import data

from mlreduce.linalg import features as module
from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.features import Features
from mlreduce.spectral import Form

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


@pytest.mark.parametrize("centred", [False, True])
@both
def test_products_of_features_are_those_of_the_shifted_matrix(centred, kind, rng):
    X = data(rng, 9, 5, 2, density=0.6)[0]
    X[:, 3] = rng.standard_normal(9) + 50  # a full column of a sparse matrix
    X[:, 4] = 0.1
    features, shifted = Features(kind(X), centred), X - X.mean(axis=0) if centred else X
    weights, R, S = rng.random(9), rng.standard_normal((9, 3)), rng.standard_normal((5, 3))
    for product, expected in (
        (features.dot(S), shifted @ S),
        (features.dot(S[:, 0]), shifted @ S[:, 0]),
        (features.transposed_dot(R), shifted.T @ R),
        (features.transposed_dot(R[:, 0]), shifted.T @ R[:, 0]),
        (features.transposed_dot(sp.csr_array(R)), shifted.T @ R),
        (features.scatter, shifted.T @ shifted),
        (features.weighted_scatter(weights), shifted.T @ (weights[:, None] * shifted)),
        (features.gram, shifted @ shifted.T),
        (features.squared_norms, (shifted**2).sum(axis=1)),
    ):
        np.testing.assert_allclose(product, expected, atol=1e-10)


@pytest.mark.parametrize("middle", [2.5, np.array([[2.0, 0.5], [0.5, 1.0]])], ids=["number", "matrix"])
def test_forms_say_the_same_in_every_way(middle, rng):
    X = rng.standard_normal((8, 5))
    L = rng.standard_normal((8, 2))
    features, J = Features(X, centred=True), middle * np.eye(2) if np.isscalar(middle) else middle
    Xc = X - X.mean(axis=0)
    form = Form(weights=0.7, factor=L, middle=middle, squared=0.3, ridge=0.2)
    M = 0.7 * np.eye(8) + L @ J @ L.T
    expected = Xc.T @ (M + 0.3 * Xc @ Xc.T) @ Xc
    np.testing.assert_allclose(form.matrix(features), expected + 0.2 * np.eye(5), atol=1e-10)
    scores = rng.standard_normal(8)
    np.testing.assert_allclose(form.dot(features, scores), (M + 0.3 * Xc @ Xc.T) @ scores, atol=1e-10)
    half = form.feature_factor(features)
    np.testing.assert_allclose(half @ half.T, Xc.T @ L @ J @ L.T @ Xc, atol=1e-10)
    plain = Form(weights=0.7, factor=L, middle=middle)
    assert plain.mean_diagonal(features) == pytest.approx(np.trace(Xc.T @ M @ Xc) / 5)
    w, E, g = plain.sample_root(8)
    root = w * np.eye(8) + E @ np.diag(g) @ E.T
    np.testing.assert_allclose(root @ root, M, atol=1e-10)


def test_only_full_columns_of_sparse_matrices_are_shifted():
    X = np.array([[0, 7.0, 1e9 + 1], [2, 7.0, 1e9 + 2], [0, 7.0, 1e9 + 6]])
    features = Features(sp.csr_array(X), centred=True)
    np.testing.assert_allclose(features.mean, X.mean(axis=0))
    np.testing.assert_allclose(features.scatter, np.cov(X.T) * 2, atol=1e-12)
    assert features._stored.nnz == 7
    assert features.X.data.max() > 1e9  # still what was passed


def test_entries_of_one_place_do_not_make_a_column_full():
    rows, columns = [0, 0, 1, 1, 0, 1, 2, 3], [0, 0, 0, 0, 1, 1, 1, 1]
    X = sp.coo_array((np.arange(1.0, 9), (rows, columns)), shape=(4, 2))
    order = np.argsort(rows, kind="stable")
    indptr = np.searchsorted(np.array(rows)[order], np.arange(5))
    twice = sp.csr_array((X.data[order], np.array(columns)[order], indptr), shape=(4, 2))
    assert twice.nnz == 8
    features, shifted = Features(twice, centred=True), X.toarray() - X.toarray().mean(axis=0)
    np.testing.assert_allclose(features.scatter, shifted.T @ shifted)
    np.testing.assert_allclose(features.mean, X.toarray().mean(axis=0))
    assert twice.nnz == 8


@both
@pytest.mark.parametrize("factor", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_long_sums_of_what_does_not_vary_are_zero(kind, factor):
    """A hundred thousand rounding errors of the same sign are no dependence."""
    n = 100_000
    labels = np.c_[np.arange(n) % 3 == 0, np.ones(n)].astype(float)
    X = np.c_[np.full(n, 0.1), np.where(np.arange(n), 0.1, 0.2)]
    product = Features(kind(X), centred=True).cross(factor(labels))
    np.testing.assert_array_equal(product[0], 0)
    np.testing.assert_array_equal(product[:, 1], 0)
    np.testing.assert_array_equal(Features(kind(X), centred=True).cross(np.ones((n, 1))), 0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centred", [False, True])
def test_large_matrices_are_made_in_blocks(weighted, centred, rng, monkeypatch):
    X, weights = rng.standard_normal((40, 13)), rng.random(40) if weighted else None
    graph = sp.random_array((40, 40), density=0.2, rng=rng, format="csr")
    graph = sp.csr_array(graph + graph.T)
    small = Features(X, centred=centred)
    expected = small.weighted_scatter(weights), small.form(graph)
    monkeypatch.setattr(module, "CACHED_BYTES", 100)
    monkeypatch.setattr(module, "row_blocks", partial(row_blocks, n_bytes=400))
    large = Features(X, centred=centred)
    for matrix, other in zip((large.weighted_scatter(weights), large.new_form(graph)), expected, strict=True):
        np.testing.assert_allclose(matrix, other, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(matrix, matrix.T)
    scatter = large.new_scatter()
    scatter[:] = 0.0
    np.testing.assert_allclose(large.new_scatter(), small.scatter, rtol=1e-12, atol=1e-12)
