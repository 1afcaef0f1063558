"""Majority labels: a baseline without features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.predictors._base import LabelClassifier
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_features

__all__ = ["MajorityLabels"]


@register("majority-labels")
class MajorityLabels(LabelClassifier):
    """Majority labels: a control that predicts the labels which more than half of the training instances have.

    Its loss is the smallest of all predictions that ignore the features, label by label.

    Attributes
    ----------
    majority_ : ndarray of shape (n_labels,), in {0, 1}
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

    complexity = Complexity("n q", "n q")

    def _fit(self, features: Any, labels: FloatArray) -> None:
        self.majority_ = (2 * labels.sum(axis=0) > len(labels)).astype(int)

    def _predicted(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self, "majority_")
        features = check_features(self, X, reset=False)
        return np.tile(self.majority_, (features.shape[0], 1))
