"""Choice of a classifier's parameter by inner folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from mlreduce.linalg.contents import order_by_content
from mlreduce.metrics.measures import find_measure
from mlreduce.metrics.outcome import Outcome
from mlreduce.validation import FloatArray, as_dense

# Folds, and most rows that they are made of: the choice then costs the same for any number of rows.
_FOLDS, _ROWS = 3, 3000

Rows = NDArray[np.intp]


def best_candidate(
    scores: Callable[[Rows, Rows], Iterable[FloatArray]], features: Any, labels: Any, known: Any = None
) -> int:
    """Return which of several candidates orders the labels of held-out rows best: the largest mean average precision.

    ``scores`` takes training and held-out rows, and gives the scores of the latter for each candidate. Features and
    labels decide which rows are in a fold: their order and that of the columns does not. Returns the first of equal
    candidates, and 0 where there is a row only.
    """
    order = order_by_content(features, labels)[:_ROWS]
    if len(order) < 2:
        return 0
    precisions = []
    for parts in KFold(min(_FOLDS, len(order))).split(order):
        train, held_out = (order[part] for part in parts)
        truth = as_dense(labels[held_out]).astype(np.int8)
        precisions.append(
            [
                len(held_out) * _precision(truth, each, None if known is None else known[held_out])
                for each in scores(train, held_out)
            ]
        )
    return int(np.sum(precisions, axis=0).argmax())


def _precision(truth: NDArray[np.int8], scores: FloatArray, known: Any) -> float:
    """Return the average precision over known labels: unknown ones count as absent and come last."""
    if known is not None:
        scores = np.where(known, scores, scores.min() - 1.0)
    return float(find_measure("average-precision")(Outcome(truth, truth, scores=scores)))
