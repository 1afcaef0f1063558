"""Kernel ridge regression with many targets."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mlreduce.kernels import check_gamma, check_positive, gaussian_kernel, kernel_ridge, squared_distances
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_features, check_regression

__all__ = ["KernelPredictions", "KernelRidgeRegressor", "predict_held_out"]


@register("kernel-ridge")
class KernelRidgeRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Ridge regression with the Gaussian kernel ``exp(-gamma ||x - x'||^2)``.

    There is no intercept: predictions shrink towards zero, so that targets should be centred. Label coders centre
    what they encode.

    Parameters
    ----------
    gamma : float or None, default=None
        Width of the kernel, > 0: the larger, the narrower. None stands for ``1 / n_features``.
    alpha : float, default=1.0
        Strength of the penalty on the squared norm of the regression function, > 0.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples, n_targets) or (n_samples,)
        ``(K + alpha I)^-1 T`` for the kernel matrix K of the training rows and the targets T.
    X_fit_ : ndarray or csr_array of shape (n_samples, n_features)
        The training rows.
    gamma_ : float
        The width itself, whatever ``gamma`` is.

    References
    ----------
    Saunders, Gammerman and Vovk (1998), "Ridge regression learning algorithm in dual variables"; Chen and Lin (2012),
    equation (7).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> model = mlreduce.make("kernel-ridge", alpha=0.1).fit(data.X, data.Y - data.Y.mean(axis=0))
    >>> model.predict(data.X[:2]).shape
    (2, 8)
    """

    def __init__(self, gamma: float | None = None, alpha: float = 1.0) -> None:
        self.gamma = gamma
        self.alpha = alpha

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Solve for the dual coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)

        Raises
        ------
        DataError
            If a feature is not finite, or ``gamma`` or ``alpha`` is not a number > 0.
        """
        features, targets = check_regression(self, X, y)
        alpha = check_positive(self.alpha, "alpha")
        self.gamma_ = check_gamma(self.gamma, features.shape[1])
        kernel = gaussian_kernel(squared_distances(features), self.gamma_, overwrite=True)
        coefficients = kernel_ridge(kernel, alpha, targets.reshape(len(targets), -1)).coefficients
        self.X_fit_ = features
        self.dual_coef_ = coefficients.reshape(targets.shape)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the predicted targets, of the shape that ``fit`` saw."""
        check_is_fitted(self, "dual_coef_")
        features = check_features(self, X, reset=False)
        kernel = gaussian_kernel(squared_distances(features, self.X_fit_), self.gamma_, overwrite=True)
        predicted: FloatArray = kernel @ self.dual_coef_
        return predicted


class KernelPredictions(NamedTuple):
    """Predictions of held-out rows, with what is needed to shift the targets afterwards.

    The regression is linear in its targets and has no intercept: a constant target is not predicted as that constant.

    Attributes
    ----------
    targets : ndarray of shape (n_held_out, n_targets)
        Predictions from the targets as given.
    ones : ndarray of shape (n_held_out,)
        Predictions from a target that is one in every training row.
    """

    targets: FloatArray
    ones: FloatArray

    def centred(self, mean: FloatArray) -> FloatArray:
        """Return the predictions that training on the targets less a mean gives."""
        return self.targets - np.outer(self.ones, mean)

    def around(self, mean: FloatArray) -> FloatArray:
        """Return the predictions that training on the targets less a mean, and adding it again, gives."""
        return self.centred(mean) + mean


def predict_held_out(
    training: FloatArray, held_out: FloatArray, targets: FloatArray, gamma: float, alpha: float
) -> KernelPredictions:
    """Train kernel ridge regression on some rows and predict others, from distances alone.

    What a study needs whose codes are many and whose widths change: training on ``T A`` gives the predictions of
    training on ``T``, times ``A``, so that one solution serves the codes of every method, and one table of distances
    every ``gamma``.

    Parameters
    ----------
    training : ndarray of shape (n_train, n_train)
        Squared distances between training rows, from `mlreduce.kernels.squared_distances`.
    held_out : ndarray of shape (n_held_out, n_train)
        Squared distances between held-out and training rows.
    targets : ndarray of shape (n_train, n_targets)
        Need not be centred; see `KernelPredictions`.
    gamma, alpha : float
        As for `KernelRidgeRegressor`.

    Raises
    ------
    DataError
        If ``gamma`` or ``alpha`` is not a number > 0.
    """
    width, penalty = check_positive(gamma, "gamma"), check_positive(alpha, "alpha")
    with_ones = np.column_stack([targets, np.ones(len(targets))])
    coefficients = kernel_ridge(gaussian_kernel(training, width), penalty, with_ones).coefficients
    predicted = gaussian_kernel(held_out, width) @ coefficients
    return KernelPredictions(predicted[:, :-1], predicted[:, -1])
