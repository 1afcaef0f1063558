"""The information of the feature together with each of those taken, summed; relevance at first."""

from __future__ import annotations

from information_by_the_book import as_one, information

from ._scores import bins, steps
from .mim import criterion as relevance


def criterion(F, Y, f, S):
    if not S:
        return relevance(F, Y, f, S)
    return sum(information(as_one(F[:, f], F[:, s]), y) for s in S for y in Y.T)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
