"""Krylov iteration for a few leading eigenvectors of a large symmetric operator.

A block of as many vectors as are wanted finds multiple eigenvalues, which the connected components of a graph and
other symmetries cause. Lanczos iteration from one vector needs fewer products, and misses them: it is for matrices
without such structure, and notices where its eigenvalues are multiple.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.linalg

from mlreduce.validation import FloatArray

__all__ = ["leading_eigenvectors", "simple_eigenpairs"]

# Additional vectors per block, for faster convergence of the last one wanted.
_MORE = 3

# Largest dimension of the Krylov space.
_COLLECTED = 1000

# Residual at convergence, relative to the largest eigenvalue, and norm below which a new direction is dropped.
_CONVERGED = 1e-13
_NONE = 1e-12

# Growth of the Krylov space between two convergence tests.
_GROWTH = 1.2

# Steps from a second vector that look for missed eigenvectors, and the multiple of the residual by which the largest
# eigenvalue there must be below the computed ones.
_LEAST, _MOST, _DOUBT = 6, 20, 10.0

# Distance of the next eigenvalue, relative to the last one wanted, below which it is computed to the tight tolerance.
_NEAR, _TIGHT = 1e-2, 1e-6

# Steps in which the residual loses a digit, where that goes fast: so many later the next convergence test is due.
_STEPS_PER_DIGIT = 1.5

# Smallest normal number: what residuals of an eigenvalue of zero are divided by.
_TINY = float(np.finfo(float).tiny)

# Relative difference below which eigenvalues are equal.
_EQUAL = 1e-8


def leading_eigenvectors(
    product: Callable[[FloatArray], FloatArray], size: int, number: int, known: FloatArray
) -> FloatArray | None:
    """Return the eigenvectors of the algebraically largest eigenvalues.

    Parameters
    ----------
    product : callable
        Multiplies an array of shape (size, k) by the matrix.
    size : int
    number : int
        Number of eigenvectors, at most ``size // 8``.
    known : ndarray of shape (size, q)
        Orthonormal known eigenvectors, to which the result is orthogonal.

    Returns
    -------
    vectors : ndarray of shape (size, number) or None
        Orthonormal, largest eigenvalue first; fewer where all other eigenvalues are zero; None without convergence.
    """
    most = min(_COLLECTED, size) + number + _MORE
    basis = np.zeros((size, most), order="F")
    projected = np.zeros((most, most))
    block = _orthonormal(np.random.default_rng(0).standard_normal((size, number + _MORE)), known, 0.0)
    filled, checked = 0, 0
    while True:
        start, filled = filled, filled + block.shape[1]
        basis[:, start:filled] = block
        image = product(block)
        image = image - known @ (known.T @ image)
        coefficients = basis[:, :filled].T @ image
        projected[:filled, start:filled] = coefficients
        projected[start:filled, :filled] = coefficients.T
        rest = image - basis[:, :filled] @ coefficients
        scale = np.abs(projected[:filled, :filled]).max()
        block = _orthonormal(rest, np.hstack([known, basis[:, :filled]]), _NONE * scale)
        ends = not block.shape[1] or filled + block.shape[1] > most
        if ends or filled >= _GROWTH * checked:
            checked = filled
            values, vectors = np.linalg.eigh(projected[:filled, :filled])
            leading = vectors[:, ::-1][:, :number]
            residuals = np.linalg.norm(rest @ leading[start:filled], axis=0)
            if residuals.max() <= _CONVERGED * np.abs(values).max() or not block.shape[1]:
                return basis[:, :filled] @ leading
        if ends:
            return None


def _orthonormal(block: FloatArray, others: FloatArray, least: float) -> FloatArray:
    """Orthonormalise vectors, orthogonal to others; drop those of norm ``least`` or less."""
    for _ in range(2):
        block = block - others @ (others.T @ block)
    directions, triangle, _ = scipy.linalg.qr(block, mode="economic", pivoting=True, check_finite=False)
    independent = np.abs(np.diag(triangle)) > least
    directions = directions[:, independent]
    # Scaling short vectors to norm one amplifies their components along the others.
    directions = directions - others @ (others.T @ directions)
    return np.linalg.qr(directions)[0]


def simple_eigenpairs(
    product: Callable[[FloatArray], FloatArray], size: int, number: int
) -> tuple[FloatArray, FloatArray] | None:
    """Return the largest eigenvalues of a positive semidefinite matrix, if they are simple.

    Lanczos iteration with full orthogonalisation. The Krylov space of the first vector has one direction of each
    eigenspace, and the others are orthogonal to it. So a second vector, orthogonal to that space, meets the other
    directions of a multiple eigenvalue, if there are any, and little else of the largest eigenvalues: few steps do.

    Parameters
    ----------
    product : callable
        Multiplies a vector by the matrix.
    size : int
    number : int
        Number of eigenpairs, less than ``size``.

    Returns
    -------
    values : ndarray of shape (number,)
        Descending.
    vectors : ndarray of shape (size, number)
        Orthonormal.

    None instead of both without convergence, where eigenvalues are not positive, and where another eigenvalue equals
    the last one or one of them may be multiple.
    """
    space = _LanczosSpace(product, size, number, seed=0)
    pairs = space.leading(number, _CONVERGED)
    if pairs is None or not pairs[0][-1] > 0:
        return None
    values, vectors = pairs
    below = space.largest_beside(values[-1])
    if below is not None and below[0] < values[-1] and below[1] < values[-1] * (1.0 - _NEAR):
        return pairs

    def rest(vector: FloatArray) -> FloatArray:
        image = product(vector - vectors @ (vectors.T @ vector))
        return np.asarray(image - vectors @ (vectors.T @ image))

    missed = _LanczosSpace(rest, size, number, seed=1).leading(1, _TIGHT)
    return pairs if missed is not None and missed[0][0] < values[-1] * (1.0 - _EQUAL) else None


class _LanczosSpace:
    """An orthonormal basis that grows by a product with its last vector, and the matrix in its coordinates."""

    def __init__(self, product: Callable[[FloatArray], FloatArray], size: int, number: int, seed: int) -> None:
        self.product, self.number, self.rng = product, number, np.random.default_rng(seed)
        self.most = min(_COLLECTED + 2 * number, size - 1)
        self.basis = np.empty((self.most + 1, size))
        self.matrix, self.largest = np.zeros((self.most, self.most)), 0.0
        self.begin()

    def begin(self) -> None:
        """Go on from a random vector that is orthogonal to the basis."""
        self.first = self.filled = getattr(self, "filled", 0)
        self.remainder, vector = 1.0, self.rng.standard_normal(self.basis.shape[1])
        for _ in range(2):
            vector -= (self.basis[: self.filled] @ vector) @ self.basis[: self.filled]
        self.basis[self.filled] = vector / np.linalg.norm(vector)

    def grow(self) -> None:
        """Add a vector, and prepare the next one."""
        last, image = self.filled, self.product(self.basis[self.filled])
        # Of the first vector's powers only the last two are not orthogonal to the image but for rounding errors.
        for start in (0 if self.first else max(last - 1, 0), 0):
            basis = self.basis[start : last + 1]
            coefficients = basis @ image
            image = image - coefficients @ basis
            self.matrix[last, start : last + 1] += coefficients
        self.matrix[: last + 1, last] = self.matrix[last, : last + 1]
        self.filled += 1
        self.largest = max(self.largest, float(self.matrix[last, last]))
        self.remainder = math.sqrt(image @ image)
        if self.remainder <= _NONE * self.largest:
            self.remainder = 0.0
        else:
            self.basis[self.filled] = image / self.remainder

    def ritz(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return ascending Ritz values since the last beginning, coordinates of their vectors, and residuals."""
        values, vectors = np.linalg.eigh(self.matrix[self.first : self.filled, self.first : self.filled])
        return values, vectors, self.remainder * np.abs(vectors[-1])

    def leading(self, number: int, tolerance: float) -> tuple[FloatArray, FloatArray] | None:
        """Return the largest eigenvalues, descending, and their vectors; None without convergence."""
        check = min(3 * number, self.most)
        while self.filled < self.most and self.remainder:
            self.grow()
            if self.filled < check and self.remainder:
                continue
            values, vectors, residuals = self.ritz()
            if len(values) < number:
                break
            excess = float((residuals[-number:] / np.abs(values[-number:]).clip(_TINY)).max()) / tolerance
            if excess <= 1.0:
                return values[: -number - 1 : -1], self.basis[: self.filled].T @ vectors[:, : -number - 1 : -1]
            check = self.filled + math.ceil(_STEPS_PER_DIGIT * math.log10(excess))
        return None

    def largest_beside(self, value: float) -> tuple[float, float] | None:
        """Return upper estimates of the largest eigenvalue orthogonal to the basis, and of the next one wanted.

        None where the former stays within doubt of a value.
        """
        self.begin()
        while self.filled < min(self.most, self.first + _MOST) and self.remainder:
            self.grow()
            if self.filled < self.first + _LEAST and self.remainder:
                continue
            values, _, residuals = self.ritz()
            largest = float(values[-1] + _DOUBT * residuals[-1])
            if largest < value:
                joint = np.linalg.eigvalsh(self.matrix[: self.filled, : self.filled])
                return largest, float(joint[-self.number - 1])
        return None
