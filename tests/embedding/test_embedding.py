"""Embeddings compared with their definitions by every strategy of the solver, and on awkward data."""

from __future__ import annotations

import warnings

import numpy as np
import proximity_by_the_book as book
import pytest
import scipy.sparse as sp
from definitions import make
from projection_problems import data, signed, stored

import mlreduce
from mlreduce.exceptions import DataError, ProjectionWarning
from mlreduce.spectral import TrainingSet

ALL = mlreduce.registry.method_names("embedding")
OF_GRAPHS = ["usc", "le", "symmetric-spectral"]
SCALINGS = ["mds", "isomap"]
kinds = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, stored], ids=["dense", "sparse", "all stored"])


@pytest.mark.parametrize("name", ALL)
def test_methods_share_one_training_set(name, rng):
    X, Y = data(rng, 40, 6, 3)
    shared = TrainingSet(X, Y.astype(float))
    for other in ALL:
        make(other).fit_training_set(shared)
    expected = make(name).fit(X, Y).embedding_
    np.testing.assert_allclose(make(name).fit_training_set(shared).embedding_, expected, atol=1e-12)


@pytest.mark.parametrize("name", [*OF_GRAPHS, "lle"])
def test_iteration_with_products_and_with_the_inverse_agree(name, rng, monkeypatch):
    X = rng.standard_normal((150, 8))
    inverse = make(name).fit(X)
    monkeypatch.setattr("mlreduce.spectral.solver._inverse_below", None)
    monkeypatch.setattr("mlreduce.spectral.solver._GRAPH_FACTOR_BYTES", 0)
    products = make(name).fit(X)
    np.testing.assert_allclose(products.eigenvalues_, inverse.eigenvalues_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(products.embedding_, inverse.embedding_, atol=1e-9)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_components": 0}, "n_components must be between 1 and (20|19)"),
        ({"n_components": 21}, "n_components must be between 1 and (20, the number of instances|19, .* less one); got"),
        ({"n_components": 0.5}, "n_components must be an integer, a percentage of the instances"),
        ({"n_neighbors": 0}, "n_neighbors must be an integer >= 1"),
        ({"beta": -0.1}, "beta must be a number"),
        ({"beta": 1.1}, "beta must be a number in"),
        ({"proximity": "near"}, "proximity must be"),
        ({"proximity": {"tau": -1}}, "tau must be"),
    ],
)
def test_impossible_parameters_are_refused(name, parameters, sentence, rng):
    X, Y = data(rng, 20, 5, 3)
    unbounded = name == "mope-embedding" and parameters == {"beta": 1.1}  # features may take away any share
    if set(parameters) <= set(mlreduce.make(name).get_params()) and not unbounded:
        with pytest.raises(DataError, match=sentence):
            mlreduce.make(name, **parameters).fit(X, Y)


@pytest.mark.parametrize("name", ALL)
def test_few_instances(name):
    with pytest.raises(DataError, match="needs two instances at least; got n_samples=1"):
        make(name).fit([[1.0, 2]], [[1, 0]])
    if name == "mope-embedding":  # two that have no label in common
        with pytest.raises(DataError, match="joins no pair"):
            make(name, n_components=1).fit([[1.0, 2], [4, 5]], [[1, 0], [0, 1]])
    two = make(name, n_components=1).fit([[1.0, 2], [4, 5]], [[1, 0], [1, 1]])
    assert two.embedding_.shape == (2, 1)
    assert np.isfinite(two.embedding_).all()


@pytest.mark.parametrize("name", ALL)
@kinds
def test_equal_instances(name, kind, rng):
    """Groups of equal rows, larger than n_neighbors: a disconnected graph."""
    X, Y = np.repeat(rng.standard_normal((6, 3)), 8, axis=0), np.repeat(np.eye(6, dtype=int), 8, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProjectionWarning)
        method = make(name, n_components=3).fit(kind(X), Y)
    assert np.isfinite(method.embedding_).all()
    if name in OF_GRAPHS:
        np.testing.assert_allclose(method.eigenvalues_, 0 if name == "usc" else 1, atol=1e-12)
    # Of labels too, and of degrees, which ties give the first of a group.
    if name not in ("slvm", "symmetric-spectral", "mope-embedding"):
        groups = method.embedding_.reshape(6, 8, -1)
        np.testing.assert_allclose(groups, groups[:, :1] + np.zeros_like(groups), atol=1e-8)


@pytest.mark.parametrize("name", SCALINGS)
@kinds
def test_constant_features_are_refused(name, kind):
    with pytest.raises(DataError, match="no column with a positive eigenvalue: the features do not vary"):
        make(name).fit(kind(np.full((20, 3), 0.1)))


