"""Proportional cut: label scores to labels, each with its training share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.linalg.utilities import best_of_each
from mlreduce.predictors._base import LabelClassifier
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, check_features, check_memory, split_known


@register("pcut")
class ProportionalCut(LabelClassifier):
    """Proportional cut (PCut): assign each label to its training share of instances, by highest score.

    Column j of the features is the score of label j, the larger the likelier; the share of instances that get a label
    is that of the training instances which have it. All instances that are passed to ``predict`` are decided
    together, so that predictions depend on the other instances. A score of zero or less is no label, and neither is a
    label without a column. With this rule label propagations are classifiers.

    Attributes
    ----------
    shares_ : ndarray of shape (n_labels,)
        Share of the training instances that have each label, of those of which it is known.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Yang (2001), "A study of thresholding strategies for text categorization", SIGIR, 137-145: the strategy PCut.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> Y = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
    >>> scores = np.array([[0.9, 0.2], [0.8, 0.1], [0.7, 0.3], [0.6, 0.4]])
    >>> cut = mlreduce.ProportionalCut().fit(scores, Y)
    >>> cut.predict([[0.3, 0.2], [0.2, 0.9]])  # again half of the instances have each label
    array([[1, 0],
           [0, 1]])
    """

    _poor_score = True
    complexity = Complexity("n q + n d", "n q")
    takes_unknown_cells = True
    _weighs = True

    def _fit(self, features: Any, labels: Any, weights: FloatArray | None = None) -> None:
        weights, (labels, known) = np.ones(labels.shape[0]) if weights is None else weights, split_known(labels)
        n_known = weights.sum() if known is None else weights @ known
        self.shares_ = np.asarray(weights @ labels) / np.where(n_known > 0, n_known, 1)

    def _blocks(self, X: Any, width: int | None = None) -> Iterator[Any]:
        yield X  # all rows are decided together

    def _predicted(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self, "shares_")
        features = check_features(self, X, reset=False)
        check_memory(
            16.0 * features.shape[0] * len(self.shares_),
            f"a table of {len(self.shares_)} labels for {features.shape[0]} rows, which are decided together",
            "decide fewer rows",
        )
        scores = as_dense(features)
        predicted = np.zeros((len(scores), len(self.shares_)), dtype=np.int64)
        width = min(scores.shape[1], len(self.shares_))
        predicted[:, :width] = best_of_each(scores[:, :width], self.shares_[:width])
        return predicted
