"""Proximities by features compared with plain loops (proximity_by_the_book.py)."""

from __future__ import annotations

import numpy as np
import proximity_by_the_book as book
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from projection_problems import stored
from sklearn.base import clone
from sklearn.manifold._locally_linear import barycenter_weights

from mlreduce.exceptions import DataError
from mlreduce.linalg import distances
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.neighbours import (
    distances_of,
    geodesics_of,
    mean_distance,
    neighbours_of,
    reconstruction_weights,
)
from mlreduce.spectral.graphs.proximity import Proximity, attraction, check_proximity, degrees, reconstruction

KINDS = {"dense": np.asarray, "sparse": sp.csr_array, "all stored": stored}
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
WEIGHTS = [
    "constant",
    "gaussian",
    "local-scaling",
    "ratio",
    "reconstruction",
    "cosine",
    "pearson",
    "spearman",
    "kendall",
    "geodesic",
]
GRAPHS = {
    "undirected": {"n_neighbors": 3},
    "mutual": {"n_neighbors": 4, "mutual": True},
    "close": {"n_neighbors": None, "radius": 2.5},
    "neighbours that are close": {"n_neighbors": 3, "radius": 2.2},
    "mutual and close by cosine": {"n_neighbors": 5, "mutual": True, "radius": 0.7, "metric": "cosine"},
    "neighbours by cosine": {"n_neighbors": 2, "metric": "cosine"},
    "close by cosine": {"n_neighbors": None, "radius": 0.6, "metric": "cosine"},
    "all": {"n_neighbors": None},
}


def points(rng, n=18, d=5):
    """Equal and zero values, two equal rows, a constant one and a zero one."""
    X = np.round(rng.standard_normal((n, d)), 1) + rng.integers(-1, 2, d)
    X[rng.random((n, d)) < 0.3] = 0
    X[5], X[7], X[8] = X[2], 1.5, 0
    return X


def matrix(X, **parameters):
    return Proximity(**parameters).matrix(TrainingSet(X))


def dense(W):
    return W.toarray() if sp.issparse(W) else W


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.rotating
def test_weights_by_definition(weight, graph, rng):
    X = points(rng)
    if weight == "reconstruction" and graph["n_neighbors"] is None:
        with pytest.raises(DataError, match="weight='reconstruction' need n_neighbors"):
            matrix(X, weight=weight, **graph)
        return
    expected = book.weights(X, weight, **graph)
    for kind, form in KINDS.items():
        W = matrix(form(X), weight=weight, **graph)
        np.testing.assert_allclose(dense(W), expected, atol=1e-10, err_msg=kind)
        np.testing.assert_array_equal(dense(W), dense(W).T)
        assert sp.issparse(W) == (weight != "geodesic" and len(graph) + (graph["n_neighbors"] is not None) > 1)
        if sp.issparse(W):
            assert W.format == "csr"
            assert W.nnz == np.count_nonzero(expected > 1e-12)
            assert W.has_sorted_indices


@pytest.mark.parametrize("weight", ["gaussian", "ratio", "geodesic"])
@pytest.mark.parametrize("graph", [{"n_neighbors": 3}, {"n_neighbors": None}], ids=["sparse", "all"])
def test_the_width_is_the_users(weight, graph, rng):
    X = points(rng)
    np.testing.assert_allclose(
        dense(matrix(X, weight=weight, tau=0.37, **graph)), book.weights(X, weight, tau=0.37, **graph), atol=1e-12
    )


@given(seed=st.integers(0, 10_000), k=st.integers(1, 30))
def test_graphs_of_neighbours(seed, k):
    X = np.random.default_rng(seed).integers(0, 4, (20, 2)).astype(float)  # many ties and duplicates
    data = TrainingSet(X)
    near = neighbours_of(data, k)
    assert near.shape == (20, min(k, 19))
    assert all(i not in own and len(set(own)) == len(own) for i, own in enumerate(near.tolist()))
    either, both = (Proximity("constant", k, mutual=mutual).matrix(data).toarray() for mutual in (False, True))
    assert (both <= either).all()
    assert (either.sum(axis=1) >= min(k, 19)).all()
    assert (both.sum(axis=1) <= k).all()
    np.testing.assert_array_equal(either + both, sum_of_directions(near))
    for i, own in enumerate(near):
        lengths = distances_of(data)[i, own]
        assert (np.diff(lengths) >= 0).all()
        assert lengths[-1] <= np.delete(distances_of(data)[i], [i, *own]).min(initial=np.inf)
        assert all(a < b for a, b, tie in zip(own, own[1:], np.diff(lengths) == 0, strict=False) if tie)


