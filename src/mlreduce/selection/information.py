"""Entropies and mutual information of columns of bins, all pairs at once; in nats.

Counts of all pairs of bins are products of indicator matrices with one column per bin. The commonest bin of each
variable is left out: its counts follow from the others, and matrices of binary features stay sparse.
"""

from __future__ import annotations

from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.linalg.distances import row_blocks
from mlreduce.validation import FloatArray, check_memory, is_sparse, split_known

# Share of ones above which dense products are faster.
_DENSE = 0.1

# Sums of terms k log k that differ by less than this share of n log n are equal: rounding error of 0.
_ROUNDING = 64 * np.finfo(float).eps

# Largest count that is exact in single precision.
_EXACT = 2**24

# Bytes of what features share with a block of labels, added up over the labels.
_SHARED_BYTES = 2**29


class Counted(NamedTuple):
    """Indicator matrix of the bins of variables; counts are its products."""

    #: Of shape (n_samples, n_bins). One column per bin of a variable, without the commonest bin of each.
    ones: Any
    #: Of shape (n_variables + 1,). First column of each variable.
    starts: NDArray[np.int64]

    @classmethod
    def from_bins(cls, bins: Any) -> Self:
        """Return the indicators of a table of bins, integers of shape (n_samples, n_variables).

        Raises DataError if they are not a table of integers.
        """
        table = np.asarray(bins)
        if table.ndim != 2 or table.dtype.kind not in "biu" or not table.size:
            what = f"{table.dtype} of shape {table.shape}"
            raise DataError(f"bins must be integers in a table with a row and a column at least; got {what}")
        n_samples, n_variables = table.shape
        rows, columns, starts = [], [], np.zeros(n_variables + 1, dtype=np.int64)
        for number in range(n_variables):
            codes, n_bins = _renumbered(table[:, number])
            (rows_of_bins,) = np.nonzero(codes < n_bins - 1)
            rows.append(rows_of_bins)
            columns.append(codes[rows_of_bins] + starts[number])
            starts[number + 1] = starts[number] + n_bins - 1
        return cls._stored(np.concatenate(rows), np.concatenate(columns), starts, n_samples)

    @classmethod
    def from_labels(cls, labels: Any) -> Self:
        """Return the indicators of labels in {0, 1}, a csr_array: what `from_bins` returns for them as an array."""
        n_samples, n_labels = labels.shape
        by_label = sp.csc_array(labels)
        sizes = np.diff(by_label.indptr)
        common = np.flatnonzero((2 * sizes > n_samples) & (sizes < n_samples))  # their rows without the label count
        seldom = (sizes > 0) & (2 * sizes <= n_samples)
        varying = seldom.copy()
        varying[common] = True
        starts = np.concatenate([[0], np.cumsum(varying)])
        of_entries = np.repeat(np.arange(n_labels), sizes)
        rows, columns = [by_label.indices[seldom[of_entries]]], [starts[of_entries[seldom[of_entries]]]]
        for label in common:
            members = by_label.indices[by_label.indptr[label] : by_label.indptr[label + 1]]
            rows.append(np.delete(np.arange(n_samples), members))
            columns.append(np.full(n_samples - len(members), starts[label]))
        return cls._stored(np.concatenate(rows), np.concatenate(columns), starts, n_samples)

    @classmethod
    def _stored(
        cls, row: NDArray[np.integer[Any]], column: NDArray[np.integer[Any]], starts: NDArray[np.int64], n_samples: int
    ) -> Self:
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

    def variables(self, chosen: NDArray[np.intp]) -> Counted:
        """Return a subset of the variables."""
        sizes = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], sizes.cumsum()])
        columns = np.repeat(self.starts[chosen] - starts[:-1], sizes) + np.arange(starts[-1])
        return Counted(self.ones[:, columns], starts)

    def parts(self) -> list[list[NDArray[np.intp]]]:
        """Return, for each variable, the rows in each of its bins but the commonest."""
        if is_sparse(self.ones):
            by_bin = self.ones.tocsc()
            rows, bounds = by_bin.indices.astype(np.intp), by_bin.indptr
        else:
            bins, rows = np.nonzero(self.ones.T)
            bounds = np.searchsorted(bins, np.arange(self.starts[-1] + 1))
        of_bins = np.split(rows, bounds[1:-1]) if len(bounds) > 1 else []
        return [of_bins[start:stop] for start, stop in pairwise(self.starts)]

    def totals(self) -> NDArray[np.int64]:
        """Return the counts of the bins, shape (n_bins,), without those left out."""
        return np.asarray(self.ones.sum(axis=0, dtype=np.float64)).reshape(-1).astype(np.int64)

    def bin_terms(self) -> FloatArray:
        """Return the sum over the bins of ``k log k`` for their counts k, shape (n_variables,)."""
        counts, number = self.totals(), len(self.starts) - 1
        variables = np.repeat(np.arange(number), np.diff(self.starts))
        left_out = self.n_samples - np.bincount(variables, counts, number)
        return np.bincount(variables, _terms(counts), number) + _terms(left_out)

    def entropies(self) -> FloatArray:
        """Return the entropy of each variable, in nats; see `entropies`."""
        total = float(_terms(np.array([self.n_samples]))[0])
        return _cleaned(total - self.bin_terms(), total) / self.n_samples

    def shared_terms(self, other: Counted) -> FloatArray:
        """Return, for each pair of variables, the sum over pairs of bins of ``k log k``, shape (n_variables, n_others).

        Where both are the same object only the upper triangle is computed.
        """
        symmetric, table = other is self, _terms(np.arange(self.n_samples + 1))
        sums = np.zeros((len(self.starts) - 1, len(other.starts) - 1))
        totals, other_totals = self.totals(), other.totals()
        for block in _variable_blocks(self.starts, int(other.starts[-1])):
            first = block.start if symmetric else 0
            bins = slice(self.starts[block.start], self.starts[block.stop])
            beyond = int(other.starts[first])
            counts = _as_array(self.ones[:, bins].T @ other.ones[:, beyond:])
            starts = self.starts[block.start : block.stop + 1] - self.starts[block.start]
            other_starts = other.starts[first:] - beyond
            sums[block, first:] = _shared_terms(
                counts, starts, other_starts, totals[bins], other_totals[beyond:], self.n_samples, table
            )
        return sums


