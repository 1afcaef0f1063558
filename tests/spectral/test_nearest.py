"""Searches for the nearest beside sorting, one instance after the other, and beside each other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import mlreduce
from mlreduce.linalg.distances import Distances
from mlreduce.linalg.features import Features
from mlreduce.spectral import Form, TrainingSet, solver
from mlreduce.spectral.duplication import Duplicates
from mlreduce.spectral.graphs import neighbours, search
from mlreduce.spectral.graphs.search import nearest_others

GRAPHS = ("lpp", "npp", "mesd-dla", "mesd-dne", "mesd-mfa", "mesd-sonpp", "mesd-donpp", "mesd-lfda", "mope")


def whole_numbers(seed, n_samples, n_features=2):
    """Features with many equal distances."""
    return np.random.default_rng(seed).integers(3, size=(n_samples, n_features)).astype(float)


@given(seed=st.integers(0, 10**6), n_samples=st.integers(2, 30), number=st.integers(1, 12), first=st.integers(0, 5))
def test_nearest_others_by_sorting(seed, n_samples, number, first):
    rows = slice(min(first, n_samples - 1), n_samples)
    values = -np.random.default_rng(seed).integers(4, size=(n_samples, n_samples)).astype(float)[rows]
    number = min(number, n_samples - 1)
    for row, own in zip(range(rows.start, n_samples), values, strict=True):
        expected = sorted((j for j in range(n_samples) if j != row), key=lambda j, own=own: (own[j], j))[:number]
        np.testing.assert_array_equal(nearest_others(values, rows, number)[row - rows.start], expected)


@given(seed=st.integers(0, 10**6), number=st.integers(1, 12), scale=st.sampled_from([1e-3, 1.0, 1e4]))
def test_nearest_by_products_in_single_precision(seed, number, scale):
    """Of rows that single precision does not tell apart, and of equal ones."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.standard_normal((25, 9)), 2, axis=0)
    X[::2] += 1e-6 * rng.standard_normal((25, 9)) * (rng.random((25, 1)) < 0.7)
    distances = Distances(X * scale)
    expected = nearest_others(distances.table(), slice(0, 50), number)
    np.testing.assert_array_equal(distances.nearest(number), expected)


def test_equal_rows_are_searched_in_double_precision(monkeypatch):
    X = whole_numbers(0, 1500)
    assert Distances(X).nearest(3) is None
    assert Distances(sp.csr_array(X)).nearest(3) is None
    monkeypatch.setattr(neighbours, "TABLE_BYTES", 0)
    expected = nearest_others(Distances(X).table(), slice(0, 1500), 3)
    np.testing.assert_array_equal(neighbours.neighbours_of(TrainingSet(X), 3), expected)


def duplicates_by_sorting(X, Y, number, same):
    """The pairs of copies (row, label) joined from the first to the second."""
    copies = [(i, c) for i in range(len(X)) for c in np.flatnonzero(Y[i])]
    joined = set()
    for place, (i, c) in enumerate(copies):
        others = [q for q, (j, b) in enumerate(copies) if ((b == c and j != i) if same else b != c)]
        joined |= {
            (place, q) for q in sorted(others, key=lambda q, i=i: (((X[i] - X[copies[q][0]]) ** 2).sum(), q))[:number]
        }
    return joined


