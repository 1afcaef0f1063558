"""Wide features by factors over their instances: coordinates in their row space, and systems of their order.

With fewer instances than features all directions lie in the row space of X, and are ``X'C`` for coefficients C of the
instances. What is computed has the order of the instances: no array of the shape of the features is made.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg

from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.features import CACHED_BYTES, Features
from mlreduce.spectral.form import Form
from mlreduce.validation import FloatArray, as_dense

__all__ = ["CholeskyFactor", "Directions", "RowSpace", "inverse_times", "orthonormal", "row_space"]

# Least number of rounding errors of the largest eigenvalue below which an eigenvalue is zero; larger matrices take
# their order.
_LEAST_ORDER = 1000

# Relative eigenvalue below which directions are orthogonalised again after a strategy that squares condition numbers:
# the others are orthonormal to about 1e-10.
WEAK = 1e-6

# Reciprocal condition number below which refined solutions lose digits, and of a Woodbury correction, which is not
# refined.
_ILL_CONDITIONED, _LITTLE_LEFT = 1e-10, 1e-6


def rounding(order: int, norm: float) -> float:
    """Return the rounding error of the eigenvalues of a matrix of an order and norm."""
    return max(order, _LEAST_ORDER) * float(np.finfo(float).eps) * norm


def orthonormal(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """Scale products such as ``X'u`` to unit norm, in place, and orthogonalise those of small eigenvalues again.

    Their loss of orthogonality by rounding is inverse to the eigenvalue. Householder reflections change signs, and
    coordinates that belong to the vectors have none of that: they are changed back.
    """
    vectors /= np.sqrt(np.einsum("ij,ij->j", vectors, vectors))
    strong = int(np.count_nonzero(values > WEAK * values.max(initial=0.0)))
    if strong < len(values):
        leading, weak = vectors[:, :strong], vectors[:, strong:]
        for _ in range(2):
            weak = weak - leading @ (leading.T @ weak)
        directions, triangle = np.linalg.qr(weak)
        vectors[:, strong:] = directions * np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return vectors


class Directions:
    """Directions ``X'C`` of wide features, computed in the memory that they take: C is stored at the end of it.

    Attributes
    ----------
    coefficients : ndarray of shape (k, n_samples)
        ``C'``, to be filled.
    """

    def __init__(self, features: Features, number: int) -> None:
        self._features, (n_samples, n_features) = features, features.shape
        self._table = np.empty((number, n_features))
        self.coefficients = self._table.reshape(-1)[number * (n_features - n_samples) :].reshape(number, n_samples)

    def expand(self) -> FloatArray:
        """Return ``X'C``, shape (n_features, k), in Fortran order; a row of the table never covers one not yet read."""
        for rows in row_blocks(*self._table.shape):
            self._table[rows] = self._features.transposed_dot(self.coefficients[rows].T.copy()).T
        return self._table.T


