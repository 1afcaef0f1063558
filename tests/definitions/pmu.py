"""Relevance less the interactions with features taken and labels, and with pairs of labels."""

from __future__ import annotations

from information_by_the_book import pmu_gain

from ._scores import bins, steps

criterion = pmu_gain


def definition(X, Y, fitted):
    steps(bins(X), Y, fitted, criterion)
