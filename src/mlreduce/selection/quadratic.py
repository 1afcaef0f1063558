"""Quadratic programs with non-negative variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import cg

from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled
from mlreduce.validation import FloatArray, is_sparse

# Diagonal shift before a factorisation, relative to the largest diagonal entry; iterative refinement removes it.
_SHIFT = 1e-7
_REPEATS = 200

# Of a sparse matrix: most sweeps before the first set, their last change relative to the largest weight, and the
# relative residual of conjugate gradients, which are refined.
_SWEEPS, _ROUGH = 1000, 1e-6
_GRADIENTS = 1e-8

# Largest number of changes of the active set, per variable; about ten in all are usual.
_CHANGES = 10

# Of the features that are on the wrong side, at most this share may be left by an exchange of all of them.
_LEFT = 0.8

# Relative residual at which a system counts as solved, and slope that counts as none.
_SOLVED = 1e-14
_FLAT = 1e-12


class Minimum(NamedTuple):
    """Minimum x >= 0 of a quadratic program, and its `violation`."""

    x: FloatArray
    residual: float


def violation(Q: Any, c: FloatArray, x: FloatArray) -> float:
    """Return by how much the conditions of a minimum are violated, relative to the largest entry of c.

    The slope ``Qx - c`` must be 0 where x is positive and not negative elsewhere.
    """
    slope = Q @ x - c
    wrong = np.where(x > 0, np.abs(slope), np.maximum(-slope, 0.0))
    scale = float(np.abs(c).max())
    return float(wrong.max()) / scale if scale > 0 else float(wrong.max())


def nearest_positive(Q: FloatArray) -> tuple[FloatArray, int]:
    """Return the nearest positive semidefinite matrix, and how many eigenvalues were negative.

    Nearest in the Frobenius norm: negative eigenvalues become 0. Those that rounding may leave of 0 stay as they are.
    """
    noise = len(Q) * np.finfo(float).eps * float(np.linalg.norm(Q))
    shifted = Q.copy()
    shifted.flat[:: len(Q) + 1] += noise
    if scipy.linalg.lapack.dpotrf(shifted, overwrite_a=1)[1] == 0:
        return Q, 0
    values, vectors = scipy.linalg.eigh(Q, subset_by_value=(-np.inf, -noise), check_finite=False)
    nearest: FloatArray = Q - (vectors * values) @ vectors.T
    return (nearest + nearest.T) / 2, len(values)


def minimise(Q: Any, c: FloatArray) -> Minimum:
    """Minimise ``x'Qx / 2 - c'x`` over all x that are nowhere negative.

    Block pivoting first: features with a negative weight leave the set and those whose weight would grow enter it, all
    at once, as long as each exchange leaves four fifths of them at most, so that it ends after O(log n). Where Q is not
    singular it mostly ends at the minimum.

    If it does not, an active set: features whose weight would grow enter together, and those whose weight would turn
    negative leave. Of those that enter at least one stays, since the step from one minimum to the next decreases the
    function, so that it ends after finitely many iterations. In either case the weights solve a linear system. Where
    the minimum is unique both end at the same set and the same weights.

    Q is positive semidefinite, and the function must be bounded below; where weights are not unique they are (nearly)
    those of the smallest norm for their set. A sparse matrix must be positive definite: its first set is that after
    some sweeps of coordinate descent, and systems are solved by conjugate gradients. Raises DataError if the function
    has no minimum for a 0 on the diagonal of Q.
    """
    if ((Q.diagonal() <= 0) & (c > 0)).any():
        raise DataError("the quadratic program has no minimum: a weight of which more is better costs nothing")
    flat = _FLAT * float(np.abs(c).max(initial=0.0))
    known: dict[bytes, FloatArray] = {}
    x = _pivot(Q, c, flat, known)
    excess = violation(Q, c, x)
    if excess > _FLAT:
        x = _descend(Q, c, flat, known)
        excess = violation(Q, c, x)
    return Minimum(x, excess)


def _pivot(Q: Any, c: FloatArray, flat: float, known: dict[bytes, FloatArray]) -> FloatArray:
    """Return the end of block pivoting, which may not be the minimum; keep the solutions by their sets."""
    x = np.zeros(len(c))
    wrong = inside = _swept(Q.indptr, Q.indices, Q.data, c) > 0 if is_sparse(Q) else c > flat
    left = len(c)
    while 0 < np.count_nonzero(wrong) <= left:
        left = int(np.count_nonzero(wrong))
        left = left - 1 if is_sparse(Q) else int(_LEFT * left)
        x, chosen = np.zeros(len(c)), np.flatnonzero(inside)
        x[chosen] = known[chosen.tobytes()] = _solve(Q[np.ix_(chosen, chosen)], c[chosen])
        wrong = np.where(inside, x <= 0, Q @ x - c < -flat)
        inside = inside ^ wrong
    return np.maximum(x, 0.0)


@compiled
def _swept(
    indptr: NDArray[np.integer[Any]], indices: NDArray[np.integer[Any]], values: FloatArray, c: FloatArray
) -> FloatArray:
    """Return what coordinate descent comes to from zeros, for a symmetric CSR matrix."""
    x = np.zeros(len(c))
    for _ in range(_SWEEPS):
        moved = largest = 0.0
        for row in range(len(c)):
            slope, curvature = -c[row], 0.0
            for entry in range(indptr[row], indptr[row + 1]):
                slope += values[entry] * x[indices[entry]]
                if indices[entry] == row:
                    curvature += values[entry]
            weight = max(0.0, x[row] - slope / curvature)
            moved, largest = max(moved, abs(weight - x[row])), max(largest, weight)
            x[row] = weight
        if moved <= _ROUGH * largest:
            break
    return x


def _descend(Q: Any, c: FloatArray, flat: float, known: dict[bytes, FloatArray]) -> FloatArray:
    """Return the minimum by an active set."""
    x, value = np.zeros(len(c)), 0.0
    for _ in range(_CHANGES * (len(c) + 10)):
        slope = Q @ x - c
        entering = (x == 0) & (slope < -flat)
        if not entering.any():
            break
        tried = _feasible_minimum(Q, c, x, entering | (x > 0), known)
        reached = float(tried @ (Q @ tried) / 2 - c @ tried)
        if reached >= value:
            break  # only rounding error is left
        x, value = tried, reached
    return x


def _feasible_minimum(
    Q: Any, c: FloatArray, x: FloatArray, inside: NDArray[np.bool_], known: dict[bytes, FloatArray]
) -> FloatArray:
    """Return the minimum over a set of features and its subsets, by feasible steps; some solutions are known."""
    x = x.copy()
    chosen = np.flatnonzero(inside)
    while len(chosen):
        target, weights = known.get(chosen.tobytes()), x[chosen]
        if target is None:
            target = _solve(Q[np.ix_(chosen, chosen)], c[chosen])
        falling = target <= 0
        if not falling.any():
            x[chosen] = target
            break
        shares = weights[falling] / (weights[falling] - np.minimum(target[falling], -np.finfo(float).tiny))
        weights += shares.min() * (target - weights)
        stays = ~falling
        stays[falling] = shares > shares.min()
        x[chosen] = np.where(stays, np.maximum(weights, 0.0), 0.0)
        chosen = chosen[stays]
    return x


def _solve(Q: Any, c: FloatArray) -> FloatArray:
    """Solve a possibly singular system with a diagonal shift and iterative refinement."""
    if is_sparse(Q):
        inverse = sp.diags_array(1.0 / Q.diagonal())
        return _refined(Q, c, lambda left: cg(Q, left, rtol=_GRADIENTS, M=inverse)[0])
    shift = _SHIFT * float(np.diag(Q).max())
    while True:
        shifted = Q.copy().T  # the same matrix, in LAPACK's order
        shifted.flat[:: len(Q) + 1] += shift
        factor, info = scipy.linalg.lapack.dpotrf(shifted, overwrite_a=1)
        if info == 0:
            break
        shift *= 10.0
    return _refined(Q, c, lambda left: scipy.linalg.lapack.dpotrs(factor, left)[0])


def _refined(Q: Any, c: FloatArray, solve: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Solve a system by a function that solves it roughly, until the residual is rounding error."""
    x = np.zeros(len(c))
    for _ in range(_REPEATS):
        left = c - Q @ x
        if np.abs(left).max() <= _SOLVED * np.abs(c).max():
            break
        x += solve(left)
    return x