class CholeskyFactor:
    """Cholesky factor with pivots of ``K = D^1/2 XX' D^1/2 + ridge I``, D diagonal.

    It picks instances whose rows of K determine the others: ``K = W K_1 W'`` with their block ``K_1 = LL'`` and
    ``W = [I; M]``, in the order of the pivots.

    Attributes
    ----------
    rank : int
    condition : float
        Estimate of the reciprocal condition number of ``K_1``, by the norm of K.
    """

    def __init__(self, features: Features, roots: FloatArray | float = 1.0, ridge: float = 0.0) -> None:
        self._roots = np.zeros((features.shape[0], 1)) + np.reshape(roots, (-1, 1))
        self._ridge = ridge
        matrix = features.new_gram()
        if isinstance(roots, np.ndarray):
            matrix *= roots
            matrix *= roots[:, np.newaxis]
        matrix.flat[:: len(matrix) + 1] += ridge
        norm = scipy.linalg.norm(matrix, 1, check_finite=False)
        least = rounding(max(features.shape), matrix.diagonal().max(initial=0.0))
        # The transpose of a symmetric matrix is itself, in the order that LAPACK overwrites without a copy.
        factor, pivots, rank, _ = scipy.linalg.lapack.dpstrf(matrix.T, tol=least, lower=1, overwrite_a=1)
        self.rank = int(rank)
        self._picked, self._others = pivots[: self.rank] - 1, pivots[self.rank :] - 1
        self._below = factor[self.rank :, : self.rank].copy()
        # Solving with all of the factor leaves the instances that were not picked at zero.
        factor[self.rank :] = 0.0
        if self.rank < len(factor):
            factor.flat[self.rank * (len(factor) + 1) :: len(factor) + 1] = factor[0, 0]
        self._factor = factor
        self.condition = scipy.linalg.lapack.dpocon(factor, norm, uplo="L")[0] if self.rank else 0.0
        self._weights = self._half_solve(self._below.T, transposed=True)[: self.rank].T  # M

    def _half_solve(self, right: FloatArray, *, transposed: bool) -> FloatArray:
        """Return ``L^-1 R``, or ``L'^-1 R``, and zeros below."""
        padded = np.zeros((len(self._factor), right.shape[1]), order="F")
        padded[: self.rank] = right
        return scipy.linalg.lapack.dtrtrs(self._factor, padded, lower=1, trans=int(transposed), overwrite_b=1)[0]

    def _placed(self, ordered: FloatArray) -> FloatArray:
        """Return rows in the order of the pivots at their instances."""
        placed = np.zeros_like(ordered)
        placed[np.r_[self._picked, self._others]] = ordered
        return placed

    def orthonormal_times(self, right: FloatArray) -> FloatArray:
        """Return ``L'^-1 R`` at the picked instances: coefficients C of directions ``X'C``, for D and ridge of 1 and 0.

        For R = I these are an orthonormal basis of the row space.
        """
        return self._placed(self._half_solve(right, transposed=True))

    def coordinates(self) -> FloatArray:
        """Return the instances in that basis, shape (n_samples, rank)."""
        table = np.empty((len(self._factor), self.rank))
        table[self._picked] = self._factor[: self.rank, : self.rank]
        table[self._others] = self._below
        for number, row in enumerate(self._picked):
            table[row, number + 1 :] = 0.0
        return table

    def solve(self, features: Features, targets: FloatArray) -> FloatArray:
        """Return ``K^+ T`` but for what ``X'D^1/2`` does not see: zeros at instances that were not picked.

        Refined by a residual from X itself, which makes it as accurate as from a QR decomposition (Bjorck 1987).
        """
        wanted = targets[self._picked]
        if len(self._others):  # (W'W)^-1 W'T
            wanted = wanted + self._weights.T @ targets[self._others]
            if len(self._others) > self.rank:
                mixed = np.eye(self.rank) + self._weights.T @ self._weights
                wanted = scipy.linalg.solve(mixed, wanted, assume_a="pos")
            else:
                mixed = np.eye(len(self._others)) + self._weights @ self._weights.T
                wanted -= self._weights.T @ scipy.linalg.solve(mixed, self._weights @ wanted, assume_a="pos")
        solution, roots = self._solve(wanted), self._roots
        product = roots * features.dot(features.transposed_dot(roots * solution)) + self._ridge * solution
        return solution + self._solve(wanted - product[self._picked])

    def _solve(self, wanted: FloatArray) -> FloatArray:
        half = self._half_solve(wanted, transposed=False)[: self.rank]
        return self._placed(self._half_solve(half, transposed=True))


def _factor_of(features: Features, roots: FloatArray | float, ridge: float) -> CholeskyFactor:
    """Return the factor, cached with the features where D is the identity."""
    if isinstance(roots, np.ndarray):
        return CholeskyFactor(features, roots, ridge)
    key = "factor over instances", ridge
    if key not in features.shared:
        features.shared[key] = CholeskyFactor(features, roots, ridge)
    return features.shared[key]


def inverse_times(features: Features, constraint: Form, factor: Any) -> FloatArray | None:
    """Return ``B^-1 X'F`` for ``B = X'(D + ZKZ')X + ridge I``; on the row space where the ridge is zero.

    ``(X'DX + ridge I)^-1 X' = X'D^1/2 (D^1/2 XX'D^1/2 + ridge I)^-1 D^-1/2``, and Woodbury's identity adds ``ZKZ'``.

    Parameters
    ----------
    features : Features
        X.
    constraint : Form
        B, without graph and squared scatter.
    factor : sparse matrix or ndarray of shape (n_samples, q)
        F.

    Returns
    -------
    ndarray of shape (n_features, q) or None
        None where B is too ill-conditioned, or instances of weight zero have a row in F or Z.
    """
    wanted = as_dense(factor)
    others = np.zeros((len(wanted), 0)) if constraint.factor is None else as_dense(constraint.factor)
    both = np.hstack([wanted, others])
    weights: Any = constraint.weights
    common = not isinstance(weights, np.ndarray)
    roots = np.sqrt(np.zeros(len(both)) + weights)[:, np.newaxis]
    if not np.any(roots) or both[roots[:, 0] == 0].any() or (others.size and not constraint.ridge):
        return None
    ridge = constraint.ridge / weights if common else constraint.ridge
    cholesky = _factor_of(features, 1.0 if common else roots[:, 0], ridge)
    if not cholesky.condition > _ILL_CONDITIONED:
        return None
    if common:
        inverse = features.transposed_dot(cholesky.solve(features, both) / weights)
    else:
        right = np.divide(both, roots, out=np.zeros_like(both), where=roots > 0)
        inverse = features.transposed_dot(roots * cholesky.solve(features, right))
    if not others.size:
        return inverse
    products = others.T @ features.dot(inverse)
    size = wanted.shape[1]
    middle = constraint.middle_matrix()
    small = np.eye(len(middle)) + middle @ products[:, size:]
    if 1.0 / np.linalg.cond(small) < _LITTLE_LEFT:
        return None
    return inverse[:, :size] - inverse[:, size:] @ np.linalg.solve(small, middle @ products[:, :size])


