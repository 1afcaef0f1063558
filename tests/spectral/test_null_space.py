"""Directions of eigenvalue zero: which eigenvalues are zero, and the order that no basis decides."""

from __future__ import annotations

import numpy as np
import pytest
from projection_problems import data

import mlreduce
from mlreduce.exceptions import DataError, ProjectionWarning
from mlreduce.linalg.features import Coordinates, Features
from mlreduce.spectral import Form, TrainingSet, solver
from mlreduce.spectral.solver import solve


def low_rank(rng, n=50, d=20, rank=3):
    """Features of well separated variances, and an indefinite form of rank 2 * rank."""
    X = rng.standard_normal((n, d)) * np.linspace(1, 4, d)
    L = rng.standard_normal((n, rank))
    R = rng.standard_normal((n, rank))
    return X, L @ L.T - R @ R.T


@pytest.mark.parametrize("shape", [(50, 20), (25, 60)], ids=["tall", "wide"])
@pytest.mark.parametrize("limit", [None, 2, 3, 4, 12])
def test_null_space_is_ordered_by_variance(shape, limit, rng):
    X, A = low_rank(rng, *shape)
    features = Features(X, centred=False)
    found = solve(features, Form(graph=A), None, limit, signed_values=True, variation=features.dot)
    P, values = found.components, found.eigenvalues
    rank = min(shape)
    assert len(values) == (limit or rank)
    np.testing.assert_allclose(P @ P.T, np.eye(len(P)), atol=1e-12)
    assert (values[:3] > 0).all()
    assert (values[3 : rank - 3] == 0).all()
    # By the book: the eigenvectors of X'X projected on the null space within the row space.
    basis = np.linalg.svd(X, full_matrices=False)[2].T
    inner, turn = np.linalg.eigh(basis.T @ X.T @ A @ X @ basis)
    null = basis @ turn[:, np.abs(inner) < 1e-8 * np.abs(inner).max()]
    squares, rotation = np.linalg.eigh(null.T @ X.T @ X @ null)
    expected = (null @ rotation)[:, ::-1].T[: max(len(P) - 3, 0)]
    block = P[3 : rank - 3]
    np.testing.assert_allclose(np.abs((block * expected[: len(block)]).sum(axis=1)), 1, atol=1e-8)
    images = X @ block.T
    np.testing.assert_allclose(images.T @ images, np.diag(squares[::-1][: len(block)]), atol=1e-9 * squares.max())


@pytest.mark.parametrize("limit", [3, 4, 5, 6, 12, None])
def test_equal_variances_are_kept_together_or_left_out(limit):
    X = np.diag([3.0, 2, 1, 1, 1, 0.5, 0.4])
    form = Form(graph=np.diag([1.0, 0, 0, 0, 0, 0, -1]))
    features = Features(X, centred=False)
    found = solve(features, form, None, limit, signed_values=True, variation=features.dot)
    assert len(found.eigenvalues) == {3: 2, 4: 2, 12: 7, None: 7}.get(limit, limit)
    np.testing.assert_allclose(found.components[:2], np.eye(7)[:2], atol=1e-12)
    np.testing.assert_allclose(found.components[5:], np.eye(7)[5 : len(found.components)], atol=1e-12)


def test_fewer_directions_than_wanted_are_announced():
    X = np.repeat(np.eye(4), 2, axis=0)
    Y = np.zeros((8, 1), dtype=int)
    Y[:2] = 1
    with pytest.warns(ProjectionWarning, match="MOPE has 1 directions: n_components_ is 1, not 3"):
        method = mlreduce.MOPE(n_components=3, combine="labels").fit(X, Y)
    np.testing.assert_allclose(method.components_, [[1, 0, 0, 0]], atol=1e-12)


def stars(rng, n=60, d=30):
    """Rows with two label sets: few neighbours, the first rows, are those of all."""
    X = rng.standard_normal((n, d)) * np.linspace(1, 3, d)
    return X, np.eye(2, dtype=int)[rng.integers(2, size=n)]


@pytest.mark.parametrize("name", ["mope", "mesd-mmc", "mesd-dne", "mesd-dla", "olpp", "ssmope"])
def test_order_of_columns_permutes_directions(name, rng):
    X, Y = stars(rng)
    order = rng.permutation(30)
    given = {"combine": "labels", "n_neighbors": 2, "ties": "first"} if name == "mope" else {}
    still, moved = (mlreduce.make(name, n_components=14, **given).fit(A, Y) for A in (X, X[:, order]))
    if name == "mope":
        assert (still.eigenvalues_ == 0).sum() >= 5
    np.testing.assert_allclose(moved.components_, still.components_[:, order], atol=1e-7)


def test_rotated_features_give_the_same_projections(rng):
    X, Y = stars(rng)
    Q = np.linalg.qr(rng.standard_normal((30, 30)))[0]
    still, moved = (mlreduce.MOPE(n_components=14, combine="labels", ties="first").fit(A, Y) for A in (X, X @ Q))
    A, B = still.transform(X), moved.transform(X @ Q)
    np.testing.assert_allclose(B, A * np.sign((A * B).sum(axis=0)), atol=1e-7 * np.abs(A).max())


