"""Ridge regression with many targets, and for nested sets of features at the cost of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg
from sklearn.base import clone

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, warn
from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.features import Features, WeightedFeatures
from mlreduce.linalg.least_squares import DEFAULT_RCOND
from mlreduce.linalg.lsqr import is_large, lsqr
from mlreduce.linalg.penalties import FREEDOM, errors_of_penalties, find_edge, gram_eigenvectors, largest_of_least
from mlreduce.linalg.utilities import joined, known_together, map_columns, scores_of_rows
from mlreduce.predictors._base import Regressor
from mlreduce.predictors.decision import Blocks, fit_left_out
from mlreduce.registry import register
from mlreduce.validation import (
    FloatArray,
    as_dense,
    check_finite,
    check_memory,
    check_regression,
    is_sparse,
)

# A Gram matrix of unit diagonal with a smaller reciprocal condition number is left to singular values, which are not
# squared.
_ILL_CONDITIONED = 1e-10

# Share of the largest eigenvalue of a Gram matrix of rows down to which its eigenvalues have twelve digits.
_RESOLVED = 1e-4

# Least share of a row that the others must leave to it: below, what leaving it out changes is lost in rounding.
_ALONE = 1e-8

# Likely causes and remedies if the penalty at an end of the grid is chosen.
_EDGES = {
    "lowest": "the features determine the targets; give alpha a number, or take alpha='loo'",
    "highest": "the features predict the targets no better than their mean; scale the features, or take others",
}


def check_coefficients(X: Any, targets: Any) -> None:
    """Refuse sparse targets whose coefficients, an array, there is no memory for."""
    check_memory(
        16.0 * X.shape[1] * targets.shape[1],
        f"an array of coefficients of {X.shape[1]} features for {targets.shape[1]} targets",
        "regress codes of the labels, as CodedClassifier does, or fewer targets at once",
    )


def _dense_targets(targets: Any) -> FloatArray:
    """Return targets as an array, where there is memory for it."""
    if is_sparse(targets):
        check_memory(8.0 * np.prod(targets.shape), "a dense matrix of the targets", "fit fewer targets at once")
    return as_dense(targets)


class _Factor(NamedTuple):
    """Cholesky factor of a matrix scaled to a unit diagonal, for accuracy with features of unequal scale."""

    lower: FloatArray
    scale: FloatArray

    @classmethod
    def from_matrix(cls, matrix: FloatArray) -> Self | None:
        """Factorise, in place, or return None where the matrix is singular or close to it."""
        diagonal = np.diag(matrix)
        if not (diagonal > 0).all():
            return None
        scale = 1.0 / np.sqrt(diagonal)
        matrix *= scale
        matrix *= scale[:, np.newaxis]
        norm = scipy.linalg.norm(matrix, 1, check_finite=False)
        lower, info = scipy.linalg.lapack.dpotrf(matrix, lower=1, clean=1, overwrite_a=1)
        if info != 0:
            return None
        reciprocal_condition, _ = scipy.linalg.lapack.dpocon(lower, norm, uplo="L")
        return cls(lower, scale) if reciprocal_condition > _ILL_CONDITIONED else None

    def half_solve(self, targets: FloatArray) -> FloatArray:
        """Return ``L^-1 T`` for the factor L of the matrix itself."""
        return scipy.linalg.solve_triangular(
            self.lower, self.scale[:, np.newaxis] * targets, lower=True, check_finite=False
        )

    def solve(self, targets: FloatArray) -> FloatArray:
        scale = self.scale[:, np.newaxis]
        return scale * scipy.linalg.cho_solve((self.lower, True), scale * targets, check_finite=False)


def _plus_diagonal(matrix: FloatArray, value: float) -> FloatArray:
    """Return a copy with a number added to the diagonal, in the order that LAPACK overwrites in place."""
    matrix = matrix.copy(order="F")
    matrix.flat[:: len(matrix) + 1] += value
    return matrix


def _coefficients(features: Features, targets: Any, penalty: float) -> FloatArray:
    """Return the coefficients, shape (n_features, n_targets), for centred targets, or sparse ones as they are."""
    rows, columns = features.shape
    if is_large(features.X):
        return map_columns(lambda part: lsqr(features, part, penalty, "RidgeRegressor"), targets, centred=True)
    if columns <= rows:
        factor = _Factor.from_matrix(_plus_diagonal(features.scatter, penalty))
        if factor is not None:
            return factor.solve(features.transposed_dot(targets))
    elif penalty > 0:  # without a penalty the centred kernel is singular
        factor = _Factor.from_matrix(_plus_diagonal(features.gram, penalty))
        if factor is not None:
            solver = factor
            return map_columns(lambda part: features.transposed_dot(solver.solve(part)), targets, centred=True)

    def solved(some: FloatArray) -> FloatArray:
        coefficients = np.zeros((columns, some.shape[1]))
        for part in _singular_parts(features):
            coefficients += part.coefficients(features, some, penalty)
        return coefficients

    return map_columns(solved, targets, centred=True)


class _SingularPart(NamedTuple):
    """Some singular vectors of features: those of the shorter side, squared values, those of the longer times values.

    The latter are None of the largest singular values, where products with the features take their place.
    """

    short: FloatArray
    squares: FloatArray
    long: FloatArray | None

    def coefficients(self, features: Features, targets: FloatArray, penalty: float) -> FloatArray:
        """Return what these directions add to the coefficients."""
        divisor = (self.squares + penalty)[:, np.newaxis]
        if _is_wide(features):
            shrunk = (self.short.T @ targets) / divisor
            return features.transposed_dot(self.short @ shrunk) if self.long is None else self.long @ shrunk
        if self.long is None:
            return self.short @ (self.short.T @ features.transposed_dot(targets) / divisor)
        return self.short @ ((self.long.T @ targets) / divisor)

    def leverages(self, features: Features, penalty: float) -> FloatArray:
        """Return what these directions add to the diagonal of the hat matrix."""
        if _is_wide(features):
            return np.asarray(np.square(self.short) @ (self.squares / (self.squares + penalty)))
        long = features.dot(self.short) if self.long is None else self.long
        return np.asarray(np.square(long) @ (1.0 / (self.squares + penalty)))

    def without(self, features: Features, table: FloatArray) -> FloatArray:
        """Return vectors of the longer side less what they have in these directions."""
        if self.long is not None:
            return table - self.long @ ((self.long.T @ table) / self.squares[:, np.newaxis])
        away, back = _products(features)
        return table - away(self.short @ ((self.short.T @ back(table)) / self.squares[:, np.newaxis]))


def _is_wide(features: Features) -> bool:
    return features.shape[0] < features.shape[1]


def _products(features: Features) -> tuple[Callable[[FloatArray], FloatArray], Callable[[FloatArray], FloatArray]]:
    """Return the products with features that lead from vectors of their shorter side to the longer, and back."""
    products = features.dot, features.transposed_dot
    return products[::-1] if _is_wide(features) else products


def _singular_parts(features: Features) -> list[_SingularPart]:
    """Return the parts of the singular value decomposition whose values do not count as zero, the largest first.

    Vectors of the shorter side are eigenvectors of its Gram matrix; where the eigenvalues would have lost digits to the
    square, of that of the features in their span, and so on. So no dense matrix of all features is decomposed.
    """
    if "singular parts" not in features.shared:
        features.shared["singular parts"] = list(_new_singular_parts(features))
    parts: list[_SingularPart] = features.shared["singular parts"]
    return parts


def _new_singular_parts(features: Features) -> Iterator[_SingularPart]:
    away, _ = _products(features)
    squares, vectors = gram_eigenvectors(features)
    basis, table, parts, least = np.eye(len(squares)), None, [], squares[-1] * DEFAULT_RCOND**2
    while squares[-1] > least:
        used = squares > max(least, _RESOLVED * squares[-1])
        own = vectors[:, used]
        parts.append(_SingularPart(basis @ own, squares[used], None if table is None else table @ own))
        yield parts[-1]
        if used.all():
            return
        basis = basis @ vectors[:, ~used]
        size = 8.0 * max(features.shape) * basis.shape[1]
        check_memory(size, "directions of little variance", "give a larger alpha")
        table = away(basis)
        for part in parts:  # in these directions a large singular value would leave its rounding
            table = part.without(features, table)
        squares, vectors = scipy.linalg.eigh(table.T @ table, check_finite=False)


def _left_to_each(features: Features, penalty: float) -> FloatArray | None:
    """Return one less the diagonal of the hat matrix, the intercept included; None where it is not cheap, or zero.

    The residual of a row divided by it is that of a regression on the other rows.
    """
    if is_large(features.X):
        return None
    rows, columns = features.shape
    factor = None
    if columns <= rows:
        factor = _Factor.from_matrix(_plus_diagonal(features.scatter, penalty))
        if factor is not None:
            left = np.empty(rows)
            for block in row_blocks(rows, columns):
                part = as_dense(features.X[block]) - features.mean
                left[block] = 1.0 - features.intercept_leverage - np.square(factor.half_solve(part.T)).sum(axis=0)
    elif penalty > 0:
        factor = _Factor.from_matrix(_plus_diagonal(features.gram, penalty))
        if factor is not None:
            inverse, _ = scipy.linalg.lapack.dtrtri(factor.lower, lower=1, overwrite_c=1)  # as large as the Gram matrix
            inverse *= factor.scale
            left = penalty * np.square(inverse, out=inverse).sum(axis=0) - features.intercept_leverage
    if factor is None:
        left = np.ones(rows) - features.intercept_leverage
        for own in _singular_parts(features):
            left -= own.leverages(features, penalty)
    return left if left.min() > _ALONE else None


@register("ridge")
class RidgeRegressor(Regressor):
    """Ridge regression: least squares with a squared penalty on all coefficients but the intercept.

    With centred features Xc and targets Yc it minimises ``||Yc - Xc B||^2 + penalty ||B||^2``, through the Gram matrix
    of the features or, where these are more than the rows, of the rows. Where the penalty is zero and the features are
    collinear the solution of minimum norm is taken; singular values below 1e-10 of the largest then count as zero.
    A sparse matrix of more than 6000 rows and features is solved by LSQR iteration, in memory for the matrix and a few
    arrays of the coefficients' shape. A target that is NaN somewhere is that of a fit to the other rows, together with
    the targets known in the same rows.

    Parameters
    ----------
    alpha : float, "loo", "gcv" or "plain-gcv", default="loo"
        Strength of the penalty. ``"loo"`` chooses it by the exact error of leaving out each row; ``"gcv"`` by
        generalised cross-validation, which is faster; one penalty serves all targets. Large sparse matrices, which are
        not decomposed, always have the latter, estimated by iteration. Rows
        that repeat count once, with the mean of their targets: otherwise they are predicted by their copies, and too
        small a penalty looks best, as with ``"plain-gcv"``. Penalties with more degrees of freedom than 95 % of the
        different rows are not compared. A number, >= 0, is the penalty itself. Features of unit
        norm, such as those of a projection with ``P'Xc'XcP = I``, need a far smaller one than standardised features:
        one number does not serve both. An integer weight of an instance counts as
        so many equal rows, of which one is left out.
    relative : bool, default=False
        False: the penalty is ``alpha``. True: it is ``alpha`` times the mean over the features of their centred sum of
        squares, ``trace(Xc'Xc) / n_features``, so that one ``alpha`` serves features of any scale. No effect where the
        penalty is chosen.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features) or (n_features,)
    intercept_ : ndarray of shape (n_targets,) or float
    penalty_ : float, or ndarray of shape (n_targets,) where several targets are NaN somewhere
        The penalty itself, chosen or given, whatever ``relative`` is.
    penalties_ : ndarray of shape (n_penalties,)
        Penalties compared, ascending, from 1e-10 to 1000 times the largest squared singular value of Xc: four per
        decade, of which "gcv" leaves out the least; by the exact errors one per decade, and four around the best. Only
        where the penalty is chosen.
    errors_ : ndarray of shape (n_penalties,)
        Their criterion: the mean squared error of leaving out each row, or its generalised approximation, averaged over
        the targets, in their squared units. Only where the penalty is chosen.
    edge_ : {"lowest", "highest"} or None
        Which end of ``penalties_`` was chosen, if any. Only where the penalty is chosen.

    Warns
    -----
    UserWarning
        If the chosen penalty is the lowest or the highest of those compared.

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
    takes_unknown_cells = True
    takes_sparse_targets = True
    #: Whether the end of the penalties is worth a warning.
    _warns = True

    intercept_: Any
    penalty_: Any

    complexity = Complexity("s m + m^3 + s q", "m^2 + d q", iterated="1000 s q", iterates_on="sparse")

    def __init__(self, alpha: float | str = "loo", relative: bool = False) -> None:
        self.alpha = alpha
        self.relative = relative

    def _fit(self, features: Any, targets: Any, weights: FloatArray | None = None) -> None:
        if is_sparse(targets):
            check_coefficients(features, targets)
            self._solve(features, targets if weights is None else _dense_targets(targets), weights)
        elif np.isnan(targets).any():
            self._fit_parts(features, targets, weights)
        else:
            self._solve(features, targets, weights)

    _fit_weighted = _fit

    def _fit_left_out(self, X: Any, y: Any) -> FloatArray | None:
        X, targets = check_regression(self, X, y)
        targets = _dense_targets(targets)
        if np.isnan(targets).any():
            return self._fit_parts(X, targets, leaving_out=True)
        features, centred = self._solve(X, targets)
        left = _left_to_each(features, self.penalty_)
        if left is None:
            return None
        residual = centred - features.dot(self.coef_.reshape(centred.shape[1], -1).T)
        return targets.reshape(centred.shape) - residual / left[:, np.newaxis]

    def _fit_left_out_blocks(self, X: Any, y: Any) -> Blocks | None:
        """Do as `_fit_left_out` for sparse targets, and return what yields the predictions in blocks of rows."""
        X, targets = check_regression(self, X, y)
        check_coefficients(X, targets)
        features, _ = self._solve(X, targets)
        left = _left_to_each(features, self.penalty_)
        if left is None:
            return None
        share = left[:, np.newaxis]

        def blocks() -> Iterator[tuple[slice, FloatArray]]:
            for rows in row_blocks(*targets.shape):
                table = as_dense(targets[rows])
                yield rows, table - (table - self._predict(X[rows])) / share[rows]

        return blocks

    def _fit_parts(
        self, X: Any, targets: FloatArray, weights: FloatArray | None = None, leaving_out: bool = False
    ) -> FloatArray | None:
        """Fit targets known in the same rows to these; return what `_fit_left_out` does, NaN where not known."""
        table = targets.reshape(len(targets), -1)
        n_targets = table.shape[1]
        self.coef_, self.intercept_ = np.zeros((n_targets, X.shape[1])), np.zeros(n_targets)
        self.penalty_ = np.zeros(n_targets)
        left_out: FloatArray | None = np.full(table.shape, np.nan) if leaving_out else None
        for rows, columns in known_together(table):
            part, known_targets = clone(self), table[rows][:, columns]
            if left_out is None:
                part.fit(X[rows], known_targets, None if weights is None else weights[rows])
            else:
                predicted = part._fit_left_out(X[rows], known_targets)
                if predicted is not None:
                    left_out[np.ix_(rows, columns)] = predicted
                leaving_out &= predicted is not None
            self.coef_[columns], self.intercept_[columns] = part.coef_, part.intercept_
            self.penalty_[columns] = part.penalty_
        if targets.ndim == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
            self.penalty_ = float(self.penalty_[0])
        for name in ("penalties_", "errors_", "edge_"):  # of an earlier fit
            if hasattr(self, name):
                delattr(self, name)
        return left_out if leaving_out else None

    def _solve(self, X: Any, targets: Any, weights: FloatArray | None = None) -> tuple[Features, Any]:
        """Fit, and return the centred features and targets; sparse targets as they are."""
        table = targets.reshape(targets.shape[0], -1)
        if is_sparse(table):
            features, target_mean, centred = Features(X, centred=True), np.asarray(table.mean(axis=0)), table
        elif weights is None:
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
        return features, centred

    def _penalty(self, features: Features, targets: Any, *, remember: bool = False) -> float:
        alpha: Any = self.alpha  # whatever a configuration holds
        if isinstance(alpha, str) and alpha in ("gcv", "loo", "plain-gcv"):
            freedom = np.inf if alpha == "plain-gcv" else FREEDOM
            penalties, errors = errors_of_penalties(features, targets, exact=alpha == "loo", freedom=freedom)
            penalties, errors = penalties[np.isfinite(errors)], errors[np.isfinite(errors)]
            best = largest_of_least(errors)
            edge = find_edge(best, len(errors))
            if edge is not None and self._warns:
                warn(f"RidgeRegressor: the {edge} of the penalties compared was chosen: {_EDGES[edge]}", UserWarning)
            if remember:
                self.penalties_, self.errors_, self.edge_ = penalties, errors, edge
            return float(penalties[best])
        if not isinstance(alpha, Real) or not 0 <= float(alpha) < np.inf:
            raise DataError(
                f"alpha, the strength of the ridge penalty, must be a finite number >= 0, 'loo', 'gcv' or "
                f"'plain-gcv'; got {alpha!r}"
            )
        return float(alpha) * (features.squared_norms.sum() / features.shape[1] if self.relative else 1.0)

    def _predict(self, features: Any) -> FloatArray:
        return scores_of_rows(features, self.coef_) + self.intercept_

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
            Training targets; NaN where not known.
        Z_test : ndarray of shape (n_test, n_columns)
            Features to predict from.
        sizes : sequence of int
            Ascending, each in 1..n_columns. The cost grows with the cube of the last.

        Returns
        -------
        iterator over ndarray of shape (n_test, n_targets)
            One array a size. Each is updated in place to the next one: use it before requesting the next.

        Raises
        ------
        DataError
            If shapes or sizes do not fit, a value is not finite, or ``alpha`` is not a number >= 0, "gcv" or "loo".
        """
        training, targets, testing = (np.asarray(a, dtype=np.float64) for a in (Z_train, T_train, Z_test))
        unknown = np.isnan(targets)
        _check_nested(training, np.where(unknown, 0.0, targets), testing, sizes)
        if unknown.any():
            return nested_parts(self.predict_nested, training, targets, testing, sizes)
        target_mean, largest = targets.mean(axis=0), sizes[-1]
        penalty = self._penalty(Features(training, centred=True), targets - target_mean)
        leading = Features(training[:, :largest], centred=True)
        queries = testing[:, :largest] - leading.mean
        factor = _Factor.from_matrix(_plus_diagonal(leading.scatter, penalty))
        if factor is None:
            return _one_by_one(leading, targets - target_mean, target_mean, queries, sizes, penalty)
        weights = factor.half_solve(leading.transposed_dot(targets - target_mean))
        return _accumulate(factor.half_solve(queries.T).T, weights, target_mean, sizes)

    def _nested_left_out(
        self, Z_train: FloatArray, T_train: FloatArray, Z_test: FloatArray, sizes: Sequence[int]
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield leave-one-out predictions of the training rows, and what `predict_nested` does.

        The diagonals of the hat matrices are sums over the columns, as the predictions are.
        """
        training, targets, testing = (np.asarray(a, dtype=np.float64) for a in (Z_train, T_train, Z_test))
        unknown = np.isnan(targets)
        _check_nested(training, np.where(unknown, 0.0, targets), testing, sizes)
        if unknown.any():
            yield from self._nested_left_out_parts(training, targets, testing, sizes)
            return
        mean, largest = targets.mean(axis=0), sizes[-1]
        penalty = self._penalty(Features(training, centred=True), targets - mean)
        leading = Features(training[:, :largest], centred=True)
        factor = _Factor.from_matrix(_plus_diagonal(leading.scatter, penalty))
        if factor is None:
            for size in sizes:
                model = RidgeRegressor(penalty)
                left_out = fit_left_out(model, training[:, :size], targets)
                yield left_out, model.predict(testing[:, :size])
            return
        weights = factor.half_solve(leading.transposed_dot(targets - mean))
        training_codes, queries = (
            factor.half_solve((rows[:, :largest] - leading.mean).T).T for rows in (training, testing)
        )
        left = np.full(len(training_codes), 1.0 - leading.intercept_leverage)
        starts = (0, *sizes)
        fits, guesses = (_accumulate(basis, weights, mean, sizes) for basis in (training_codes, queries))
        for start, stop, fitted, guess in zip(starts, sizes, fits, guesses, strict=False):
            left -= np.square(training_codes[:, start:stop]).sum(axis=1)
            if left.min() > _ALONE:
                yield targets - (targets - fitted) / left[:, np.newaxis], guess
            else:
                yield fit_left_out(RidgeRegressor(penalty), training[:, :stop], targets), guess

    def _nested_left_out_parts(
        self, train: FloatArray, targets: FloatArray, test: FloatArray, sizes: Sequence[int]
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the same where targets that are known in the same rows are trained on these; NaN where not known."""
        parts = [
            (rows, columns, self._nested_left_out(train[rows], targets[rows][:, columns], test, sizes))
            for rows, columns in known_together(targets)
        ]
        for _ in sizes:
            left_out, guesses = np.full(targets.shape, np.nan), []
            for rows, columns, part in parts:
                left_out[np.ix_(rows, columns)], guess = next(part)
                guesses.append((columns, guess))
            yield left_out, joined(guesses, targets.shape[1])


def nested_parts(
    predict: Callable[..., Iterator[FloatArray]], train: Any, targets: FloatArray, test: Any, sizes: Sequence[int]
) -> Iterator[FloatArray]:
    """Yield what a ``predict_nested`` predicts where targets that are known in the same rows are trained on these."""
    parts = [
        (columns, predict(train[rows], targets[rows][:, columns], test, sizes))
        for rows, columns in known_together(targets)
    ]
    for _ in sizes:
        yield joined([(columns, next(part)) for columns, part in parts], targets.shape[1])


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
