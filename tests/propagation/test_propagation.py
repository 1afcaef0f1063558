from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from definitions._propagations import laplacian
from scipy.sparse import csgraph

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.propagation import sylvester
from mlreduce.propagation.sylvester import solve_sylvester
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.graphs.proximity import Proximity

ALL = mlreduce.registry.method_names("propagation")
every = pytest.mark.parametrize("name", ALL)
#: Of which the objectives are written down here.
equations = pytest.mark.parametrize("name", ["ml-grf", "ml-lgc", "smse1", "smse2"])
GRAPHS = {"nearest": {"n_neighbors": 5}, "all pairs": {"n_neighbors": None}}
graphs = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
#: Weights for which all objectives are convex.
WEIGHTS = {"smoothness": 0.7, "label_smoothness": 0.005}


def problem(seed=0, n=40, d=3, c=4, known=15):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    Y = (rng.random((n, c)) < 0.4).astype(float)
    Y[:c, :c] = np.eye(c)
    partial = Y.copy()
    partial[known:] = np.nan
    return X, Y, partial


def cosines(Y):
    lengths = np.linalg.norm(Y, axis=0)
    each = range(Y.shape[1])
    products = [[lengths[a] * lengths[b] for b in each] for a in each]
    return np.array([[Y[:, a] @ Y[:, b] / products[a][b] if products[a][b] else 0.0 for b in each] for a in each])


def parts(name, X, partial, graph):
    """W and Sigma as matrices, known rows, and labels with zeros for unknown ones."""
    labelled = ~np.isnan(partial[:, 0])
    labels = np.where(labelled[:, None], np.nan_to_num(partial), 0)
    W = Proximity(**graph).matrix(TrainingSet(X))
    return W.toarray() if sp.issparse(W) else W, cosines(partial[labelled]), labelled, labels


def by_kronecker(name, X, partial, graph, smoothness, label_smoothness):
    """The solution of one dense system for all scores."""
    W, Sigma, labelled, labels = parts(name, X, partial, graph)
    n, c = labels.shape
    normalised = name in ("smse2", "ml-lgc")
    coupling = laplacian(Sigma, normalised) if name.startswith("smse") else -Sigma
    system = smoothness * np.kron(laplacian(W, normalised), np.eye(c)) + label_smoothness * np.kron(np.eye(n), coupling)
    if name == "smse1":
        fixed = np.repeat(labelled, c)
        Z = labels.ravel().copy()
        Z[~fixed] = np.linalg.solve(system[np.ix_(~fixed, ~fixed)], -system[np.ix_(~fixed, fixed)] @ Z[fixed])
        return Z.reshape(n, c)
    error_weights = np.ones(n) if normalised else labelled.astype(float)
    return np.linalg.solve(system + np.kron(np.diag(error_weights), np.eye(c)), labels.ravel()).reshape(n, c)


