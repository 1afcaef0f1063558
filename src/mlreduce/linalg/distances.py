"""Squared Euclidean distances with exact ties.

Inner products round differently from one place of a matrix to the next, so that rows that are equally far away come
out a little apart, and rounding would decide which is nearest. Distances here are multiples of a unit that is far above
rounding and far below what matters. Sums and differences of them are exact, and the lower row number wins a tie.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.validation import FloatArray, as_dense, is_sparse

# The unit is this power of two times the largest squared norm: rounding errors are some 2**-50 of it.
_UNIT = 2.0**-32

#: Squared norms between this and its inverse have a grid unit whose inverse is finite, and finite distances; what is
#: smaller is too near to 0 to be divided by.
LEAST_SQUARE = 1e-290

# Rounding unit of single precision, and the relative error of a product up to which it tells the nearest.
_SINGLE, _LITTLE = 2.0**-24, 1e-3

# Bytes of the distance matrix of one block of rows.
_BLOCK_BYTES = 2**25


def row_blocks(n_rows: int, n_columns: int, n_bytes: int | None = None) -> list[slice]:
    """Split rows into blocks whose matrices stay below a number of bytes (32 MB by default)."""
    step = max(1, (n_bytes or _BLOCK_BYTES) // (8 * max(n_columns, 1)))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def squared_norms(X: Any) -> FloatArray:
    """Return ``||x||^2`` of each row of an array or CSR matrix."""
    if not is_sparse(X):
        return np.asarray(np.einsum("ij,ij->i", X, X), dtype=np.float64)
    X = X.tocsr()
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.asarray(np.bincount(rows, np.square(X.data[: len(rows)]), minlength=X.shape[0]), dtype=np.float64)


def distance_unit(norms: FloatArray) -> float:
    """Return the grid unit, a power of two of at most 1, from the squared norms of centred rows.

    Raises DataError if distances on this grid are beyond the range of floats: searches would return no indices for
    them.
    """
    largest = norms.max(initial=0.0)
    if not (largest == 0 or LEAST_SQUARE < largest < 1 / LEAST_SQUARE):
        raise DataError(
            f"the largest squared length of a row is {largest:g}, of which no distances can be computed: scale the "
            "features to the order of one"
        )
    return float(min(1.0, 2.0 ** np.ceil(np.log2(largest)) * _UNIT)) if largest > 0 else 1.0


def to_grid(distances: FloatArray, unit: float) -> FloatArray:
    """Round distances to non-negative multiples of the unit, in place."""
    distances *= 1.0 / unit
    np.rint(distances, out=distances)
    np.maximum(distances, 0.0, out=distances)
    distances *= unit
    return distances


def inner_products(rows: Any, X: Any, columns: Any, out: FloatArray | None = None) -> FloatArray:
    """Return the inner products of rows with those of X, both dense, or both sparse with the columns of X as rows."""
    if columns is None:
        return np.matmul(rows, X.T, out=out)
    from mlreduce.linalg.compiled import products_of_rows  # brings Numba along

    products = np.empty((rows.shape[0], X.shape[0])) if out is None else out
    products_of_rows(rows.indptr, rows.indices, rows.data, columns.indptr, columns.indices, columns.data, products)
    return products


class Distances:
    """Squared Euclidean distances from some rows of a feature matrix to all of them.

    They are multiples of the power of two ``unit``. Dense matrices are centred, which preserves distances and reduces
    rounding errors.
    """

    def __init__(self, X: Any) -> None:
        mean = np.asarray(X.mean(axis=0)).reshape(-1)
        self._X = X if is_sparse(X) else X - mean
        self._columns = sp.csr_array(X.T) if is_sparse(X) else None
        self._norms = squared_norms(self._X)
        centred = self._norms - 2.0 * (X @ mean) + mean @ mean if is_sparse(X) else self._norms
        self.unit = distance_unit(centred)

    def compute(self, rows: NDArray[np.intp]) -> FloatArray:
        """Return the distances of some rows to all rows, shape (n_rows, n_samples)."""
        return self._from_products(inner_products(self._X[rows], self._X, self._columns), rows)

    def nearest(self, number: int) -> NDArray[np.intp] | None:
        """Return the nearest others of each row of dense features, nearest first; of equally near ones the first.

        By products in single precision, at half the cost; distances within their error bound of the last of the nearest
        are computed again in double precision. None where these are many, as with equal rows.
        """
        n_samples, n_features = self._X.shape
        if self._columns is not None or (n_features + 4) * _SINGLE > _LITTLE:
            return None
        from mlreduce.linalg.compiled import nearest_within_bounds

        lengths = np.sqrt(self._norms)
        largest = float(lengths.max(initial=0.0)) or 1.0
        single = (self._X / largest).astype(np.float32)
        errors = 2.0 * (n_features + 4) * _SINGLE * largest * lengths + self.unit
        neighbours = np.empty((n_samples, number), dtype=np.intp)
        for rows in row_blocks(n_samples, n_samples):
            products = single[rows] @ single.T
            table = (self._X, self._norms, products, largest**2, rows.start, errors[rows], self.unit)
            if not nearest_within_bounds(*table, neighbours[rows]):
                return None
        return neighbours

    def table(self) -> FloatArray:
        """Return the distances of all rows to all, by half the products of `compute` where X is dense."""
        n_samples = self._X.shape[0]
        if self._columns is None:
            products = np.asarray(self._X @ self._X.T)
        else:
            products = inner_products(self._X, self._X, self._columns)
        return self._from_products(products, np.arange(n_samples))

    def _from_products(self, products: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        """Turn inner products of some rows with all into distances, in place."""
        from mlreduce.linalg.compiled import distances_from_products

        distances_from_products(products, rows, self._norms, self.unit)
        return products


class Pairs(NamedTuple):
    """What the squared distances of a block of rows to the training rows are computed from."""

    #: The block.
    rows: slice
    #: Of shape (n_rows, n_training). Inner products; overwritten by the next block.
    products: FloatArray
    #: Of shape (n_rows,) and (n_training,). Squared norms.
    norms: FloatArray
    others: FloatArray
    #: Power of two that distances are rounded to multiples of.
    unit: float


class TrainingRows:
    """Training rows, for the squared distances of other rows to them.

    Dense rows are centred, which preserves distances and reduces rounding errors.
    """

    def __init__(self, train: Any) -> None:
        self._mean = 0.0 if is_sparse(train) else train.mean(axis=0)
        self._train = train if is_sparse(train) else train - self._mean
        self._columns = sp.csr_array(train.T) if is_sparse(train) else None
        self._norms = squared_norms(self._train)

    def pairs(self, rows: Any = None, *, apart: bool = False) -> Iterator[Pairs]:
        """Yield blocks of rows, dense or sparse whatever the training rows are; None for these themselves.

        Where they are to be used at the same time, ``apart``, no block overwrites another.
        """
        if rows is None:
            rows = self._train
        elif not is_sparse(self._train):
            rows = as_dense(rows) - self._mean
        elif not is_sparse(rows):
            rows = sp.csr_array(rows)
        norms, unit = squared_norms(rows), distance_unit(self._norms)
        blocks = row_blocks(rows.shape[0], len(self._norms))
        products = np.empty((blocks[0].stop, len(self._norms)))
        for block in blocks:
            part = rows if len(blocks) == 1 else rows[block]
            here = (products.copy() if apart else products)[: block.stop - block.start]
            yield Pairs(block, inner_products(part, self._train, self._columns, here), norms[block], self._norms, unit)


class GrowingDistances:
    """Squared distances from test to training rows, updated as features are added."""

    def __init__(self, train: FloatArray, test: FloatArray) -> None:
        mean = train.mean(axis=0)
        self._train, self._test = train - mean, test - mean
        self._products = np.zeros((len(test), len(train)))
        self._norms, self._others = np.zeros(len(test)), np.zeros(len(train))
        self._used = 0

    def add(self, size: int) -> None:
        """Add features up to the first ``size`` of them."""
        train, test = self._train[:, self._used : size], self._test[:, self._used : size]
        self._products += test @ train.T
        self._norms += squared_norms(test)
        self._others += squared_norms(train)
        self._used = size

    def pairs(self) -> Pairs:
        """Return all test rows."""
        return Pairs(slice(0, len(self._norms)), self._products, self._norms, self._others, distance_unit(self._others))


def nearest(distances: FloatArray, number: int) -> NDArray[np.intp]:
    """Return the columns of the smallest entries of each row in ascending order; ties go to the first column.

    Distances are overwritten; they are infinite where a column is not a candidate. The number is at most ``n_columns``.
    """
    columns = np.empty((len(distances), number), dtype=np.intp)
    rows = np.arange(len(distances))
    for rank in range(number):
        columns[:, rank] = distances.argmin(axis=1)
        distances[rows, columns[:, rank]] = np.inf
    return columns
