"""The F statistic of instances counted once in each of their labels."""

from __future__ import annotations

from selection_by_the_book import mlfs

from ._scores import scored


def definition(X, Y, fitted):
    scored(fitted, mlfs(X, Y))
