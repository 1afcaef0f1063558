"""Bases of the regressors and classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils import ClassifierTags, Tags

from mlreduce.complexity import Complexity
from mlreduce.validation import FloatArray, NamedParameters, check_features, check_labels, remember_label_names

__all__ = ["LabelClassifier", "Regressor"]


class Regressor(NamedParameters, MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Base of the regressors: for one target or many, with dense or sparse features."""

    #: Whether what is fitted is linear in the features.
    linear = False
    #: What a fit costs, with predictions for as many instances.
    complexity: Complexity
    #: Whether training on several targets equals training on each.
    independent_targets = True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LabelClassifier(NamedParameters, ClassifierMixin, BaseEstimator):
    """Base of the classifiers: for one label or many, with dense or sparse features.

    With a matrix of labels probabilities and decisions have the shape (n_samples, n_labels). ``classes_`` is then what
    scikit-learn's scorers, ``cross_val_predict`` and checks take beside them: 0 and 1 for every label, as of
    ``ClassifierChain`` but in an array, beside probabilities; the numbers of the labels, as of ``OneVsRestClassifier``,
    beside decisions. With a vector they
    are binary classifiers: probabilities have a column for 0 and one for 1, decisions the shape (n_samples,). Fitted on
    a DataFrame of labels they predict DataFrames with its columns.
    """

    #: Whether what is fitted is linear in the features.
    linear = False
    #: What a fit costs, with predictions for as many instances.
    complexity: Complexity
    #: Whether it scores labels: ``predict_scores`` gives a number per label, larger is
    #: likelier, above one half for predicted labels, and ``predict_nested`` yields such numbers.
    ranks = False

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        tags.input_tags.sparse = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        return tags

    def _checked(self, X: Any, y: Any) -> tuple[Any, FloatArray]:
        """Return checked features, and labels as a matrix; remember the shape and the names of the labels."""
        features = check_features(self, X, reset=True)
        labels = check_labels(y, features.shape[0])
        self._remember(y, labels.shape[1])
        return features, labels

    def _remember(self, y: Any, n_labels: int) -> None:
        """Remember the shape and the names of the labels."""
        remember_label_names(self, y)
        self._one_dimension = np.ndim(y) == 1
        if self._one_dimension:
            self.classes_ = np.array([0, 1])
        elif hasattr(self, "decision_function"):
            self.classes_ = np.arange(n_labels)
        else:
            self.classes_ = np.tile([0, 1], (n_labels, 1))

    def _labels(self, present: NDArray[Any], X: Any) -> Any:
        """Return predicted labels, shape (n_samples, n_labels), as ``predict`` does."""
        labels = present.astype(np.int64)
        return labels[:, 0] if self._one_dimension else self._named(labels, X)

    def _decisions(self, values: FloatArray, X: Any) -> Any:
        """Return a number per label, shape (n_samples, n_labels), as ``decision_function`` does."""
        return values[:, 0] if self._one_dimension else self._named(values, X)

    def _probabilities(self, values: FloatArray, X: Any) -> Any:
        """Return a probability per label, shape (n_samples, n_labels), as ``predict_proba`` does."""
        return np.column_stack([1 - values[:, 0], values[:, 0]]) if self._one_dimension else self._named(values, X)

    def _named(self, values: NDArray[Any], X: Any) -> Any:
        names = getattr(self, "label_names_", None)
        if names is None:
            return values
        import pandas as pd  # slow to import, and there where the labels were a DataFrame

        return pd.DataFrame(values, columns=names, index=getattr(X, "index", None))
