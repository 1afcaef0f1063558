"""Strategies of the solver: agreement, memory and ties."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from definitions import make
from projection_problems import ORTHONORMAL, REPRESENTATIVES, SUPERVISED, data, random_labels, same_directions

from mlreduce.exceptions import DataError
from mlreduce.linalg import lsqr
from mlreduce.linalg.features import Features
from mlreduce.spectral import Form, TrainingSet, krylov, solver

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def well_separated(rng, n, d, c, density=1.0):
    """A problem with well-separated leading directions."""
    left = np.linalg.qr(rng.standard_normal((n, min(n, d))))[0]
    right = np.linalg.qr(rng.standard_normal((d, min(n, d))))[0]
    X = 100 * (left * 0.8 ** np.arange(min(n, d))) @ right.T + 0.3
    X[rng.random((n, d)) > density] = 0
    return X, random_labels(rng, n, c)


class Spy:
    """Counts the calls of a function."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *arguments, **keywords):
        self.calls += 1
        return self.function(*arguments, **keywords)


@pytest.fixture
def strategy(monkeypatch):
    spies = {name: Spy(strategy.solve) for name, strategy in solver.STRATEGIES.items()}
    watched = {name: strategy._replace(solve=spies[name]) for name, strategy in solver.STRATEGIES.items()}
    monkeypatch.setattr(solver, "STRATEGIES", watched)
    return lambda: {name for name, spy in spies.items() if spy.calls}


@pytest.mark.parametrize(
    ("expected", "side", "cheap", "name", "shape", "kind", "parameters"),
    [
        ("thin", 100, False, "pls", (40, 15, 3), np.asarray, {}),
        ("samples", 100, False, "pca", (15, 40, 3), np.asarray, {}),
        ("features", 100, False, "pca", (40, 15, 3), np.asarray, {}),
        ("features", 100, True, "rcca", (40, 15, 3), sp.csr_array, {}),
        ("checked Lanczos", 100, True, "lsi", (60, 30, 3), sp.csr_array, {"n_components": 2}),
        ("Lanczos", 10, False, "pca", (60, 30, 3), np.asarray, {"n_components": 2}),
        ("least squares", 10, False, "rcca", (60, 30, 3), sp.csr_array, {}),
    ],
)  # fmt: skip
def test_the_first_strategy_that_applies(
    expected, side, cheap, name, shape, kind, parameters, rng, monkeypatch, strategy
):
    monkeypatch.setattr(solver, "DENSE_SIDE", side)
    monkeypatch.setattr(lsqr, "DENSE_SIDE", side)
    monkeypatch.setattr(solver, "_prefers_products", lambda *arguments: cheap)
    X, Y = well_separated(rng, *shape)
    make(name, **parameters).fit(kind(X), Y)
    assert strategy() == {expected}


def test_the_last_strategy_is_for_all_and_a_large_problem_is_refused(rng, monkeypatch, strategy):
    monkeypatch.setattr(solver, "DENSE_SIDE", 5)
    X, Y = well_separated(rng, 40, 30, 3)
    with pytest.raises(DataError, match="need three arrays of order 30"):
        make("pca").fit(X, Y)
    assert strategy() == {"refusal"}
    assert list(solver.STRATEGIES)[-1] == "features"
    assert solver.STRATEGIES["features"].applies(None)