def sum_of_directions(near):
    directed = np.zeros((len(near), len(near)))
    directed[np.arange(len(near))[:, None], near] = 1
    return directed + directed.T


def test_a_pair_at_the_threshold_is_joined():
    X = np.array([[0.0], [0.1], [0.3], [0.6]])
    for radius, count in ((0.1, 1), (0.2, 2), (0.3, 4), (0.29, 2), (0.05, 0), (0.6, 6)):
        W = matrix(X, weight="constant", n_neighbors=None, radius=radius)
        assert W.nnz == 2 * count
    X = np.array([[1.0, 0], [1, 1], [0, 3]])
    assert matrix(X, weight="constant", n_neighbors=None, radius=1.0, metric="cosine").nnz == 6
    assert matrix(X, weight="constant", n_neighbors=None, radius=0.5, metric="cosine").nnz == 4


def test_equal_instances_have_the_largest_weight(rng):
    X = np.repeat(rng.standard_normal((4, 3)), 5, axis=0)
    for weight in ("gaussian", "local-scaling", "ratio", "cosine", "pearson", "spearman", "kendall"):
        W = dense(matrix(X, weight=weight, n_neighbors=4))
        np.testing.assert_allclose(W, np.kron(np.eye(4), np.ones((5, 5))) - np.eye(20), atol=1e-12)
    # Paths of length zero are paths; other points are out of reach.
    np.testing.assert_allclose(dense(matrix(X, weight="geodesic", n_neighbors=4)), W, atol=1e-12)
    np.testing.assert_allclose(dense(matrix(X, weight="reconstruction", n_neighbors=4)), W / 4, atol=1e-12)


@kinds
def test_reconstruction_weights_are_scikit_learns(kind, rng):
    X = points(rng, 25, 4)
    data = TrainingSet(kind(X))
    W = reconstruction_weights(data, 6)
    near = neighbours_of(data, 6)
    np.testing.assert_allclose(W.toarray(), book.reconstruction(X, 6), atol=1e-9)
    np.testing.assert_allclose(W.toarray()[np.arange(25)[:, None], near], barycenter_weights(X, X, near), atol=1e-9)
    np.testing.assert_allclose(W.sum(axis=1), 1)
    strong = reconstruction_weights(data, 6, ridge=1e6)
    np.testing.assert_allclose(strong.data, 1 / 6, atol=1e-5)
    rest = np.eye(25) - W.toarray()
    np.testing.assert_allclose(reconstruction(data, 6).graph.toarray(), -rest.T @ rest, atol=1e-12)


def test_shortest_paths(rng):
    X = np.r_[rng.standard_normal((12, 2)), 100 + rng.standard_normal((9, 2))]
    data = TrainingSet(X)
    graph = Proximity("constant", 3).matrix(data)
    lengths = geodesics_of(data, graph)
    np.testing.assert_allclose(lengths, book.paths(X, book.joined(X, 3)))
    assert np.isinf(lengths[:12, 12:]).all()
    W = Proximity("geodesic", 3).matrix(data)
    assert (W[:12, 12:] == 0).all()
    assert np.isfinite(W).all()
    assert (lengths[:12, :12] + 1e-5 >= np.sqrt(distances_of(data)[:12, :12])).all()


@kinds
def test_large_offset(kind, rng):
    X = rng.standard_normal((20, 4))
    first, second = (dense(matrix(kind(features), n_neighbors=4)) for features in (X, X + 1e6))
    np.testing.assert_allclose(second, first, atol=1e-8)