@given(seed=st.integers(0, 10**6), within=st.integers(0, 6), between=st.integers(0, 9), step=st.integers(1, 20))
def test_neighbours_of_duplicates_by_sorting(seed, within, between, step):
    X = whole_numbers(seed, 17)
    Y = (np.random.default_rng(seed + 1).random((17, 4)) < 0.4).astype(float)
    Y[0, :2] = 1  # two classes at least
    copies, distances = Duplicates(Y, False), Distances(X)
    blocks = [
        (slice(a, min(a + step, 17)), distances.compute(np.arange(a, min(a + step, 17)))) for a in range(0, 17, step)
    ]
    for same, graph in zip((True, False), copies.neighbours(blocks, within, between), strict=True):
        number = within if same else between
        assert set(zip(*graph.nonzero(), strict=True)) == duplicates_by_sorting(X, Y, number, same)
        assert graph.has_canonical_format or graph.sum() == graph.nnz


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", GRAPHS)
def test_roads_by_table_and_by_blocks_agree(name, kind, rng, monkeypatch):
    X, Y = rng.standard_normal((90, 12)) * (rng.random((90, 12)) < 0.6), rng.random((90, 4)) < 0.4
    Y[:, 0] |= ~Y.any(axis=1)
    table = mlreduce.make(name).fit(kind(X), Y)
    monkeypatch.setattr(neighbours, "TABLE_BYTES", 0)
    monkeypatch.setattr(search, "_BLOCK_BYTES", 1)
    monkeypatch.setattr(search, "_LEAST_ROWS", 7)
    blocks = mlreduce.make(name).fit(kind(X), Y)
    np.testing.assert_allclose(blocks.eigenvalues_, table.eigenvalues_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(blocks.components_, table.components_, atol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_distances_of_rows_and_table_agree(kind, rng):
    X = rng.standard_normal((50, 7)) * (rng.random((50, 7)) < 0.5)
    distances = Distances(kind(X))
    plain = ((X[:, np.newaxis] - X) ** 2).sum(axis=2)
    for found in (distances.table(), distances.compute(np.arange(50))):
        np.testing.assert_allclose(found, plain, atol=distances.unit)
        assert (found % distances.unit == 0).all()
    np.testing.assert_array_equal(distances.compute(np.array([3, 1])), distances.table()[[3, 1]])


@pytest.mark.parametrize("centred", [True, False])
def test_the_form_of_a_sparse_graph_by_a_compiled_loop(centred, rng, monkeypatch):
    X = rng.standard_normal((40, 9)) * (rng.random((40, 9)) < 0.5)
    graph = rng.standard_normal((40, 40)) * (rng.random((40, 40)) < 0.1)
    graph += graph.T
    graph[5], graph[:, 5] = 0, 0
    plain = (X - X.mean(axis=0) * centred).T @ graph @ (X - X.mean(axis=0) * centred)
    for most in (0, 10**9):
        monkeypatch.setattr("mlreduce.linalg.features._MANY_PRODUCTS", most)
        found = Features(sp.csr_array(X), centred).form(sp.csr_array(graph))
        np.testing.assert_allclose(found, plain, atol=1e-12 * np.abs(plain).max() + 1e-12)


@pytest.mark.parametrize("constraint", [None, Form(weights=1.0, ridge=0.1)])
def test_directions_of_full_rank_do_not_depend_on_a_basis_of_the_row_space(constraint, rng, monkeypatch):
    X, graph = rng.standard_normal((40, 9)), rng.standard_normal((40, 40))
    objective = Form(graph=graph + graph.T)
    found = solver.solve(TrainingSet(X).centred, objective, constraint, signed_values=True)
    monkeypatch.setattr(solver, "_BEYOND_DOUBT", np.inf)
    by_basis = solver.solve(TrainingSet(X).centred, objective, constraint, signed_values=True)
    np.testing.assert_allclose(found.eigenvalues, by_basis.eigenvalues, rtol=1e-10)
    np.testing.assert_allclose(found.components, by_basis.components, atol=1e-10)
    dependent = TrainingSet(np.c_[X, X[:, 0] - X[:, 1] * (1 + 1e-9)]).centred
    monkeypatch.undo()
    assert len(solver.solve(dependent, objective, signed_values=True).eigenvalues) == 9


@given(seed=st.integers(0, 10**6), number=st.integers(1, 90), step=st.integers(1, 30))
def test_nearest_pairs_of_classes_by_sorting(seed, number, step):
    rng = np.random.default_rng(seed)
    X, Y = whole_numbers(seed, 23), (rng.random((23, 3)) < 0.5).astype(float)
    Y[0] = 1
    copies, distances = Duplicates(Y, False), Distances(X)
    blocks = (
        (slice(a, min(a + step, 23)), distances.compute(np.arange(a, min(a + step, 23)))) for a in range(0, 23, step)
    )
    within, between = copies.marginal(blocks, 2, number)
    assert set(zip(*within.nonzero(), strict=True)) == duplicates_by_sorting(X, Y, 2, True)
    joined, every = set(), list(zip(copies.row, copies.label, strict=True))
    for label in range(3):
        pairs = [
            (((X[i] - X[j]) ** 2).sum(), i, q, p)
            for p, (i, own) in enumerate(every)
            for q, (j, other) in enumerate(every)
            if own == label != other
        ]
        joined |= {(p, q) for *_, q, p in sorted(pairs)[:number]}
    assert set(zip(*between.nonzero(), strict=True)) == joined | {(q, p) for p, q in joined}