@pytest.mark.parametrize("name", ORTHONORMAL)
@pytest.mark.parametrize("shape", [(60, 24, 24), (24, 60, 24)], ids=["tall", "wide"])
@both
def test_lanczos_agrees_with_dense(name, shape, kind, rng, monkeypatch, strategy):
    X, Y = well_separated(rng, *shape, density=0.7 if kind is sp.csr_array else 1)
    dense = make(name, n_components=3).fit(kind(X), Y)
    assert "Lanczos" not in strategy()
    monkeypatch.setattr(solver, "DENSE_SIDE", 10)
    lanczos = make(name, n_components=3).fit(kind(X), Y)
    assert "Lanczos" in strategy()
    same_directions(lanczos, dense, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(lanczos.components_ @ lanczos.components_.T, np.eye(3), atol=1e-10)
    again = make(name, n_components=3).fit(kind(X), Y)
    assert again.components_.tobytes() == lanczos.components_.tobytes()


@pytest.mark.parametrize("name", ["mddmp", "pls", "mvmd"])
@pytest.mark.parametrize("shape", [(40, 15, 6), (15, 40, 6), (20, 9, 14)])
@both
def test_thin_forms_agree(name, shape, kind, rng, monkeypatch):
    X, Y = data(rng, *shape)
    whole = make(name, beta=1) if name == "mvmd" else make(name)
    whole.fit(kind(X), Y)
    for entries in (1, 4 * max(shape)):  # products in blocks of one column, and of a few
        monkeypatch.setattr(solver, "THIN_ENTRIES", entries)
        pieces = make(name, **({"beta": 1} if name == "mvmd" else {})).fit(kind(X), Y)
        same_directions(pieces, whole, rtol=1e-8, atol=1e-7)
        np.testing.assert_allclose(
            pieces.components_ @ pieces.components_.T, np.eye(len(pieces.components_)), atol=1e-10
        )


@pytest.mark.parametrize("name", REPRESENTATIVES)
@pytest.mark.parametrize("shape", [(40, 12, 4), (12, 40, 4)], ids=["tall", "wide"])
@pytest.mark.filterwarnings("ignore::mlreduce.exceptions.ProjectionWarning")
def test_sparse_features_are_never_made_dense(name, shape, rng, monkeypatch):
    X, Y = data(rng, *shape, density=0.2)
    X, new = sp.csr_array(X), sp.csr_array(data(rng, 31, shape[1], 4, density=0.2)[0])
    forbidden = [X.shape, X.shape[::-1], new.shape]
    for cls in (sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.csc_matrix):

        def toarray(self, *arguments, _original=cls.toarray, **keywords):
            assert self.shape not in forbidden, f"{self.shape} made dense"
            return _original(self, *arguments, **keywords)

        monkeypatch.setattr(cls, "toarray", toarray)
    monkeypatch.setattr(sp.csr_array, "todense", None)
    method = make(name).fit(X, Y)
    assert method.transform(new).shape == (31, method.n_components_)


@pytest.mark.parametrize("name", ["mddmp", "pls"])
def test_memory_of_thin_objectives(name, rng):
    n, d, c = 1500, 2500, 5
    X = sp.random_array((n, d), density=0.002, rng=rng, format="csr")
    Y = sp.csr_array(random_labels(rng, n, c))
    tracemalloc.start()
    make(name, n_components=3).fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.2 * min(n, d) ** 2 * 8


def test_problems_beyond_memory_are_refused(rng, monkeypatch):
    monkeypatch.setattr(solver, "DENSE_SIDE", 5)
    X, Y = data(rng, 50, 40, 30)
    with pytest.raises(
        DataError,
        match="all directions of 50 x 40 features need three arrays of order 40, .* GB: request fewer .*10 at",
    ):
        make("pca").fit(X)
    with pytest.raises(DataError, match="reduce X first"):
        make("cca", n_components=1).fit(X, Y)
    with pytest.raises(DataError, match="at most"):
        make("pca", n_components=11).fit(X)
    assert make("pca", n_components=10).fit(X).n_components_ == 10
    assert make("pls").fit(X, Y[:, :4]).n_components_ == 4  # as thin as its labels


@pytest.mark.parametrize("name", ["cca", "rcca", "opls", "mddmf"])
@pytest.mark.parametrize("shape", [(90, 30, 5), (40, 70, 5)])
def test_constraints_of_large_sparse_features(name, shape, rng, monkeypatch):
    X, Y = data(rng, *shape)
    X = sp.csr_array(np.where(np.abs(X) > 0.5, X, 0))
    expected = make(name).fit(X, Y)
    for module in (solver, lsqr):
        monkeypatch.setattr(module, "DENSE_SIDE", 20)
    found = make(name).fit(X, Y)
    np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(found.components_, expected.components_, atol=1e-8)
    monkeypatch.setattr(solver, "DENSE_SIDE", 5)
    with pytest.raises(DataError, match="directions with a constraint of .* reduce X first, by mlreduce.PCA"):
        make("mlsi").fit(X, Y)


def test_lanczos_without_variance(monkeypatch, rng):
    monkeypatch.setattr(solver, "DENSE_SIDE", 5)
    for name in ("pca", "mvmd"):
        with pytest.raises(DataError, match="no direction"):
            make(name, n_components=2).fit(np.full((30, 25), 0.1), random_labels(rng, 30, 3))


def test_gram_matrix_of_large_tall_factors(monkeypatch, rng):
    X, Y = data(rng, 50, 30, 5)
    expected = make("pls").fit(X, Y)
    monkeypatch.setattr(solver, "_LARGE_HALF", 1)
    same_directions(make("pls").fit(X, Y), expected, rtol=1e-9)


@both
def test_weak_directions_are_orthonormal(kind, rng):
    left, right = (np.linalg.qr(rng.standard_normal((size, 20)))[0] for size in (20, 60))
    scale = 10.0 ** -np.linspace(0, 5, 20)
    method = make("lsi").fit(kind((left * scale) @ right.T))
    np.testing.assert_allclose(method.eigenvalues_, scale**2, rtol=1e-4)
    np.testing.assert_allclose(method.components_ @ method.components_.T, np.eye(20), atol=1e-9)


class TestTies:
    """Fewer instances than features: all correlations are 1, and dependence on the labels orders directions."""

    @pytest.fixture
    def wide(self, rng):
        return data(rng, 12, 30, 5)

    def test_directions_are_ordered_by_dependence(self, wide):
        X, Y = wide
        method = make("cca").fit(X, Y)
        np.testing.assert_allclose(method.eigenvalues_, 1, rtol=1e-8)
        Z = method.transform(X)
        images = (Y - Y.mean(axis=0)).T @ Z
        sizes = np.linalg.norm(images, axis=0)
        assert (np.diff(sizes) < 0).all()
        np.testing.assert_allclose(images.T @ images, np.diag(sizes**2), atol=1e-8)
        centred = Y - Y.mean(axis=0)
        assert sizes[0] == pytest.approx(np.linalg.svd(centred, compute_uv=False)[0])

    @pytest.mark.parametrize("k", [1, 2, 4])
    def test_first_directions_do_not_depend_on_n_components(self, wide, k):
        X, Y = wide
        few, all_ = make("cca", n_components=k).fit(X, Y), make("cca").fit(X, Y)
        np.testing.assert_allclose(few.components_, all_.components_[:k], atol=1e-9)

    def test_ties_are_ordered_before_the_cut(self):
        Y = np.array([[i >> k & 1 for k in range(3)] for i in range(8)])
        X = np.hstack([2.0 * Y - 1, np.zeros((8, 1))])
        full, one = make("pls").fit(X, Y), make("pls", n_components=1).fit(X, Y)
        np.testing.assert_allclose(full.eigenvalues_, np.full(3, 16.0))
        np.testing.assert_allclose(one.components_, full.components_[:1], atol=1e-9)

    @both
    def test_equal_variances(self, kind):
        method = make("pca").fit(kind(np.vstack([np.eye(5), -np.eye(5)])))
        np.testing.assert_allclose(method.eigenvalues_, np.full(5, 2.0))
        np.testing.assert_allclose(method.components_ @ method.components_.T, np.eye(5), atol=1e-12)
        few = make("pca", n_components=1).fit(kind(np.vstack([np.eye(5), -np.eye(5)])))
        assert few.eigenvalues_ == pytest.approx([2.0])

    def test_only_equal_eigenvalues_are_rotated(self):
        values, vectors = np.array([4.0, 2, 2, 1]), np.eye(4)
        weights = np.array([1.0, 2, 3, 9])
        ordered = solver._decide_ties(values, vectors, lambda block: weights[:, None] * block)
        np.testing.assert_allclose(np.abs(ordered), np.eye(4)[:, [0, 2, 1, 3]], atol=1e-12)


@pytest.mark.parametrize("name", SUPERVISED)
def test_methods_share_one_training_set(name, rng):
    for shape in ((30, 8, 4), (10, 25, 4)):
        X, Y = data(rng, *shape)
        shared = TrainingSet(X, sp.csr_array(Y, dtype=float))
        for other in REPRESENTATIVES:
            make(other).fit_training_set(shared)
        same_directions(make(name).fit_training_set(shared), make(name).fit(X, Y), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["pca", "lsi", "mvmd"])
@pytest.mark.parametrize("shape", [(60, 20, 4), (20, 60, 4)], ids=["tall", "wide"])
def test_products_with_sparse_features_agree_with_matrices(name, shape, rng, monkeypatch, strategy):
    X, Y = well_separated(rng, *shape, density=0.3)
    X, Y = sp.csr_array(X), sp.csr_array(Y)
    matrices = make(name, n_components=4).fit(X, Y)
    assert "checked Lanczos" not in strategy()
    monkeypatch.setattr(solver, "_prefers_products", lambda *arguments: True)
    products = make(name, n_components=4).fit(X, Y)
    assert "checked Lanczos" in strategy()
    same_directions(products, matrices, rtol=1e-11, atol=1e-9)
    assert make(name, n_components=4).fit(X, Y).components_.tobytes() == products.components_.tobytes()


@pytest.mark.parametrize("size", [1, 2, 4, 5])
def test_multiple_eigenvalues_are_not_missed(size, rng, monkeypatch, strategy):
    """Three equal blocks: triple eigenvalues, of which iteration from one vector may find one."""
    X = sp.csr_array(sp.kron(sp.coo_array(np.eye(3)), rng.random((12, 8))))
    plain = np.linalg.eigvalsh(X.T @ X.toarray())[::-1][:size]
    monkeypatch.setattr(solver, "_prefers_products", lambda *arguments: True)
    found = make("lsi", n_components=size).fit(X)
    assert "features" in strategy()  # the last one wanted has others like it
    np.testing.assert_allclose(found.eigenvalues_, plain, rtol=1e-10)


@pytest.mark.parametrize("place", [0, 4, 9])
@pytest.mark.parametrize("power", [0.5, 1.0])
def test_a_double_eigenvalue_is_noticed_wherever_it_is(place, power, rng):
    """The Krylov space of one vector has one direction of an eigenspace, of the last one wanted too."""
    values = np.arange(1.0, 201.0) ** -power
    double = np.r_[values[place], values]

    def of(spectrum):
        turn = np.linalg.qr(rng.standard_normal((len(spectrum), len(spectrum))))[0]
        return krylov.simple_eigenpairs(lambda vector: turn @ (spectrum * (turn.T @ vector)), len(spectrum), 10)

    for _ in range(3):
        found, vectors = of(values)
        np.testing.assert_allclose(found, values[:10], rtol=1e-9)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(10), atol=1e-13)
        pairs = of(double)
        if place == 9:
            assert pairs is None
        elif pairs is not None:  # rounding errors may bring both copies
            np.testing.assert_allclose(pairs[0], np.sort(double)[::-1][:10], rtol=1e-9)


def test_products_where_nothing_else_is_left(rng, monkeypatch):
    """Rank one, as many as are wanted: what is left for the check is zero."""
    X = np.zeros((30, 20))
    X[3, 4] = 2.0
    monkeypatch.setattr(solver, "_prefers_products", lambda *arguments: True)
    found = make("lsi", n_components=1).fit(sp.csr_array(X))
    np.testing.assert_allclose(found.components_, np.eye(20)[[4]], atol=1e-12)


@pytest.mark.parametrize(
    ("shape", "density", "limit", "expected"),
    [((980, 1450), 0.01, 50, True), ((1700, 1000), 0.08, 10, True), ((1700, 1000), 0.5, 200, False),
     ((8000, 500), 0.08, 5, False), ((200, 100), 0.01, 3, False), ((980, 1450), 0.01, 500, False)],
)  # fmt: skip
def test_the_choice_of_products(shape, density, limit, expected, rng):
    features = Features(sp.random_array(shape, density=density, rng=rng, format="csr"), centred=True)
    assert solver._prefers_products(features, Form(weights=1.0), limit) == expected
    assert not solver._prefers_products(Features(np.ones((60, 50)), centred=True), Form(weights=1.0), 1)
