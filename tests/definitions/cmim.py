"""For each label the least information, alone and given each of the features taken."""

from __future__ import annotations

from information_by_the_book import conditional, information

from ._scores import bins, steps


def criterion(F, Y, f, S):
    return sum(min([information(F[:, f], y), *(conditional(F[:, f], y, F[:, s]) for s in S)]) for y in Y.T)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