class Labels:
    """Labels counted as `Counted` variables, and which cells are known.

    Labels are in {0, 1}; NaN, in an array alone, where not known. ``counted`` is as if they were 0 there, and ``known``
    is None where all are.
    """

    def __init__(self, table: Any) -> None:
        present, self.known = split_known(table)
        self._table = table
        self.counted = (
            Counted.from_labels(present) if is_sparse(present) else Counted.from_bins(present.astype(np.int8))
        )

    def variables(self, chosen: NDArray[np.intp]) -> Labels:
        """Return some of the labels."""
        return Labels(self._table[:, chosen])

    def entropies(self) -> FloatArray:
        """Return the entropy of each label over the rows where it is known, in nats."""
        if self.known is None:
            return self.counted.entropies()
        columns = [column[~np.isnan(column), np.newaxis].astype(np.int8) for column in self._table.T]
        return np.concatenate([entropies(column) for column in columns])

    def shared(self, features: Counted) -> FloatArray:
        """Return n times the mutual information of each feature with each label."""
        return shared_information(features, self.counted) if self.known is None else self.with_features(features).shared

    def relevance(self, features: Counted) -> FloatArray:
        """Return n times the mutual information of each feature with the labels, summed over these."""
        n_features, n_labels = len(features.starts) - 1, self._table.shape[1]
        blocks = row_blocks(n_labels, n_features, _SHARED_BYTES)
        if len(blocks) == 1 or self.known is not None:
            return np.asarray(self.shared(features).sum(axis=1))
        parts = (self.variables(np.arange(block.start, block.stop)).shared(features) for block in blocks)
        return np.asarray(sum((part.sum(axis=1) for part in parts), np.zeros(n_features)))

    def with_features(self, features: Counted) -> Triples | KnownTriples:
        """Return what features and labels share."""
        one = self.counted
        n_pairs, n_bins = (len(features.starts) - 1) * self._table.shape[1], int(features.starts[-1] * one.starts[-1])
        check_memory(
            32.0 * n_pairs + 8.0 * n_bins,
            "the information that each feature and label share",
            "give fewer features or labels, or take MIM, MRMR or SCLS, which add it up over the labels",
        )
        return Triples(features, one) if self.known is None else KnownTriples(features, one, self.known)


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
    number = np.cumsum(counts > 0) - 1
    last, commonest = int(number[-1]), counts.argmax()
    number[commonest + 1 :] -= 1
    number[commonest] = last
    return number[shifted], last + 1


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
            bins, others = (starts[one], starts[one + 1]), (other_starts[other], other_starts[other + 1])
            sums[one, other] = _terms_of_pair(counts, bins, others, totals, other_totals, n_samples, terms)
    return sums


