"""Chi-square of the feature and the label sets that occur often enough."""

from __future__ import annotations

import numpy as np
from information_by_the_book import pruned

from ._scores import bins, steps

PARAMETERS = {"min_count": 2}


def criterion(F, Y, f, S, min_count=2):
    F, classes = pruned(F, Y, min_count)
    total = 0.0
    for b in set(F[:, f]):
        for c in set(classes):
            expected = np.sum(F[:, f] == b) * np.sum(classes == c) / len(classes)
            total += (np.sum((F[:, f] == b) & (classes == c)) - expected) ** 2 / expected
    return total


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
