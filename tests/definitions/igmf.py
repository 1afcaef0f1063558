"""Normalised information with the label set as one variable."""

from __future__ import annotations

import numpy as np
from information_by_the_book import as_one, entropy, information

from ._scores import bins, steps


def criterion(F, Y, f, S):
    whole = ~np.isnan(Y).any(axis=1)
    F, sets = F[whole], as_one(*Y[whole].T)
    both = entropy(F[:, f]) + entropy(sets)
    return 2 * information(F[:, f], sets) / both if both > 0 else 0


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
