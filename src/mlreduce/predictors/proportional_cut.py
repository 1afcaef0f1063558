"""Proportional cut: label scores to labels, each with its training share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.linalg.utilities import best_of_each
from mlreduce.predictors._base import LabelClassifier
from mlreduce.registry import register
from mlreduce.validation import as_dense, check_features, labels_as_y

__all__ = ["ProportionalCut"]


@register("pcut")
class ProportionalCut(LabelClassifier):
    """Proportional cut (PCut): assign each label to its training share of instances, by highest score.

    Column j of the features is the score of label j, the larger the likelier; the share of instances that get a label
    is that of the training instances which have it. All instances that are passed to ``predict`` are decided
    together, so that predictions depend on the other instances. A score of zero or less is no label, and neither is a
    label without a column. This is what makes label propagations classifiers of their own.

    Attributes
    ----------
    shares_ : ndarray of shape (n_labels,)
        Share of the training instances that have each label.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    References
    ----------
    Yang (2001), "A study of thresholding strategies for text categorization", SIGIR, 137-145: the strategy PCut.

    Examples
    --------
    >>> import mlreduce
    >>> import numpy as np
    >>> Y = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
    >>> scores = np.array([[0.9, 0.2], [0.8, 0.1], [0.7, 0.3], [0.6, 0.4]])
    >>> cut = mlreduce.ProportionalCut().fit(scores, Y)
    >>> cut.predict([[0.3, 0.2], [0.2, 0.9]])  # again half of the instances have each label
    array([[1, 0],
           [0, 1]])
    """

    complexity = Complexity("n q", "n q")

    @labels_as_y
    def fit(self, X: Any, y: Any) -> Self:
        """Compute the share of instances with each label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_labels)
            Scores; only their number of columns is used.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
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
        self.shares_ = labels.mean(axis=0)
        return self

    def predict(self, X: Any) -> Any:
        """Return the labels of instances that are decided together, in {0, 1}, of the shape that ``fit`` saw.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_labels)
            Scores, one column per label.

        Returns
        -------
        ndarray or DataFrame of shape (n_samples, n_labels), or ndarray of shape (n_samples,)
            A DataFrame where ``fit`` saw one; a vector where labels were a vector.
        """
        check_is_fitted(self, "shares_")
        scores = as_dense(check_features(self, X, reset=False))
        predicted = np.zeros((len(scores), len(self.shares_)), dtype=np.int64)
        width = min(scores.shape[1], len(self.shares_))
        predicted[:, :width] = best_of_each(scores[:, :width], self.shares_[:width])
        return self._labels(predicted, X)
