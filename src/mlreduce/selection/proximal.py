"""Minimisation of a smooth loss plus a norm by accelerated proximal gradient steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mlreduce.exceptions import DataError, warn
from mlreduce.linalg.utilities import quotient
from mlreduce.selection.base import Selector, weigh
from mlreduce.selection.descent import follow_path
from mlreduce.validation import FloatArray, Size, check_count, check_range

#: Loss of coefficients, and its gradient.
Loss = Callable[[FloatArray], tuple[float, FloatArray]]

# Factor of the step after one that was short enough; the largest number of halvings of a step.
_LONGER, _HALVINGS = 1.2, 100

# Relative rounding error of a loss, and the relative decrease that counts as none.
_ROUNDING, _LOST = 1e-13, 1e-15

# Gap and most iterations on the way to a weight that leaves enough rows.
_ROUGH, _ROUGH_ITERATIONS = 1e-2, 50

# Iterations without a smaller objective or gap after which there is none.
_STALL = 100


class Penalty(Protocol):
    """What `minimise` adds to a loss: a norm of coefficients, or norms of parts of them."""

    def of(self, table: FloatArray) -> float:
        """Return the penalty."""

    def shrunk(self, table: FloatArray, steps: FloatArray) -> FloatArray:
        """Return the Z that minimises the penalty plus ``sum_j ||z_j - t_j||^2 / (2 steps_j)``."""

    def gap(self, coefficients: FloatArray, gradient: FloatArray, objective: float) -> float:
        """Return how far the conditions of a minimum are missed, relative to the objective or to the method's scale."""


class Norm(NamedTuple):
    """A weighted norm of coefficients W, one row per feature."""

    #: > 0.
    weight: float
    #: Whether it is the sum of the Euclidean norms of the rows, else that of absolute values.
    by_row: bool = False
    #: Whether negative entries are not allowed.
    positive: bool = False

    def of(self, table: FloatArray) -> float:
        """Return the norm."""
        return self.weight * float((np.linalg.norm(table, axis=1) if self.by_row else np.abs(table)).sum())

    def shrunk(self, table: FloatArray, steps: FloatArray) -> FloatArray:
        """As of `Penalty`."""
        if self.positive:
            table = np.maximum(table, 0.0)
        sizes = np.linalg.norm(table, axis=1, keepdims=True) if self.by_row else np.abs(table)
        return table * np.maximum(1.0 - quotient(self.weight * steps, sizes), 0.0)

    def steepness(self, slopes: FloatArray) -> FloatArray:
        """Return the largest slope in each row, of the negative of a gradient, relative to the weight.

        It is 1 at most in a minimum, and 1 where the row is not zero.
        """
        slopes = np.maximum(slopes, 0.0) if self.positive else np.abs(slopes)
        sizes: FloatArray = np.linalg.norm(slopes, axis=1) if self.by_row else slopes.max(axis=1, initial=0.0)
        return sizes / self.weight

    def gap(self, coefficients: FloatArray, gradient: FloatArray, objective: float) -> float:
        """Return the norm plus ``<W, gradient>``, relative to the objective, and the largest excess of a slope.

        It is 0 where the conditions of a minimum hold, and where the loss is convex it bounds the distance to the
        minimum, as in `mlreduce.selection.descent.minimise`.
        """
        missed = abs(self.of(coefficients) + float((coefficients * gradient).sum()))
        excess = max(float(self.steepness(-gradient).max(initial=0.0)) - 1.0, 0.0)
        return (missed / objective if objective > 0 else 0.0) + excess


class Minimum(NamedTuple):
    """Where a minimisation ended."""

    coefficients: FloatArray
    #: Objective after each iteration.
    objective: list[float]
    #: As of the penalty.
    gap: float


