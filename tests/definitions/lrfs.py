"""Information with each label given another, less the mean of that with the features taken."""

from __future__ import annotations

from itertools import permutations

from information_by_the_book import conditional, information

from ._scores import bins, steps
from .mim import criterion as relevance


def criterion(F, Y, f, S):
    varying = [label for label in range(Y.shape[1]) if 0 < Y[:, label].sum() < len(Y)]
    pairs = list(permutations(varying, 2))
    of_pairs = sum(conditional(F[:, f], Y[:, i], Y[:, j]) for i, j in pairs) if pairs else relevance(F, Y, f, S)
    return of_pairs - (sum(information(F[:, f], F[:, s]) for s in S) / len(S) if S else 0)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
