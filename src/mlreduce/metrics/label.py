"""Measures that look at one label at a time, or at all assignments at once.

All follow from three counts a label (`LabelCounts`). Macro averages are means over the labels, micro averages are of
the counts of all labels together. Where a fraction is 0 / 0 it is 0, as in scikit-learn: a label that no test row has
lowers a macro average, and whoever compares with other software has to know.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mlreduce.metrics.instance import check_pair

__all__ = ["LabelCounts"]

_Labels = NDArray[np.integer[Any] | np.bool_]
_Counts = NDArray[np.int64]


class LabelCounts(NamedTuple):
    """How many instances have each label, and the measures that follow from it; all in [0, 1], higher is better.

    Attributes
    ----------
    hits : ndarray of shape (n_labels,), int
        Instances with the label true and predicted.
    predicted, true : ndarray of shape (n_labels,), int
        Instances with the label predicted, and true.
    """

    hits: _Counts
    predicted: _Counts
    true: _Counts

    @classmethod
    def of(cls, labels: _Labels, predicted: _Labels) -> Self:
        """Count in two label matrices of shape (n_samples, n_labels), Boolean or integers in {0, 1}.

        Raises
        ------
        ValueError
            If the shapes differ or are empty.
        """
        check_pair(labels, predicted)
        return cls(*(np.count_nonzero(m, axis=0).astype(np.int64) for m in (labels & predicted, predicted, labels)))

    def micro_f1(self) -> float:
        """Return twice the hits over all predicted and all true assignments."""
        return _ratio(2 * self.hits.sum(), self.predicted.sum() + self.true.sum())

    def micro_precision(self) -> float:
        """Return the fraction of the predicted assignments that are true."""
        return _ratio(self.hits.sum(), self.predicted.sum())

    def micro_recall(self) -> float:
        """Return the fraction of the true assignments that are predicted."""
        return _ratio(self.hits.sum(), self.true.sum())

    def macro_f1(self) -> float:
        """Return the mean over the labels of the harmonic mean of precision and recall."""
        return _ratio(2 * self.hits, self.predicted + self.true)

    def macro_precision(self) -> float:
        """Return the mean over the labels of the fraction of predicted assignments that are true."""
        return _ratio(self.hits, self.predicted)

    def macro_recall(self) -> float:
        """Return the mean over the labels of the fraction of true assignments that are predicted."""
        return _ratio(self.hits, self.true)


def _ratio(numerator: Any, denominator: Any) -> float:
    """Return the mean of fractions; nothing over nothing is 0."""
    return float(np.mean(numerator / np.maximum(denominator, 1)))
