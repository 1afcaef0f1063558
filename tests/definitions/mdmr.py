"""Relevance less the mean of what is shared with the features taken and is not of a label."""

from __future__ import annotations

from information_by_the_book import conditional, information

from ._scores import bins, steps
from .mim import criterion as relevance


def criterion(F, Y, f, S):
    terms = [information(F[:, f], F[:, s]) - sum(conditional(F[:, f], y, F[:, s]) for y in Y.T) for s in S]
    return relevance(F, Y, f, S) - (sum(terms) / len(S) if S else 0)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
