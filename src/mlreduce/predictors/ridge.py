"""Ridge regression with many targets, and for nested sets of features at the cost of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError
from mlreduce.linalg.features import Features
from mlreduce.linalg.least_squares import DEFAULT_RCOND
from mlreduce.predictors._base import Regressor
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, check_features, check_finite, check_regression

__all__ = ["RidgeRegressor"]

# A Gram matrix of unit diagonal with a smaller reciprocal condition number is left to the singular value
# decomposition, which does not square the condition.
_ILL_CONDITIONED = 1e-10


class _Factor(NamedTuple):
    """Cholesky factor of a matrix scaled to a unit diagonal, for accuracy with features of unequal scale."""

    lower: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, matrix: FloatArray) -> Self | None:
        """Factorise, or return None where the matrix is singular or close to it."""
        diagonal = np.diag(matrix)
        if not (diagonal > 0).all():
            return None
        scale = 1.0 / np.sqrt(diagonal)
        scaled = matrix * scale * scale[:, np.newaxis]
        lower, info = scipy.linalg.lapack.dpotrf(scaled, lower=1, clean=1)
        if info != 0:
            return None
        reciprocal_condition, _ = scipy.linalg.lapack.dpocon(lower, np.abs(scaled).sum(axis=0).max(), uplo="L")
        return cls(lower, scale) if reciprocal_condition > _ILL_CONDITIONED else None

    def half_solve(self, targets: FloatArray) -> FloatArray:
        """Return ``L^-1 T`` for the factor L of the matrix itself."""
        solution: FloatArray = scipy.linalg.solve_triangular(
            self.lower, self.scale[:, np.newaxis] * targets, lower=True, check_finite=False
        )
        return solution

    def solve(self, targets: FloatArray) -> FloatArray:
        scale = self.scale[:, np.newaxis]
        solution: FloatArray = scale * scipy.linalg.cho_solve((self.lower, True), scale * targets, check_finite=False)
        return solution


def _plus_diagonal(matrix: FloatArray, value: float) -> FloatArray:
    matrix = matrix.copy()
    matrix.flat[:: len(matrix) + 1] += value
    return matrix


def _coefficients(features: Features, targets: FloatArray, penalty: float) -> FloatArray:
    """Return the coefficients, shape (n_features, n_targets), for centred targets."""
    rows, columns = features.shape
    if columns <= rows:
        factor = _Factor.of(_plus_diagonal(features.scatter, penalty))
        if factor is not None:
            return factor.solve(features.transposed_dot(targets))
    elif penalty > 0:  # without a penalty the centred kernel is singular
        factor = _Factor.of(_plus_diagonal(features.gram, penalty))
        if factor is not None:
            return features.transposed_dot(factor.solve(targets))
    dense = as_dense(features.X) - features.mean
    left, values, right = scipy.linalg.svd(dense, full_matrices=False, check_finite=False)
    kept = values > DEFAULT_RCOND * values[0]
    left, values, right = left[:, kept], values[kept], right[kept]
    shrunk = (values / (np.square(values) + penalty))[:, np.newaxis]
    solution: FloatArray = right.T @ (shrunk * (left.T @ targets))
    return solution


@register("ridge")
class RidgeRegressor(Regressor):
    """Ridge regression: least squares with a squared penalty on all coefficients but the intercept.

    With centred features Xc and targets Yc it minimises ``||Yc - Xc B||^2 + penalty ||B||^2``, through the Gram matrix
    of the features or, where these are more than the rows, of the rows. Where the penalty is zero and the features are
    collinear the solution of minimum norm is taken; singular values below 1e-10 of the largest then count as zero.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, >= 0.
    relative : bool, default=False
        False: the penalty is ``alpha``. True: it is ``alpha`` times the mean over the features of their centred sum of
        squares, ``trace(Xc'Xc) / n_features``, so that one ``alpha`` serves features of any scale.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features) or (n_features,)
    intercept_ : ndarray of shape (n_targets,) or float
    penalty_ : float
        The penalty itself, whatever ``relative`` is.

    References
    ----------
    Hoerl and Kennard (1970), "Ridge regression: biased estimation for nonorthogonal problems". The multi-label baseline
    of mvmd-2016.
    """

    def __init__(self, alpha: float = 1.0, relative: bool = False) -> None:
        self.alpha = alpha
        self.relative = relative

    def fit(self, X: Any, y: Any) -> Self:
        """Solve for the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A sparse matrix stays sparse: its means are accounted for, not subtracted.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)

        Raises
        ------
        DataError
            If a feature is not finite or ``alpha`` is not a number >= 0.
        """
        X, targets = check_regression(self, X, y)
        table = targets.reshape(len(targets), -1)
        features, target_mean = Features(X, centred=True), table.mean(axis=0)
        self.penalty_ = self._penalty(features)
        coefficients = _coefficients(features, table - target_mean, self.penalty_)
        self.coef_, self.intercept_ = coefficients.T, target_mean - features.mean @ coefficients
        if targets.ndim == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        return self

    def _penalty(self, features: Features) -> float:
        alpha: Any = self.alpha  # whatever a configuration holds
        if not isinstance(alpha, Real) or not 0 <= float(alpha) < np.inf:
            raise DataError(f"alpha, the strength of the ridge penalty, must be a finite number >= 0; got {alpha!r}")
        return float(alpha) * (features.squared_norms.sum() / features.shape[1] if self.relative else 1.0)

    def predict(self, X: Any) -> FloatArray:
        """Return the predicted targets, of the shape that ``fit`` saw."""
        check_is_fitted(self, "coef_")
        predicted: FloatArray = check_features(self, X, reset=False) @ self.coef_.T + self.intercept_
        return predicted

    def predict_nested(
        self, Z_train: FloatArray, T_train: FloatArray, Z_test: FloatArray, sizes: Sequence[int]
    ) -> Iterator[FloatArray]:
        """Predict from the first k columns only, for several ascending k at the cost of the largest.

        For feature projections, whose features are ordered by importance. The predictions are those
        of a regression trained on k columns alone, but all have one penalty: where ``relative`` is true, that of all
        columns given. It is one Cholesky factorisation, since the leading blocks of a factor are the factors of the
        leading blocks. Where the penalty is zero and the columns are collinear, each size is solved separately.

        The estimator is not fitted by this and need not be.

        Parameters
        ----------
        Z_train : ndarray of shape (n_train, n_columns)
        T_train : ndarray of shape (n_train, n_targets)
        Z_test : ndarray of shape (n_test, n_columns)
        sizes : sequence of int
            Ascending, each in 1..n_columns. The cost grows with the cube of the last.

        Returns
        -------
        iterator over ndarray of shape (n_test, n_targets)
            One array a size. Each is the next one's starting point: use it before asking for the next.

        Raises
        ------
        DataError
            If shapes or sizes do not fit, a value is not finite, or ``alpha`` is not a number >= 0.
        """
        training, targets, testing = (np.asarray(a, dtype=np.float64) for a in (Z_train, T_train, Z_test))
        _check_nested(training, targets, testing, sizes)
        target_mean, largest = targets.mean(axis=0), sizes[-1]
        penalty = self._penalty(Features(training, centred=True))
        shown = Features(training[:, :largest], centred=True)
        asked = testing[:, :largest] - shown.mean
        factor = _Factor.of(_plus_diagonal(shown.scatter, penalty))
        if factor is None:
            return _one_by_one(shown, targets - target_mean, target_mean, asked, sizes, penalty)
        weights = factor.half_solve(shown.transposed_dot(targets - target_mean))
        return _accumulate(factor.half_solve(asked.T).T, weights, target_mean, sizes)


def _accumulate(basis: FloatArray, weights: FloatArray, mean: FloatArray, sizes: Sequence[int]) -> Iterator[FloatArray]:
    predicted = np.tile(mean, (len(basis), 1))
    for start, stop in pairwise((0, *sizes)):
        predicted += basis[:, start:stop] @ weights[start:stop]
        yield predicted


def _one_by_one(
    features: Features,
    targets: FloatArray,
    mean: FloatArray,
    asked: FloatArray,
    sizes: Sequence[int],
    penalty: float,
) -> Iterator[FloatArray]:
    for size in sizes:
        first = Features(features.X[:, :size], centred=True)
        yield mean + asked[:, :size] @ _coefficients(first, targets, penalty)


def _check_nested(training: FloatArray, targets: FloatArray, testing: FloatArray, sizes: Sequence[int]) -> None:
    shapes = f"Z_train {training.shape}, T_train {targets.shape} and Z_test {testing.shape}"
    if not training.ndim == targets.ndim == testing.ndim == 2:
        raise DataError(f"{shapes} must be tables, of two dimensions")
    if len(training) != len(targets) or not len(training):
        raise DataError(f"{shapes}: Z_train and T_train must have the same number of rows, at least one")
    if training.shape[1] != testing.shape[1]:
        raise DataError(f"{shapes}: Z_train and Z_test must have the same columns")
    for table, name in ((training, "Z_train"), (targets, "T_train"), (testing, "Z_test")):
        check_finite(table, what=name)
    if not len(sizes) or any(start >= stop for start, stop in pairwise((0, *sizes))) or sizes[-1] > training.shape[1]:
        raise DataError(f"sizes must ascend within 1..{training.shape[1]}, the number of columns; got {list(sizes)}")
