"""The columns of a feature matrix, sorted once for every node and every target of model trees.

A column is stored as its non-zero entries in ascending order of value; zeros are one block whose place in the order is
known, so that sparse columns cost what their entries cost. A node of a tree holds a section of every column, in order,
and a split parts each section in two: nothing is sorted again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mlreduce.validation import FloatArray, is_sparse

#: Where an entry holds the rank of its value, and the bits that hold its row.
#: (Compiled code elsewhere holds these two: numba's cache does not see a change here.)
RANK_SHIFT = 32
ROW_BITS = (1 << RANK_SHIFT) - 1

# Values of a feature closer than this are equal.
_SAME_VALUE = 1e-10


class Columns(NamedTuple):
    """The columns of a feature matrix, sorted."""

    #: Of shape (n_features + 1,). Start of each column's entries.
    indptr: NDArray[np.int64]
    #: Non-zero entries of one column after the other in ascending order of value, equal values by row: the row in the
    #: lower 32 bits, the rank of the value among the column's distinct values in the upper.
    entries: NDArray[np.int64]
    #: Of shape (n_features + 1,).
    level_ptr: NDArray[np.int64]
    #: Distinct values of each column, ascending, zero among them where a row has it.
    levels: FloatArray
    #: Of shape (n_features,). Rank of zero in its column, the number of negative levels.
    zero_rank: NDArray[np.int64]


def sort_columns(X: Any) -> Columns:
    """Sort the columns of a dense matrix or of a CSR matrix in canonical format."""
    table = X.tocsc() if is_sparse(X) else X
    entries, levels, zero_ranks = [], [], []
    for column in range(X.shape[1]):
        if is_sparse(X):
            section = slice(table.indptr[column], table.indptr[column + 1])
            rows, values = table.indices[section], table.data[section]
        else:
            rows, values = np.arange(len(table)), table[:, column]
        stored = values != 0
        if not stored.all():
            rows, values = rows[stored], values[stored]
        order = np.argsort(values, kind="stable")
        rows, values = rows[order].astype(np.int64), values[order]
        negative = int(np.searchsorted(values, 0.0))
        zeros = np.zeros(int(len(values) < X.shape[0]))
        everything = np.concatenate([values[:negative], zeros, values[negative:]])
        rank = np.cumsum(np.diff(everything, prepend=everything[:1]) >= _SAME_VALUE)
        levels.append(everything[np.flatnonzero(np.diff(rank, prepend=-1))])
        zero_ranks.append(rank[negative] if len(zeros) else -1)
        entries.append((np.delete(rank, negative) if len(zeros) else rank) << RANK_SHIFT | rows)
    return Columns(
        np.cumsum([0, *map(len, entries)], dtype=np.int64),
        np.concatenate(entries),
        np.cumsum([0, *map(len, levels)], dtype=np.int64),
        np.concatenate(levels),
        np.array(zero_ranks, dtype=np.int64),
    )
