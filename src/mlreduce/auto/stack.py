"""A stack: the weighted mean of the calibrated scores of the best candidates, with weights by held-out scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mlreduce.auto.trials import DIGITS, Problem
from mlreduce.validation import FloatArray

#: By how much a stack must be better than the best of its members.
BETTER = 0.002
# Members, and additions of a member to the mean.
_MEMBERS, _STEPS = 8, 8


class Stack(NamedTuple):
    """Members with weights.

    Attributes
    ----------
    members : list of int
        Their places in the list that they are chosen from.
    weights : ndarray of shape (n_members,)
        Together 1.
    value : float
        Of the measure, the mean over folds; the weights for a fold are chosen on the others.
    values : list of float
        Of the folds.
    """

    members: list[int]
    weights: FloatArray
    value: float
    values: list[float]

    def combine(self, scores: Sequence[FloatArray]) -> FloatArray:
        """Return the weighted mean of the calibrated scores of the members."""
        return np.sum([weight * part for weight, part in zip(self.weights, scores, strict=True)], axis=0)


def choose_stack(
    problem: Problem,
    labels: Sequence[Any],
    scores: Sequence[Sequence[FloatArray]],
    alone: float,
    in_time: Callable[[], bool] = lambda: True,
) -> Stack | None:
    """Return the best stack of some candidates; None where it is not better than the best alone by `BETTER`.

    Weights are chosen greedily: in each step the member is added with which the mean is best (Caruana et al. 2004,
    "Ensemble selection from libraries of models").

    Parameters
    ----------
    problem : Problem
    labels : sequence of ndarray of shape (n_rows, n_labels)
        Of the held-out rows of each fold.
    scores : sequence of sequence of ndarray
        Calibrated, of each candidate, the best first, by fold.
    alone : float
        The measure of the best candidate, the larger the better.
    in_time : callable, default=always
        Whether there is time for more; the stack is given up where not.
    """
    if len(labels) < 2 or len(scores) < 2:
        return None
    tables = scores[:_MEMBERS]
    measured: dict[tuple[tuple[int, ...], int], float] = {}

    def value(counts: tuple[int, ...], fold: int) -> float:
        if (counts, fold) not in measured:
            if not in_time():
                raise TimeoutError
            mean = np.sum([count * table[fold] for count, table in zip(counts, tables, strict=True)], axis=0)
            measured[counts, fold] = round(problem.value(labels[fold], mean / sum(counts)), DIGITS)
        return measured[counts, fold]

    def select(folds: Sequence[int]) -> tuple[int, ...]:
        """Return how often each member is added, by the values on some folds."""
        counts, best, most = (0,) * len(tables), (0,) * len(tables), -np.inf
        for _ in range(_STEPS):
            more = [
                tuple(count + (place == added) for place, count in enumerate(counts)) for added in range(len(counts))
            ]
            reached = [round(float(np.mean([value(one, fold) for fold in folds])), DIGITS) for one in more]
            counts = more[int(np.argmax(reached))]  # of equal ones the first
            if max(reached) > most:
                best, most = counts, max(reached)
        return best

    folds = list(range(len(labels)))
    try:
        values = [value(select([other for other in folds if other != fold]), fold) for fold in folds]
        counts = select(folds)
    except TimeoutError:
        return None
    reached = round(float(np.mean(values)), DIGITS)
    taken = [place for place, count in enumerate(counts) if count]
    if len(taken) < 2 or reached <= round(alone + BETTER, DIGITS):
        return None
    weights = np.array([counts[place] for place in taken], dtype=np.float64)
    return Stack(taken, weights / weights.sum(), reached, values)
