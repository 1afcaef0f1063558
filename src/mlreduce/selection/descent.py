"""Minimisation of a smooth loss plus an L2,1 norm, with rows that are exactly zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled
from mlreduce.validation import FloatArray, as_dense

# Passes over a working set between two regressions, and the most regressions.
_PASSES, _CYCLES = 2, 300

# Share of the gap at which a working set is left: the next one may differ.
_SHARE = 0.1

# Rows that may enter the first working set; later as many as twice those that are not zero.
_FIRST = 10


#: Weights of the norms on a path, relative to the smallest with which all rows are zero.
SHARES = np.geomspace(1.0, 1e-6, 39)[1:]

# Iterations, and the relative decrease of the objective, at which nothing but rounding errors is left.
_STALL, _LOST = 50, 1e-15

# Norms of coefficients whose products with gradients are finite.
_LARGEST = 1e100


class Smooth(Protocol):
    """A loss of coefficients W and of other variables, smooth in W."""

    #: Whether steps are extended, as the minimum over the other variables is far from a quadratic function of W.
    alternating: bool

    def descent(self, coefficients: FloatArray) -> tuple[float, FloatArray]:
        """Minimise over the other variables; return the loss, and half its negative gradient by W."""

    def products(self, rows: NDArray[np.intp]) -> FloatArray:
        """Return half the second derivative by some rows, the same for each column of W, or a matrix above it."""


class Minimum(NamedTuple):
    """Where a minimisation ended."""

    coefficients: FloatArray
    #: The steepness of the loss by each row, relative to the penalty: 1 where a row is not zero, below where it is.
    steepness: FloatArray
    #: Objective at the start, and after each iteration.
    objective: list[float]
    #: See `minimise`.
    gap: float


def minimise(
    loss: Smooth, start: FloatArray, penalties: FloatArray, tol: float, max_iter: int, positive: bool = False
) -> Minimum:
    """Minimise the loss plus ``sum_j penalties_j ||w_j||`` by block coordinate descent, until the gap is ``tol``.

    Each iteration minimises over a working set: the rows of W that are not zero, and of the others those by which the
    loss is steeper than the penalty. The gap, relative to the objective, is ``sum_j penalties_j ||w_j|| - 2 <R, W>``
    with half the negative gradient R, plus the largest relative excess of ``2 ||r_j||`` over a penalty. It bounds the
    distance to the minimum of a convex loss, which lies above its tangent: no better W has a larger penalty than the
    objective. With ``positive`` no entry of W is negative.

    Of an alternating loss each working set starts ahead in the direction of the last step, as far as in Nesterov's
    method, unless the objective is larger there; then the other variables are those of before, too. Rows that are zero
    stay so.
    """
    coefficients = reached = start
    history, momentum = [np.inf], 1.0
    while True:
        others = dict(vars(loss))
        value, slopes = loss.descent(coefficients)
        norms = float(penalties @ np.linalg.norm(coefficients, axis=1))
        if value + norms > history[-1] and coefficients is not reached:  # too far ahead
            coefficients, momentum = reached, 1.0
            vars(loss).update(others)  # which led to the point reached, and from which it is a descent
            continue
        steepness = _steepness(slopes, coefficients, penalties, positive)
        history.append(value + norms)
        gap = _missed(norms, slopes, coefficients) / history[-1] if history[-1] > 0 else 0.0
        gap += max(float(steepness.max(initial=0.0)) - 1.0, 0.0)
        stalled = not loss.alternating and len(history) > _STALL + 1
        stalled = stalled and history[-1 - _STALL] - history[-1] <= _LOST * history[-1]
        if gap <= tol or stalled or len(history) > max_iter + 1:
            return Minimum(coefficients, steepness, history[1:], gap)
        active = coefficients.any(axis=1)
        entering = np.flatnonzero(~active & (steepness > 1.0))
        room = max(2 * int(active.sum()), _FIRST)
        if len(entering) > room:
            entering = entering[np.argsort(-steepness[entering], kind="stable")[:room]]
        rows = np.union1d(np.flatnonzero(active), entering)
        before, reached = reached, coefficients.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            reached[rows] = _minimise_rows(
                loss.products(rows),
                slopes[rows],
                coefficients[rows],
                penalties[rows],
                history[-1],
                max(_SHARE * gap, tol / 2.0),
                positive,
            )
        if not (np.linalg.norm(reached, axis=1) < _LARGEST).all():
            raise DataError("the coefficients of an iteration are not finite; features of similar size may help")
        coefficients = reached
        if loss.alternating:
            ahead = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
            coefficients = reached + (momentum - 1.0) / ahead * (reached - before)
            coefficients[~reached.any(axis=1)] = 0.0
            momentum = ahead
            if positive:
                np.maximum(coefficients, 0.0, out=coefficients)


def follow_path(
    largest: float, given: float, wanted: int, minimise_at: Callable[[float, bool], int]
) -> tuple[float, bool]:
    """Minimise for one weight of the norms after the other, down to one that is given or leaves as many rows as wanted.

    It begins at ``largest``, the smallest weight with which all rows are zero; ``given`` is 0 for the largest weight of
    the path with which ``wanted`` rows are not zero. ``minimise_at`` takes a weight and whether a rough minimum will
    do, and returns how many rows are not zero. Returns the weight, and whether it is the smallest of the path, and was
    not given.
    """
    if not largest:  # nothing to explain: all weights give zeros
        given = given or 1.0
    weight = given
    for share in SHARES.tolist():
        if share * largest <= given:
            break
        rows = minimise_at(share * largest, True)
        if not given and rows >= wanted and minimise_at(share * largest, False) >= wanted:
            return share * largest, False
        weight = share * largest
    minimise_at(given or weight, False)
    return given or weight, not given


def _steepness(slopes: FloatArray, coefficients: FloatArray, penalties: FloatArray, positive: bool) -> FloatArray:
    if positive:  # what entries that are zero cannot follow does not count
        slopes = np.where(coefficients > 0, slopes, np.maximum(slopes, 0.0))
    return 2.0 * np.linalg.norm(slopes, axis=1) / penalties


def _missed(norms: float, slopes: FloatArray, coefficients: FloatArray) -> float:
    return max(float(norms - 2.0 * (slopes * coefficients).sum()), 0.0)


def _minimise_rows(
    products: FloatArray,
    slopes: FloatArray,
    start: FloatArray,
    penalties: FloatArray,
    objective: float,
    tol: float,
    positive: bool,
) -> FloatArray:
    """Minimise ``<W, G W> - 2 <M, W> + sum_j penalties_j ||w_j||``, where half the negative gradient is ``M - G W``.

    The rows of the minimum are combinations of those of M: with more columns than rows W is sought in their span.
    Passes over the rows make rows zero. In between, the others are those of the ridge regression with a quadratic
    function above the norms, which touches them: passes alone take many steps where rows depend on each other.
    """
    moments, basis = slopes + products @ start, None
    if moments.shape[1] > len(moments) and not positive:
        basis = np.linalg.qr(moments.T)[0]
        moments, start = moments @ basis, start @ basis
    current = np.array(start, order="C")
    rest = np.ascontiguousarray(moments - products @ current)
    lines = np.ascontiguousarray(products)  # loops are compiled for each layout of what they are given

    for _ in range(_CYCLES):
        for _ in range(_PASSES):
            _descend(lines, rest, current, penalties, positive)
        norms = np.linalg.norm(current, axis=1)
        if not (norms < _LARGEST).all():
            break
        excess = _steepness(rest, current, penalties, positive).max(initial=0.0) - 1.0
        if _missed(float(penalties @ norms), rest, current) / objective + max(excess, 0.0) <= tol:
            break
        if not positive:
            scale = np.sqrt(2.0 * norms / penalties)[:, np.newaxis]
            current = np.ascontiguousarray(scale * penalised(scale * products * scale.T, scale * moments, 1.0))
            rest = np.ascontiguousarray(moments - products @ current)
    return current if basis is None else current @ basis.T


def penalised(products: Any, targets: FloatArray, penalty: float) -> FloatArray:
    """Solve ``(K + penalty I) Z = T`` for a positive semidefinite K."""
    matrix = as_dense(products)
    matrix.flat[:: len(matrix) + 1] += penalty
    solution: FloatArray
    try:
        solution = scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix, check_finite=False), targets)
    except np.linalg.LinAlgError:  # the penalty is lost in the rounding of large products
        values, vectors = scipy.linalg.eigh(matrix, check_finite=False)
        solution = vectors @ ((vectors.T @ targets) / np.maximum(values, penalty)[:, np.newaxis])
    return solution


@compiled
def _descend(
    products: FloatArray, rest: FloatArray, coefficients: FloatArray, penalties: FloatArray, positive: bool
) -> None:
    """Minimise over each row in turn, in place; ``rest`` is half the negative gradient."""
    n_rows, n_columns = coefficients.shape
    step = np.empty(n_columns)
    for row in range(n_rows):
        square = products[row, row]
        if square <= 0.0:
            continue
        norm = 0.0
        for column in range(n_columns):
            value = rest[row, column] + square * coefficients[row, column]
            if positive and value < 0.0:
                value = 0.0
            step[column] = value
            norm += value * value
        norm = np.sqrt(norm)
        shrunk = (1.0 - penalties[row] / (2.0 * norm)) / square if 2.0 * norm > penalties[row] else 0.0
        moved = False
        for column in range(n_columns):
            new = shrunk * step[column]
            step[column] = new - coefficients[row, column]
            moved |= step[column] != 0.0
            coefficients[row, column] = new
        if moved:
            for other in range(n_rows):
                product = products[row, other]
                for column in range(n_columns):
                    rest[other, column] -= product * step[column]
