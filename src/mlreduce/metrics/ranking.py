"""Measures of scores: how well they put the labels of an instance, or the instances of a label, in order.

Measures of instances follow from two counts a label (`Ranks`). A label that ties with another is taken to be behind it,
as in scikit-learn: scores that are all equal are the worst there are, but for the areas under the curve, where a tie
is half an order.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mlreduce.linalg.distances import row_blocks
from mlreduce.metrics.instance import check_pair
from mlreduce.validation import FloatArray

__all__ = ["Ranks", "macro_auc", "micro_auc"]

_Labels = NDArray[np.integer[Any] | np.bool_]

# An order of nothing: as good as chance.
_CHANCE = 0.5


class Ranks(NamedTuple):
    """Where the labels of each instance stand, and the measures that follow from it.

    Attributes
    ----------
    true : ndarray of shape (n_samples, n_labels), bool
    best : ndarray of shape (n_samples,), int
        The label with the largest score, of equal ones the first.
    behind : ndarray of shape (n_samples, n_labels), int
        Labels with at least the score of each, itself included.
    true_behind : ndarray of shape (n_samples, n_labels), int
        True labels among these.
    """

    true: NDArray[np.bool_]
    best: NDArray[np.intp]
    behind: NDArray[np.int64]
    true_behind: NDArray[np.int64]

    @classmethod
    def of(cls, labels: _Labels, scores: FloatArray) -> Self:
        """Rank labels in {0, 1} by scores, both of shape (n_samples, n_labels).

        Raises
        ------
        ValueError
            If the shapes differ or are empty.
        """
        check_pair(labels, scores)
        true, n_labels = labels.astype(bool), labels.shape[1]
        behind, true_behind = (np.empty(labels.shape, dtype=np.int64) for _ in range(2))
        for rows in row_blocks(len(labels), n_labels * n_labels):
            above = scores[rows, np.newaxis, :] >= scores[rows, :, np.newaxis]
            behind[rows] = np.count_nonzero(above, axis=2)
            true_behind[rows] = np.count_nonzero(above & true[rows, np.newaxis, :], axis=2)
        return cls(true, scores.argmax(axis=1), behind, true_behind)

    def ranking_loss(self) -> float:
        """Return the mean over the instances of the share of pairs, a true label and another, in the wrong order.

        In [0, 1]; lower is better. 0 for an instance with no label or with all of them. A tie is wrong.
        """
        false_behind = np.where(self.true, self.behind - self.true_behind, 0).sum(axis=1)
        n_true = np.count_nonzero(self.true, axis=1)
        pairs = n_true * (self.true.shape[1] - n_true)
        return float(np.mean(false_behind / np.maximum(pairs, 1)))

    def coverage(self) -> float:
        """Return the mean number of steps down the order of the labels until all true ones are passed.

        In [0, n_labels - 1]; lower is better. 0 for an instance with no label, and where its only one is first: for
        instances with labels one less than scikit-learn's ``coverage_error``, as the papers have it.
        """
        last = np.where(self.true, self.behind, 1).max(axis=1)
        return float(np.mean(last - 1))

    def one_error(self) -> float:
        """Return the share of instances whose first label is not true.

        In [0, 1]; lower is better. 1 for an instance with no label: whatever is first is wrong.
        """
        return float(np.mean(~self.true[np.arange(len(self.true)), self.best]))

    def average_precision(self) -> float:
        """Return the mean over the instances and their labels of the share of true labels among those up to there.

        In [0, 1]; higher is better. 1 for an instance with no label or with all of them.
        """
        n_true = np.count_nonzero(self.true, axis=1)
        shares = np.where(self.true, self.true_behind / self.behind, 0.0).sum(axis=1) / np.maximum(n_true, 1)
        return float(np.mean(np.where(n_true > 0, shares, 1.0)))


def micro_auc(labels: _Labels, scores: FloatArray) -> float:
    """Return the area under the ROC curve of all assignments together, in [0, 1]; higher is better.

    It is the share of pairs, a true and a false assignment, in which the true one has the larger score; a tie counts
    half. 0.5 where all assignments are true, or none.

    Raises
    ------
    ValueError
        If the shapes differ or are empty.
    """
    check_pair(labels, scores)
    area = _areas(labels.reshape(-1, 1).astype(bool), scores.reshape(-1, 1))
    return float(area[0]) if len(area) else _CHANCE


def macro_auc(labels: _Labels, scores: FloatArray) -> float:
    """Return the mean over the labels of the area under the ROC curve, in [0, 1]; higher is better.

    Labels that all instances have, or none, are left out of the mean; 0.5 where that leaves no label.

    Raises
    ------
    ValueError
        If the shapes differ or are empty.
    """
    check_pair(labels, scores)
    areas = _areas(labels.astype(bool), scores)
    return float(areas.mean()) if len(areas) else _CHANCE


def _areas(true: NDArray[np.bool_], scores: FloatArray) -> FloatArray:
    """Return the area under the curve of each column that has both."""
    from scipy.stats import rankdata  # slow to import, and whoever only names measures needs none

    n_true = np.count_nonzero(true, axis=0)
    n_false = len(true) - n_true
    mixed = (n_true > 0) & (n_false > 0)
    sums = np.where(true, rankdata(scores, axis=0), 0.0).sum(axis=0)
    areas: FloatArray = (sums - n_true * (n_true + 1) / 2)[mixed] / (n_true * n_false)[mixed]
    return areas
