"""Sylvester equations with a large matrix, sparse or dense, and a small one."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg

from mlreduce.validation import FloatArray, is_sparse

__all__ = ["solve_sylvester"]

# Largest number of iterations of conjugate gradients; relative residual at which a column stops, far below rounding
# error, as weakly connected parts of a graph need; and relative residual that counts as converged.
_ROUNDS = 200
_ENOUGH = 1e-16
_RESIDUAL = 1e-13

# Relative difference below which shifts are equal.
_SAME = 1e-12


def solve_sylvester(left: Any, right: FloatArray, target: FloatArray) -> FloatArray:
    """Solve ``left Z + Z right = target`` for symmetric matrices with ``left + s I`` positive definite.

    With ``right = V diag(s) V'`` the columns of ``ZV`` solve systems with ``left + s I``: conjugate gradients
    for all together, and a factorisation for each s without convergence.

    Parameters
    ----------
    left : sparse matrix or ndarray of shape (n, n)
        ``left + s I`` has to be positive definite for every eigenvalue s of ``right``.
    right : ndarray of shape (c, c)
    target : ndarray of shape (n, c)

    Returns
    -------
    Z : ndarray of shape (n, c)
    """
    shifts, vectors = np.linalg.eigh(right)
    turned = target @ vectors
    solution, converged = _conjugate_gradients(left, shifts, turned)
    starts = np.r_[True, np.diff(shifts) > _SAME * np.abs(shifts).max(initial=0.0)]
    groups = np.cumsum(starts)
    for group in np.unique(groups[~converged]):
        columns = groups == group
        solution[:, columns] = _factorised(left, shifts[columns].mean(), turned[:, columns])
    back: FloatArray = solution @ vectors.T
    return back


def _conjugate_gradients(left: Any, shifts: FloatArray, targets: FloatArray) -> tuple[FloatArray, Any]:
    """Solve ``(left + s I) z = t`` for each shift and target; also return the mask of those converged."""
    inverse = 1.0 / (left.diagonal()[:, np.newaxis] + shifts)
    norms = np.linalg.norm(targets, axis=0)
    solution, residual = np.zeros_like(targets), targets.copy()
    direction = inverse * residual
    slope = np.einsum("ij,ij->j", residual, direction)
    for _ in range(_ROUNDS):
        active = np.linalg.norm(residual, axis=0) > _ENOUGH * norms
        if not active.any():
            break
        image = left @ direction + direction * shifts
        step = _quotient(slope, np.einsum("ij,ij->j", direction, image), active)
        solution += step * direction
        residual -= step * image
        scaled = inverse * residual
        new = np.einsum("ij,ij->j", residual, scaled)
        direction = scaled + _quotient(new, slope, active) * direction
        slope = new
    true = targets - (left @ solution + solution * shifts)
    return solution, np.linalg.norm(true, axis=0) <= _RESIDUAL * norms


def _quotient(above: FloatArray, below: FloatArray, active: Any) -> FloatArray:
    quotient: FloatArray = np.divide(above, below, out=np.zeros_like(above), where=active & (below != 0))
    return quotient


def _factorised(left: Any, shift: float, targets: FloatArray) -> FloatArray:
    if is_sparse(left):
        shifted = sp.csc_array(left + shift * sp.eye_array(left.shape[0]))
        factor = scipy.sparse.linalg.splu(
            shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
        return np.asarray(factor.solve(targets))
    shifted = left + shift * np.eye(len(left))
    return np.asarray(scipy.linalg.solve(shifted, targets, assume_a="pos", overwrite_a=True))
