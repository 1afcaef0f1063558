"""A multi-label classifier from a label coder and a regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError
from mlreduce.labelspace.base import LabelCoder
from mlreduce.labelspace.cplst import CPLST
from mlreduce.predictors._base import LabelClassifier
from mlreduce.predictors.linear import LinearRegressor
from mlreduce.validation import FloatArray, check_features

__all__ = ["CodedClassifier"]


class CodedClassifier(LabelClassifier):
    """Multi-label classifier that learns codes of the labels instead of the labels.

    The coder is fitted on features and labels, then the regressor on features and codes. It works in `Pipeline` and
    `GridSearchCV`; the parts' parameters are ``coder__n_components``, ``regressor__...``.

    Parameters
    ----------
    coder : LabelCoder or None, default=None
        Any method of ``mlreduce.list_methods("labelspace")``; None is CPLST with all components.
    regressor : estimator or None, default=None
        Any multi-output regressor; None is minimum-norm linear least squares.

    Attributes
    ----------
    coder_, regressor_ : fitted clones
    classes_ : ndarray of shape (n_labels,)
        The numbers of the labels; 0 and 1 where labels were a vector.

    References
    ----------
    Chen and Lin (2012), algorithm 1.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.labelspace import CodedClassifier
    >>> data = mlreduce.load_dataset("digits")
    >>> model = CodedClassifier(mlreduce.CPLST(n_components=4)).fit(data.X[:1200], data.Y[:1200])
    >>> model.predict(data.X[1200:]).shape
    (597, 8)
    """

    def __init__(self, coder: LabelCoder | None = None, regressor: Any = None) -> None:
        self.coder = coder
        self.regressor = regressor

    def _fit(self, features: Any, labels: FloatArray) -> None:
        if self.coder is not None and not isinstance(self.coder, LabelCoder):
            raise DataError(
                "coder must be a label coder of mlreduce.list_methods('labelspace'), as mlreduce.CPLST(), or None; "
                f"got {self.coder!r}"
            )
        regresses = hasattr(self.regressor, "get_params") and hasattr(self.regressor, "predict")
        if self.regressor is not None and (
            isinstance(self.regressor, type) or not regresses or is_classifier(self.regressor)
        ):
            raise DataError(
                "regressor must be a regressor, since codes are real numbers, as mlreduce.RidgeRegressor(), or None; "
                f"got {self.regressor!r}"
            )
        self.coder_ = clone(self.coder) if self.coder is not None else CPLST()
        self.regressor_ = clone(self.regressor) if self.regressor is not None else LinearRegressor()
        self.coder_.fit(features, labels)
        self.regressor_.fit(features, self.coder_.training_codes(labels))

    def decision_function(self, X: Any) -> Any:
        """Return the reconstructed labels less one half: above zero means present (up to ties).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray or DataFrame of shape (n_samples, n_labels), or ndarray of shape (n_samples,)
            A DataFrame where ``fit`` saw one; a vector where labels were a vector.
        """
        codes = self._codes(X)
        return self._decisions(self.coder_.reconstruct(codes) + self.coder_.mean_ - 0.5, X)

    def _predicted(self, X: Any) -> NDArray[np.int8]:
        codes = self._codes(X)
        return self.coder_.decode(codes)

    def _codes(self, X: Any) -> FloatArray:
        check_is_fitted(self, "regressor_")
        codes = np.asarray(self.regressor_.predict(check_features(self, X, reset=False)), dtype=np.float64)
        return codes.reshape(len(codes), -1)
