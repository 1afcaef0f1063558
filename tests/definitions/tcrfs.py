"""Means of the information on a label given another, given a feature taken, and of that given the feature; redundancy.

Where labels are not known I(f;l) is of the rows of l, and an interaction of those of its labels.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from information_by_the_book import conditional, information, interaction

from ._scores import bins, steps


def criterion(F, Y, f, S):
    varying = [label for label in range(Y.shape[1]) if 0 < np.nanmean(Y[:, label]) < 1]
    pairs = list(permutations(varying, 2)) or [(label, None) for label in varying]
    if not varying:
        return 0.0
    x = F[:, f]
    of_others = [information(x, Y[:, i]) - (0 if j is None else interaction(x, Y[:, i], Y[:, j])) for i, j in pairs]
    beside = [conditional(x, y, F[:, s]) + conditional(F[:, s], y, x) for s in S for y in Y[:, varying].T]
    redundancy = [interaction(x, F[:, s], y) for s in S for y in Y[:, varying].T]
    return np.mean(of_others) + (np.mean(beside) - np.mean(redundancy) if S else 0)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