def minimise(loss: Loss, penalty: Penalty, start: FloatArray, scales: FloatArray, tol: float, max_iter: int) -> Minimum:
    """Minimise a loss plus a penalty until the gap is ``tol``; the objective does not increase.

    Steps are extended as in Nesterov's method, and begin anew where the objective would increase. ``scales`` are
    relative curvatures by the rows: a step of a row is divided by its scale.
    """
    scales = np.where(scales > 0, scales, 1.0)[:, np.newaxis]
    current = before = start
    value, gradient = loss(current)
    total = value + penalty.of(current)
    history: list[float] = []
    momentum, step, gap, least, stalled = 1.0, 1.0, np.inf, np.inf, 0
    while True:
        gap = penalty.gap(current, gradient, total)
        stalled, least = (0, gap) if gap < least else (stalled + 1, least)
        if gap <= tol or len(history) >= max_iter or stalled > _STALL:
            break
        longer = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = current + (momentum - 1.0) / longer * (current - before)
        base, slope = (value, gradient) if momentum == 1.0 else loss(ahead)
        for _ in range(_HALVINGS):
            tried = penalty.shrunk(ahead - step / scales * slope, step / scales)
            move = tried - ahead
            tried_value, tried_gradient = loss(tried)
            room = float((scales * move**2).sum()) / (2.0 * step)
            if room > _ROUNDING * max(abs(base), abs(tried_value)):
                short = tried_value <= base + float((slope * move).sum()) + room
            else:  # the difference of two values is rounding error, that of two gradients is not
                short = float(((tried_gradient - slope) * move).sum()) <= 2.0 * room
            if short:
                break
            step /= 2.0
        else:
            break  # no step is short enough
        tried_total = tried_value + penalty.of(tried)
        if tried_total > total and momentum > 1.0:
            momentum, before = 1.0, current
            continue
        if tried_total < total * (1.0 - _LOST):
            stalled = 0
        before, current, momentum = current, tried, longer
        value, gradient, total = tried_value, tried_gradient, min(tried_total, total)
        history.append(total)
        step *= _LONGER
    return Minimum(current, history or [total], gap)


class ProximalSelector(Selector):
    """Base of the selectors that minimise a loss of coefficients plus a norm of them by proximal gradient steps."""

    by_feature = ("coef_",)

    def __init__(
        self, k: Size = 0.5, sparsity: float | str | None = None, max_iter: int = 1000, tol: float = 1e-4
    ) -> None:
        self.k = k
        self.sparsity = sparsity
        self.max_iter = max_iter
        self.tol = tol

    def _minimise(
        self, loss: Loss, start: FloatArray, scales: FloatArray, by_row: bool = False, positive: bool = False
    ) -> FloatArray:
        """Minimise a loss plus the norm, see `minimise`, keep the result as attributes and return the scores."""
        max_iter, tol = check_count(self.max_iter, "max_iter"), check_range(self.tol, "tol", 0)
        reached: list[Minimum] = []

        def minimise_at(sparsity: float, rough: bool) -> int:
            before = reached[-1].coefficients if reached else start
            ends = (max(tol, _ROUGH), min(max_iter, _ROUGH_ITERATIONS)) if rough else (tol, max_iter)
            reached.append(minimise(loss, Norm(sparsity, by_row, positive), before, scales, *ends))
            return int(np.count_nonzero(reached[-1].coefficients.any(axis=1)))

        with np.errstate(over="ignore", invalid="ignore"):
            steepness = Norm(1.0, by_row, positive).steepness(-loss(np.zeros_like(start))[1])
            self.sparsity_max_, self.edge_ = float(steepness.max(initial=0.0)), False
            if self.sparsity is None:
                self.sparsity_, self.edge_ = follow_path(self.sparsity_max_, 0.0, self._n_wanted, minimise_at)
            else:
                self.sparsity_ = weigh(self.sparsity, "sparsity", self.sparsity_max_, open_ends=True) or 1.0
                minimise_at(self.sparsity_, False)
            minimum = reached[-1]
            slopes = -loss(minimum.coefficients)[1]
            self._steepness = Norm(self.sparsity_, by_row, positive).steepness(slopes).round(9)
        if not np.isfinite(minimum.objective[-1]):
            raise DataError("the objective is not finite; features of similar size may help")
        self.coef_, self.objective_, self.gap_ = minimum.coefficients, np.array(minimum.objective), minimum.gap
        self.n_iter_ = len(self.objective_)
        if minimum.gap > tol > 0:
            remedy = "features of similar size may help" if self.n_iter_ < max_iter else "a larger max_iter may help"
            warn(
                f"{type(self).__name__}: after {self.n_iter_} iterations the conditions of a minimum are missed by "
                f"{minimum.gap:.1g}, more than tol={tol:g}; {remedy}",
                ConvergenceWarning,
            )
        scores: FloatArray = np.abs(self.coef_).sum(axis=1)
        self.n_nonzero_ = np.count_nonzero(scores)
        return scores

    def _best_first(self, scores: FloatArray) -> NDArray[np.intp]:
        return np.lexsort((-self._steepness, -scores))
