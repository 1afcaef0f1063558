"""Sylvester equations with a large matrix, sparse or dense, and a small one."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
from numpy.typing import NDArray

from mlreduce.validation import FloatArray, is_sparse

# Largest number of iterations of conjugate gradients; relative residual at which a column stops, far below rounding
# error, as weakly connected parts of a graph need; relative residual that counts as converged.
_ITERATIONS = 200
_STOP = 1e-16
_RESIDUAL = 1e-13

# Relative difference below which shifts are equal.
_SAME = 1e-12


def solve_sylvester(left: Any, right: FloatArray, target: FloatArray) -> FloatArray:
    """Solve ``left Z + Z right = target`` for symmetric matrices with ``left + s I`` positive definite.

    With ``right = V diag(s) V'`` the columns of ``ZV`` solve systems with ``left + s I``: conjugate gradients
    for all together, and a factorisation for each s without convergence. ``left``, sparse or dense, is large, ``right``
    small and dense.
    """
    shifts, vectors = np.linalg.eigh(right)
    rotated = target @ vectors
    solution, converged = _conjugate_gradients(left, shifts, rotated)
    starts = np.r_[True, np.diff(shifts) > _SAME * np.abs(shifts).max(initial=0.0)]
    groups = np.cumsum(starts)
    for group in np.unique(groups[~converged]):
        columns = groups == group
        solution[:, columns] = _factorised(left, shifts[columns].mean(), rotated[:, columns])
    return solution @ vectors.T


def solve_cells(
    left: Any, right: FloatArray, weights: FloatArray, free: NDArray[np.bool_], target: FloatArray
) -> FloatArray:
    """Solve ``(left Z + Z right + weights * Z)_f = target_f`` for the cells f that are free; the others are zero.

    Conjugate gradients, and a factorisation of the matrix over the free cells where these do not converge. ``left`` and
    ``right`` are symmetric, and the equation has to be positive definite on the free cells.
    """
    if not free.any():
        return np.zeros_like(target)

    def spread(values: FloatArray) -> FloatArray:
        cells = np.zeros_like(target)
        cells[free] = values.reshape(-1)
        return cells

    def product(values: FloatArray) -> FloatArray:
        cells = spread(values)
        return (left @ cells + cells @ right + weights * cells)[free]

    diagonal = (left.diagonal()[:, np.newaxis] + right.diagonal() + weights)[free]
    shape = (len(diagonal), len(diagonal))
    solution, failed = scipy.sparse.linalg.cg(
        scipy.sparse.linalg.LinearOperator(shape, matvec=product, dtype=np.float64),
        target[free],
        rtol=_RESIDUAL,
        maxiter=_ITERATIONS,
        M=sp.diags_array(1.0 / diagonal),
    )
    if failed:
        n, c = target.shape
        matrix = sp.kron(sp.csr_array(left), sp.eye_array(c)) + sp.kron(sp.eye_array(n), sp.csr_array(right))
        cells = free.reshape(-1).nonzero()[0]
        system = sp.csr_array(matrix + sp.diags_array(weights.reshape(-1)))
        solution = _factorised(system[cells][:, cells], 0.0, target[free])
    return spread(solution)


def _conjugate_gradients(left: Any, shifts: FloatArray, targets: FloatArray) -> tuple[FloatArray, Any]:
    """Solve ``(left + s I) z = t`` for each shift and target; also return the mask of those converged."""
    inverse = 1.0 / (left.diagonal()[:, np.newaxis] + shifts)
    norms = np.linalg.norm(targets, axis=0)
    solution, residual = np.zeros_like(targets), targets.copy()
    direction = inverse * residual
    slope = np.einsum("ij,ij->j", residual, direction)
    for _ in range(_ITERATIONS):
        active = np.linalg.norm(residual, axis=0) > _STOP * norms
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
    return np.divide(above, below, out=np.zeros_like(above), where=active & (below != 0))


def _factorised(left: Any, shift: float, targets: FloatArray) -> FloatArray:
    if is_sparse(left):
        shifted = sp.csc_array(left + shift * sp.eye_array(left.shape[0]))
        factor = scipy.sparse.linalg.splu(
            shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
        return np.asarray(factor.solve(targets))
    shifted = left + shift * np.eye(len(left))
    return np.asarray(scipy.linalg.solve(shifted, targets, assume_a="pos", overwrite_a=True))
