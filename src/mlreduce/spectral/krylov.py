"""A few leading eigenvectors of a large symmetric matrix of which only products are known, by blocks.

A block of as many vectors as are asked for finds an eigenvalue as often as it occurs. One vector at a time finds it
once: the parts of a graph and other symmetries give equal eigenvalues, and those with the larger ones would be missed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg

from mlreduce.validation import FloatArray

__all__ = ["leading_eigenvectors"]

# Vectors of a block beyond those asked for, which let the last of them converge sooner.
_MORE = 3

# How many vectors are collected at most.
_COLLECTED = 1000

# A residual of this size, relative to the largest eigenvalue, is rounding; and a direction of this length is none.
_CONVERGED = 1e-13
_NONE = 1e-12

# The collected vectors grow by this factor from one look at the residuals to the next.
_GROWTH = 1.2


def leading_eigenvectors(
    product: Callable[[FloatArray], FloatArray], size: int, number: int, known: FloatArray
) -> FloatArray | None:
    """Find the eigenvectors of the algebraically largest eigenvalues.

    Parameters
    ----------
    product : callable
        Multiplies an array of shape (size, k) by the matrix.
    size : int
    number : int
        How many, at most an eighth of ``size``.
    known : ndarray of shape (size, q)
        Orthonormal eigenvectors that are not sought.

    Returns
    -------
    vectors : ndarray of shape (size, number) or None
        Orthonormal, largest eigenvalue first; fewer where the matrix has no others but for eigenvalue zero; None if
        they did not converge in a bounded number of products.
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
                found: FloatArray = basis[:, :filled] @ leading
                return found
        if ends:
            return None


def _orthonormal(block: FloatArray, others: FloatArray, least: float) -> FloatArray:
    """Make vectors orthonormal, and orthogonal to others; leave out what is shorter than a length by then."""
    for _ in range(2):
        block = block - others @ (others.T @ block)
    directions, triangle, _ = scipy.linalg.qr(block, mode="economic", pivoting=True, check_finite=False)
    kept = np.abs(np.diag(triangle)) > least
    directions = directions[:, kept]
    # What was short is no longer orthogonal to the others once it has length one.
    directions = directions - others @ (others.T @ directions)
    orthonormal: FloatArray = np.linalg.qr(directions)[0]
    return orthonormal
