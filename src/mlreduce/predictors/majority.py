"""Majority labels: a baseline without features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.linalg.distances import row_blocks
from mlreduce.predictors._base import ScoringClassifier
from mlreduce.predictors.decision import Blocks
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_features, split_known

__all__ = ["MajorityLabels"]


@register("majority-labels")
class MajorityLabels(ScoringClassifier):
    """Majority labels: a control that predicts the labels which more than half of the training instances have.

    Its loss is the smallest of all predictions that ignore the features, label by label. The scores are the frequencies
    of the labels.

    Parameters
    ----------
    decision, measure
        As of `ScoringClassifier`.

    Attributes
    ----------
    majority_ : ndarray of shape (n_labels,), in {0, 1}
        Whether more than half of the training instances have a label, whatever the decision is.
    frequencies_ : ndarray of shape (n_labels,)
    thresholds_, k_
        As of `ScoringClassifier`.
    classes_, n_features_in_, feature_names_in_, label_names_
        As of `LabelClassifier`.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.MajorityLabels().fit(data.X[:200], data.Y[:200])
    >>> bool((model.predict(data.X[200:]) == (data.Y[:200].mean(axis=0) > 0.5)).all())
    True
    """

    complexity = Complexity("n q", "p")
    takes_unknown_cells = True

    def __init__(self, decision: str = "half", measure: str = "micro-f1") -> None:
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any) -> None:
        labels, known = split_known(labels)
        n_known, sums = labels.shape[0] if known is None else known.sum(axis=0), np.asarray(labels.sum(axis=0))
        self.frequencies_ = sums / np.maximum(n_known, 1)
        self.majority_ = (2 * sums > n_known).astype(int)

    def _fit_left_out(self, features: Any, labels: FloatArray) -> FloatArray | None:
        self._fit(features, labels)
        labels, known = split_known(labels)
        n_others = np.maximum((len(labels) if known is None else known.sum(axis=0)) - 1, 1)
        left_out: FloatArray = (labels.sum(axis=0) - labels) / n_others
        return left_out

    def _fit_held_out_blocks(self, features: Any, labels: Any) -> Blocks:
        self._fit(features, labels)
        n_rows, n_labels = labels.shape
        sums = np.asarray(labels.sum(axis=0))
        return lambda: (
            (rows, (sums - labels[rows].toarray()) / max(n_rows - 1, 1)) for rows in row_blocks(n_rows, n_labels)
        )

    def _scores(self, X: Any) -> FloatArray:
        check_is_fitted(self, "majority_")
        features = check_features(self, X, reset=False)
        return np.tile(self.frequencies_, (features.shape[0], 1))
