"""Fisher's F of each label, averaged over the labels."""

from __future__ import annotations

import numpy as np

from ._scores import known_part, scored


def definition(X, Y, fitted):
    scored(fitted, np.mean([f_statistic(*known_part(X, y)) for y in Y.T], axis=0))


def f_statistic(X, y):
    sides = [X[y == 1], X[y == 0]]
    between = sum(len(side) * (side.mean(axis=0) - X.mean(axis=0)) ** 2 for side in sides)
    within = sum(np.square(side - side.mean(axis=0)).sum(axis=0) for side in sides)
    return between / (within / (len(X) - 2))
