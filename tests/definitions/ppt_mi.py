"""Information of the features taken and this one, as one, with the label sets that occur often enough."""

from __future__ import annotations

from information_by_the_book import as_one, information, pruned

from ._scores import bins, steps

PARAMETERS = {"min_count": 2}


def criterion(F, Y, f, S, min_count=2):
    F, classes = pruned(F, Y, min_count)
    return information(as_one(*F[:, [*S, f]].T), classes)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion, criterion)
