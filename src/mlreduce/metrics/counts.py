"""Counts from which measures follow: per instance, per label, and of the order of an instance's labels."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import row_blocks
from mlreduce.validation import FloatArray, as_dense, is_sparse

_Labels = NDArray[np.integer[Any] | np.bool_]
_Counts = NDArray[np.int64]

# Shares of the range of an instance's scores, and of all scores, below which a difference is rounding error. The second
# is for instances with one score for all labels, whose range is rounding error itself.
_OF_ROW, _OF_ALL = 1e-9, 1e-12


def check_pair(labels: NDArray[Any], predicted: NDArray[Any]) -> None:
    """Raise ValueError if label matrices cannot be compared: their shapes differ or are empty."""
    if labels.shape != predicted.shape or 0 in labels.shape:
        raise ValueError(f"labels {labels.shape} and predictions {predicted.shape} must agree and not be empty")


def refuse_best(scores: Any) -> None:
    """Refuse scores of the best labels where all are needed."""
    if is_sparse(scores):
        raise DataError(
            "this measure orders all labels, and the scores are a sparse matrix, of the best ones: give an array of "
            "all scores, or take a measure of the first labels, such as precision-at-5"
        )


class Counts(NamedTuple):
    """Numbers of labels of each instance, or of instances of each label."""

    #: Of shape (n_samples,) or (n_labels,). True and predicted.
    hits: _Counts
    #: Of shape (n_samples,) or (n_labels,).
    predicted: _Counts
    true: _Counts

    @classmethod
    def count_instances(cls, labels: _Labels, predicted: _Labels) -> Self:
        """Count in two label matrices of shape (n_samples, n_labels), Boolean or integers in {0, 1}."""
        check_pair(labels, predicted)
        if is_sparse(labels) or is_sparse(predicted):
            return cls._count_stored(labels, predicted, 1)
        # Sixteen bits are three times as fast as NumPy's 64, and this runs for every method, size and split.
        dtype = np.int16 if labels.shape[1] < 2**15 else np.int64
        return cls(*(m.sum(axis=1, dtype=dtype).astype(np.int64) for m in (labels & predicted, predicted, labels)))

    @classmethod
    def count_labels(cls, labels: _Labels, predicted: _Labels) -> Self:
        """Count in the same for each label."""
        check_pair(labels, predicted)
        if is_sparse(labels) or is_sparse(predicted):
            return cls._count_stored(labels, predicted, 0)
        return cls(*(np.count_nonzero(m, axis=0).astype(np.int64) for m in (labels & predicted, predicted, labels)))

    @classmethod
    def _count_stored(cls, labels: Any, predicted: Any, axis: int) -> Self:
        true, given = (sp.csr_array(table, dtype=np.int64) for table in (labels, predicted))
        return cls(*(np.asarray(table.sum(axis=axis)) for table in (true.multiply(given), given, true)))


def best_labels(scores: Any, k: int) -> NDArray[np.int64]:
    """Return the k labels with the largest scores of each instance, the largest first; of equal ones the first.

    In a CSR array only what is stored counts, zeros too. Places are -1 where there are fewer labels with a score: in a
    CSR array, or above minus infinity.
    """
    best = np.full((scores.shape[0], k), -1, dtype=np.int64)
    if is_sparse(scores):
        stored = sp.csr_array(scores)
        rows = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
        order = np.lexsort((stored.indices, -stored.data, rows))
        places = np.arange(stored.nnz) - np.repeat(stored.indptr[:-1], np.diff(stored.indptr))
        first = places < k
        best[rows[first], places[first]] = stored.indices[order][first]
        return best
    for block in row_blocks(*scores.shape):
        part = np.array(scores[block], dtype=np.float64)
        every = np.arange(len(part))
        for place in range(min(k, scores.shape[1])):
            chosen = part.argmax(axis=1)
            best[block, place] = np.where(part[every, chosen] > -np.inf, chosen, -1)
            part[every, chosen] = -np.inf
    return best


class Ranks(NamedTuple):
    """Order of the labels of each instance by their scores.

    A label that ties with another is ranked behind it, as in scikit-learn.
    """

    #: Of shape (n_samples, n_labels).
    true: NDArray[np.bool_]
    #: Of shape (n_samples, n_labels). Labels with at least the score of each, itself included.
    behind: _Counts
    #: Of shape (n_samples, n_labels). True labels among these.
    true_behind: _Counts

    @classmethod
    def compute(cls, labels: Any, scores: FloatArray) -> Self:
        """Rank labels in {0, 1} by scores, both of shape (n_samples, n_labels); scores are dense."""
        check_pair(labels, scores)
        refuse_best(scores)
        labels = labels.toarray() if is_sparse(labels) else labels
        true = labels.astype(bool)
        behind, true_behind = (np.empty(labels.shape, dtype=np.int64) for _ in range(2))
        for rows in row_blocks(*labels.shape):
            order = np.argsort(-scores[rows], axis=1)
            ordered = np.take_along_axis(scores[rows], order, axis=1)
            # Of labels that tie, each is behind the last.
            places = np.arange(1, ordered.shape[1] + 1)
            ends = np.broadcast_to(places, ordered.shape).copy()
            ends[:, :-1][ordered[:, 1:] == ordered[:, :-1]] = len(places)
            ends = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
            counts = np.take_along_axis(np.take_along_axis(true[rows], order, axis=1).cumsum(axis=1), ends - 1, axis=1)
            missing = np.isnan(ordered)  # last in the order, and not comparable
            ends[missing] = counts[missing] = 0
            np.put_along_axis(behind[rows], order, ends, axis=1)
            np.put_along_axis(true_behind[rows], order, counts, axis=1)
        return cls(true, behind, true_behind)


class Runs(NamedTuple):
    """Runs of labels that tie, in the order of the labels of each instance by their scores.

    Labels tie where they are next to each other in this order and their scores differ by at most 1e-9 of the range of
    the scores of the instance, or 1e-12 of the range of all scores. Of three labels that follow each other, the first
    ties with the third if both tie with the second. A label that ties with no other is a run of one.

    The methods return means over all orders of the labels of each run, which are equally likely. Runs without a true
    label, of which these do not depend, are left out.
    """

    #: Number of instances.
    n_rows: int
    #: Of shape (n_runs,). Instance of each run; ascending.
    row: _Counts
    #: Of shape (n_runs,). Labels with larger scores than those of the run, and labels in it.
    before: _Counts
    size: _Counts
    #: Of shape (n_runs,). True labels, or the sum of their gains, in the run and before it; NaN for an instance with a
    #: score that is NaN.
    true: FloatArray
    true_before: FloatArray
    #: Of shape (n_runs,). Sum of ``1 / place`` over the places of the run.
    inverses: FloatArray

    @classmethod
    def compute(cls, gains: Any, scores: Any, known: NDArray[np.bool_] | None, first: int) -> Self:
        """Return the runs of known labels, with all that have one of the ``first`` places, whatever their labels.

        Gains are labels in {0, 1}, or what each true label counts. Of scores in a CSR array only what is stored counts.
        ``known`` of None orders all labels.
        """
        check_pair(gains, scores)
        if known is not None and not is_sparse(scores):
            rows, columns = np.nonzero(known)
            scores = sp.csr_array((scores[rows, columns], (rows, columns)), shape=scores.shape)
        values = scores.data if is_sparse(scores) else scores
        finite: Any = values if np.isfinite(values).all() else values[np.isfinite(values)]
        least = _OF_ALL * finite.max() - _OF_ALL * finite.min() if finite.size else 0.0
        if is_sparse(scores):
            parts = [_runs(*_stored_in_order(gains, scores), least, first)]
        else:
            parts = []
            for block in row_blocks(*scores.shape):
                part = np.asarray(scores[block], dtype=np.float64)
                order = np.argsort(-part, axis=1)
                ordered, counted = (
                    np.take_along_axis(table, order, axis=1).ravel() for table in (part, as_dense(gains[block]))
                )
                instances = np.repeat(np.arange(block.start, block.stop), part.shape[1])
                parts.append(_runs(instances, ordered, counted, least, first))
        return cls(scores.shape[0], *map(np.concatenate, zip(*parts, strict=True)))

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum over the runs of each instance of values of shape (n_runs,)."""
        return np.asarray(np.bincount(self.row, weights=values, minlength=self.n_rows), dtype=np.float64)

    def losses(self, n_ordered: Any) -> FloatArray:
        """Return each instance's share of pairs of a true and a false label in the wrong order; 0 without such pairs.

        ``n_ordered`` is the number of labels that are ordered, of all instances or of each.
        """
        wrong = self.true * (self.before - self.true_before + (self.size - self.true) / 2)
        n_true = self.sums(self.true)
        return self.sums(wrong) / np.maximum(n_true * (n_ordered - n_true), 1)

    def precisions(self) -> FloatArray:
        """Return each instance's mean share of true labels up to a true one; 1 for one with no true label."""
        # The j-th place of a run has a true label with probability true / size. Then the j - 1 places before it have
        # (j - 1) (true - 1) / (size - 1) true labels; this and the true labels before the run are divided by the place.
        others = (self.true - 1) / np.maximum(self.size - 1, 1)
        inside = others * (self.size - (self.before + 1) * self.inverses)
        sums = self.sums(self.true / self.size * ((self.true_before + 1) * self.inverses + inside))
        n_true = self.sums(self.true)
        return np.where(n_true == 0, 1.0, sums / np.maximum(n_true, 1))

    def last_true(self) -> FloatArray:
        """Return the place, from 1, of the last true label of each instance; 0 for one with no true label."""
        places = np.where(self.true == 0, 0, self.before + self.true * (self.size + 1) / (self.true + 1))
        last = np.zeros(self.n_rows)
        with np.errstate(invalid="ignore"):  # NaN for an instance with a score that is NaN
            np.maximum.at(last, self.row, places)
        return last

    def at_first(self, k: int) -> FloatArray:
        """Return what is at the first k places of each instance, shape (n_samples, k); k is at most ``first``."""
        gains = np.zeros((self.n_rows, k))
        for place in range(k):
            there = (self.before <= place) & (place < self.before + self.size)
            gains[self.row[there], place] = self.true[there] / self.size[there]
        return gains


