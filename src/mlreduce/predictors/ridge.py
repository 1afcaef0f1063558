"""Ridge regression with many targets, and for nested sets of features at the cost of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.features import Features, WeightedFeatures
from mlreduce.linalg.least_squares import DEFAULT_RCOND
from mlreduce.linalg.lsqr import bidiagonal_spectra, is_large, lsqr
from mlreduce.predictors._base import Regressor
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_finite, check_regression, check_sample_weight

__all__ = ["RidgeRegressor"]

# A Gram matrix of unit diagonal with a smaller reciprocal condition number is left to the singular value
# decomposition, which does not square the condition.
_ILL_CONDITIONED = 1e-10

# Penalties that cross-validation compares, relative to the largest squared singular value: four per decade. Below them
# the scatter matrix is no longer accurate; above them nothing but the mean is left.
_TRIED = np.logspace(-10, 3, 53)

# Relative difference of errors that are equal: the larger penalty is taken.
_SAME = 1e-9

# Random vectors by which a trace is estimated, and steps of the bidiagonalisation, where a decomposition is too dear.
_PROBES, _STEPS = 8, 60


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
    if is_large(features.X):
        return lsqr(features, targets, penalty, "RidgeRegressor")
    if columns <= rows:
        factor = _Factor.of(_plus_diagonal(features.scatter, penalty))
        if factor is not None:
            return factor.solve(features.transposed_dot(targets))
    elif penalty > 0:  # without a penalty the centred kernel is singular
        factor = _Factor.of(_plus_diagonal(features.gram, penalty))
        if factor is not None:
            return features.transposed_dot(factor.solve(targets))
    dense = features.dense()
    left, values, right = scipy.linalg.svd(dense, full_matrices=False, check_finite=False)
    kept = values > DEFAULT_RCOND * values[0]
    left, values, right = left[:, kept], values[kept], right[kept]
    shrunk = (values / (np.square(values) + penalty))[:, np.newaxis]
    solution: FloatArray = right.T @ (shrunk * (left.T @ targets))
    return solution


def _errors_of_penalties(features: Features, targets: FloatArray, *, exact: bool) -> tuple[FloatArray, FloatArray]:
    """Return penalties and their (generalised) leave-one-out errors, from one eigendecomposition.

    With the singular value decomposition ``Xc = U S V'`` the residual of a penalty is ``T - U (1 - F) U'T`` with
    ``F = penalty / (S^2 + penalty)``, and its hat matrix, the intercept included, ``11'/n + U (1 - F) U'``.
    """
    if is_large(features.X):
        if exact:
            raise DataError(
                f"alpha='loo' decomposes a matrix of order {min(features.shape)}; take 'gcv', which is estimated by "
                "iteration at this size"
            )
        return _estimated_errors(features, targets)
    rows, columns = features.shape
    squares, vectors = scipy.linalg.eigh(features.gram if rows < columns else features.scatter, check_finite=False)
    kept = squares > max(rows, columns) * np.finfo(float).eps * max(squares[-1], 0.0)
    squares, vectors = squares[kept], vectors[:, kept]
    if not len(squares):  # the features do not vary
        return np.ones(1), np.zeros(1)
    by_rows = rows < columns
    left = vectors if by_rows else features.dot(vectors) / np.sqrt(squares) if exact else None
    if by_rows:
        along = vectors.T @ targets
    else:
        along = (vectors.T @ features.transposed_dot(targets)) / np.sqrt(squares)[:, np.newaxis]
    penalties = _TRIED * squares[-1]
    shrinkage = penalties[:, np.newaxis] / (squares + penalties[:, np.newaxis])  # F, one row per penalty
    if not exact:
        outside = max(float(np.square(targets).sum() - np.square(along).sum()), 0.0)
        residual = np.square(shrinkage) @ np.square(along).sum(axis=1) + outside
        return penalties, _generalised(residual, shrinkage.sum(axis=1) + (rows - 1 - len(squares)), rows, targets)
    assert left is not None
    rest, lost = targets - left @ along, 1.0 - features.intercept_leverage - np.square(left).sum(axis=1)
    errors = np.empty(len(penalties))
    for number, factors in enumerate(shrinkage):
        residual = left @ (factors[:, np.newaxis] * along) + rest
        errors[number] = np.square(residual / (np.square(left) @ factors + lost)[:, np.newaxis]).mean()
    return penalties, errors


def _generalised(residual: FloatArray, trace: FloatArray, rows: int, targets: FloatArray) -> FloatArray:
    """Return the criterion from sums of squared residuals and traces of ``I - H``."""
    errors: FloatArray = rows * residual / (np.square(trace) * targets.shape[1])
    return errors


def _estimated_errors(features: Features, targets: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Estimate the generalised errors by Golub-Kahan bidiagonalisation, from a fixed seed.

    Started from a vector t it gives ``t'F^k t`` for all penalties at once (Golub and von Matt 1997, "Generalized
    cross-validation for large-scale problems"): of the targets for the residual, of random signs for the trace.
    """
    rows = features.shape[0]
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (rows, _PROBES))
    signs = features.centre_rows(signs)
    starts = np.hstack([targets, signs])
    squares, weights = bidiagonal_spectra(features, starts, min(_STEPS, *features.shape))
    penalties = _TRIED * squares.max()
    squared_norms = np.square(starts).sum(axis=0)
    residual, trace = np.empty(len(penalties)), np.empty(len(penalties))
    of_targets = slice(None, targets.shape[1])
    for number, penalty in enumerate(penalties):
        factors = penalty / (squares + penalty)
        residual[number] = squared_norms[of_targets] @ (weights * np.square(factors)).sum(axis=1)[of_targets]
        trace[number] = (squared_norms * (weights * factors).sum(axis=1))[targets.shape[1] :].mean()
    return penalties, _generalised(residual, trace, rows, targets)


