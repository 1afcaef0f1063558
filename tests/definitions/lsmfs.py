"""Relevance and what each label adds to it beside another, less the information with the features taken."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from information_by_the_book import conditional, information

from ._scores import bins, steps
from .mim import criterion as relevance


def supplements(F, Y, f):
    """How much more a feature tells of a label given another one, for all pairs of labels."""
    pairs = permutations(range(Y.shape[1]), 2)
    known = {(i, j): ~np.isnan(Y[:, [i, j]]).any(axis=1) for i, j in pairs}
    return [
        max(0, conditional(F[rows, f], Y[rows, i], Y[rows, j]) - information(F[rows, f], Y[rows, i]))
        for (i, j), rows in known.items()
    ]


def criterion(F, Y, f, S):
    return relevance(F, Y, f, S) + sum(supplements(F, Y, f)) - sum(information(F[:, f], F[:, s]) for s in S)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