@pytest.mark.parametrize("rounds", [0, 1, 200], ids=["factorised", "partly", "gradients"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_sylvester_equations(rounds, kind, rng, monkeypatch):
    monkeypatch.setattr(sylvester, "_ITERATIONS", rounds)
    half = rng.standard_normal((30, 30)) * (rng.random((30, 30)) < 0.2)
    left = half @ half.T + np.diag(rng.uniform(0.5, 3, 30))
    Q = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    right = Q @ np.diag([-0.3, -0.3, 0, 0, 2, 5]) @ Q.T
    target = rng.standard_normal((30, 6))
    target[:, 0] = 0
    Z = solve_sylvester(kind(left), (right + right.T) / 2, target)
    np.testing.assert_allclose(left @ Z + Z @ right, target, atol=1e-9)
    np.testing.assert_array_equal(solve_sylvester(kind(left), right * 0, target * 0), 0)


def test_ill_conditioned_systems_are_factorised(rng):
    """Two weakly connected clusters: conjugate gradients do not converge."""
    X = np.r_[rng.standard_normal((40, 2)), rng.standard_normal((40, 2)) + 30]
    partial = np.full((80, 2), np.nan)
    partial[:5] = [1, 0]
    partial[0] = [0, 1]
    graph = {"n_neighbors": None, "tau": 90.0}
    Z = mlreduce.SMSE1(label_smoothness=0.0, proximity=graph).fit_transform(X, partial)
    W = Proximity(**graph).matrix(TrainingSet(X))
    np.testing.assert_allclose(Z[5:], (W @ Z / W.sum(axis=1, keepdims=True))[5:], atol=1e-9)
    np.testing.assert_allclose(Z.sum(axis=1), 1, atol=1e-5)


@every
def test_unreached_instances_have_no_score(name, rng):
    X, _, partial = problem()
    far = np.r_[X, rng.standard_normal((12, 3)) + 1e3]
    more = np.r_[partial, np.full((12, 4), np.nan)]
    graph = {"n_neighbors": 4, "weight": "constant"}
    method = mlreduce.make(name, proximity=graph).fit(far, more)
    np.testing.assert_array_equal(method.embedding_[40:], 0)
    np.testing.assert_array_equal(method.transduction_[40:], 0)
    near = mlreduce.make(name, proximity=graph).fit(X, partial)
    np.testing.assert_allclose(method.embedding_[:40], near.embedding_, atol=1e-12)
    assert method.label_smoothness_ == pytest.approx(near.label_smoothness_)


@graphs
def test_lambda2_is_bounded(graph):
    X, _, partial = problem()
    W, Sigma, labelled, _ = parts("ml-grf", X, partial, graph)
    top = np.linalg.eigvalsh(Sigma)[-1]
    bounds = {
        "ml-grf": np.linalg.eigvalsh(np.diag(labelled.astype(float)) + 2 * laplacian(W, False))[0] / top,
        "ml-lgc": 1 / top,
    }
    assert bounds["ml-grf"] <= 15 / 40
    for name, bound in bounds.items():
        assert mlreduce.make(name, smoothness=2, proximity=graph).fit(X, partial).label_smoothness_ == pytest.approx(
            bound / 2
        )
        below = mlreduce.make(name, smoothness=2, label_smoothness=bound * 0.999, proximity=graph).fit_transform(
            X, partial
        )
        expected = by_kronecker(name, X, partial, graph, 2, bound * 0.999)
        np.testing.assert_allclose(below, expected, rtol=1e-6, atol=1e-6)
        with pytest.raises(
            DataError, match=f"label_smoothness must be below {bound:.4g} here, or ML... has no minimum"
        ):
            mlreduce.make(name, smoothness=2, label_smoothness=bound * 1.001, proximity=graph).fit(X, partial)
    for name in ("smse1", "smse2"):  # a Laplacian instead
        assert np.isfinite(mlreduce.make(name, label_smoothness=1e6, proximity=graph).fit_transform(X, partial)).all()


@pytest.mark.parametrize("vectors", [3, 20])  # those of the former do not converge: by a factorisation
def test_bound_by_the_sparse_solver(vectors, monkeypatch):
    from mlreduce.propagation import ml_grf

    X, _, partial = problem()
    small = mlreduce.MLGRF().fit(X, partial)
    monkeypatch.setattr(ml_grf, "_SMALL", 10)
    monkeypatch.setattr(ml_grf, "_VECTORS", vectors)
    monkeypatch.setattr(ml_grf, "_RESTARTS", vectors)
    assert mlreduce.MLGRF().fit(X, partial).label_smoothness_ == pytest.approx(small.label_smoothness_, rel=1e-9)


@every
def test_decisions(name):
    X, Y, partial = problem()
    prior = mlreduce.make(name).fit(X, partial)
    numbers = np.rint(Y[:15].mean(axis=0) * 25)
    scores, chosen = prior.embedding_[15:], prior.transduction_[15:]
    assert (chosen.sum(axis=0) <= numbers).all()
    for label in range(4):
        if chosen[:, label].sum() < numbers[label]:
            assert (scores[chosen[:, label] == 0, label] <= 0).all()
        else:
            assert scores[chosen[:, label] == 1, label].min() >= scores[chosen[:, label] == 0, label].max()
    half = mlreduce.make(name, decision="half").fit(X, partial)
    np.testing.assert_array_equal(half.transduction_[15:], half.embedding_[15:] > 0.5)
    np.testing.assert_array_equal(half.transduction_[:15], Y[:15])


@every
def test_empty_labels_and_disconnected_graphs(name):
    X, _, partial = problem()
    partial[:15, 2] = 0
    for graph in ({}, {"n_neighbors": 1, "mutual": True}):
        method = mlreduce.make(name, proximity=graph).fit(X, partial)
        assert np.isfinite(method.embedding_).all()
        assert (method.transduction_[:, 2] == 0).all()
    partial[:15] = 0
    np.testing.assert_array_equal(mlreduce.make(name).fit_transform(X, partial), 0)


@every
def test_one_label_and_names(name):
    X, _, partial = problem()
    single = mlreduce.make(name).fit(X, partial[:, 0])
    table = mlreduce.make(name).fit(pd.DataFrame(X).add_prefix("f"), pd.DataFrame({"only": partial[:, 0]}))
    assert single.embedding_.shape == (40, 1)
    assert single.transduction_.shape == (40,)
    assert single.transduction_.dtype == np.int64
    np.testing.assert_array_equal(table.transduction_[:, 0], single.transduction_)
    assert table.label_names_ == ["only"]
    assert list(table.feature_names_in_) == ["f0", "f1", "f2"]


def test_similarity_by_a_gaussian():
    X, Y, partial = problem()
    squares = np.array([[np.sum((a - b) ** 2) for b in Y[:15].T] for a in Y[:15].T])
    method = mlreduce.MLLGC(label_similarity="rbf", gamma=0.3).fit(X, partial)
    np.testing.assert_allclose(method.label_similarity_, np.exp(-0.3 * squares))
    method = mlreduce.MLLGC(label_similarity="rbf").fit(X, partial)
    np.testing.assert_allclose(method.label_similarity_, np.exp(-squares / (squares.sum() / 12)))
    equal = mlreduce.MLLGC(label_similarity="rbf").fit(X, partial[:, [0, 0]])
    np.testing.assert_array_equal(equal.label_similarity_, 1)


def test_a_shared_training_set_is_the_same():
    X, Y, partial = problem()
    data = TrainingSet.partly_labelled(X, Y[:15], np.arange(40) < 15)
    for name in ALL:
        own = mlreduce.make(name).fit(X, partial)
        np.testing.assert_array_equal(mlreduce.make(name).fit_training_set(data).embedding_, own.embedding_)


@every
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"smoothness": 0}, "smoothness must be a number > 0; got 0"),
        ({"label_smoothness": -1}, "label_smoothness must be a number >= 0; got -1"),
        ({"label_similarity": "cos"}, "unknown label_similarity 'cos'"),
        ({"gamma": 0}, "gamma must be a number > 0"),
        ({"decision": "some"}, "decision must be 'prior' or 'half'"),
        ({"proximity": {"neighbours": 3}}, "unknown parameter of proximity 'neighbours'"),
    ],
)
def test_wrong_parameters_are_refused(name, parameters, sentence):
    X, _, partial = problem()
    with pytest.raises(DataError, match=sentence):
        mlreduce.make(name, **parameters).fit(X, partial)