@compiled_part
def _terms_of_pair(
    counts: NDArray[Any],
    bins: tuple[int, int],
    others: tuple[int, int],
    totals: NDArray[np.int64],
    other_totals: NDArray[np.int64],
    n_samples: int,
    terms: FloatArray,
) -> float:
    """Return the sum of ``k log k`` over the cells of two variables, from the counts of a range of bins of each."""
    rest = n_samples
    total: float = 0.0
    for row in range(bins[0], bins[1]):
        left = totals[row]
        rest -= left
        for column in range(others[0], others[1]):
            count = np.int64(counts[row, column])
            total += terms[count]
            left -= count
        total += terms[left]
    for column in range(others[0], others[1]):
        left = other_totals[column]
        for row in range(bins[0], bins[1]):
            left -= np.int64(counts[row, column])
        total += terms[left]
        rest -= left
    total += terms[rest]
    return total


def shared_information(one: Counted, other: Counted) -> FloatArray:
    """Return n times the mutual information of each variable with each; see `mutual_information`."""
    n_samples = one.n_samples
    total = float(_terms(np.array([n_samples]))[0])
    terms = one.bin_terms()
    other_terms = terms if other is one else other.bin_terms()
    shared = one.shared_terms(other)
    shared += total
    shared -= terms[:, np.newaxis] + other_terms
    shared[shared <= _ROUNDING * total] = 0.0
    if other is one:
        upper = np.triu(shared, 1)
        shared = upper + upper.T
        shared.flat[:: len(terms) + 1] = _cleaned(total - terms, total)
    return shared


def shared_bits(features: Counted, labels: Labels) -> tuple[FloatArray, FloatArray]:
    """Return the mutual information of each feature with each, 1 on the diagonal, and with each label; in bits."""
    unit = features.n_samples * np.log(2.0)
    between = shared_information(features, features) / unit
    np.fill_diagonal(between, 1.0)
    return between, labels.shared(features) / unit


def _cleaned(values: FloatArray, scale: float) -> FloatArray:
    return np.where(np.abs(values) <= _ROUNDING * scale, 0.0, values)


class Pairs:
    """Mutual information of the variables of a table with one of them at a time."""

    def __init__(self, table: Counted) -> None:
        self._table, self._parts = table, table.parts()
        self._terms = _terms(np.arange(table.n_samples + 1))
        self._bin_terms, self._totals = table.bin_terms(), table.totals()

    def of(self, variable: int) -> FloatArray:
        """Return n times the mutual information of each variable with one, shape (n_variables,)."""
        parts, table, total = self._parts[variable], self._table, self._terms[-1]
        counts = np.zeros((len(parts), len(self._totals)))
        for place, rows in enumerate(parts):
            counts[place] = table.ones[rows].sum(axis=0, dtype=np.float64)
        sizes, bounds = np.array([len(rows) for rows in parts], dtype=np.int64), np.array([0, len(parts)])
        terms = _shared_terms(counts, bounds, table.starts, sizes, self._totals, table.n_samples, self._terms)
        return _cleaned(terms[0] + total - (self._bin_terms[variable] + self._bin_terms), total)