class TestOwn:
    @pytest.fixture
    def own(self, rng):
        values = rng.random((12, 12))
        return values + values.T

    def test_a_matrix_or_what_makes_one(self, own, rng):
        X = rng.standard_normal((12, 3))
        expected = own - np.diag(np.diag(own))
        for weight in (own, lambda X: own, lambda X: own.tolist()):
            np.testing.assert_allclose(matrix(X, weight=weight, n_neighbors=None), expected)
            some = matrix(X, weight=weight, n_neighbors=3)
            assert sp.issparse(some)
            np.testing.assert_allclose(some.toarray(), expected * book.joined(X, 3))
        inner = matrix(sp.csr_array(X), weight=lambda X: (X @ X.T).power(2), n_neighbors=None)
        assert inner.format == "csr"
        np.testing.assert_allclose(inner.toarray(), (X @ X.T) ** 2 - np.diag(np.diag((X @ X.T) ** 2)))

    def test_a_sparse_matrix_stays_sparse(self, own, rng):
        X, own = rng.standard_normal((12, 3)), np.where(own > 1, own, 0)
        expected = own - np.diag(np.diag(own))
        for cls in (sp.csr_array, sp.csc_matrix, sp.coo_array):
            whole = matrix(X, weight=cls(own), n_neighbors=None)
            assert whole.format == "csr"
            assert whole.nnz == np.count_nonzero(expected)
            np.testing.assert_allclose(whole.toarray(), expected)
            np.testing.assert_allclose(
                matrix(X, weight=cls(own), n_neighbors=3).toarray(), expected * book.joined(X, 3)
            )

    def test_own_matrix_is_not_changed(self, own, rng):
        data, kept = TrainingSet(rng.standard_normal((12, 3))), own.copy()
        Proximity(own, None).matrix(data)
        np.testing.assert_array_equal(own, kept)
        np.testing.assert_allclose(Proximity(2 * own, None).matrix(data), 2 * Proximity(own, None).matrix(data))

    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            (lambda W: W[:-1], r"must have the shape \(12, 12\); got \(11, 12\)"),
            (lambda W: -W, "finite and not negative"),
            (lambda W: W * np.nan, "finite and not negative"),
            (lambda W: W + np.arange(12), "must be symmetric"),
        ],
    )
    def test_bad_ones_are_refused(self, own, change, sentence, rng):
        X = rng.standard_normal((12, 3))
        for kind in (np.asarray, sp.csr_array):
            with pytest.raises(DataError, match=sentence):
                matrix(X, weight=kind(change(own)))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"weight": "gausian"}, "unknown weight 'gausian'; did you mean 'gaussian'"),
        ({"n_neighbors": 0}, "n_neighbors must be an integer >= 1; got 0"),
        ({"n_neighbors": 2.0}, "n_neighbors must be an integer"),
        ({"radius": 0}, "radius must be a number > 0"),
        ({"radius": -1.0}, "radius must be a number > 0"),
        ({"tau": 0}, "tau must be a number > 0"),
        ({"metric": "manhattan"}, "metric must be 'euclidean' or 'cosine'; got 'manhattan'"),
        ({"n_neighbors": None, "mutual": True}, "mutual=True and weight='reconstruction' need n_neighbors"),
    ],
)
def test_impossible_parameters_are_refused(parameters, sentence, rng):
    with pytest.raises(DataError, match=sentence):
        matrix(rng.standard_normal((9, 3)), **parameters)


@kinds
def test_blocks_of_rows_make_no_difference(kind, rng, monkeypatch):
    X = points(rng)
    for weight in WEIGHTS:
        for graph in GRAPHS.values():
            if weight != "reconstruction" or graph["n_neighbors"]:
                whole = matrix(kind(X), weight=weight, **graph)
                with monkeypatch.context() as patch:
                    patch.setattr(distances, "_BLOCK_BYTES", 1000)
                    pieces = matrix(kind(X), weight=weight, **graph)
                np.testing.assert_allclose(dense(pieces), dense(whole), atol=1e-13)


def test_check_proximity():
    own = Proximity("cosine", 3)
    assert check_proximity(own) is own
    assert check_proximity(None).get_params() == Proximity().get_params()
    assert check_proximity({"weight": "cosine", "tau": 2.0}).get_params() == Proximity("cosine", tau=2.0).get_params()
    with pytest.raises(DataError, match="unknown parameter of proximity 'n_neighbours'; did you mean 'n_neighbors'"):
        check_proximity({"n_neighbours": 3})
    with pytest.raises(DataError, match="proximity must be a dict of parameters of Proximity, or None"):
        check_proximity("cosine")
    assert clone(own).get_params() == own.get_params()


