"""Small numerical utilities: safe division, scaling, rounding of predictions to labels, signs of directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.linalg.distances import row_blocks
from mlreduce.validation import FloatArray, is_sparse


def quotient(numerators: FloatArray | float, denominators: FloatArray) -> FloatArray:
    """Division returning 0 where the denominator is not positive."""
    shape = np.broadcast_shapes(np.shape(numerators), denominators.shape)
    return np.divide(numerators, denominators, out=np.zeros(shape), where=denominators > 0)


def scaled(table: Any, rows: FloatArray | None = None, columns: FloatArray | None = None) -> Any:
    """Multiply the rows and columns of an array, or of a sparse matrix, which becomes CSR, by numbers."""
    if is_sparse(table):
        product = table if rows is None else sp.diags_array(rows) @ table
        return sp.csr_array(product if columns is None else product @ sp.diags_array(columns))
    product = table if rows is None else table * rows[:, np.newaxis]
    return product if columns is None else product * columns


def scores_of_rows(X: Any, coefficients: FloatArray) -> FloatArray:
    """Return ``X C'``; of few sparse rows only the coefficients of features that they have are read.

    SciPy copies C' where it is not in C order, which takes far longer than the product of one row. Coefficients have
    the shape (n_targets, n_features) or (n_features,).
    """
    if is_sparse(X) and X.nnz < X.shape[1]:
        used, places = np.unique(X.indices, return_inverse=True)
        X = sp.csr_array((X.data, places, X.indptr), shape=(X.shape[0], len(used)))
        coefficients = coefficients[..., used]
    return np.asarray(X @ coefficients.T)


#: Predicted values closer than this to one half are a tie and mean "absent", as in rounding half to even. Rows that
#: coincide in the features but not in a label put a regression at exactly one half, where rounding errors would
#: otherwise decide.
TIE = 1e-9


def above_half(values: FloatArray) -> NDArray[np.int8]:
    """Round predictions of labels to {0, 1}, ties to 0."""
    return (values > 0.5 + TIE).astype(np.int8)


def best_of_each(scores: FloatArray, shares: FloatArray) -> NDArray[np.int8]:
    """Assign each label to the instances with its highest scores, as many as its share of instances, in [0, 1].

    Scores of zero or less get no label; of equal ones the first is the better.
    """
    numbers = np.rint(shares * len(scores)).astype(np.intp)
    order = np.argsort(-scores, axis=0, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(len(scores))[:, np.newaxis], axis=0)
    return ((ranks < numbers) & (scores > 0)).astype(np.int8)


def known_together(table: Any) -> Iterator[tuple[Any, Any]]:
    """Group the columns of a table that are known, not NaN, in the same rows; yield indices of rows and of columns.

    Columns that are known nowhere are in no group. Where all cells are known, it yields slices of all, once.
    """
    unknown = None if is_sparse(table) else np.isnan(table)
    if unknown is None or not unknown.any():
        yield slice(None), slice(None)
        return
    patterns, which = np.unique(unknown, axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        if not pattern.all():
            yield np.flatnonzero(~pattern), np.flatnonzero(which.ravel() == number)


def joined(parts: Sequence[tuple[Any, FloatArray]], n_columns: int) -> FloatArray:
    """Put columns that `known_together` divided, pairs of columns and arrays, together again; others are zero."""
    if isinstance(parts[0][0], slice):
        return parts[0][1]
    full = np.zeros((len(parts[0][1]), n_columns))
    for columns, part in parts:
        full[:, columns] = part
    return full


def dense_columns(targets: Any, *, centred: bool = False) -> Iterator[tuple[slice, FloatArray]]:
    """Yield targets in blocks of columns, as slices and arrays; an array as it is, in one block.

    ``centred`` subtracts the means of sparse targets.
    """
    if not is_sparse(targets):
        yield slice(None), targets
        return
    by_column = targets.tocsc()
    for columns in row_blocks(targets.shape[1], targets.shape[0]):
        part = by_column[:, columns].toarray()
        yield columns, part - part.mean(axis=0) if centred else part


def map_columns(function: Callable[[FloatArray], FloatArray], targets: Any, *, centred: bool = False) -> FloatArray:
    """Apply a function of columns, which returns as many, to targets as of `dense_columns`."""
    parts = [function(part) for _, part in dense_columns(targets, centred=centred)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)


def distinct_rows(table: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where each different row of zeros and ones is first, in ascending order of the rows, and which each is.

    A csr_array is in canonical format and stores ones only; the order is that of ``numpy.unique(table.toarray(),
    axis=0)``.
    """
    if not is_sparse(table):
        first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)[1:]
        return first, which.reshape(-1)
    # Of two rows the greater has a one in the first column where they differ; a longer one is the greater, too.
    columns = np.split(-table.indices, table.indptr[1:-1])
    keys = [tuple(part) for part in map(np.ndarray.tolist, columns)]
    places: dict[tuple[int, ...], int] = {}
    for row, key in enumerate(keys):
        places.setdefault(key, row)
    first = np.array([places[key] for key in sorted(places)], dtype=np.intp)
    number = {keys[row]: place for place, row in enumerate(first)}
    return first, np.array([number[key] for key in keys], dtype=np.intp)


def rows_of(X: Any, rows: Any) -> Any:
    """Return some rows of an array or sparse matrix; itself, not a copy, where they are a slice of all."""
    return X if isinstance(rows, slice) else X[rows]


# Entries of a direction whose magnitudes differ by less, relatively, are of equal magnitude but for rounding.
_EQUAL = 1e-6


def signs(rows: FloatArray) -> FloatArray:
    """Return 1 or -1 per row, so that its entry of largest magnitude becomes positive; of equal ones the first."""
    positive = np.empty(len(rows))
    for block in row_blocks(*rows.shape):
        sizes = np.abs(rows[block])
        first = np.argmax(sizes >= (1.0 - _EQUAL) * sizes.max(axis=1, initial=0.0)[:, np.newaxis], axis=1)
        positive[block] = np.where(rows[block][np.arange(len(sizes)), first] < 0, -1.0, 1.0)
    return positive


def signed(rows: FloatArray) -> FloatArray:
    """Multiply rows by their `signs`."""
    return np.multiply(rows, signs(rows)[:, np.newaxis], order="C")
