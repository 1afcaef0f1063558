"""A multi-label classifier from a label coder and a regressor."""

from __future__ import annotations

from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_is_fitted

from mlreduce.labelspace.base import LabelCoder
from mlreduce.labelspace.cplst import CPLST
from mlreduce.predictors.linear import LinearRegressor
from mlreduce.validation import FloatArray, check_features, check_labels, labels_as_y, remember_label_names

__all__ = ["CodedClassifier"]

_Number = TypeVar("_Number", np.float64, np.int64)


class CodedClassifier(ClassifierMixin, BaseEstimator):
    """Multi-label classifier that learns codes of the labels instead of the labels.

    Works in `Pipeline` and `GridSearchCV`; the parts' parameters are ``coder__n_components``,
    ``regressor__...``.

    Parameters
    ----------
    coder : LabelCoder or None, default=None
        Any method of ``list_methods("labelspace")``; None is CPLST with all components.
    regressor : estimator or None, default=None
        Any multi-output regressor; None is minimum-norm linear least squares.

    Attributes
    ----------
    coder_, regressor_ : fitted clones
    classes_ : ndarray of shape (2,)
        0 and 1, for every label.
    n_features_in_ : int

    References
    ----------
    Chen and Lin (2012), algorithm 1.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.labelspace import CodedClassifier
    >>> data = mlreduce.load_dataset("digits")
    >>> model = CodedClassifier(mlreduce.CPLST(n_components=4)).fit(data.X, data.Y)
    >>> model.predict(data.X[:2]).shape
    (2, 8)
    """

    def __init__(self, coder: LabelCoder | None = None, regressor: Any = None) -> None:
        self.coder = coder
        self.regressor = regressor

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        tags.input_tags.sparse = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        return tags

    @labels_as_y
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the coder on features and labels, then the regressor on features and codes.

        Raises
        ------
        DataError
            If a feature is not finite or a label is not 0/1 or -1/1.
        """
        features = check_features(self, X, reset=True)
        labels = check_labels(y, features.shape[0])
        remember_label_names(self, y)
        self.classes_ = np.array([0, 1])
        self._one_dimension = np.ndim(y) == 1
        self.coder_ = clone(self.coder) if self.coder is not None else CPLST()
        self.regressor_ = clone(self.regressor) if self.regressor is not None else LinearRegressor()
        self.coder_.fit(features, labels)
        self.regressor_.fit(features, self.coder_.encode(labels))
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the reconstructed labels less one half: above zero means present (up to ties)."""
        codes = self._codes(X)
        return self._shape(self.coder_.reconstruct(codes) + self.coder_.mean_ - 0.5)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return the predicted labels in {0, 1}, of the shape that ``fit`` saw."""
        codes = self._codes(X)
        return self._shape(self.coder_.decode(codes).astype(np.int64))

    def _shape(self, values: NDArray[_Number]) -> NDArray[_Number]:
        return values[:, 0] if self._one_dimension else values

    def _codes(self, X: Any) -> FloatArray:
        check_is_fitted(self, "regressor_")
        codes = np.asarray(self.regressor_.predict(check_features(self, X, reset=False)), dtype=np.float64)
        return codes.reshape(len(codes), -1)
