"""Storage formats of features and labels, and checks of their values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from definitions import make
from projection_problems import REPRESENTATIVES, data, same_directions, stored

from mlreduce.exceptions import DataError

kinds = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, stored], ids=["dense", "sparse", "all stored"])


def base():
    return data(np.random.default_rng(3), 24, 5, 3)


@pytest.mark.parametrize("name", ["mddmp", "mope"])
def test_every_storage_of_the_same_numbers(name, rng):
    X, Y = data(rng, 25, 6, 3, density=0.6)
    X = X.astype(np.float32).astype(float)  # so that single precision holds them
    expected = make(name).fit(X, Y)
    spaced = np.zeros((50, 12))
    spaced[::2, ::2] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    shuffled = sp.csr_array(X)
    for start, stop in zip(shuffled.indptr[:-1], shuffled.indptr[1:], strict=True):  # columns backwards in each row
        shuffled.indices[start:stop] = shuffled.indices[start:stop][::-1].copy()
        shuffled.data[start:stop] = shuffled.data[start:stop][::-1].copy()
    shuffled.has_sorted_indices = False
    halves = sp.csr_array((np.repeat(X.ravel() / 2, 2), np.repeat(np.tile(np.arange(6), 25), 2), np.arange(26) * 12))
    explicit = sp.csr_array(Y + 1)
    explicit.data -= 1  # every zero of Y stored
    assert explicit.nnz == Y.size
    for features in (
        X.astype(np.float32),
        np.asfortranarray(X),
        spaced[::2, ::2],
        frozen,
        X.tolist(),
        pd.DataFrame(X),
        shuffled,
        halves,
        *(cls(X) for cls in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csc_array, sp.coo_array, sp.lil_array)),
    ):
        method = make(name).fit(features, Y)
        same_directions(method, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(method.transform(features), expected.transform(X), atol=1e-9)
    for labels in (
        Y.astype(bool),
        2 * Y - 1,
        Y.astype(float),
        Y.tolist(),
        pd.DataFrame(Y),
        explicit,
        sp.csr_array(2 * Y - 1),
        *(cls(Y) for cls in (sp.csr_matrix, sp.csc_matrix, sp.coo_array, sp.lil_array, sp.dok_array)),
    ):
        same_directions(make(name).fit(X, labels), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", REPRESENTATIVES)
@kinds
def test_arguments_are_not_changed(name, kind, rng):
    X, Y = data(rng, 20, 6, 3, density=0.7)
    X[:, 0] += 5
    X, Y = kind(X), stored(Y)
    before = [part.copy() for matrix in (X, Y) for part in parts(matrix)]
    make(name).fit(X, Y).transform(X)
    for part, kept in zip((part for matrix in (X, Y) for part in parts(matrix)), before, strict=True):
        np.testing.assert_array_equal(part, kept)


def parts(matrix):
    return (matrix.data, matrix.indices, matrix.indptr) if sp.issparse(matrix) else (matrix,)


def test_duplicate_entries_are_summed_before_checks():
    X, Y = base()
    rows, columns = np.nonzero(Y)
    twice = sp.coo_array((np.ones(len(rows) + 1), (np.r_[rows, rows[0]], np.r_[columns, columns[0]])), shape=Y.shape)
    compressed = sp.csr_array((np.ones(2 * 24), np.tile(0, 2 * 24), 2 * np.arange(25)), shape=Y.shape)
    for labels in (twice, compressed):
        with pytest.raises(DataError, match="y holds 2 in column 0"):
            make("pls").fit(X, labels)


@pytest.mark.parametrize("name", ["mddmp", "mesd-lfda"])
def test_labels_are_checked(name):
    X, Y = base()
    for labels, sentence in (
        (None, "requires y"),
        (Y[:-1], "inconsistent"),
        (Y * 2, "must be 0/1"),
        (Y + 0.5, "continuous"),
        (sp.csr_array(Y * 3), "must be 0/1"),
        (np.where(Y, np.nan, 0), "must be 0/1|is NaN in column|labels do not vary"),  # unknown where MDDMp can
        (Y[:, :0], "at least one label"),
        (Y.astype(str) + "a", "strings"),
    ):
        with pytest.raises(DataError, match=sentence):
            make(name).fit(X, labels)


@pytest.mark.parametrize("name", ["pca", "mope"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@kinds
def test_features_are_checked(name, value, kind):
    X, Y = base()
    method = make(name).fit(kind(X), Y)
    X[4, 2] = value
    for call in (lambda: make(name).fit(kind(X), Y), lambda: method.transform(kind(X))):
        with pytest.raises(DataError, match="column 2, row 4"):
            call()
