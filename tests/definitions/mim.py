"""The sum of the information with each label."""

from __future__ import annotations

from information_by_the_book import information

from ._scores import bins, steps


def criterion(F, Y, f, S):
    return sum(information(F[:, f], y) for y in Y.T)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