def _stored_in_order(gains: Any, scores: Any) -> tuple[_Counts, FloatArray, FloatArray]:
    """Return the rows, stored scores and gains of labels, those of an instance in descending order of the scores."""
    stored = sp.csr_array(scores, dtype=np.float64)
    rows = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
    order = np.lexsort((-stored.data, rows))
    columns = stored.indices[order]
    if not is_sparse(gains):
        return rows, stored.data[order], gains[rows, columns]
    true = sp.csr_array(gains)
    true.sort_indices()
    starts = np.arange(true.shape[0], dtype=np.int64) * true.shape[1]
    cells, wanted = np.repeat(starts, np.diff(true.indptr)) + true.indices, starts[rows] + columns
    places = np.minimum(np.searchsorted(cells, wanted), max(len(cells) - 1, 0))
    counted = np.where(cells[places] == wanted, true.data[places], 0) if len(cells) else np.zeros(len(wanted))
    return rows, stored.data[order], counted


def _runs(rows: _Counts, values: FloatArray, gains: Any, least: float, first: int) -> tuple[Any, ...]:
    """Return the fields of `Runs` behind the first, of scores and gains in order; differences up to least are ties."""
    if not len(values):
        return (*(np.empty(0, dtype=np.int64) for _ in range(3)), *(np.empty(0) for _ in range(3)))
    same = rows[1:] == rows[:-1]
    heads = np.flatnonzero(np.append(True, ~same))  # of the rows
    counts = np.diff(heads, append=len(values))
    finite = np.isfinite(values)
    largest = np.maximum.reduceat(np.where(finite, values, -np.inf), heads)
    smallest = np.minimum.reduceat(np.where(finite, values, np.inf), heads)
    width = np.repeat(np.maximum(_OF_ROW * largest - _OF_ROW * smallest, least), counts)
    with np.errstate(invalid="ignore", over="ignore"):  # of scores that are infinite or almost
        tied = (values[:-1] == values[1:]) | (values[:-1] - values[1:] <= width[1:])
    starts = np.flatnonzero(np.append(True, ~(same & tied)))
    size = np.diff(starts, append=len(values))
    places = np.arange(1, len(values) + 1) - np.repeat(heads, counts)
    true = np.add.reduceat(np.asarray(gains, dtype=np.float64), starts)
    before, row = places[starts] - 1, rows[starts]
    of_heads = before == 0
    ahead = np.cumsum(true) - true
    true_before = ahead - np.repeat(ahead[of_heads], np.diff(np.flatnonzero(of_heads), append=len(starts)))
    if np.isnan(values).any():
        true[of_heads & np.isin(row, rows[np.isnan(values)])] = np.nan
    needed = (true != 0) | (before < first)
    inverses = np.add.reduceat(1 / places, starts)
    return tuple(field[needed] for field in (row, before, size, true, true_before, inverses))
