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


@register("majority-labels")
class MajorityLabels(ScoringClassifier):
    """Majority labels: a control that predicts the labels which more than half of the training instances have.

    Its loss is the smallest of all predictions that ignore the features, label by label. The scores are the frequencies
    of the labels.

    Parameters
    ----------
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.

    Attributes
    ----------
    majority_ : ndarray of shape (n_labels,), in {0, 1}
        Whether more than half of the training instances have a label, whatever the decision is.
    frequencies_ : ndarray of shape (n_labels,)
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.MajorityLabels().fit(data.X[:200], data.Y[:200])
    >>> bool((model.predict(data.X[200:]) == (data.Y[:200].mean(axis=0) > 0.5)).all())
    True
    """

    _poor_score = True
    complexity = Complexity("n q", "p")
    takes_unknown_cells = True
    _weighs = True

    def __init__(self, decision: str = "half", measure: str = "micro-f1") -> None:
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any, weights: FloatArray | None = None) -> None:
        weights, (labels, known) = np.ones(labels.shape[0]) if weights is None else weights, split_known(labels)
        n_known, sums = weights.sum() if known is None else weights @ known, np.asarray(weights @ labels)
        self.frequencies_ = sums / np.where(n_known > 0, n_known, 1)
        self.majority_ = (2 * sums > n_known).astype(int)

    def _fit_left_out(self, features: Any, labels: FloatArray) -> FloatArray | None:
        self._fit(features, labels)
        labels, known = split_known(labels)
        n_others = np.maximum((len(labels) if known is None else known.sum(axis=0)) - 1, 1)
        return (labels.sum(axis=0) - labels) / n_others

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
