"""Entropies and mutual information against scikit-learn, information_by_the_book.py and identities."""

from __future__ import annotations

import tracemalloc

import information_by_the_book as book
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import mutual_info_score

from mlreduce.exceptions import DataError
from mlreduce.linalg import distances
from mlreduce.selection import information
from mlreduce.selection.information import Counted, Triples, entropies, mutual_information

#: A table has up to five columns, of which every pair, or triple, is checked.
few = settings(max_examples=20)


@st.composite
def tables(draw, n_tables=1, largest=4):
    n = draw(st.integers(1, 25))
    widths = [draw(st.integers(1, 5)) for _ in range(n_tables)]
    bins = st.integers(0, draw(st.integers(0, largest)))
    return [draw(arrays(np.int64, (n, width), elements=bins, fill=bins)) for width in widths]


def interactions(a, B, C):
    """I(a;b;c) of one variable and each pair of the columns of two tables."""
    given = Counted.from_bins(a[:, np.newaxis])
    return Triples(Counted.from_bins(B), Counted.from_bins(C)).given(given.parts()[0]) / len(a)


def random_bins(n=200, d=6, n_bins=3, seed=0):
    return np.random.default_rng(seed).integers(n_bins, size=(n, d))


@given(tables(2))
@few
def test_information_matches_scikit_learn(both):
    A, B = both
    for ours, one, other in ((mutual_information(A, B), A, B), (mutual_information(A), A, A)):
        theirs = [[mutual_info_score(a, b) for b in other.T] for a in one.T]
        np.testing.assert_allclose(ours, theirs, atol=1e-13)
        assert (ours >= 0).all()
    np.testing.assert_array_equal(mutual_information(A), mutual_information(A).T)


@given(tables())
@few
def test_entropies_are_on_the_diagonal(one):
    (A,) = one
    np.testing.assert_allclose(entropies(A), [book.entropy(a) for a in A.T], atol=1e-13)
    np.testing.assert_array_equal(np.diag(mutual_information(A)), entropies(A))
    np.testing.assert_allclose(np.diag(mutual_information(A, A)), entropies(A), atol=1e-13)
    assert (mutual_information(A) <= np.minimum.outer(entropies(A), entropies(A)) + 1e-13).all()


@given(tables(3))
@few
def test_interactions_match_the_reference(three):
    A, B, C = three
    expected = [[book.interaction(A[:, 0], b, c) for c in C.T] for b in B.T]
    np.testing.assert_allclose(interactions(A[:, 0], B, C), expected, atol=1e-12)


def test_independent_columns_share_exactly_nothing():
    A = np.array([[i, j, k] for i in range(3) for j in range(4) for k in range(5)] * 7)
    np.testing.assert_array_equal(mutual_information(A)[~np.eye(3, dtype=bool)], 0)
    np.testing.assert_array_equal(interactions(A[:, 0], A[:, 1:2], A[:, 2:]), 0)
    np.testing.assert_array_equal(mutual_information(np.zeros((5, 2), dtype=int)), 0)


@pytest.mark.parametrize("share", [0.0, 2.0])
def test_dense_and_sparse_products_count_alike(share, monkeypatch):
    A, B = random_bins(n_bins=4), random_bins(n_bins=2, seed=1)
    expected = mutual_information(A, B), mutual_information(A), interactions(A[:, 0], A, B)
    monkeypatch.setattr(information, "_DENSE", share)
    assert isinstance(Counted.from_bins(A).ones, np.ndarray) == (share == 0)
    ours = mutual_information(A, B), mutual_information(A), interactions(A[:, 0], A, B)
    for one, other in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_block_size_does_not_matter(monkeypatch):
    A, B = random_bins(d=9, n_bins=4), random_bins(d=3, seed=1)
    A[:, 4] = 0
    expected = mutual_information(A), mutual_information(A, B)
    monkeypatch.setattr(distances, "_BLOCK_BYTES", 8 * 7)
    np.testing.assert_array_equal(mutual_information(A), expected[0])
    np.testing.assert_array_equal(mutual_information(A, B), expected[1])


def test_some_of_the_variables():
    A = random_bins(d=7, n_bins=3)
    A[:, 2], A[:, 5] = 0, A[:, 5] > 0
    chosen = np.array([5, 2, 0])
    some = Counted.from_bins(A).variables(chosen)
    np.testing.assert_array_equal(some.ones, Counted.from_bins(A[:, chosen]).ones)
    np.testing.assert_array_equal(some.starts, Counted.from_bins(A[:, chosen]).starts)


def test_memory_is_bounded():
    """A thousand word bits in 2000 documents: what is kept is the result and blocks of 32 MB."""
    rng = np.random.default_rng(0)
    A = (rng.random((2000, 1000)) < 0.03).astype(np.int8)
    tracemalloc.start()
    mutual_information(A)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120e6


def test_tables_without_bins_are_refused():
    with pytest.raises(DataError, match="bins must be integers in a table"):
        entropies(np.array([[0.5]]))
    with pytest.raises(DataError, match=r"got int64 of shape \(3,\)"):
        mutual_information(np.zeros(3, dtype=np.int64))
    with pytest.raises(DataError, match="must have the same rows; got 3 and 2"):
        mutual_information(np.zeros((3, 1), dtype=int), np.zeros((2, 1), dtype=int))


def test_codes_far_apart_take_no_more_memory():
    """Bins are counted in an array over their range only where the range is small."""
    A = np.array([[0, -(2**62)], [2**62, 0], [0, 2**62], [2**62, -(2**62)]])
    np.testing.assert_allclose(entropies(A), np.log(2) * np.array([1, 1.5]))


@given(tables(3), st.sampled_from([0.0, 2.0]), st.data())
@few
def test_triples_of_some_variables_match_the_reference(three, share, data):
    """Of dense and sparse indicators, of some variables of the first table and of the second's last ones."""
    A, B, C = three
    chosen = np.array(data.draw(st.lists(st.integers(0, B.shape[1] - 1), unique=True)), dtype=np.intp)
    first = data.draw(st.integers(0, C.shape[1] - 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(information, "_DENSE", share)
        third, one, other = (Counted.from_bins(table) for table in three)
    triples = Triples(one, other)
    for variable, parts in enumerate(third.parts()):
        expected = [[book.interaction(A[:, variable], B[:, b], c) for c in C.T[first:]] for b in chosen]
        ours = triples.given(parts, chosen, first) / len(A)
        np.testing.assert_allclose(ours, np.reshape(expected, ours.shape), atol=1e-12)


def test_parts_are_the_rows_of_all_bins_but_the_commonest(monkeypatch):
    A = np.array([[0, 5, 1], [7, 5, 0], [0, 5, 1], [3, 5, 1]])
    for share in (0.0, 2.0):
        monkeypatch.setattr(information, "_DENSE", share)
        parts = [[rows.tolist() for rows in of_variable] for of_variable in Counted.from_bins(A).parts()]
        assert parts == [[[3], [1]], [], [[1]]]