@register("ridge")
class RidgeRegressor(Regressor):
    """Ridge regression: least squares with a squared penalty on all coefficients but the intercept.

    With centred features Xc and targets Yc it minimises ``||Yc - Xc B||^2 + penalty ||B||^2``, through the Gram matrix
    of the features or, where these are more than the rows, of the rows. Where the penalty is zero and the features are
    collinear the solution of minimum norm is taken; singular values below 1e-10 of the largest then count as zero.
    A sparse matrix of more than 6000 rows and features is solved by LSQR iteration, in memory for the matrix and a few
    arrays of the coefficients' shape.

    Parameters
    ----------
    alpha : float, "gcv" or "loo", default="gcv"
        Strength of the penalty. ``"gcv"`` chooses it by generalised cross-validation, ``"loo"`` by the exact error of
        leaving out each row; one penalty serves all targets. A number, >= 0, is the penalty itself. Features of unit
        norm, such as those of a projection with ``P'Xc'XcP = I``, need a far smaller one than standardised features:
        one number does not serve both.
    relative : bool, default=False
        False: the penalty is ``alpha``. True: it is ``alpha`` times the mean over the features of their centred sum of
        squares, ``trace(Xc'Xc) / n_features``, so that one ``alpha`` serves features of any scale. No effect where the
        penalty is chosen.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features) or (n_features,)
    intercept_ : ndarray of shape (n_targets,) or float
    penalty_ : float
        The penalty itself, chosen or given, whatever ``relative`` is.
    penalties_ : ndarray of shape (n_penalties,)
        Penalties compared, ascending: 53 from 1e-10 to 1000 times the largest squared singular value of Xc. Only where
        the penalty is chosen.
    errors_ : ndarray of shape (n_penalties,)
        Their criterion: the mean squared error of leaving out each row, or its generalised approximation, averaged over
        the targets, in their squared units. Only where the penalty is chosen.

    References
    ----------
    Hoerl and Kennard (1970), "Ridge regression: biased estimation for nonorthogonal problems"; Golub, Heath and Wahba
    (1979), "Generalized cross-validation as a method for choosing a good ridge parameter". The multi-label baseline of
    mvmd-2016.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> model = mlreduce.make("ridge").fit(data.X, data.Y)
    >>> bool(1 < model.penalty_ < 1e5)
    True
    """

    linear = True
    complexity = Complexity("s m + m^3", "m^2", iterated="1000 s q", iterates_on="sparse")

    def __init__(self, alpha: float | str = "gcv", relative: bool = False) -> None:
        self.alpha = alpha
        self.relative = relative

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve for the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances. A sparse matrix stays sparse: its means are accounted for, not subtracted.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets, in any unit.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights >= 0 of the squared errors; a whole number stands for so many equal rows, except in the choice of
            the penalty, which leaves out a row with its weight.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, ``alpha`` is not a number >= 0, "gcv" or "loo", or a weight is negative.
        """
        X, targets = check_regression(self, X, y)
        table = targets.reshape(len(targets), -1)
        weights = check_sample_weight(sample_weight, len(table))
        if weights is None:
            features, target_mean = Features(X, centred=True), table.mean(axis=0)
            centred = table - target_mean
        else:
            features, target_mean = WeightedFeatures(X, weights), weights @ table / weights.sum()
            centred = np.sqrt(weights)[:, np.newaxis] * (table - target_mean)
        self.penalty_ = self._penalty(features, centred, remember=True)
        coefficients = _coefficients(features, centred, self.penalty_)
        self.coef_, self.intercept_ = coefficients.T, target_mean - features.mean @ coefficients
        if targets.ndim == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        return self

    def _penalty(self, features: Features, targets: FloatArray, *, remember: bool = False) -> float:
        alpha: Any = self.alpha  # whatever a configuration holds
        if isinstance(alpha, str) and alpha in ("gcv", "loo"):
            penalties, errors = _errors_of_penalties(features, targets, exact=alpha == "loo")
            if remember:
                self.penalties_, self.errors_ = penalties, errors
            return float(penalties[np.flatnonzero(errors <= errors.min() * (1.0 + _SAME))[-1]])
        if not isinstance(alpha, Real) or not 0 <= float(alpha) < np.inf:
            raise DataError(
                f"alpha, the strength of the ridge penalty, must be a finite number >= 0, 'gcv' or 'loo'; got {alpha!r}"
            )
        return float(alpha) * (features.squared_norms.sum() / features.shape[1] if self.relative else 1.0)

    def _predict(self, features: Any) -> FloatArray:
        predicted: FloatArray = features @ self.coef_.T + self.intercept_
        return predicted

    def predict_nested(
        self, Z_train: FloatArray, T_train: FloatArray, Z_test: FloatArray, sizes: Sequence[int]
    ) -> Iterator[FloatArray]:
        """Predict from the first k columns only, for several ascending k at the cost of the largest.

        For feature projections, whose features are ordered by importance. The predictions are those of a regression
        trained on k columns alone, but all have one penalty: where ``relative`` is true or it is chosen by
        cross-validation, that of all columns given. It is one Cholesky factorisation, since the leading blocks of a
        factor are the factors of the leading blocks. Where the penalty is zero and the columns are collinear, each size
        is solved separately.

        The estimator is not fitted by this and need not be.

        Parameters
        ----------
        Z_train : ndarray of shape (n_train, n_columns)
            Training features, most important column first.
        T_train : ndarray of shape (n_train, n_targets)
            Training targets.
        Z_test : ndarray of shape (n_test, n_columns)
            Features to predict from.
        sizes : sequence of int
            Ascending, each in 1..n_columns. The cost grows with the cube of the last.

        Returns
        -------
        iterator over ndarray of shape (n_test, n_targets)
            One array a size. Each is the next one's starting point: use it before asking for the next.

        Raises
        ------
        DataError
            If shapes or sizes do not fit, a value is not finite, or ``alpha`` is not a number >= 0, "gcv" or "loo".
        """
        training, targets, testing = (np.asarray(a, dtype=np.float64) for a in (Z_train, T_train, Z_test))
        _check_nested(training, targets, testing, sizes)
        target_mean, largest = targets.mean(axis=0), sizes[-1]
        penalty = self._penalty(Features(training, centred=True), targets - target_mean)
        leading = Features(training[:, :largest], centred=True)
        queries = testing[:, :largest] - leading.mean
        factor = _Factor.of(_plus_diagonal(leading.scatter, penalty))
        if factor is None:
            return _one_by_one(leading, targets - target_mean, target_mean, queries, sizes, penalty)
        weights = factor.half_solve(leading.transposed_dot(targets - target_mean))
        return _accumulate(factor.half_solve(queries.T).T, weights, target_mean, sizes)


def _accumulate(basis: FloatArray, weights: FloatArray, mean: FloatArray, sizes: Sequence[int]) -> Iterator[FloatArray]:
    predicted = np.tile(mean, (len(basis), 1))
    for start, stop in pairwise((0, *sizes)):
        predicted += basis[:, start:stop] @ weights[start:stop]
        yield predicted


def _one_by_one(
    features: Features, targets: FloatArray, mean: FloatArray, queries: FloatArray, sizes: Sequence[int], penalty: float
) -> Iterator[FloatArray]:
    for size in sizes:
        first = Features(features.X[:, :size], centred=True)
        yield mean + queries[:, :size] @ _coefficients(first, targets, penalty)


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