def test_mope_without_the_null_space(rng):
    X, Y = stars(rng)
    whole = mlreduce.MOPE(combine="labels", n_neighbors=2, ties="first").fit(X, Y)
    positive = mlreduce.MOPE(combine="labels", n_neighbors=2, ties="first", null_space="none").fit(X, Y)
    assert positive.n_components_ == (whole.eigenvalues_ > 0).sum() < whole.n_components_ == 30
    np.testing.assert_allclose(positive.components_, whole.components_[: positive.n_components_], atol=1e-12)
    with pytest.warns(ProjectionWarning, match="not 20"):
        few = mlreduce.MOPE(20, combine="labels", n_neighbors=2, ties="first", null_space="none").fit(X, Y)
    assert few.n_components_ == positive.n_components_
    with pytest.raises(DataError, match="null_space must be 'variance' or 'none'; got 'energy'"):
        mlreduce.MOPE(null_space="energy").fit(X, Y)


def test_costs_of_zero_come_first_by_variance(rng):
    """A graph of pairs of equal rows costs nothing along directions in which they are equal."""
    X = np.repeat(rng.standard_normal((12, 8)) * np.arange(1, 9), 2, axis=0)
    X[:, :2] += np.tile([[1.0, 0.5], [-1.0, -0.5]], (12, 1))
    W = np.kron(np.eye(12), [[0.0, 1.0], [1.0, 0.0]])
    method = mlreduce.OLPP(4, {"weight": W, "n_neighbors": None}, variance_share=1).fit(X)
    assert (method.eigenvalues_ == 0).all()
    Z = method.transform(X)
    np.testing.assert_allclose(Z[::2], Z[1::2], atol=1e-10)
    squares = np.square(Z).sum(axis=0)
    assert (np.diff(squares) < 0).all()
    # No direction of cost zero has a larger variance than the first: it is PCA of the pairs' common part.
    centred = X - X.mean(axis=0)
    null = np.linalg.svd(centred[::2] - centred[1::2])[2][1:].T
    np.testing.assert_allclose(squares, np.linalg.eigvalsh(null.T @ centred.T @ centred @ null)[::-1][:4], rtol=1e-10)


@pytest.mark.parametrize("weight", ["constant", "gaussian"])
def test_parts_of_an_embedded_graph_by_variance(weight, rng):
    """Spectral clustering of a graph in parts: columns of cost zero do not depend on the order of the rows."""
    X = np.concatenate([rng.standard_normal((15, 6)) + 40 * rng.standard_normal(6) for _ in range(5)])
    order = rng.permutation(len(X))
    given = {"n_components": 2, "proximity": {"weight": weight, "n_neighbors": 5}}
    still, moved = (mlreduce.make("usc", **given).fit_transform(A) for A in (X, X[order]))
    np.testing.assert_allclose(np.abs((moved * still[order]).sum(axis=0)), np.square(still).sum(axis=0), rtol=1e-8)


def test_rounding_errors_of_a_whitened_matrix_are_no_directions(rng):
    """Few pairs between classes give few directions, however large the whitening of dependent features is."""
    X, Y = data(rng, 60, 12, 1)
    Y = np.hstack([Y, 1 - Y])
    X = np.hstack([X, X @ rng.standard_normal((12, 12)) + 1e-4 * rng.standard_normal((60, 12))])
    for _ in range(4):
        method = mlreduce.make("mfa", ridge=0.0, n_pairs=3, n_neighbors=20).fit(X[:, rng.permutation(24)], Y)
        pairs = method.objective(TrainingSet(X, Y.astype(float))).graph
        assert method.n_components_ == np.linalg.matrix_rank(pairs.toarray()) < 10


def test_rounding_error_is_measured(rng):
    """Against products in twice the precision: within a factor of the true error's norm."""
    X = rng.standard_normal((80, 20)) + 1e4
    L = rng.standard_normal((80, 80))
    A = L + L.T
    np.fill_diagonal(A, 0)
    A -= np.diag(A.sum(axis=1))  # a Laplacian: the large mean cancels
    features = Features(X, centred=False)
    form = Form(graph=A)
    matrix = form.matrix(features)
    exact = X.astype(np.longdouble).T @ A.astype(np.longdouble) @ X.astype(np.longdouble)
    error = float(np.linalg.norm((matrix - exact).astype(float)))
    estimate = solver._rounding_error(matrix, *solver._probes(features, form, None))
    assert error <= estimate <= 100 * error
    assert estimate > 100 * solver.rounding(80, float(np.linalg.norm(matrix))) * 1e-3


def test_embeddings_without_variation_keep_the_found_order(rng):
    graph = np.zeros((30, 30))
    graph[0, 1] = graph[1, 0] = 1.0
    found = solve(Coordinates(30), Form(graph=graph), limit=10, signed_values=True)
    assert len(found.eigenvalues) == 10
    training = TrainingSet(rng.standard_normal((30, 3)))
    images = training.centred.transposed_dot
    few = solve(Coordinates(30), Form(graph=graph), limit=3, signed_values=True, variation=images)
    assert len(few.eigenvalues) == 3
    squares = np.square(images(few.components[1:].T)).sum(axis=0)
    assert squares[0] > squares[1]


def test_very_large_problems_stop_at_the_null_space(rng, monkeypatch):
    """Lanczos iteration finds a few of the directions of eigenvalue zero, which have no order then."""
    monkeypatch.setattr(solver, "DENSE_SIDE", 20)
    X, A = low_rank(rng, 120, 60)
    features = Features(X, centred=False)
    found = solve(features, Form(graph=A), None, 10, signed_values=True, variation=features.dot)
    assert len(found.eigenvalues) == 3
    np.testing.assert_allclose(found.eigenvalues, np.linalg.eigvalsh(X.T @ A @ X)[::-1][:3], rtol=1e-10)
    few = solve(features, Form(graph=A), None, 2, signed_values=True, variation=features.dot)
    np.testing.assert_allclose(few.components, found.components[:2], atol=1e-8)
