"""Relevance less the sum of the information with the features taken."""

from __future__ import annotations

from information_by_the_book import information

from ._scores import bins, steps
from .mim import criterion as relevance


def criterion(F, Y, f, S):
    return relevance(F, Y, f, S) - sum(information(F[:, f], F[:, s]) for s in S)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