class Triples:
    """Interaction information of a third variable with each pair of variables of two tables.

    Triples are counted in a pass over the rows: each adds one for each pair of its bins. Only the rows outside the
    third variable's commonest bin are passed; the counts in that bin are the remainder of those of all rows. ``shared``
    is the `shared_information` of both tables, which have the same rows.
    """

    def __init__(self, one: Counted, other: Counted) -> None:
        self.shared = shared_information(one, other)
        self._terms = _terms(np.arange(one.n_samples + 1))
        self._starts, self._bins = (one.starts, other.starts), (*_bins_of_rows(one), *_bins_of_rows(other))
        self._all = self._counts(np.arange(one.n_samples))
        self._n_rows = one.n_samples

    def given(
        self, parts: list[NDArray[np.intp]], chosen: NDArray[np.intp] | None = None, first: int = 0
    ) -> FloatArray:
        """Return n times ``I(a;b;c)`` for a third variable a, shape (n_chosen, variables of the second table - first).

        ``parts`` are the rows in each bin of a but the commonest (`Counted.parts`); the variables b are the ``chosen``
        of the first table, or all, and c those of the second table from ``first`` on.
        """
        chosen = np.arange(len(self.shared)) if chosen is None else chosen
        within = np.zeros((len(chosen), self.shared.shape[1] - first))
        pairs, totals, other_totals = (counts.copy() for counts in self._all)
        n_left = self._n_rows
        for rows in parts:
            part = self._counts(rows)
            pairs -= part[0]
            totals -= part[1]
            other_totals -= part[2]
            n_left -= len(rows)
            _add_information(within, *part, len(rows), *self._starts, chosen, first, self._terms, _ROUNDING)
        _add_information(
            within, pairs, totals, other_totals, n_left, *self._starts, chosen, first, self._terms, _ROUNDING
        )
        _subtract_from(within, self.shared, chosen, first, _ROUNDING * self._terms[self._n_rows])
        return within

    def among(self, rows: NDArray[np.intp], other: Counted | None = None) -> Triples:
        """Return the counts of some rows only, of which n is the number, with another second table if there is one."""
        some = copy(self)
        if other is not None:
            some._starts, some._bins = (self._starts[0], other.starts), (*self._bins[:2], *_bins_of_rows(other))
        some._n_rows, some._all = len(rows), some._counts(rows)
        some.shared = np.zeros((len(self.shared), len(some._starts[1]) - 1))
        every = np.arange(len(self.shared))
        _add_information(some.shared, *some._all, len(rows), *some._starts, every, 0, self._terms, _ROUNDING)
        return some

    def _counts(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """Return how many of the rows have each pair of bins, each bin of one table and each of the other."""
        totals, other_totals = (np.zeros(starts[-1], dtype=np.int64) for starts in self._starts)
        pairs = np.zeros((len(totals), len(other_totals)), dtype=np.int32)
        _count(np.ascontiguousarray(rows), *self._bins, pairs, totals, other_totals)
        return pairs, totals, other_totals


class KnownTriples:
    """`Triples` of features and labels of which some cells are not known, each label somewhere.

    An information is that of the rows where its labels are known, times the number of all rows.
    """

    def __init__(self, features: Counted, labels: Counted, known: NDArray[np.bool_]) -> None:
        self._n_samples, self._known = features.n_samples, known
        patterns, groups = np.unique(known, axis=1, return_inverse=True)
        of_none = Triples(features, labels.variables(np.empty(0, dtype=np.intp)))
        self.shared = np.zeros((len(features.starts) - 1, known.shape[1]))
        self._groups = []
        for group, rows in enumerate(patterns.T):  # labels that are known of the same rows
            (chosen,) = np.nonzero(groups.reshape(-1) == group)
            triples = of_none.among(np.flatnonzero(rows), labels.variables(chosen))
            self.shared[:, chosen] = triples.shared * (self._n_samples / np.count_nonzero(rows))
            self._groups.append((chosen, rows, triples))

    def given(
        self,
        parts: list[NDArray[np.intp]],
        chosen: NDArray[np.intp] | None = None,
        first: int = 0,
        label: int | None = None,
    ) -> FloatArray:
        """Return n times ``I(a;b;c)`` as `Triples.given`; a is a feature, or the label of a number."""
        interactions = np.zeros((len(self.shared) if chosen is None else len(chosen), self.shared.shape[1]))
        for labels, known, triples in self._groups:
            if labels[-1] < first:
                continue
            rows, counted = known, triples
            if label is not None:
                rows = known & self._known[:, label]
                counted = triples.among(np.flatnonzero(rows))
            share = np.count_nonzero(rows) / self._n_samples
            if share:
                interactions[:, labels] = counted.given([part[rows[part]] for part in parts], chosen) / share
        return interactions[:, first:]


def _bins_of_rows(table: Counted) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where the bins of each row start in a list of the bins that rows are in, and this list."""
    if is_sparse(table.ones):
        return table.ones.indptr.astype(np.int64), table.ones.indices.astype(np.int32)
    rows, bins = np.nonzero(table.ones)
    return np.searchsorted(rows, np.arange(table.n_samples + 1)), bins.astype(np.int32)


@compiled
def _count(
    rows: NDArray[np.intp],
    starts: NDArray[np.int64],
    bins: NDArray[np.int32],
    other_starts: NDArray[np.int64],
    other_bins: NDArray[np.int32],
    pairs: NDArray[np.int32],
    totals: NDArray[np.int64],
    other_totals: NDArray[np.int64],
) -> None:
    """Add the rows to the counts of pairs of bins and of bins."""
    for row in rows:
        for which in range(other_starts[row], other_starts[row + 1]):
            other_totals[other_bins[which]] += 1
        for place in range(starts[row], starts[row + 1]):
            totals[bins[place]] += 1
            for which in range(other_starts[row], other_starts[row + 1]):
                pairs[bins[place], other_bins[which]] += 1


@compiled
def _add_information(
    sums: FloatArray,
    pairs: NDArray[np.int32],
    totals: NDArray[np.int64],
    other_totals: NDArray[np.int64],
    n_samples: int,
    starts: NDArray[np.int64],
    other_starts: NDArray[np.int64],
    chosen: NDArray[np.intp],
    first: int,
    terms: FloatArray,
    rounding: float,
) -> None:
    """Add n times the mutual information of some variables with those of the other table from one on."""
    all_terms = terms[n_samples]
    binary = True
    for other in range(len(other_starts)):
        binary = binary and other_starts[other] == other
    other_terms = np.zeros(sums.shape[1])
    for other in range(sums.shape[1]):
        other_terms[other] = _bin_terms(other_totals, other_starts, first + other, n_samples, terms)
    for place in range(len(chosen)):
        bins_of_one = starts[chosen[place]], starts[chosen[place] + 1]
        bin_terms = _bin_terms(totals, starts, chosen[place], n_samples, terms)
        if bin_terms == all_terms:
            continue  # one bin only
        if bins_of_one[1] == bins_of_one[0] + 1 and binary:
            total, counts = totals[bins_of_one[0]], pairs[bins_of_one[0]]
            for other in range(sums.shape[1]):
                both = counts[first + other]
                either = total + other_totals[first + other] - both
                cells = terms[both] + terms[total - both] + terms[other_totals[first + other] - both]
                information = cells + terms[n_samples - either] + all_terms - (bin_terms + other_terms[other])
                sums[place, other] += information if information > rounding * all_terms else 0.0
            continue
        for other in range(sums.shape[1]):
            others = other_starts[first + other], other_starts[first + other + 1]
            cells = _terms_of_pair(pairs, bins_of_one, others, totals, other_totals, n_samples, terms)
            information = cells + all_terms - (bin_terms + other_terms[other])
            sums[place, other] += information if information > rounding * all_terms else 0.0


@compiled
def _subtract_from(
    within: FloatArray, shared: FloatArray, chosen: NDArray[np.intp], first: int, rounding: float
) -> None:
    """Turn what pairs share within parts into the difference to what they share; rounding error of 0 is 0."""
    for place in range(len(chosen)):
        for other in range(within.shape[1]):
            difference = shared[chosen[place], first + other] - within[place, other]
            within[place, other] = difference if abs(difference) > rounding else 0.0


@compiled_part
def _bin_terms(
    totals: NDArray[np.int64], starts: NDArray[np.int64], variable: int, n_samples: int, terms: FloatArray
) -> float:
    """Return the sum of ``k log k`` over the bins of a variable."""
    total: float = 0.0
    rest = n_samples
    for bins in range(starts[variable], starts[variable + 1]):
        total += terms[totals[bins]]
        rest -= totals[bins]
    total += terms[rest]
    return total


def entropies(bins: Any) -> FloatArray:
    """Return the entropy of each column, ``-sum_t p(t) log p(t)``, in nats: Lim, Lee and Kim (2016), below equation 3.

    Raises DataError if the bins are not a table of integers.
    """
    return Counted.from_bins(bins).entropies()


def mutual_information(A: Any, B: Any = None) -> FloatArray:
    """Return the mutual information of each column with each, in nats: Lim, Lee and Kim (2016), equation 3.

    ``I(a;b) = H(a) + H(b) - H(a,b)``. What is within rounding of 0 is 0. Without B it is that of the columns of A among
    themselves; the entropies are then on the diagonal, ``I(a;a) = H(a)``. Raises DataError if they are not tables of
    integers, or have different rows.
    """
    one = Counted.from_bins(A)
    other = one if B is None else _beside(one, Counted.from_bins(B))
    return shared_information(one, other) / one.n_samples


def _beside(one: Counted, other: Counted) -> Counted:
    if one.n_samples != other.n_samples:
        raise DataError(f"tables of bins must have the same rows; got {one.n_samples} and {other.n_samples}")
    return other