def test_results_are_cached(rng):
    data = TrainingSet(rng.standard_normal((20, 3)))
    for weight in WEIGHTS:
        first = Proximity(weight, 4).matrix(data)
        assert Proximity(weight, 4).matrix(data) is first
        if weight not in ("constant", "geodesic"):
            assert Proximity(weight, 5).matrix(data).nnz > first.nnz
    assert neighbours_of(data, 4) is neighbours_of(data, 4)
    assert neighbours_of(data, 4, "cosine") is not neighbours_of(data, 4)
    assert distances_of(data) is distances_of(data)
    assert reconstruction_weights(data, 4) is reconstruction_weights(data, 4)


def test_one_instance_and_two():
    for weight in WEIGHTS:
        assert matrix(np.ones((1, 3)), weight=weight).shape == (1, 1)
        W = dense(matrix(np.array([[1.0, 2, 4], [2, 3, 9]]), weight=weight))
        assert W[0, 1] == W[1, 0] > 0
        assert W[0, 0] == W[1, 1] == 0


def test_attraction_is_the_sum_of_squared_differences(rng):
    X, z = rng.standard_normal((15, 3)), rng.standard_normal(15)
    for graph in ({"n_neighbors": 3}, {"n_neighbors": None}):
        W = matrix(X, **graph)
        values = dense(W)
        cost = sum(values[i, j] * (z[i] - z[j]) ** 2 for i in range(15) for j in range(i))
        form = attraction(W)
        assert z @ (form.graph @ z) == pytest.approx(-cost)
        assert sp.issparse(form.graph) == sp.issparse(W)
        np.testing.assert_allclose(degrees(W), values.sum(axis=1))


def test_sparse_features_are_never_made_dense(rng, monkeypatch):
    X = sp.random_array((40, 90), density=0.1, rng=rng, format="csr")

    def toarray(self, *arguments, _original=sp.csr_array.toarray, **keywords):
        assert self.shape not in ((40, 90), (90, 40))
        return _original(self, *arguments, **keywords)

    monkeypatch.setattr(sp.csr_array, "toarray", toarray)
    for weight in WEIGHTS:
        for graph in ({"n_neighbors": 4}, {"n_neighbors": 4, "metric": "cosine"}, {"n_neighbors": None}):
            if weight != "reconstruction" or graph["n_neighbors"]:
                assert matrix(X, weight=weight, **graph).shape == (40, 40)


@pytest.mark.parametrize(
    "parameters",
    [
        {"weight": "gaussian"},
        {"weight": "gaussian", "tau": 0.3},
        {"weight": "local-scaling"},
        {"weight": "ratio"},
        {"weight": "ratio", "tau": 0.2},
        {"weight": "constant"},
        {"weight": "pearson"},
        {"weight": "gaussian", "n_neighbors": 3},
        {"weight": "reconstruction", "n_neighbors": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_rows_are_those_of_the_matrix_in_the_unit_interval(parameters, kind, rng):
    data = TrainingSet(kind(rng.random((20, 4)) * (rng.random((20, 4)) < 0.7)))
    proximity = Proximity(**{"n_neighbors": None, **parameters})
    matrix = proximity.matrix(data)
    matrix = matrix.toarray() if sp.issparse(matrix) else matrix
    rows = proximity.rows(TrainingSet(data.X))
    found = np.vstack([rows(slice(0, 7)), rows(slice(7, 20))])
    np.testing.assert_allclose(found, matrix / max(1, matrix.max()), atol=1e-12)
    assert (found.max() == 1) == (matrix.max() >= 1)


def test_the_mean_distance_of_all_pairs(rng):
    X = rng.random((20, 4))
    squares = ((X[:, np.newaxis] - X) ** 2).sum(axis=2)
    for features in (X, sp.csr_array(X)):
        assert mean_distance(TrainingSet(features)) == pytest.approx(squares.sum() / (20 * 19), rel=1e-12)
    assert mean_distance(TrainingSet(np.ones((3, 2)))) == 0
