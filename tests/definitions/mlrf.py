"""ReliefF with the labels of an instance: nearest hits and misses of each pair of labels."""

from __future__ import annotations

from selection_by_the_book import mlrf

from ._scores import scored


def definition(X, Y, fitted):
    scored(fitted, mlrf(X, Y))
