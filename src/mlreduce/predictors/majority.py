"""Majority labels: a baseline without features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.predictors._base import LabelClassifier
from mlreduce.registry import register
from mlreduce.validation import check_features, labels_as_y

__all__ = ["MajorityLabels"]


@register("majority-labels")
class MajorityLabels(LabelClassifier):
    """Majority labels: a control that predicts the labels which more than half of the training instances have.

    Its loss is the smallest of all predictions that ignore the features, label by label.

    Attributes
    ----------
    majority_ : ndarray of shape (n_labels,), in {0, 1}
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.MajorityLabels().fit(data.X[:200], data.Y[:200])
    >>> bool((model.predict(data.X[200:]) == (data.Y[:200].mean(axis=0) > 0.5)).all())
    True
    """

    complexity = Complexity("n q", "n q")

    @labels_as_y
    def fit(self, X: Any, y: Any) -> Self:
        """Count the labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
            Labels in {0, 1} or {-1, 1}.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite or a label is not 0/1 or -1/1.
        """
        _, labels = self._checked(X, y)
        self.majority_ = (2 * labels.sum(axis=0) > len(labels)).astype(int)
        return self

    def predict(self, X: Any) -> Any:
        """Return the same labels for every instance, in {0, 1}, of the shape that ``fit`` saw.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray or DataFrame of shape (n_samples, n_labels), or ndarray of shape (n_samples,)
            A DataFrame where ``fit`` saw one; a vector where labels were a vector.
        """
        check_is_fitted(self, "majority_")
        features = check_features(self, X, reset=False)
        predicted = np.tile(self.majority_, (features.shape[0], 1))
        return self._labels(predicted, X)