@every
def test_one_instance_is_refused(name):
    with pytest.raises(DataError, match="n_samples=1"):
        mlreduce.make(name).fit([[1.0, 2.0]], [[1, 0]])


def test_unit_diagonal_of_the_label_similarity_counts():
    X, Y, partial = problem()
    Sigma = cosines(Y[:15])
    roots = 1 / np.sqrt(Sigma.sum(axis=1))  # of rows with their unit entry
    L = np.eye(4) - np.outer(roots, roots) * Sigma
    method = mlreduce.SMSE2(smoothness=0.7, label_smoothness=0.5).fit(X, partial)
    np.testing.assert_allclose(method._label_laplacian(), L, atol=1e-15)
    np.testing.assert_allclose(L @ np.sqrt(Sigma.sum(axis=1)), 0, atol=1e-14)
    without = csgraph.laplacian(Sigma, normed=True)
    assert np.linalg.norm(without - L) > 0.05 * np.linalg.norm(L)


def test_smse2_ignores_similarity_where_labels_do_not_meet():
    X = np.random.default_rng(0).standard_normal((40, 3))
    Y = np.full((40, 4), np.nan)
    Y[:16] = np.repeat(np.eye(4), 4, axis=0)
    alone, coupled = (mlreduce.SMSE2(label_smoothness=weight).fit_transform(X, Y) for weight in (0.0, 10.0))
    np.testing.assert_allclose(coupled, alone, atol=1e-12)


# Single labels that are not known


def cells(seed=0, n=30, share=0.5):
    X, Y, partial = problem(seed, n, known=n - 4)
    partial[np.random.default_rng(seed).random(Y.shape) < share] = np.nan
    partial[0, 0], partial[1, 1] = 1, 0
    return X, Y, partial


def similarity_by_loops(partial):
    Sigma = np.zeros((4, 4))
    for s in range(4):
        for t in range(4):
            both = ~np.isnan(partial[:, s]) & ~np.isnan(partial[:, t])
            one, two = partial[both, s], partial[both, t]
            if one.any() and two.any():
                Sigma[s, t] = one @ two / np.sqrt((one @ one) * (two @ two))
    return Sigma


def cell_objective(name, Z, X, partial, graph, smoothness, label_smoothness):
    """The objective, with sums over the known cells."""
    W = Proximity(**graph).matrix(TrainingSet(X))
    W, Sigma, known = W.toarray() if sp.issparse(W) else W, similarity_by_loops(partial), ~np.isnan(partial)
    normalised = name in ("smse2", "ml-lgc")
    coupling = laplacian(Sigma, normalised) if name.startswith("smse") else -Sigma
    value = smoothness * np.trace(Z.T @ laplacian(W, normalised) @ Z) + label_smoothness * np.trace(Z @ coupling @ Z.T)
    if name == "smse1":
        return value
    for i in range(len(Z)):
        for label in range(4):
            if known[i, label]:
                value += (Z[i, label] - partial[i, label]) ** 2
            elif normalised:
                value += Z[i, label] ** 2
    return value


