"""Whitening of a constraint: W with ``W'BW = I``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg

from mlreduce.exceptions import ProjectionWarning, warn
from mlreduce.linalg.features import Features
from mlreduce.spectral.form import Form
from mlreduce.validation import FloatArray

__all__ = ["Whitening", "whitening_of"]

# Eigenvalue below which a constraint, scaled to a unit diagonal, is singular.
_SINGULAR = 1e-10


class Whitening(NamedTuple):
    """Products with W, ``W'BW = I``.

    Attributes
    ----------
    times, transposed : callable
    rank, size : int
        Rank of B, and the number of features that vary.
    """

    times: Callable[[FloatArray], FloatArray]
    transposed: Callable[[FloatArray], FloatArray]
    rank: int
    size: int


def whitening_of(features: Features, constraint: Form, who: str) -> Whitening:
    """Whiten a constraint of a method; the result of one defined by numbers alone is cached with the features.

    Warns
    -----
    ProjectionWarning
        If the constraint is singular: directions are restricted to its range.
    """
    whitening: Whitening | None = features.shared.get(constraint.scalars)
    if whitening is None:
        whitening = _whiten(features, constraint)
        if constraint.scalars is not None:
            features.shared[constraint.scalars] = whitening
    if whitening.rank < whitening.size:
        warn(
            f"{who}: the constraint is singular, rank {whitening.rank} of {whitening.size} features that vary "
            "(duplicated or dependent ones): directions are restricted to its range",
            ProjectionWarning,
        )
    return whitening


def _whiten(features: Features, constraint: Form) -> Whitening:
    """Whiten a constraint after scaling it to a unit diagonal, so that the units of features do not matter.

    A pivoted Cholesky factorisation selects features that determine the others; where some are determined, directions
    are those of least norm among those with the same values on the training rows.
    """
    matrix = constraint.matrix(features)
    diagonal = np.diag(matrix).copy()
    used = np.flatnonzero(diagonal > features.scatter_noise)
    if len(used) < len(matrix):
        matrix = matrix[np.ix_(used, used)]
    scale = 1.0 / np.sqrt(diagonal[used])
    matrix *= scale
    matrix *= scale[:, np.newaxis]
    # The transpose of a symmetric matrix is itself, in the order that LAPACK overwrites without a copy.
    factor, pivots, rank, _ = scipy.linalg.lapack.dpstrf(matrix.T, tol=_SINGULAR, lower=1, overwrite_a=1)
    chosen, rest = pivots[:rank] - 1, pivots[rank:] - 1
    remainder = factor[rank:, :rank].copy()
    # Solving with the full factor leaves determined features at zero.
    factor[rank:, :] = 0.0
    factor.flat[rank * (len(used) + 1) :: len(used) + 1] = 1.0

    def solve_with(right: FloatArray, transpose: bool) -> FloatArray:
        if not rank:  # LAPACK refuses empty arrays
            return right
        padded = np.zeros((len(used), right.shape[1]), order="F")
        padded[:rank] = right
        solution, _ = scipy.linalg.lapack.dtrtrs(factor, padded, lower=1, trans=int(transpose), overwrite_b=1)
        return np.asarray(solution[:rank])

    free = np.zeros((len(used), 0))
    if len(rest):
        free = np.empty((len(used), len(rest)))
        free[chosen] = -solve_with(remainder.T, True)
        free[rest] = np.eye(len(rest))
        free, _ = np.linalg.qr(free * scale[:, np.newaxis])

    def times(right: FloatArray) -> FloatArray:
        part = np.zeros((len(used), right.shape[1]))
        part[chosen] = scale[chosen, np.newaxis] * solve_with(right, True)
        if len(rest):
            part -= free @ (free.T @ part)
        if len(used) == len(diagonal):
            return part
        directions = np.zeros((len(diagonal), right.shape[1]))
        directions[used] = part
        return directions

    def transposed(right: FloatArray) -> FloatArray:
        part = right[used]
        if len(rest):
            part -= free @ (free.T @ part)
        return solve_with(scale[chosen, np.newaxis] * part[chosen], False)

    return Whitening(times, transposed, int(rank), len(used))
