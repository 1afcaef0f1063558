"""Minimum-norm least squares, for one training set or many subsets of the same rows.

The design matrix is ``[1 X]``: the intercept is its first coefficient and counts in the norm. Singular values
below ``rcond`` times the largest are treated as zero.

Repeated splits share one factorisation. With the thin SVD ``[1 X] = U S V'`` of *all* rows, a training set is
``U_tr S V'``, and ``U_tr'U_tr = I - U_te'U_te`` where all other rows train: everything that least squares on the
training rows needs follows from the small matrix ``I - U_te U_te'`` of the held-out rows. A split then costs a product
and a Cholesky factor of the size of the held-out part, not a decomposition of the size of the training part. Where a
split leaves rows out of both parts, ``U_tr S`` is decomposed.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.files import read_arrays
from mlreduce.validation import FloatArray, as_dense

#: Relative size below which a singular value of the design is zero. The eight data sets of cplst-2012 have a gap
#: of eleven orders of magnitude there (docs/deviations.md).
DEFAULT_RCOND = 1e-10

# 1 - m below this, for an eigenvalue m of U_te U_te', means that no training row varies along the direction.
# Rounding leaves about 1e-14; in the papers' data the next value is above 1e-5.
_UNSEEN = 1e-10


class Design(NamedTuple):
    """Thin singular value decomposition of the design ``[1 X]``, truncated at its numerical rank."""

    #: Of shape (n_samples, rank).
    left: FloatArray
    #: Of shape (rank,).
    singular_values: FloatArray
    #: Of shape (rank, n_features + 1).
    right: FloatArray

    @property
    def rank(self) -> int:
        """Numerical rank of the design."""
        return len(self.singular_values)

    @classmethod
    def factorise(cls, X: Any, rcond: float = DEFAULT_RCOND) -> Self:
        """Factorise a feature matrix, dense or sparse.

        The left factor is dense whatever X is: memory is about 2 * n_samples * n_features numbers.
        """
        features = as_dense(X)
        rows, columns = features.shape
        design = np.empty((rows, columns + 1), order="F")
        design[:, 0] = 1.0
        design[:, 1:] = features
        left, values, right = scipy.linalg.svd(design, full_matrices=False, overwrite_a=True, check_finite=False)
        return cls(left, values, right).truncated(rcond)

    def coefficients(self, targets: FloatArray) -> FloatArray:
        """Return the minimum-norm solution, shape (n_features + 1, n_targets); row 0 is the intercept."""
        return self.right.T @ ((self.left.T @ targets) / self.singular_values[:, np.newaxis])

    def explained_gram(self, targets: FloatArray) -> FloatArray:
        """Return ``T'HT`` for the hat matrix ``H = [1 X][1 X]^+``, shape (n_targets, n_targets)."""
        projected = self.left.T @ targets
        return projected.T @ projected

    def select_rows(self, rows: NDArray[np.integer[Any]], rcond: float) -> Self:
        """Return the design of some of the rows, cut off by the largest singular value of these rows."""
        left, values, right = scipy.linalg.svd(self.left[rows] * self.singular_values, full_matrices=False)
        return type(self)(left, values, right @ self.right).truncated(rcond)

    def truncated(self, rcond: float) -> Self:
        """Return the same design with a coarser cut-off; raise DataError if ``rcond`` is not in [0, 1)."""
        if not 0 <= rcond < 1:
            raise DataError(f"rcond must lie in [0, 1); got {rcond}")
        rank = int(np.count_nonzero(self.singular_values > rcond * self.singular_values[0]))
        left, right = np.ascontiguousarray(self.left[:, :rank]), np.ascontiguousarray(self.right[:rank])
        return type(self)(left, self.singular_values[:rank], right)

    def save(self, path: str | Path) -> None:
        """Write to an ``.npz`` file."""
        with Path(path).open("wb") as file:
            np.savez(file, **self._asdict())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote; raise DataError if the file is incomplete."""
        return cls(**read_arrays(path, "factorised design", cls._fields))


class HeldOutSolution(NamedTuple):
    """Predictions of least squares for held-out rows."""

    #: Of shape (n_held_out, n_targets). Predicted targets of the held-out rows.
    predictions: FloatArray
    #: Of shape (n_targets, n_targets). ``T'HT`` over the training rows, H their hat matrix.
    explained_gram: FloatArray


class HeldOutLeastSquares:
    """Least squares on the training rows of many splits, from one factorisation of all rows.

    Where all rows but the held-out ones train, directions that the training rows do not see count as zero, as do those
    below the cut-off of the design of all rows. Where singular values lie on either side of a gap, as in the papers'
    data, this is the cut-off of the training rows. The design is not truncated; ``rcond`` is the relative size below
    which a singular value is zero.
    """

    def __init__(self, design: Design, targets: FloatArray, rcond: float = DEFAULT_RCOND) -> None:
        self._all_values = design
        self._design = design.truncated(rcond)
        self._targets, self._rcond = targets, rcond

    @cached_property
    def _projected(self) -> FloatArray:
        return self._design.left.T @ self._targets

    def solve(self, train: NDArray[np.integer[Any]], held_out: NDArray[np.integer[Any]]) -> HeldOutSolution:
        """Solve on the training rows, and predict the held-out ones; rows that are in neither have no part in it."""
        if np.array_equal(np.sort(np.concatenate([train, held_out])), np.arange(len(self._targets))):
            return self._without(held_out)
        design = self._all_values
        training, targets = design.select_rows(train, self._rcond), self._targets[train]
        rows = design.left[held_out] * design.singular_values
        return HeldOutSolution(rows @ (design.right @ training.coefficients(targets)), training.explained_gram(targets))

    def _without(self, held_out: NDArray[np.integer[Any]]) -> HeldOutSolution:
        """Solve on all rows but the held-out ones.

        With ``B = U_tr'T`` and ``F = U_te B``, Woodbury's identity gives the predictions ``G = (I - U_te U_te')^-1 F``
        and ``T'HT = B'B + F'G``.
        """
        left = self._design.left[held_out]
        training = self._projected - left.T @ self._targets[held_out]
        fitted = left @ training
        leverage = left @ left.T
        residual = np.negative(leverage)
        residual.flat[:: len(residual) + 1] += 1.0
        factor, info = scipy.linalg.lapack.dpotrf(residual, lower=1, clean=0)
        if info == 0:
            norm = np.abs(residual).sum(axis=0).max()
            reciprocal_condition, _ = scipy.linalg.lapack.dpocon(factor, norm, uplo="L")
            # An estimate of the smallest eigenvalue, from above and rarely by more than a factor of ten.
            if reciprocal_condition * norm > 100 * _UNSEEN:
                predictions, _ = scipy.linalg.lapack.dpotrs(factor, fitted, lower=1)
                return HeldOutSolution(predictions, training.T @ training + fitted.T @ predictions)
        return self._without_unseen_directions(left, leverage, training, fitted)

    def _without_unseen_directions(
        self, left: FloatArray, leverage: FloatArray, training: FloatArray, fitted: FloatArray
    ) -> HeldOutSolution:
        """Solve when some direction occurs in the held-out rows only, so that the training design lost rank.

        Eigenvectors E1 of the leverage with eigenvalue one span those directions, ``N = U_te'E1`` in the
        coordinates of U. Least squares leaves the solution's part in N open; the minimum norm of the
        coefficients, which is ``||S^-1 (c + N z)||`` in these coordinates, decides it.
        """
        seen_part, vectors = np.linalg.eigh(leverage)
        unseen = 1.0 - seen_part < _UNSEEN
        seen = vectors[:, ~unseen]
        solution = seen @ ((seen.T @ fitted) / (1.0 - seen_part[~unseen])[:, np.newaxis])
        explained = training.T @ training + fitted.T @ solution
        if not unseen.any():
            return HeldOutSolution(solution, explained)
        inverse = 1.0 / self._design.singular_values[:, np.newaxis]
        blind = vectors[:, unseen]
        coordinates = training + left.T @ solution
        shift, *_ = np.linalg.lstsq(inverse * (left.T @ blind), inverse * coordinates, rcond=None)
        return HeldOutSolution(solution - blind @ shift, explained)