@equations
@graphs
@pytest.mark.parametrize("rounds", [1, 200], ids=["factorised", "gradients"])
def test_scores_of_unknown_cells_minimise_the_objective(name, graph, rounds, monkeypatch):
    monkeypatch.setattr(sylvester, "_ITERATIONS", rounds)
    X, _, partial = cells()
    known = ~np.isnan(partial)
    method = mlreduce.make(name, smoothness=0.7, proximity=graph).fit(sp.csr_array(X), partial)
    np.testing.assert_allclose(method.label_similarity_, similarity_by_loops(partial), rtol=1e-12)
    np.testing.assert_array_equal(method.known_, known)
    np.testing.assert_array_equal(method.labelled_, known.any(axis=1))
    Z, weights = method.embedding_, {"smoothness": 0.7, "label_smoothness": method.label_smoothness_}
    assert Z[~known].any()
    least = cell_objective(name, Z, X, partial, graph, **weights)
    for seed in range(10):
        change = np.random.default_rng(seed).standard_normal(Z.shape)
        if name == "smse1":
            change[known] = 0
        for step in (-1e-3, 1e-3, -1, 1):  # at the minimum the change is that of the second order
            assert cell_objective(name, Z + step * change, X, partial, graph, **weights) >= least - 1e-12
    if name == "smse1":
        np.testing.assert_array_equal(Z[known], partial[known])
    np.testing.assert_array_equal(method.transduction_[known], partial[known])


@every
def test_few_unknown_cells_are_close_to_none(name):
    """One cell of one instance: the road for cells, and the road for whole rows."""
    X, _, partial = problem()
    whole = mlreduce.make(name, **WEIGHTS).fit(X, partial)
    partial[7, 3] = np.nan
    cell = mlreduce.make(name, **WEIGHTS).fit(X, partial)
    assert 1e-6 < np.abs(cell.embedding_ - whole.embedding_).max() < 1.001
    others = np.arange(40) != 7
    assert np.abs((cell.embedding_ - whole.embedding_)[others, :3]).max() < 0.02


@every
def test_each_label_apart_where_they_are_not_coupled(name):
    X, _, partial = cells()
    together = mlreduce.make(name, smoothness=0.7, label_smoothness=0.0, decision="prior").fit(X, partial)
    for label in range(4):
        alone = mlreduce.make(name, smoothness=0.7, label_smoothness=0.0).fit(X, partial[:, [label]])
        np.testing.assert_allclose(together.embedding_[:, [label]], alone.embedding_, atol=1e-9)
        np.testing.assert_array_equal(together.transduction_[:, [label]], alone.transduction_)


@every
def test_a_label_that_is_known_nowhere(name):
    X, _, partial = cells()
    partial[:, 2] = np.nan
    with pytest.warns(UserWarning, match="column 2"):
        method = mlreduce.make(name).fit(X, partial)
    np.testing.assert_allclose(method.embedding_[:, 2], 0, atol=1e-12)
    assert not method.transduction_[:, 2].any()
    rest = mlreduce.make(name).fit(X, partial[:, [0, 1, 3]])
    np.testing.assert_allclose(method.embedding_[:, [0, 1, 3]], rest.embedding_, atol=1e-9)


def test_distances_of_labels_count_instances_of_which_both_are_known():
    X, _, partial = cells()
    rows = (~np.isnan(partial)).any(axis=1).sum()
    squares = np.zeros((4, 4))
    for s in range(4):
        for t in range(4):
            gaps = partial[:, s] - partial[:, t]
            squares[s, t] = np.nanmean(gaps**2) * rows
    method = mlreduce.MLLGC(label_similarity="rbf").fit(X, partial)
    np.testing.assert_allclose(method.label_similarity_, np.exp(-squares / (squares.sum() / 12)), rtol=1e-12)


def test_the_bound_of_lambda2_is_that_of_the_label_known_least():
    X, _, partial = cells()
    graph = {"n_neighbors": None}
    L = laplacian(Proximity(**graph).matrix(TrainingSet(X)), False)
    least = min(np.linalg.eigvalsh(L + np.diag(~np.isnan(column) * 1.0))[0] for column in partial.T)
    bound = least / np.linalg.eigvalsh(similarity_by_loops(partial))[-1]
    assert mlreduce.MLGRF(proximity=graph).fit(X, partial).label_smoothness_ == pytest.approx(bound / 2)
    with pytest.raises(DataError, match=f"label_smoothness must be below {bound:.4g} here"):
        mlreduce.MLGRF(label_smoothness=bound * 1.001, proximity=graph).fit(X, partial)
