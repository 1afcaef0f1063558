"""Rows by their contents: keys that do not depend on the order of rows and columns, nor on the units of columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.linalg.distances import row_blocks
from mlreduce.validation import is_sparse

Keys = NDArray[np.uint64]

# After so many rounds keys of columns and rows tell contents apart: rows by columns that have the same values too.
_ROUNDS = 2


def order_by_content(*tables: Any) -> NDArray[np.intp]:
    """Return an arbitrary order of the rows of tables that depends on nothing but their contents.

    Permuted rows come in the same order, whatever the order of the columns and the powers of two that they are
    multiplied by. Rows that are equal are neighbours.
    """
    n_samples = tables[0].shape[0]
    exponents = [_exponents(table) for table in tables]
    keys = np.zeros(n_samples, dtype=np.uint64)
    for _ in range(_ROUNDS):
        total = np.zeros(n_samples, dtype=np.uint64)
        for number, (table, exponent) in enumerate(zip(tables, exponents, strict=True)):
            columns = _columns(table, exponent, keys)
            total += _mixed(_rows(table, exponent, columns) ^ np.uint64(number))
        keys = total
    return np.argsort(keys, kind="stable")


def groups_of_rows(table: Any) -> sp.csr_array:
    """Return which rows of a table are equal, shape (n_different, n_samples): 1 for each row in a different one."""
    n_samples, n_columns = table.shape
    keys = _rows(table, np.zeros(n_columns, dtype=np.int64), _mixed(np.arange(n_columns, dtype=np.uint64)))
    different, group = np.unique(keys, return_inverse=True)
    shape = len(different), n_samples
    return sp.csr_array((np.ones(n_samples), (group, np.arange(n_samples))), shape=shape)


def _exponents(table: Any) -> NDArray[np.int64]:
    """Return powers of two of the largest magnitudes of the columns."""
    if not table.shape[0]:
        return np.zeros(table.shape[1], dtype=np.int64)
    largest = abs(table).max(axis=0)
    largest = largest.toarray() if is_sparse(largest) else largest
    return np.frexp(np.asarray(largest, dtype=np.float64).ravel())[1].astype(np.int64)


def _mixed(bits: Keys) -> Keys:
    """Return the finaliser of SplitMix64 of integers, by which similar ones become unlike."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Keys = bits ^ (bits >> np.uint64(31))
    return mixed


def _entries(table: Any, exponents: NDArray[np.int64]) -> Iterator[tuple[Any, Any, Keys]]:
    """Yield rows, columns and scaled bits of the entries that are not zero, in blocks of rows."""
    for block in row_blocks(*table.shape):
        part = table[block]
        if is_sparse(part):
            part = part.tocoo()
            rows, columns, values = part.row, part.col, np.asarray(part.data, dtype=np.float64)
            nonzero = values != 0
            rows, columns, values = rows[nonzero], columns[nonzero], values[nonzero]
        else:
            rows, columns = np.nonzero(part)
            values = np.asarray(part[rows, columns], dtype=np.float64)
        yield block.start + rows, columns, np.ldexp(values, -exponents[columns]).view(np.uint64)


def _rows(table: Any, exponents: NDArray[np.int64], columns: Keys) -> Keys:
    """Return keys of the rows: sums, which have no order, of their entries mixed with the keys of the columns."""
    keys = np.zeros(table.shape[0], dtype=np.uint64)
    for rows, places, bits in _entries(table, exponents):
        np.add.at(keys, rows, _mixed(bits ^ columns[places]))
    return keys


def _columns(table: Any, exponents: NDArray[np.int64], rows: Keys) -> Keys:
    """Return keys of the columns in the same way."""
    keys = np.zeros(table.shape[1], dtype=np.uint64)
    for places, columns, bits in _entries(table, exponents):
        np.add.at(keys, columns, _mixed(bits ^ rows[places]))
    return _mixed(keys)
