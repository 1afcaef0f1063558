"""Relevance times one less the shares of the entropy that the features taken know."""

from __future__ import annotations

from information_by_the_book import entropy, information

from ._scores import bins, steps
from .mim import criterion as relevance


def criterion(F, Y, f, S):
    whole = entropy(F[:, f])
    known = sum(information(F[:, f], F[:, s]) for s in S)
    return (1 - known / whole) * relevance(F, Y, f, S) if whole > 0 else 0


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
