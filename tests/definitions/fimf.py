"""Relevance less the interactions with the pairs of the labels of largest entropy."""

from __future__ import annotations

from itertools import combinations

from information_by_the_book import entropy, interaction

from ._scores import bins, steps
from .mim import criterion as relevance

PARAMETERS = {"n_labels": 3}


def criterion(F, Y, f, S, n_labels=3):
    uncertain = sorted(range(Y.shape[1]), key=lambda label: (-round(entropy(Y[:, label]), 12), label))[:n_labels]
    return relevance(F, Y, f, S) - sum(interaction(F[:, f], Y[:, i], Y[:, j]) for i, j in combinations(uncertain, 2))


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
