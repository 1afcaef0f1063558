"""Orders of rows by their contents."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mlreduce.linalg.contents import groups_of_rows, order_by_content


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shape", [(40, 6), (30, 90)])
def test_an_order_depends_on_nothing_but_contents(form, shape):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, shape) * rng.choice([1.0, 0.3, -2.0], shape)  # rows and columns with the same values
    Y = rng.integers(0, 2, (shape[0], 4)) * 1.0
    rows, columns, labels = (rng.permutation(n) for n in (*shape, 4))
    expected = X[order_by_content(form(X), form(Y))]
    units = 2.0 ** rng.integers(-9, 12, shape[1])
    moved = (X * units)[rows][:, columns]
    order = order_by_content(form(moved), form(Y[rows][:, labels]))
    np.testing.assert_array_equal(X[rows][order], expected)


def test_storage_and_blocks_change_no_order(monkeypatch):
    X = np.random.default_rng(0).integers(0, 3, (25, 4)) * 1.0
    expected = order_by_content(X)
    stored = sp.csr_array(X + 1)
    stored.data -= 1  # zeros that are stored
    np.testing.assert_array_equal(order_by_content(stored), expected)
    monkeypatch.setattr("mlreduce.linalg.contents.row_blocks", lambda n, width: [slice(0, 7), slice(7, n)])
    np.testing.assert_array_equal(order_by_content(X), expected)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_groups_are_equal_rows(form):
    X = np.random.default_rng(0).integers(0, 2, (30, 3)) * 1.0
    groups = groups_of_rows(form(X)).toarray()
    np.testing.assert_array_equal(groups.T @ groups, (X[:, np.newaxis] == X).all(axis=2))
