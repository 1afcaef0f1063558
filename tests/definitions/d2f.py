"""Relevance less the interactions with each feature taken and each label."""

from __future__ import annotations

from information_by_the_book import interaction

from ._scores import bins, steps
from .mim import criterion as relevance


def criterion(F, Y, f, S):
    return relevance(F, Y, f, S) - sum(interaction(F[:, f], F[:, s], y) for s in S for y in Y.T)


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