def test_fewer_columns_give_a_warning(rng):
    X = rng.standard_normal((30, 2))
    with pytest.warns(ProjectionWarning, match="MDS has 2 positive eigenvalues: n_components_ is 2, not 4") as record:
        assert make("mds", n_components=4).fit(X).embedding_.shape == (30, 2)
    assert record[0].filename == __file__


@pytest.mark.parametrize("name", [*OF_GRAPHS, "lle"])
@pytest.mark.parametrize("n_parts", [2, 4])
def test_connected_components(name, n_parts, rng):
    part = rng.permutation(np.arange(60) % n_parts)
    X = rng.standard_normal((60, 3)) + 1000.0 * part[:, None]
    left_out = name in ("le", "lle")
    method = make(name, n_components=n_parts - left_out).fit(X)
    np.testing.assert_allclose(method.eigenvalues_, 1 if name in ("le", "symmetric-spectral") else 0, atol=1e-10)
    Z = method.embedding_
    if name == "symmetric-spectral":
        Z = Z / np.sqrt(book.weights(X, n_neighbors=5).sum(axis=1))[:, None]
    for own in range(n_parts):
        np.testing.assert_allclose(np.ptp(Z[part == own], axis=0), 0, atol=1e-6)
    assert np.linalg.matrix_rank(np.array([Z[part == own][0] for own in range(n_parts)])) == n_parts - left_out
    if left_out:
        weights = book.weights(X, n_neighbors=5).sum(axis=1) if name == "le" else np.ones(60)
        np.testing.assert_allclose(weights @ Z, 0, atol=1e-8)


def test_instances_without_neighbours(rng):
    X = np.r_[rng.standard_normal((20, 2)), [[50.0, 0], [0, 90]]]
    graph = {"n_neighbors": None, "radius": 3.0}
    for name in ("le", "symmetric-spectral"):
        method = make(name, n_components=3 - (name == "le"), proximity=graph).fit(X)
        np.testing.assert_allclose(method.eigenvalues_, 1, atol=1e-10)
        assert np.isfinite(method.embedding_).all()
    all_pairs = make("le", proximity={"n_neighbors": None, "tau": 1e-3}).fit(np.arange(10.0)[:, None])
    np.testing.assert_allclose(all_pairs.eigenvalues_, 1)


def test_isomap_joins_components(rng):
    X = np.r_[rng.standard_normal((20, 2)), rng.standard_normal((15, 2)) + 60, rng.standard_normal((12, 2)) - 40]
    with pytest.warns(ProjectionWarning, match="graph of nearest neighbours has 3 components") as record:
        method = make("isomap", n_neighbors=4).fit(X)
    assert record[0].filename == __file__
    part = np.repeat([0, 1, 2], [20, 15, 12])
    pairs = book.joined(X, 4)
    for own in range(3):
        for other in range(own):
            i, j = min(
                ((i, j) for i in np.flatnonzero(part == own) for j in np.flatnonzero(part == other)),
                key=lambda pair: book.distance(X, *pair),
            )
            pairs[i, j] = pairs[j, i] = True
    H = np.eye(47) - 1 / 47
    expected = np.linalg.eigvalsh(-H @ book.paths(X, pairs) ** 2 @ H / 2)[::-1][:2]
    np.testing.assert_allclose(method.eigenvalues_, expected)


@kinds
def test_slvm_with_one_term(kind, rng):
    X, Y = data(rng, 30, 5, 3)
    features, labels = make("slvm", beta=0).fit(kind(X), Y), make("slvm", beta=1).fit(kind(X), Y)
    for method, matrix in ((features, X), (labels, Y.astype(float))):
        left, values, _ = np.linalg.svd(matrix, full_matrices=False)
        np.testing.assert_allclose(method.eigenvalues_, values[:2] ** 2)
        np.testing.assert_allclose(method.embedding_.T, signed(left[:, :2].T), atol=1e-9)
    signs = make("slvm").fit(X, 2 * Y - 1)
    np.testing.assert_allclose(signs.embedding_, make("slvm").fit(X, Y).embedding_, atol=1e-12)
    with pytest.raises(DataError, match="requires y"):
        make("slvm").fit(X)


@pytest.mark.parametrize("name", ALL)
def test_sparse_features_are_never_made_dense(name, rng, monkeypatch):
    X = sp.random_array((40, 90), density=0.2, rng=rng, format="csr")
    Y = data(rng, 40, 2, 3)[1]

    def toarray(self, *arguments, _original=sp.csr_array.toarray, **keywords):
        assert self.shape not in ((40, 90), (90, 40))
        return _original(self, *arguments, **keywords)

    monkeypatch.setattr(sp.csr_array, "toarray", toarray)
    assert make(name).fit(X, Y).embedding_.shape == (40, 2)
