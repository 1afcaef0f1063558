"""Counts from which measures follow: per instance, per label, and of the order of an instance's labels."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import row_blocks
from mlreduce.validation import FloatArray, is_sparse

__all__ = ["Counts", "Ranks", "best_labels", "check_pair", "refuse_best"]

_Labels = NDArray[np.integer[Any] | np.bool_]
_Counts = NDArray[np.int64]


def check_pair(labels: NDArray[Any], predicted: NDArray[Any]) -> None:
    """Refuse label matrices that cannot be compared.

    Raises
    ------
    ValueError
        If the shapes differ or are empty.
    """
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
    """Numbers of labels of each instance, or of instances of each label.

    Attributes
    ----------
    hits : ndarray of int, shape (n_samples,) or (n_labels,)
        True and predicted.
    predicted, true : ndarray of int, shape (n_samples,) or (n_labels,)
    """

    hits: _Counts
    predicted: _Counts
    true: _Counts

    @classmethod
    def of_instances(cls, labels: _Labels, predicted: _Labels) -> Self:
        """Count in two label matrices of shape (n_samples, n_labels), Boolean or integers in {0, 1}."""
        check_pair(labels, predicted)
        if is_sparse(labels) or is_sparse(predicted):
            return cls._of_stored(labels, predicted, 1)
        # Sixteen bits are three times as fast as NumPy's 64, and this runs for every method, size and split.
        dtype = np.int16 if labels.shape[1] < 2**15 else np.int64
        return cls(*(m.sum(axis=1, dtype=dtype).astype(np.int64) for m in (labels & predicted, predicted, labels)))

    @classmethod
    def of_labels(cls, labels: _Labels, predicted: _Labels) -> Self:
        """Count in the same for each label."""
        check_pair(labels, predicted)
        if is_sparse(labels) or is_sparse(predicted):
            return cls._of_stored(labels, predicted, 0)
        return cls(*(np.count_nonzero(m, axis=0).astype(np.int64) for m in (labels & predicted, predicted, labels)))

    @classmethod
    def _of_stored(cls, labels: Any, predicted: Any, axis: int) -> Self:
        true, given = (sp.csr_array(table, dtype=np.int64) for table in (labels, predicted))
        return cls(*(np.asarray(table.sum(axis=axis)) for table in (true.multiply(given), given, true)))


def best_labels(scores: Any, k: int) -> NDArray[np.int64]:
    """Return the k labels with the largest scores of each instance, the largest first; of equal ones the first.

    Parameters
    ----------
    scores : ndarray or csr_array of shape (n_samples, n_labels)
        In a CSR array only what is stored counts, zeros too.
    k : int

    Returns
    -------
    ndarray of shape (n_samples, k), int
        -1 where there are fewer labels with a score: in a CSR array, or above minus infinity.
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

    Attributes
    ----------
    true : ndarray of shape (n_samples, n_labels), bool
    behind : ndarray of shape (n_samples, n_labels), int
        Labels with at least the score of each, itself included.
    true_behind : ndarray of shape (n_samples, n_labels), int
        True labels among these.
    """

    true: NDArray[np.bool_]
    behind: _Counts
    true_behind: _Counts

    @classmethod
    def of(cls, labels: Any, scores: FloatArray) -> Self:
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