class RowSpace(NamedTuple):
    """An orthonormal basis Q of the row space of features, and the features in its coordinates.

    Attributes
    ----------
    coordinates : Features
        ``XQ``, shape (n_samples, rank).
    factor : CholeskyFactor or None
        Defines Q, of wide features that are well-conditioned.
    duals : ndarray of shape (n_samples, n_strong), or None
        Otherwise, of wide features: ``X'`` times it are the first columns of Q.
    basis : ndarray of shape (n_features, r)
        The other columns of Q.
    """

    coordinates: Features
    factor: CholeskyFactor | None
    duals: FloatArray | None
    basis: FloatArray

    @classmethod
    def of_cholesky(cls, features: Features) -> Self | None:
        """Return coordinates by a Cholesky factor; None where the basis would not be orthonormal to about 1e-10."""
        factor = CholeskyFactor(features)
        if factor.condition < WEAK:
            return None
        table = factor.coordinates()
        if features.centred:
            table -= table.mean(axis=0)  # rounding errors
        return cls(Features(table, centred=False), factor, None, np.zeros((features.shape[1], 0)))

    @classmethod
    def of_eigenvectors(cls, features: Features) -> Self:
        """Return coordinates of the principal axes, those of largest variance first."""
        wide = features.shape[0] < features.shape[1]
        values, vectors = scipy.linalg.eigh(
            features.new_gram().T if wide else features.scatter.copy(),
            driver="evd",
            overwrite_a=True,
            check_finite=False,
        )
        number = int(np.count_nonzero(values > rounding(max(features.shape), values.max(initial=0.0))))
        values, vectors = values[::-1][:number], vectors[:, ::-1][:, :number]
        if not wide:
            return cls(Features(features.dot(vectors), features.centred), None, None, vectors)
        coordinates = Features(vectors * np.sqrt(values), features.centred)
        strong = int(np.count_nonzero(values > WEAK * values.max(initial=0.0)))
        duals, weak = vectors[:, :strong] / np.sqrt(values[:strong]), vectors[:, strong:]
        basis = features.transposed_dot(weak / np.sqrt(values[strong:]))
        if strong < number:
            for _ in range(2):
                basis -= features.transposed_dot(duals @ (duals.T @ features.dot(basis)))
            basis, triangle = np.linalg.qr(basis)
            basis *= np.where(np.diag(triangle) < 0, -1.0, 1.0)
        return cls(coordinates, None, duals, basis)

    def times(self, features: Features, right: FloatArray) -> FloatArray:
        """Return ``QR``, shape (n_features, k).

        Parameters
        ----------
        features : Features
            Those of which it is the row space.
        right : ndarray of shape (rank, k)
            R.
        """
        if self.factor is not None:
            return features.transposed_dot(self.factor.orthonormal_times(right))
        if self.duals is None:
            return self.basis @ right
        strong = self.duals.shape[1]
        product = features.transposed_dot(self.duals @ right[:strong])
        if self.basis.shape[1]:
            product += self.basis @ right[strong:]
        return product


def row_space(features: Features) -> RowSpace:
    """Return the row space of features, cached with them unless it is large."""
    space: RowSpace | None = features.shared.get("row space")
    if space is None:
        space = RowSpace.of_cholesky(features) if features.shape[0] < features.shape[1] else None
        space = RowSpace.of_eigenvectors(features) if space is None else space
        if space.coordinates.X.nbytes <= CACHED_BYTES:
            features.shared["row space"] = space
    return space
