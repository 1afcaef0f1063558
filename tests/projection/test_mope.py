"""MOPE: graphs by plain loops, projections and embeddings by dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from label_proximities_by_the_book import combination, nearest_by_psi
from projection_problems import data, same_directions, signed

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.projection.mope import MOPE
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.label_proximity import LabelProximity
from mlreduce.spectral.graphs.proximity import Proximity

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
COMBINED = [
    {"combine": "priority", "a": 0.3, "b": 1.3, "beta": 1.0},
    {"combine": "priority", "a": 2.0, "beta": 3.0, "priority_share": 0.7},
    {"combine": "hadamard"},
    {"combine": "weighted-sum", "beta": 0.3},
    {"combine": "labels"},
    {"combine": "features"},
]
combinations = pytest.mark.parametrize("parameters", COMBINED, ids=lambda p: "-".join(str(v) for v in p.values()))


@pytest.fixture
def problem(rng):
    X, Y = data(rng, 40, 6, 5)
    Y[[3, 17]] = 0
    X[8], Y[8] = X[7], Y[7]
    return X, Y


def parts(X, Y, scheme=3, index="dice", proximity=None):
    """W and G, all pairs."""
    training = TrainingSet(X, Y.astype(float))
    W = (proximity or Proximity(n_neighbors=None)).matrix(training)
    return (W.toarray() if sp.issparse(W) else W), LabelProximity(scheme, index).matrix(training)


def graph_of(X, Y, **parameters):
    graph = MOPE(**{"random_state": 0} | parameters)._graph(TrainingSet(X, Y.astype(float)))
    return graph.toarray() if sp.issparse(graph) else graph


def psi_of(X, Y, proximity=None, **parameters):
    """Psi by definition, rounded as documented."""
    return np.round(combination(*parts(X, Y, proximity=proximity), **parameters) * 2**32) / 2**32


@combinations
@pytest.mark.parametrize("edges", ["psi", "constant"])
@pytest.mark.parametrize("k", [1, 4, 39, 100])
@pytest.mark.parametrize("ties", ["features", "first", "all"])
@pytest.mark.rotating
def test_graph_by_definition(ties, parameters, edges, k, problem):
    X, Y = problem
    order = np.random.RandomState(5).permutation(40)
    given = {
        "features": {"W": parts(X, Y)[0], "order": order},
        "first": {},
        "all": {"everyone": True},
    }
    expected = nearest_by_psi(psi_of(X, Y, **parameters), k, edges, **given[ties])
    found = graph_of(X, Y, n_neighbors=k, edges=edges, ties=ties, random_state=5, **parameters)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert ((found > 0) == (expected > 0)).all()
    np.testing.assert_array_equal(found, found.T)
    assert (np.diag(found) == 0).all()


@combinations
@pytest.mark.parametrize("edges", ["psi", "constant"])
def test_all_pairs(parameters, edges, problem):
    X, Y = problem
    found = graph_of(X, Y, n_neighbors=None, edges=edges, **parameters)
    np.testing.assert_array_equal(found, graph_of(X, Y, n_neighbors=39, edges=edges, **parameters))
    np.testing.assert_array_equal(found, found.T)


def test_ties_go_to_the_first_row():
    X, Y = np.arange(12.0).reshape(6, 2), np.ones((6, 1), dtype=int)
    A = graph_of(X, Y, combine="labels", n_neighbors=2, ties="first")
    expected = np.zeros((6, 6))
    for i, neighbours in enumerate([(1, 2), (0, 2), (0, 1), (0, 1), (0, 1), (0, 1)]):
        expected[i, list(neighbours)] = expected[list(neighbours), i] = 1
    np.testing.assert_array_equal(A, expected)
    A = graph_of(
        X, Y, combine="priority", n_neighbors=1, ties="first"
    )  # rows at equal steps: one before and one after are as near
    assert A[3, 2] > 0
    assert A[3, 4] > 0  # row 4 takes row 3 too
    assert A[5, 4] > 0
    assert np.count_nonzero(A) == 10


def test_ties_are_broken_by_the_features():
    X = np.array([0.0, 1, 3, 6, 10, 15])[:, np.newaxis]
    A = graph_of(X, np.ones((6, 1), dtype=int), combine="labels", n_neighbors=1)
    joined = {(i, j) for i, j in zip(*np.nonzero(A), strict=True) if i < j}
    assert joined == {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)}  # each with the nearest by its feature
    assert (A[A > 0] == 1).all()


@pytest.mark.parametrize("ties", ["features", "all"])
@combinations
def test_order_of_rows_permutes_the_graph(ties, parameters, rng):
    X, Y = data(rng, 40, 6, 5)  # no equal rows: W decides
    order = rng.permutation(40)
    for k in (1, 4):
        still, moved = (
            graph_of(*rows, n_neighbors=k, ties=ties, **parameters) for rows in ((X, Y), (X[order], Y[order]))
        )
        np.testing.assert_allclose(moved, still[np.ix_(order, order)], atol=1e-9)
        assert ((moved > 0) == (still[np.ix_(order, order)] > 0)).all()


def test_what_ties_in_the_features_too_goes_by_a_random_order():
    X, Y = np.repeat(np.eye(2), 10, axis=0), np.ones((20, 1), dtype=int)
    graphs = [graph_of(X, Y, combine="labels", n_neighbors=2, random_state=seed) for seed in (0, 0, 1, 2)]
    np.testing.assert_array_equal(graphs[0], graphs[1])
    assert any((graphs[0] != other).any() for other in graphs[2:])
    for A in graphs:
        assert not A[:10, 10:].any()  # unequal rows are farther
    everyone = graph_of(X, Y, combine="labels", n_neighbors=2, ties="all")
    np.testing.assert_array_equal(everyone, 1 - np.eye(20))
    with pytest.raises(DataError, match="ties must be 'features', 'first' or 'all'; got 'last'"):
        MOPE(ties="last").fit(X, Y)


def test_rounding_keeps_ties(rng):
    """Equal label sets are equally near, however their proximities were rounded."""
    sets = (rng.random((7, 9)) < 0.4).astype(int)
    sets[:, 0] = 1
    Y = sets[rng.integers(7, size=60)]
    X = rng.standard_normal((60, 3))
    for scheme, index in ((1, "scaled-dice"), (2, "cosine"), (2, "minkowski"), (3, "dice"), (3, "cosine")):
        A = graph_of(X, Y, scheme=scheme, index=index, combine="labels", n_neighbors=3, edges="constant", ties="first")
        for i in range(60):
            same = [j for j in range(60) if j != i and (Y[i] == Y[j]).all()]
            if (scheme, index) in ((2, "cosine"), (2, "minkowski")) and len(same) >= 3:  # nothing else is as near
                assert A[i, same[:3]].all()
        G = np.round(LabelProximity(scheme, index).matrix(TrainingSet(X, Y.astype(float))) * 2**32) / 2**32
        np.testing.assert_array_equal(A, nearest_by_psi(G, 3, "constant"))


def test_pairs_without_common_labels_are_not_joined(problem):
    X, Y = problem
    A = graph_of(X, Y, scheme=1, index="jaccard", edges="constant", n_neighbors=30)
    assert not A[(Y @ Y.T) == 0].any()
    assert not A[[3, 17]].any()
    graph = MOPE(n_neighbors=30)._graph(TrainingSet(X, Y.astype(float)))
    assert sp.issparse(graph)
    assert (graph.data > 0).all()
    with pytest.raises(DataError, match="MOPE joins no pair of instances"):
        MOPE().fit(X, np.zeros((40, 2), dtype=int))
    with pytest.raises(DataError, match="MOPE joins no pair of instances"):
        MOPE(scheme=1, index="dice").fit(X[:3], np.eye(3, dtype=int))
    with pytest.raises(DataError, match="needs two instances at least; got n_samples=1"):
        MOPE().objective(TrainingSet(X[:1], Y[:1].astype(float)))


def test_proximities_by_features_may_be_a_graph(problem):
    X, Y = problem
    given = Proximity("constant", n_neighbors=3)
    W, order = parts(X, Y, proximity=given)[0], np.random.RandomState(0).permutation(40)
    expected = nearest_by_psi(psi_of(X, Y, proximity=given, combine="priority"), 4, W=W, order=order)
    for proximity in (given, {"weight": "constant", "n_neighbors": 3}):
        np.testing.assert_allclose(graph_of(X, Y, proximity=proximity, n_neighbors=4), expected, atol=1e-9)
    np.testing.assert_array_equal(
        graph_of(X, Y, proximity={"weight": "gaussian"}), graph_of(X, Y, proximity=Proximity(n_neighbors=None))
    )


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("low", "high"), [(-4, 8), (0, 3), (-0.5, 0.5), (0.2, 0.9)])
def test_weights_are_scaled_to_the_unit_interval(low, high, sparse, problem, monkeypatch):
    X, Y = problem
    raw = np.linspace(low / 2, high / 2, 1600).reshape(40, 40)
    raw = raw + raw.T
    monkeypatch.setattr(Proximity, "matrix", lambda self, data: sp.csr_array(raw) if sparse else raw)
    for combine in ("features", "priority"):
        A = graph_of(X, Y, combine=combine, n_neighbors=None, proximity={"n_neighbors": 3})
        expected = combination(raw.clip(0) / max(1, high), parts(X, Y)[1], combine)
        np.testing.assert_allclose(A + np.diag(np.diag(expected)), expected, atol=1e-9)


def definition(X, Y, on="P", laplacian=False, **parameters):
    A = graph_of(X, Y, **parameters)
    if laplacian:
        A = A - np.diag(A.sum(axis=1))
    return X.T @ A @ X, X.T @ X if on == "Z" else np.eye(X.shape[1])


@both
@pytest.mark.parametrize("shape", [(40, 6, 4), (12, 25, 4)], ids=["tall", "wide"])
@pytest.mark.parametrize("on", ["P", "Z"])
@pytest.mark.parametrize("laplacian", [False, True])
@pytest.mark.parametrize("n_neighbors", [3, None])
def test_projection_by_definition(shape, on, laplacian, n_neighbors, kind, rng):
    X, Y = data(rng, *shape)
    Y[:, 0] = 1
    options = {"on": on, "laplacian": laplacian, "n_neighbors": n_neighbors}
    method = MOPE(**options).fit(kind(X), kind(Y))
    A, B = definition(X, Y, **options)
    basis = scipy.linalg.orth(X.T)
    expected = scipy.linalg.eigh(basis.T @ A @ basis, basis.T @ B @ basis, eigvals_only=True)[::-1]
    scale = np.abs(expected).max()
    np.testing.assert_allclose(method.eigenvalues_, expected, atol=1e-9 * scale)
    assert method.n_components_ == min(shape[:2])
    P = method.components_
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(P)), atol=1e-8)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(expected), atol=1e-8 * scale)
    if laplacian:  # a cost with its sign turned, and one that does not feel where the origin is
        assert (expected < 1e-9 * scale).all()
        if on == "P" and shape[0] > shape[1]:
            same_directions(MOPE(**options).fit(kind(X + 3), Y), method, rtol=1e-6)


@pytest.mark.parametrize("laplacian", [False, True])
def test_embedding_by_definition(laplacian, problem):
    X, Y = problem
    Y[:, 0] = 1  # one connected graph
    method = mlreduce.make("mope-embedding", n_components=3, laplacian=laplacian, n_neighbors=8).fit(X, Y)
    A = graph_of(X, Y, n_neighbors=8)
    if laplacian:
        A = A - np.diag(A.sum(axis=1))
    values, vectors = np.linalg.eigh(A)
    leading = slice(-2, -5, -1) if laplacian else slice(-1, -4, -1)
    np.testing.assert_allclose(method.eigenvalues_, values[leading], atol=1e-9)
    np.testing.assert_allclose(method.embedding_, signed(vectors[:, leading].T).T, atol=1e-7)
    np.testing.assert_array_equal(method.fit_transform(X, Y), method.embedding_)


def test_label_options(problem):
    X, Y = problem
    found = graph_of(
        X, Y, scheme=2, index="minkowski", label_options={"p": 1, "tau": 0.5}, combine="labels", n_neighbors=None
    )
    G = LabelProximity(2, "minkowski", p=1, tau=0.5).matrix(TrainingSet(X, Y.astype(float)))
    np.testing.assert_allclose(found, G - np.eye(40), atol=1e-9)


@pytest.mark.parametrize("name", ["mope", "mope-embedding"])
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be an integer >= 1; got 0"),
        ({"n_neighbors": 2.5}, "n_neighbors must be"),
        ({"n_neighbors": True}, "n_neighbors must be"),
        ({"edges": "weights"}, "edges must be 'psi' or 'constant'; got 'weights'"),
        ({"laplacian": "no"}, "laplacian must be True or False"),
        ({"combine": "both"}, "combine must be 'priority', "),
        ({"scheme": 5}, "scheme must be 1, 2 or 3"),
        ({"proximity": "gaussian"}, "proximity must be a dict of parameters of Proximity, or None; got 'gaussian'"),
        ({"proximity": {"wieght": "constant"}}, "unknown parameter of proximity 'wieght'; did you mean 'weight'"),
        ({"proximity": {"weight": "nothing"}}, "unknown weight"),
        ({"label_options": {"tua": 1}}, "unknown parameter of label_options 'tua'; did you mean 'tau'"),
        ({"label_options": {"tau": -1}}, "tau must be a number > 0"),
        ({"label_options": {"tau": -1}, "combine": "features"}, "tau must be a number > 0"),
        ({"label_options": {"index": "jaccard"}}, "unknown parameter of label_options 'index'"),
        ({"label_options": 3}, "label_options must be a dict of parameters of LabelProximity"),
    ],
)
def test_impossible_parameters_are_refused(name, parameters, sentence, problem):
    with pytest.raises(DataError, match=sentence):
        mlreduce.make(name, **parameters).fit(*problem)
