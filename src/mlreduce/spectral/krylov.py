"""Block Krylov iteration for a few leading eigenvectors of a large symmetric operator.

A block of as many vectors as are wanted finds multiple eigenvalues, which the connected components of a graph and
other symmetries cause; Lanczos iteration with one vector would miss them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg

from mlreduce.validation import FloatArray

__all__ = ["leading_eigenvectors"]

# Additional vectors per block, for faster convergence of the last one wanted.
_MORE = 3

# Largest dimension of the Krylov space.
_COLLECTED = 1000

# Residual at convergence, relative to the largest eigenvalue, and norm below which a new direction is dropped.
_CONVERGED = 1e-13
_NONE = 1e-12

# Growth of the Krylov space between two convergence tests.
_GROWTH = 1.2


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
                eigenvectors: FloatArray = basis[:, :filled] @ leading
                return eigenvectors
        if ends:
            return None


def _orthonormal(block: FloatArray, others: FloatArray, least: float) -> FloatArray:
    """Orthonormalise vectors, orthogonal to others; drop those of norm ``least`` or less."""
    for _ in range(2):
        block = block - others @ (others.T @ block)
    directions, triangle, _ = scipy.linalg.qr(block, mode="economic", pivoting=True, check_finite=False)
    kept = np.abs(np.diag(triangle)) > least
    directions = directions[:, kept]
    # Scaling short vectors to norm one amplifies their components along the others.
    directions = directions - others @ (others.T @ directions)
    orthonormal: FloatArray = np.linalg.qr(directions)[0]
    return orthonormal
