"""As LSMFS with the largest supplement in place of their sum."""

from __future__ import annotations

from information_by_the_book import information

from ._scores import bins, steps
from .lsmfs import supplements
from .mim import criterion as relevance


def criterion(F, Y, f, S):
    redundancy = sum(information(F[:, f], F[:, s]) for s in S)
    return relevance(F, Y, f, S) + max(supplements(F, Y, f), default=0) - redundancy


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
