"""Minimum-norm least squares on ``[1 X]`` from a Gram matrix, where its numerical rank is beyond doubt.

Let A be the design ``[1 X]``, or its transpose where that has fewer columns. A Cholesky factorisation with pivots of
``A'A``, scaled to a unit diagonal, picks r columns ``A1`` and expresses the others by them, ``A2 = A1 M``. Then
``A = A1 W'`` with ``W = [I; M']`` (in the order of the pivots), and the pseudo-inverse is
``W (W'W)^-1 (A1'A1)^-1 A1'``.

A Gram matrix squares the condition number, so that singular values below 1e-8 are lost in it. Two bounds replace them:

- ``A1`` has full rank: an estimate of the condition number of its scaled Gram matrix, from the Cholesky factor, bounds
  the smallest singular value from below, far above the cut-off. A submatrix has no larger one than A has at that place.
- The rest is zero: the vectors ``[-M; I]`` have norms of at least one, so that the next singular value of A is at most
  the Frobenius norm of ``A2 - A1 M``. That is computed from A itself, and has to be as small as rounding.

Where a bound does not hold, the answer is None, and a singular value decomposition has to decide. Solutions are refined
with residuals from A (Bjorck 1987, corrected seminormal equations), which makes them as accurate as from a QR
decomposition.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.linalg.features import row_products
from mlreduce.linalg.least_squares import Design
from mlreduce.linalg.lsqr import IterativeDesign, is_large
from mlreduce.validation import FloatArray, canonical, is_sparse

# Squared distance of a column from those picked, relative to its square, below which it is taken to depend on them.
_DEPENDENT = 1e-9
# Reciprocal condition number of the scaled Gram matrix below which refinement may not converge to full accuracy, and
# those from which one step is enough, and none where the error counts squared. A solution's relative error is some 100
# times the rounding unit over this number, and a step multiplies it by as much.
_ILL_CONDITIONED = 1e-10
_WELL_CONDITIONED = 1e-6
_FAIRLY_CONDITIONED = 1e-8
# What is left of dependent columns, relative to the largest singular value: rounding.
_ROUNDING = 1e-13
# Margin between a bound and the cut-off. The estimate of a condition number is rarely wrong by more than ten.
_MARGIN = 100.0
# Products of features are those of a sparse matrix below this density, from this size on.
_RARE = 0.1
_LARGE = 200_000


def factorise(X: Any, rcond: float) -> GramDesign | Design | IterativeDesign:
    """Factorise ``[1 X]`` for one training set, from its Gram matrix where that is safe.

    Of a sparse matrix of more than 6000 rows and columns no dense matrix is made: solutions are computed by iteration.
    Raises DataError if ``rcond`` is not in [0, 1).
    """
    if is_large(X) and 0 <= rcond < 1:
        return IterativeDesign(X)
    design = GramDesign.factorise(X, rcond) if 0 <= rcond < 1 else None
    return Design.factorise(X, rcond) if design is None else design


class GramDesign:
    """The design ``[1 X]``, factorised by way of its Gram matrix."""

    def __init__(self, X: Any, scale: FloatArray, factor: FloatArray, order: NDArray[np.integer[Any]]) -> None:
        self._features = X
        self._by_rows = X.shape[0] < X.shape[1] + 1
        self.rank = len(factor)
        self._scale = scale
        self._factor = factor
        self._picked, self._others = order[: self.rank], order[self.rank :]
        self._weights = np.empty((self.rank, 0))  # M
        self._steps = 1  # of refinement
        self._squared_steps = 0  # where the error counts squared
        self._mixing: FloatArray | None = None  # Cholesky factor of W'W = I + M M'

    @classmethod
    def factorise(cls, X: Any, rcond: float) -> Self | None:
        """Factorise a feature matrix, dense or sparse; None where the rank at the cut-off ``rcond`` is in doubt."""
        X = _by_density(X)
        gram = _gram(X)
        squares = gram.diagonal().copy()
        scale = np.sqrt(np.where(squares > 0, squares, 1.0))
        gram /= scale
        gram /= scale[:, np.newaxis]
        factor, pivots, rank, _ = scipy.linalg.lapack.dpstrf(gram, tol=_DEPENDENT, lower=1)
        order = pivots - 1
        picked = order[:rank]
        norm = np.abs(gram if rank == len(gram) else gram[np.ix_(picked, picked)]).sum(axis=0).max()
        design = cls(X, scale[picked], np.asfortranarray(factor[:rank, :rank]), order)
        reciprocal_condition, _ = scipy.linalg.lapack.dpocon(design._factor, norm, uplo="L")
        smallest = np.sqrt(reciprocal_condition * norm) * design._scale.min()
        largest = np.sqrt(squares.sum())  # at least the largest singular value
        if reciprocal_condition < _ILL_CONDITIONED or not smallest > _MARGIN * rcond * largest:
            return None
        design._steps = 1 if reciprocal_condition > _WELL_CONDITIONED else 2
        design._squared_steps = 0 if reciprocal_condition > _FAIRLY_CONDITIONED else 1
        negligible = min(_ROUNDING, rcond / _MARGIN) * np.sqrt(squares.max())
        return design if design._explains_the_others(negligible) else None

    def _explains_the_others(self, negligible: float) -> bool:
        """Express the columns that were not picked by those that were, and return whether that leaves nothing."""
        if not len(self._others):
            return True
        unit = np.zeros((self.rank + len(self._others), len(self._others)))
        unit[self._others, np.arange(len(self._others))] = 1.0
        rest = self._times(unit)
        self._weights = np.zeros((self.rank, len(self._others)))
        for _ in range(1 + self._steps):
            self._weights += self._solve(self._transposed_times(rest)[self._picked])
            unit[self._picked] = -self._weights
            rest = self._times(unit)
        mixed = self._weights @ self._weights.T
        mixed.flat[:: self.rank + 1] += 1.0
        self._mixing, _ = scipy.linalg.lapack.dpotrf(mixed, lower=1)
        return bool(np.linalg.norm(rest) < negligible)

    def coefficients(self, targets: FloatArray) -> FloatArray:
        """Return the minimum-norm solution, shape (n_features + 1, n_targets); row 0 is the intercept."""
        if self._by_rows:  # A is the transpose: ``A1 (A1'A1)^-1 (W'W)^-1 W'`` of the targets
            wanted = self._unmix(targets[self._picked] + self._weights @ targets[self._others])
            solution = self._times(self._spread(self._solve(wanted)))
            for _ in range(self._steps):  # of the solution itself: (A1'A1)^-1 of the targets may be far larger
                explained = self._transposed_times(solution)[self._picked]
                solution += self._times(self._spread(self._solve(wanted - explained)))
            return solution
        some = self._least_squares(targets, self._steps)
        if self._mixing is None:
            return some
        mixed = self._unmix(some[self._picked])
        some[self._picked], some[self._others] = mixed, self._weights.T @ mixed
        return some

    def explained_gram(self, targets: FloatArray) -> FloatArray:
        """Return ``T'HT`` for the hat matrix ``H = [1 X][1 X]^+``, shape (n_targets, n_targets)."""
        if self._by_rows:  # the range of the design is that of W
            if self._mixing is None:
                return targets.T @ targets
            combined = targets[self._picked] + self._weights @ targets[self._others]
            return combined.T @ self._unmix(combined)
        # For fitted values F = HT + E with E in the range of H, this is T'HT - E'E: an error counts squared.
        fitted = self._times(self._least_squares(targets, self._squared_steps))
        mixed = fitted.T @ (targets - fitted / 2)
        return mixed + mixed.T

    def _least_squares(self, targets: FloatArray, steps: int) -> FloatArray:
        """Solve on the picked columns; coefficients of the others are zero."""
        some = self._spread(self._solve(self._transposed_times(targets)[self._picked]))
        for _ in range(steps):
            residual = targets - self._times(some)
            some += self._spread(self._solve(self._transposed_times(residual)[self._picked]))
        return some

    def _solve(self, values: FloatArray) -> FloatArray:
        """Apply ``(A1'A1)^-1``."""
        scale = self._scale[:, np.newaxis]
        solution: FloatArray = scipy.linalg.lapack.dpotrs(self._factor, values / scale, lower=1)[0]
        return solution / scale

    def _unmix(self, values: FloatArray) -> FloatArray:
        """Apply ``(W'W)^-1``."""
        if self._mixing is None:
            return values
        return scipy.linalg.lapack.dpotrs(self._mixing, values, lower=1)[0]

    def _spread(self, values: FloatArray) -> FloatArray:
        spread = np.zeros((self.rank + len(self._others), values.shape[1]))
        spread[self._picked] = values
        return spread

    def _times(self, values: FloatArray) -> FloatArray:
        """Apply A."""
        return self._apply_transposed(values) if self._by_rows else self._apply(values)

    def _transposed_times(self, values: FloatArray) -> FloatArray:
        """Apply ``A'``."""
        return self._apply(values) if self._by_rows else self._apply_transposed(values)

    def _apply(self, values: FloatArray) -> FloatArray:
        return self._features @ values[1:] + values[0]

    def _apply_transposed(self, values: FloatArray) -> FloatArray:
        return np.vstack([values.sum(axis=0), self._features.T @ values])


