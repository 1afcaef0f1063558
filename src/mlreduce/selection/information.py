"""Entropies and mutual information of columns of bins, all pairs at once; in nats.

Counts of all pairs of bins are products of indicator matrices with one column per bin. The commonest bin of each
variable is left out: its counts follow from the others, and matrices of binary words stay sparse.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled
from mlreduce.linalg.distances import row_blocks
from mlreduce.validation import FloatArray, is_sparse

__all__ = [
    "Counted",
    "entropies",
    "interaction_information",
    "interactions",
    "mutual_information",
    "shared_information",
]

# Share of ones above which dense products are faster.
_DENSE = 0.1

# Sums of terms k log k that differ by less than this share of n log n are equal: rounding error of 0.
_ROUNDING = 64 * np.finfo(float).eps

# Largest count that is exact in single precision.
_EXACT = 2**24


class Counted(NamedTuple):
    """Indicator matrix of the bins of variables; counts are its products.

    Attributes
    ----------
    ones : ndarray or csr_array of shape (n_samples, n_bins)
        One column per bin of a variable, without the commonest bin of each.
    starts : ndarray of shape (n_variables + 1,), int
        First column of each variable.
    """

    ones: Any
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, bins: Any) -> Self:
        """Return the indicators of a table of bins, whole numbers of shape (n_samples, n_variables).

        Raises
        ------
        DataError
            If they are not a table of whole numbers.
        """
        table = np.asarray(bins)
        if table.ndim != 2 or table.dtype.kind not in "biu" or not table.size:
            what = f"{table.dtype} of shape {table.shape}"
            raise DataError(f"bins must be whole numbers in a table with a row and a column at least; got {what}")
        n_samples, n_variables = table.shape
        rows, columns, starts = [], [], np.zeros(n_variables + 1, dtype=np.int64)
        for number in range(n_variables):
            codes, n_bins = _renumbered(table[:, number])
            (kept,) = np.nonzero(codes < n_bins - 1)
            rows.append(kept)
            columns.append(codes[kept] + starts[number])
            starts[number + 1] = starts[number] + n_bins - 1
        row, column = np.concatenate(rows), np.concatenate(columns)
        shape = (n_samples, int(starts[-1]))
        dtype = np.float32 if n_samples < _EXACT else np.float64
        if len(row) > _DENSE * n_samples * max(shape[1], 1):
            ones = np.zeros(shape, dtype=dtype)
            ones[row, column] = 1
            return cls(ones, starts)
        return cls(sp.csr_array((np.ones(len(row), dtype=dtype), (row, column)), shape=shape), starts)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.ones.shape[0])

    def take(self, rows: NDArray[Any]) -> Counted:
        """Return a subset of rows, with the same bins left out."""
        return self._replace(ones=self.ones[rows])

    def variables(self, chosen: NDArray[np.intp]) -> Counted:
        """Return a subset of the variables."""
        sizes = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], sizes.cumsum()])
        columns = np.repeat(self.starts[chosen] - starts[:-1], sizes) + np.arange(starts[-1])
        return Counted(self.ones[:, columns], starts)

    def totals(self) -> NDArray[np.int64]:
        """Return the counts of the bins, shape (n_bins,), without those left out."""
        return np.asarray(self.ones.sum(axis=0, dtype=np.float64)).reshape(-1).astype(np.int64)

    def own_terms(self) -> FloatArray:
        """Return the sum over the bins of ``k log k`` for their counts k, shape (n_variables,)."""
        counts, number = self.totals(), len(self.starts) - 1
        variables = np.repeat(np.arange(number), np.diff(self.starts))
        left_out = self.n_samples - np.bincount(variables, counts, number)
        sums: FloatArray = np.bincount(variables, _terms(counts), number) + _terms(left_out)
        return sums

    def entropies(self) -> FloatArray:
        """Return the entropy of each variable, in nats; see `entropies`."""
        whole = float(_terms(np.array([self.n_samples]))[0])
        return _cleaned(whole - self.own_terms(), whole) / self.n_samples

    def shared_terms(self, other: Counted) -> FloatArray:
        """Return, for each pair of variables, the sum over pairs of bins of ``k log k``.

        Returns
        -------
        ndarray of shape (n_variables, n_variables of the other)
            Where both are the same object only the upper triangle is computed.
        """
        symmetric, table = other is self, _terms(np.arange(self.n_samples + 1))
        sums = np.zeros((len(self.starts) - 1, len(other.starts) - 1))
        own, others = self.totals(), other.totals()
        for block in _variable_blocks(self.starts, int(other.starts[-1])):
            first = block.start if symmetric else 0
            bins = slice(self.starts[block.start], self.starts[block.stop])
            beyond = int(other.starts[first])
            counts = _as_array(self.ones[:, bins].T @ other.ones[:, beyond:])
            starts = self.starts[block.start : block.stop + 1] - self.starts[block.start]
            sums[block, first:] = _shared_terms(
                counts, starts, other.starts[first:] - beyond, own[bins], others[beyond:], self.n_samples, table
            )
        return sums


def _as_array(products: Any) -> NDArray[Any]:
    """Return a product of matrices of zeros and ones as an array, C-contiguous."""
    return np.ascontiguousarray(products.toarray() if is_sparse(products) else products)


def _renumbered(values: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Return bins numbered from 0, by value, but the commonest (the first such) last; and how many there are."""
    low, high = int(values.min()), int(values.max())
    shifted: NDArray[np.int64]
    counts: NDArray[np.int64]
    if high - low < 4 * len(values) + 1024:
        shifted = values.astype(np.int64) - low
        counts = np.bincount(shifted)
    else:
        _, shifted, counts = np.unique(values, return_inverse=True, return_counts=True)
    occurs = np.flatnonzero(counts)
    order = np.append(np.delete(occurs, counts[occurs].argmax()), occurs[counts[occurs].argmax()])
    number = np.zeros(len(counts), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[shifted], len(order)


def _variable_blocks(starts: NDArray[np.int64], n_columns: int) -> list[slice]:
    """Split variables into blocks that bound the size of count matrices."""
    n_bins, n_variables = int(starts[-1]), len(starts) - 1
    widest = max(int(np.diff(starts).max()), 1)
    step = max(1, row_blocks(max(n_bins, 1), n_columns)[0].stop // widest)
    return [slice(start, min(start + step, n_variables)) for start in range(0, n_variables, step)]


def _terms(counts: NDArray[np.int64]) -> FloatArray:
    """Return ``k log k``, 0 for 0."""
    return np.asarray(counts * np.log(np.maximum(counts, 1)), dtype=np.float64)


@compiled
def _shared_terms(
    counts: NDArray[Any],
    starts: NDArray[np.int64],
    other_starts: NDArray[np.int64],
    totals: NDArray[np.int64],
    other_totals: NDArray[np.int64],
    n_samples: int,
    terms: FloatArray,
) -> FloatArray:
    """Return the sums of ``k log k`` over the cells of each pair of variables."""
    sums = np.zeros((len(starts) - 1, len(other_starts) - 1))
    for one in range(len(starts) - 1):
        for other in range(len(other_starts) - 1):
            rest = n_samples
            total = 0.0
            for row in range(starts[one], starts[one + 1]):
                left = totals[row]
                rest -= left
                for column in range(other_starts[other], other_starts[other + 1]):
                    count = np.int64(counts[row, column])
                    total += terms[count]
                    left -= count
                total += terms[left]
            for column in range(other_starts[other], other_starts[other + 1]):
                left = other_totals[column]
                for row in range(starts[one], starts[one + 1]):
                    left -= np.int64(counts[row, column])
                total += terms[left]
                rest -= left
            sums[one, other] = total + terms[rest]
    return sums


def shared_information(one: Counted, other: Counted) -> FloatArray:
    """Return n times the mutual information of each variable with each; see `mutual_information`."""
    n_samples = one.n_samples
    whole = float(_terms(np.array([n_samples]))[0])
    own = one.own_terms()
    others = own if other is one else other.own_terms()
    shared = one.shared_terms(other)
    shared += whole
    shared -= own[:, np.newaxis] + others
    shared[shared <= _ROUNDING * whole] = 0.0
    if other is one:
        upper = np.triu(shared, 1)
        shared = upper + upper.T
        shared.flat[:: len(own) + 1] = _cleaned(whole - own, whole)
    return shared


def _cleaned(values: FloatArray, scale: float) -> FloatArray:
    cleaned: FloatArray = np.where(np.abs(values) <= _ROUNDING * scale, 0.0, values)
    return cleaned


def _given(one: Counted, other: Counted, given: NDArray[Any]) -> FloatArray:
    """Return n times the mutual information of each variable with each, given a third, shape (n_samples,)."""
    codes, n_bins = _renumbered(given)
    parts = (codes == value for value in range(n_bins))
    within: FloatArray = sum(
        (shared_information(one.take(rows), other.take(rows)) for rows in parts),
        start=np.zeros((len(one.starts) - 1, len(other.starts) - 1)),
    )
    return within


def entropies(bins: Any) -> FloatArray:
    """Return the entropy of each column, ``-sum_t p(t) log p(t)``, in nats.

    Parameters
    ----------
    bins : array-like of shape (n_samples, n_columns), whole numbers

    Returns
    -------
    ndarray of shape (n_columns,)

    Raises
    ------
    DataError
        If they are not a table of whole numbers.

    References
    ----------
    Lim, Lee and Kim (2016), below equation 3.
    """
    return Counted.of(bins).entropies()


def mutual_information(A: Any, B: Any = None) -> FloatArray:
    """Return the mutual information of each column with each, in nats.

    ``I(a;b) = H(a) + H(b) - H(a,b)``. What is within rounding of 0 is 0.

    Parameters
    ----------
    A : array-like of shape (n_samples, n_columns), whole numbers
    B : array-like of shape (n_samples, n_others), whole numbers, or None
        None for the columns of A among themselves; the entropies are then on the diagonal, ``I(a;a) = H(a)``.

    Returns
    -------
    ndarray of shape (n_columns, n_others)

    Raises
    ------
    DataError
        If they are not tables of whole numbers, or have different rows.

    References
    ----------
    Lim, Lee and Kim (2016), equation 3.
    """
    one = Counted.of(A)
    other = one if B is None else _beside(one, Counted.of(B))
    return shared_information(one, other) / one.n_samples


def interaction_information(a: Any, B: Any, C: Any) -> FloatArray:
    """Return ``I(a;b;c)`` of one variable and each pair of the columns of two tables, in nats.

    ``I(a;b;c) = H(a) + H(b) + H(c) - H(a,b) - H(a,c) - H(b,c) + H(a,b,c) = I(b;c) - I(b;c|a)`` is positive for
    redundancy and negative for synergy; ``I(a;b;b) = I(a;b)``.

    Parameters
    ----------
    a : array-like of shape (n_samples,), whole numbers
    B, C : array-like of shape (n_samples, n_columns), whole numbers

    Returns
    -------
    ndarray of shape (n_columns of B, n_columns of C)

    Raises
    ------
    DataError
        If they are not tables of whole numbers, or have different rows.

    References
    ----------
    Lee and Kim (2013), after McGill, "Multivariate information transmission", 1954.
    """
    given = np.asarray(a)
    one = _beside(Counted.of(given[:, np.newaxis] if given.ndim == 1 else given), Counted.of(B))
    other = _beside(one, Counted.of(C))
    return interactions(given, one, other, shared_information(one, other)) / one.n_samples


def interactions(given: NDArray[Any], one: Counted, other: Counted, shared: FloatArray) -> FloatArray:
    """Return n times ``I(given;b;c)``, from what `shared_information` says of b and c."""
    whole = float(_terms(np.array([one.n_samples]))[0])
    return _cleaned(shared - _given(one, other, given), whole)


def _beside(one: Counted, other: Counted) -> Counted:
    if one.n_samples != other.n_samples:
        raise DataError(f"tables of bins must have the same rows; got {one.n_samples} and {other.n_samples}")
    return other
