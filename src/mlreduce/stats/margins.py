"""Differences of two methods seen from a margin of practical equivalence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["DECIDED", "Regions", "wins_ties_losses"]

#: A probability from which on a difference counts as decided.
DECIDED = 0.95


class Regions(NamedTuple):
    """Probabilities of where a difference lies."""

    #: Less than minus the margin, at most the margin away from 0, more than the margin; they sum to 1.
    below: float
    within: float
    above: float


def wins_ties_losses(differences: ArrayLike, margin: ArrayLike) -> tuple[int, int, int]:
    """Count differences above the margin, at most the margin away from 0, and below minus the margin.

    Examples
    --------
    >>> wins_ties_losses([0.02, 0.01, -0.03], 0.01)
    (1, 1, 1)
    """
    values, margin = np.asarray(differences), np.asarray(margin)
    wins, losses = int((values > margin).sum()), int((values < -margin).sum())
    return wins, len(values) - wins - losses, losses