def _by_density(X: Any) -> Any:
    """Return the features as a CSR array in canonical format if they are many and few are not zero, else as an array.

    The choice and the entries are the same whatever the form, so that solutions are too.
    """
    size = X.shape[0] * X.shape[1]
    X = canonical(X)
    if size < _LARGE or (X.count_nonzero() if is_sparse(X) else np.count_nonzero(X)) > _RARE * size:
        return X.toarray() if is_sparse(X) else X
    rare = sp.csr_array(X)
    if rare.nnz > rare.count_nonzero():
        rare = rare.copy()
        rare.eliminate_zeros()
    return rare


def _gram(X: Any) -> FloatArray:
    """Return the Gram matrix of the columns of ``[1 X]``, or of its rows where there are fewer."""
    rows, columns = X.shape
    if rows < columns + 1:
        products = row_products(X) if is_sparse(X) else X @ X.T
        return products + 1.0
    gram = np.empty((columns + 1, columns + 1))
    gram[0, 0] = rows
    gram[0, 1:] = gram[1:, 0] = X.sum(axis=0)
    gram[1:, 1:] = _scatter(X) if is_sparse(X) else X.T @ X
    return gram


def _scatter(X: Any) -> FloatArray:
    """Return ``X'X`` of a CSR array in canonical format."""
    from mlreduce.linalg.compiled import scatter_of_rows  # brings Numba along

    return scatter_of_rows(X.indptr, X.indices, X.data, np.ones(X.shape[0]), X.shape[1])
