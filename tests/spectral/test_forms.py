"""Forms compared with their dense matrices M, and the solver on random forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from projection_problems import data

from mlreduce.linalg.features import Coordinates, Features
from mlreduce.spectral import Form, krylov, solver
from mlreduce.spectral.solver import solve

both = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
centrings = pytest.mark.parametrize("centred", [False, True], ids=["raw", "centred"])
seeds = st.integers(0, 100_000)
parts = st.fixed_dictionaries(
    {
        "weights": st.sampled_from(["none", "number", "each"]),
        "factor": st.sampled_from(["none", "dense", "sparse"]),
        "middle": st.sampled_from(["number", "matrix"]),
        "graph": st.sampled_from(["none", "dense", "sparse"]),
    }
)


def symmetric(rng, size, density=1.0):
    values = rng.standard_normal((size, size)) * (rng.random((size, size)) < density)
    return values + values.T


def drawn(rng, n, chosen, squared=0.0, ridge=0.0):
    """A form with the chosen terms."""
    weights = {"none": 0.0, "number": rng.standard_normal(), "each": rng.standard_normal(n)}[chosen["weights"]]
    factor = rng.standard_normal((n, 3)) * (rng.random((n, 3)) < 0.6)
    graph = symmetric(rng, n, 0.4)
    as_chosen = {"none": lambda values: None, "dense": np.asarray, "sparse": sp.csr_array}
    return Form(
        weights,
        as_chosen[chosen["factor"]](factor),
        rng.standard_normal() if chosen["middle"] == "number" else symmetric(rng, 3),
        as_chosen[chosen["graph"]](graph),
        squared,
        ridge,
    )


def array(part):
    return part.toarray() if sp.issparse(part) else np.asarray(part)


def dense_of(form, n):
    """M, without ``squared`` and ``ridge``."""
    M = np.diag(np.zeros(n) + form.weights)
    if form.factor is not None:
        L = array(form.factor)
        M = M + L @ (form.middle * np.eye(L.shape[1]) if np.isscalar(form.middle) else form.middle) @ L.T
    return M if form.graph is None else M + array(form.graph)


@given(seed=seeds, chosen=parts)
@centrings
@both
def test_products_of_a_form(centred, kind, seed, chosen):
    rng = np.random.default_rng(seed)
    X = data(rng, 9, 5, 2, density=0.6)[0]
    X[:, 3] += 50  # a full column of a sparse matrix
    features, shifted = Features(kind(X), centred), X - X.mean(axis=0) if centred else X
    form = drawn(rng, 9, chosen, squared=0.3, ridge=0.7)
    M = dense_of(form, 9)
    scale = np.abs(shifted).max() ** 2 * 30
    expected = shifted.T @ (M + 0.3 * shifted @ shifted.T) @ shifted + 0.7 * np.eye(5)
    np.testing.assert_allclose(form.matrix(features), expected, atol=1e-13 * scale**2)
    scores = rng.standard_normal((9, 2))
    np.testing.assert_allclose(form.dot(features, scores), (M + 0.3 * shifted @ shifted.T) @ scores, atol=1e-12 * scale)
    bare = drawn(np.random.default_rng(seed), 9, chosen)
    trace = np.trace(shifted.T @ dense_of(bare, 9) @ shifted)
    assert bare.mean_diagonal(features) == pytest.approx(trace / 5, abs=1e-11 * scale)


@given(seed=seeds, first=parts, second=parts, number=st.floats(-3, 3))
def test_sum_and_multiple(seed, first, second, number):
    rng = np.random.default_rng(seed)
    left, right = drawn(rng, 8, first, 0.2, 0.3), drawn(rng, 8, second, 0.5, 0.1)
    before = dense_of(left, 8), dense_of(right, 8)
    total = left + right
    np.testing.assert_allclose(dense_of(total, 8), before[0] + before[1], atol=1e-12)
    assert (total.squared, total.ridge) == (pytest.approx(0.7), pytest.approx(0.4))
    np.testing.assert_allclose(dense_of(right + left, 8), before[0] + before[1], atol=1e-12)
    multiple = left * number
    np.testing.assert_allclose(dense_of(multiple, 8), number * before[0], atol=1e-12)
    assert (multiple.squared, multiple.ridge) == (pytest.approx(0.2 * number), pytest.approx(0.3 * number))
    np.testing.assert_array_equal(dense_of(left, 8), before[0])
    for form in (total, multiple):
        for part, others in ((form.graph, (left.graph, right.graph)), (form.factor, (left.factor, right.factor))):
            kinds = {sp.issparse(other) for other in others if other is not None}
            if kinds == {True} and part is not None:
                assert part.format == "csr"


@given(seed=seeds, chosen=parts)
def test_form_pulled_back_from_duplicates(seed, chosen):
    rng = np.random.default_rng(seed)
    form = drawn(rng, 11, chosen, ridge=0.4)
    where = sp.csr_array((rng.uniform(0.5, 2, 11), (np.arange(11), rng.integers(6, size=11))), shape=(11, 6))
    own, weighted = dense_of(form, 11), array(where)
    carried = form.pulled_back(where)
    np.testing.assert_allclose(dense_of(carried, 6), weighted.T @ own @ weighted, atol=1e-11)
    assert carried.ridge == 0.4


@given(seed=seeds, chosen=parts)
def test_form_pulled_back_from_a_subset(seed, chosen):
    rng = np.random.default_rng(seed)
    X, rows = rng.standard_normal((12, 4)), rng.permutation(12)[:7]
    form = drawn(rng, 7, chosen)
    selection = sp.csr_array((np.ones(7), (np.arange(7), rows)), shape=(7, 12))
    for centred in (False, True):
        some = form.matrix(Features(X[rows] - X.mean(axis=0) * centred, centred=False))
        np.testing.assert_allclose(form.pulled_back(selection).matrix(Features(X, centred)), some, atol=1e-10)


@given(seed=seeds, chosen=parts)
def test_scaled_and_recentred(seed, chosen):
    rng = np.random.default_rng(seed)
    form, scale = drawn(rng, 7, chosen), rng.uniform(0.5, 2, 7)
    M, H = dense_of(form, 7), np.eye(7) - 1 / 7
    np.testing.assert_allclose(dense_of(form.scaled(scale), 7), np.diag(scale) @ M @ np.diag(scale), atol=1e-12)
    np.testing.assert_allclose(dense_of(form.recentred(7), 7), H @ M @ H, atol=1e-12)
    X = rng.standard_normal((7, 3)) + 5
    np.testing.assert_allclose(
        form.recentred(7).matrix(Features(X, centred=False)), form.matrix(Features(X, centred=True)), atol=1e-9
    )


@given(seed=seeds, chosen=parts, copies=st.integers(1, 3))
def test_a_factor_of_more_columns_than_rows_is_narrowed(seed, chosen, copies):
    """Of labels that are more than the instances, also such that repeat, the matrix and the solutions stay."""
    rng = np.random.default_rng(seed)
    form = drawn(rng, 6, {**chosen, "factor": "none"}, 0.2, 0.3)
    labels = np.tile((rng.random((6, 5)) < 0.4).astype(float), copies)
    middle = rng.uniform(0.1, 2) if chosen["middle"] == "number" else symmetric(rng, 5 * copies)
    form += Form(factor=labels if chosen["factor"] == "dense" else sp.csr_array(labels), middle=middle)
    narrowed = form.narrowed
    assert narrowed is form if copies == 1 else narrowed.factor.shape == (6, 6)
    np.testing.assert_allclose(dense_of(narrowed, 6), dense_of(form, 6), atol=1e-11)
    assert (narrowed.squared, narrowed.ridge) == (form.squared, form.ridge)
    features = Features(rng.standard_normal((6, 8)), centred=True)
    assert Form(factor=labels, middle=middle).mean_diagonal(features) == pytest.approx(
        float(
            np.trace(
                features.dot(np.eye(8)).T @ dense_of(Form(factor=labels, middle=middle), 6) @ features.dot(np.eye(8))
            )
        )
        / 8
    )


def test_squared_scatter_is_not_pulled_back():
    with pytest.raises(ValueError, match="squared scatter"):
        Form(squared=1.0).pulled_back(sp.eye_array(3, format="csr"))


@given(seed=seeds, chosen=parts)
def test_coordinates_as_features(seed, chosen):
    rng = np.random.default_rng(seed)
    features, identity = Coordinates(8), Features(np.eye(8), centred=False)
    form = drawn(rng, 8, chosen, ridge=0.2)
    np.testing.assert_allclose(form.matrix(features), dense_of(form, 8) + 0.2 * np.eye(8), atol=1e-12)
    R = rng.standard_normal((8, 3))
    for product in ("dot", "transposed_dot", "cross"):
        np.testing.assert_allclose(getattr(features, product)(R), getattr(identity, product)(R), atol=1e-15)
    graph = symmetric(rng, 8)
    copied = features.form(graph)
    copied[0, 0] += 1  # its own
    assert copied[0, 0] != graph[0, 0]


@given(seed=seeds, chosen=parts, size=st.sampled_from([(20, 5), (6, 15)]))
@both
def test_signed_values_in_the_row_space(kind, seed, chosen, size):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal(size)
    X[:, -1] = X[:, 0] + 2 * X[:, 1]
    form = drawn(rng, size[0], chosen)
    centred = X - X.mean(axis=0)
    basis = scipy.linalg.orth(centred.T)
    A = centred.T @ dense_of(form, size[0]) @ centred
    B = centred.T @ centred + 0.5 * np.eye(size[1])
    for constraint, expected in (
        (None, scipy.linalg.eigh(basis.T @ A @ basis, eigvals_only=True)),
        (Form(weights=1.0, ridge=0.5), scipy.linalg.eigh(basis.T @ A @ basis, basis.T @ B @ basis, eigvals_only=True)),
    ):
        scale = np.abs(expected).max(initial=1e-300)
        found = solve(Features(kind(X), centred=True), form, constraint, signed_values=True)
        np.testing.assert_allclose(found.eigenvalues, expected[::-1], atol=1e-9 * scale)
        P = found.components
        np.testing.assert_allclose(P @ A @ P.T, np.diag(found.eigenvalues), atol=1e-8 * scale)
        np.testing.assert_allclose(P @ (np.eye(size[1]) if constraint is None else B) @ P.T, np.eye(len(P)), atol=1e-8)
        np.testing.assert_allclose(P @ basis @ basis.T, P, atol=1e-8)
        few = solve(Features(kind(X), centred=True), form, constraint, limit=2, signed_values=True)
        np.testing.assert_allclose(few.eigenvalues, found.eigenvalues[:2], atol=1e-9 * scale)


def laplacian(rng, n, n_parts=1, loops=True):
    """The negated Laplacian of a random graph of several parts."""
    part = np.arange(n) % n_parts
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.3), 1) * (part[:, None] == part)
    for own in range(n_parts):  # a path through each part
        rows = np.flatnonzero(part == own)
        W[rows[:-1], rows[1:]] += 0.5
    W = W + W.T
    return W - np.diag(W.sum(axis=1))


class TestBlocks:
    """A few eigenvectors of a matrix over the instances."""

    @pytest.fixture(autouse=True)
    def only_blocks(self, monkeypatch):
        monkeypatch.setattr(solver, "STRATEGIES", {"blocks": solver.STRATEGIES["blocks"]})

    @pytest.mark.parametrize("upper", [0.0, 0.5, 30.0, None])
    @pytest.mark.parametrize("n_parts", [1, 2, 5, 9])
    @both
    def test_multiple_eigenvalues(self, kind, n_parts, upper, rng):
        A = laplacian(rng, 80, n_parts)
        found = solve(Coordinates(80), Form(graph=kind(A)), limit=6, signed_values=True, upper=upper)
        values = np.linalg.eigvalsh(A)[::-1]
        np.testing.assert_allclose(found.eigenvalues, values[:6], atol=1e-12 * -values[-1])
        V = found.components
        np.testing.assert_allclose(V @ V.T, np.eye(6), atol=1e-12)
        np.testing.assert_allclose(V @ A, found.eigenvalues[:, None] * V, atol=1e-9)

    @pytest.mark.parametrize("upper", [0.0, None])
    def test_every_eigenvalue_of_a_ring_is_double(self, upper):
        n = 60
        ring = sp.csr_array(sp.diags_array([1.0, 1, 1, 1], offsets=[-1, 1, n - 1, 1 - n], shape=(n, n)))
        form = Form(weights=-2.0, graph=ring)
        found = solve(Coordinates(n), form, limit=5, signed_values=True, upper=upper)
        np.testing.assert_allclose(
            found.eigenvalues, 2 * np.cos(2 * np.pi * np.array([0, 1, 1, 2, 2]) / n) - 2, atol=1e-13
        )

    @pytest.mark.parametrize("upper", [0.0, None])
    @pytest.mark.parametrize("n_parts", [1, 4])
    @both
    def test_a_trivial_vector_is_left_out(self, kind, n_parts, upper, rng):
        A = laplacian(rng, 64, n_parts)
        found = solve(
            Coordinates(64), Form(graph=kind(A)), limit=5, signed_values=True, upper=upper, trivial=np.ones(64)
        )
        values = np.linalg.eigvalsh(A)[::-1]
        np.testing.assert_allclose(found.eigenvalues, values[1:6], atol=1e-12 * -values[-1])
        np.testing.assert_allclose(found.components.sum(axis=1), 0, atol=1e-11)
        np.testing.assert_allclose(found.components @ found.components.T, np.eye(5), atol=1e-12)

    def test_a_form_with_a_factor(self, rng):
        L, A = rng.standard_normal((72, 4)), laplacian(rng, 72)
        form = Form(weights=rng.random(72), factor=L, middle=np.diag([1.0, 2, -3, 4]), graph=sp.csr_array(A), ridge=0.3)
        found = solve(Coordinates(72), form, limit=4, signed_values=True, upper=1e3)
        expected = np.linalg.eigvalsh(dense_of(form, 72) + 0.3 * np.eye(72))[::-1][:4]
        np.testing.assert_allclose(found.eigenvalues, expected, rtol=1e-10)

    def test_low_rank(self, rng):
        L = rng.standard_normal((100, 3))
        found = solve(Coordinates(100), Form(graph=L @ L.T), limit=6)
        np.testing.assert_allclose(found.eigenvalues, np.linalg.svd(L, compute_uv=False) ** 2)
        assert len(solve(Coordinates(100), Form(graph=np.zeros((100, 100))), limit=6).eigenvalues) == 0


def test_no_convergence_falls_back_to_dense(rng, monkeypatch):
    A = laplacian(rng, 80, 3)
    monkeypatch.setattr(krylov, "_COLLECTED", 10)
    assert krylov.leading_eigenvectors(lambda right: A @ right, 80, 3, np.zeros((80, 0))) is None
    for trivial in (None, np.ones(80)):
        found = solve(Coordinates(80), Form(graph=A), limit=6, signed_values=True, trivial=trivial)
        values = np.linalg.eigvalsh(A)[::-1][0 if trivial is None else 1 :]
        np.testing.assert_allclose(found.eigenvalues, values[:6], atol=1e-12 * 80)
