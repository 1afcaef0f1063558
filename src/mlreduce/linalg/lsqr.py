"""Least squares with large sparse matrices: iteration by products, for many targets at once.

Memory is that of the matrix and of a few arrays of the shapes of targets and coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from mlreduce.complexity import DENSE_SIDE
from mlreduce.exceptions import warn
from mlreduce.validation import FloatArray, is_sparse

__all__ = ["DENSE_SIDE", "IterativeDesign", "bidiagonal_spectra", "is_large", "lsqr"]

# Norm of the gradient at convergence, relative to that of the starting point.
_CONVERGED = 1e-13

# Iterations after which the solution is taken as it is. With a condition number k some 15 k are needed.
_MOST = 3000

# Entries of an array of coefficients of the targets that are solved for together (128 MB).
_BLOCK_ENTRIES = 2**24


class _Operator(Protocol):
    """A matrix by its products."""

    shape: tuple[int, int]

    def dot(self, right: FloatArray) -> FloatArray: ...

    def transposed_dot(self, right: FloatArray) -> FloatArray: ...


def is_large(X: Any) -> bool:
    """Whether features are sparse, and too many in both directions for a dense matrix of the smaller order."""
    return is_sparse(X) and min(X.shape) > DENSE_SIDE


def lsqr(matrix: _Operator, targets: FloatArray, penalty: float, who: str) -> FloatArray:
    """Minimise ``||T - AB||^2 + penalty ||B||^2`` by LSQR iteration, the solution of least norm without a penalty.

    Each target has a separate iteration; the products with the matrix A are shared. A ConvergenceWarning, which says
    ``who`` has the solution, follows if one has not converged after 3000 iterations. See Paige and Saunders (1982),
    "LSQR: an algorithm for sparse linear equations and sparse least squares".
    """
    solution = np.empty((matrix.shape[1], targets.shape[1]))
    worst = 0.0
    for block in _blocks(matrix, targets):
        solution[:, block], left_over = _iterate(matrix, targets[:, block], penalty)
        worst = max(worst, left_over)
    if worst > _CONVERGED:
        from sklearn.exceptions import ConvergenceWarning

        warn(
            f"{who}: least squares by iteration has not converged after {_MOST} steps (gradient {worst:.0e} of its "
            f"first length, {_CONVERGED:.0e} wanted): the features are nearly collinear; use a ridge, or fewer "
            "features (PCA)",
            ConvergenceWarning,
        )
    return solution


def _blocks(matrix: _Operator, targets: FloatArray) -> Iterator[slice]:
    """Slices of the targets, so that an array of coefficients of a block stays below 128 MB."""
    step = max(1, _BLOCK_ENTRIES // max(matrix.shape))
    for start in range(0, targets.shape[1], step):
        yield slice(start, start + step)


def _iterate(matrix: _Operator, targets: FloatArray, penalty: float) -> tuple[FloatArray, float]:
    """Return the solutions and the largest norm of a gradient that is left, relative to that at the start."""
    solution = np.zeros((matrix.shape[1], targets.shape[1]))
    active = np.arange(targets.shape[1])
    left, beta = _unit(targets)
    right, alpha = _unit(matrix.transposed_dot(left))
    first = alpha * beta  # norm of the gradient at zero
    damping = np.sqrt(penalty)
    step, current = right.copy(), solution.copy()
    rho_bar, phi_bar = alpha.copy(), beta.copy()
    moving = first > 0
    worst = 0.0
    for iteration in range(_MOST + 1):
        if not moving.all() or iteration == _MOST:
            done = np.ones(len(active), dtype=bool) if iteration == _MOST else ~moving
            solution[:, active[done]] = current[:, done]
            if done.all():
                break
            active = active[moving]
            first, alpha, rho_bar, phi_bar = (array[moving] for array in (first, alpha, rho_bar, phi_bar))
            left, right, step, current = (array[:, moving] for array in (left, right, step, current))
        left, beta = _unit(matrix.dot(right) - alpha * left)
        right, alpha = _unit(matrix.transposed_dot(left) - beta * right)
        damped = np.hypot(rho_bar, damping)
        phi_bar = phi_bar * rho_bar / damped
        rho = np.hypot(damped, beta)
        cosine, sine = damped / rho, beta / rho
        phi, phi_bar = cosine * phi_bar, sine * phi_bar
        rho_bar = -cosine * alpha
        current += (phi / rho) * step
        step = right - (sine * alpha / rho) * step
        relative = alpha * np.abs(sine * phi) / first
        moving = relative > _CONVERGED
        worst = float(relative.max())
    return solution, worst


def bidiagonal_spectra(matrix: _Operator, starts: FloatArray, steps: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the quadrature rules of ``AA'`` by Golub-Kahan bidiagonalisation.

    For a start t and a function f, ``t' f(AA') t`` is about ``||t||^2 sum(weights * f(nodes))``. Starts are columns;
    both results have the shape (n_starts, steps). Nodes are >= 0; the weights of a start sum to one, or to zero if it
    is zero.
    """
    left, norms = _unit(starts)
    diagonals, lowers = np.zeros((steps, starts.shape[1])), np.zeros((steps, starts.shape[1]))
    right, diagonals[0] = _unit(matrix.transposed_dot(left))
    for number in range(1, steps):
        left, lowers[number] = _unit(matrix.dot(right) - diagonals[number - 1] * left)
        right, diagonals[number] = _unit(matrix.transposed_dot(left) - lowers[number] * right)
    nodes, weights = np.zeros((starts.shape[1], steps)), np.zeros((starts.shape[1], steps))
    for column in np.flatnonzero(norms > 0):
        bidiagonal = np.diag(diagonals[:, column]) + np.diag(lowers[1:, column], -1)
        vectors, values, _ = np.linalg.svd(bidiagonal)
        nodes[column], weights[column] = np.square(values), np.square(vectors[0])
    return nodes, weights


class IterativeDesign:
    """The design ``[1 X]`` of a large sparse matrix, for least squares of minimum norm by iteration.

    Singular values are not cut off: where none lie between rounding error and a cut-off, solutions are those of
    `mlreduce.linalg.least_squares.Design`. Its rank is not known.
    """

    rank = None

    def __init__(self, X: Any) -> None:
        self._features = X
        self.shape = X.shape[0], X.shape[1] + 1

    def dot(self, right: FloatArray) -> FloatArray:
        """Return ``[1 X]R``."""
        return self._features @ right[1:] + right[0]

    def transposed_dot(self, right: FloatArray) -> FloatArray:
        """Return ``[1 X]'R``."""
        return np.vstack([right.sum(axis=0), self._features.T @ right])

    def coefficients(self, targets: FloatArray) -> FloatArray:
        """Return the minimum-norm solution, shape (n_features + 1, n_targets); row 0 is the intercept."""
        return lsqr(self, targets, 0.0, "linear regression")

    def explained_gram(self, targets: FloatArray) -> FloatArray:
        """Return ``T'HT`` for the hat matrix ``H = [1 X][1 X]^+``, shape (n_targets, n_targets)."""
        # For fitted values F = HT + E with E in the range of H, this is T'HT - E'E: an error counts squared.
        fitted = np.empty_like(targets)
        for block in _blocks(self, targets):
            fitted[:, block] = self.dot(self.coefficients(targets[:, block]))
        mixed = fitted.T @ (targets - fitted / 2)
        return mixed + mixed.T


def _unit(vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scale columns to norm one, and leave zeros; return the norms, too."""
    norms: FloatArray = np.sqrt(np.einsum("ij,ij->j", vectors, vectors))
    return vectors / np.where(norms > 0, norms, 1.0), norms
