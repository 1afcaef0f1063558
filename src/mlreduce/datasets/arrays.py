"""Labels of files and callers as the arrays of a data set, and checks of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.validation import DENSE_CELLS, is_sparse, stored_labels


def check_indices(matrix: Any, what: str) -> None:
    """Raise ValueError if a compressed sparse matrix points outside of its arrays, whose use would end the process."""
    matrix.check_format(full_check=True)
    if (np.diff(matrix.indptr) < 0).any():  # which SciPy checks only where it ends with values
        raise ValueError(f"{what}_indptr descends")


def dense_unless_many(values: Any, check: Callable[[int], None], *, unless: bool = True) -> Any:
    """Return values of labels as an array; a sparse matrix of more than `DENSE_CELLS` known ones as it is.

    ``check`` is called with the bytes that the array and its labels need; where ``unless`` is false it is made anyway.
    """
    cells = values.shape[0] * values.shape[1]
    if unless and is_sparse(values) and cells > DENSE_CELLS and not np.isnan(values.data).any():
        return values
    check(9 * cells)
    return values.toarray() if is_sparse(values) else values


def as_labels(values: Any, names: Sequence[str] | None, where: str, remedy: str = "") -> Any:
    """Return labels in 0/1 or -1/1, or NaN for unknown, see `stored_labels`; as float64 where some are unknown.

    Of a sparse matrix none is unknown. ``names`` of None numbers the labels from 1; ``where`` is the file, and
    ``remedy`` the end of messages. Raises DataError, with label and row, if a value is none of these.
    """
    if is_sparse(values):
        return _stored_labels(values, names, where, remedy)
    # One mask at a time: there may be many labels.
    ones = values == 1
    unknown = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=bool)
    zeros, negatives = ((values == value).sum(axis=0) for value in (0, -1))
    if (ones.sum(axis=0) + unknown.sum(axis=0) + zeros + negatives < len(values)).any():
        wrong = ~(ones | unknown | (values == 0) | (values == -1))
        row, column = (int(place[0]) for place in np.nonzero(wrong))
        raise _no_label(values[row, column], row, column, names, where, remedy)
    _check_mixed((zeros > 0) & (negatives > 0), names, where)
    return np.where(unknown, np.nan, ones) if unknown.any() else stored_labels(ones.astype(np.int8))


def _stored_labels(values: Any, names: Sequence[str] | None, where: str, remedy: str) -> Any:
    entries = sp.csr_array(values).tocoo()  # by rows
    rows, columns, data = entries.row, entries.col, entries.data
    wrong = np.flatnonzero(~np.isin(data, (-1, 0, 1)))
    if len(wrong):
        first = wrong[np.lexsort((columns[wrong], rows[wrong]))[0]]
        raise _no_label(data[first], int(rows[first]), int(columns[first]), names, where, remedy)
    negatives, signs = (np.bincount(columns[chosen], minlength=values.shape[1]) for chosen in (data == -1, data != 0))
    _check_mixed((negatives > 0) & (signs < values.shape[0]), names, where)
    ones = data == 1
    return stored_labels(sp.csr_array((data[ones], (rows[ones], columns[ones])), shape=values.shape))


def _no_label(value: float, row: int, column: int, names: Sequence[str] | None, where: str, remedy: str) -> DataError:
    return DataError(
        f"{where}: the label {_name_of(names, column)!r} is {value:g} in data row {row + 1}; labels must be 0/1 or "
        f"-1/1{remedy}"
    )


def _check_mixed(mixed: NDArray[np.bool_], names: Sequence[str] | None, where: str) -> None:
    if mixed.any():
        raise DataError(
            f"{where}: the label {_name_of(names, int(mixed.argmax()))!r} mixes 0 and -1; is one of them unknown?"
        )


def _name_of(names: Sequence[str] | None, column: int) -> str:
    return str(column + 1) if names is None else names[column][:40]


def numbered(size: int) -> list[str]:
    """Return the names of columns that have none: numbers from 1."""
    return list(map(str, range(1, size + 1)))
