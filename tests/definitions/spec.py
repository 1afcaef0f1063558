"""Equation 17: how rough a feature is over the graph of labels."""

from __future__ import annotations

from selection_by_the_book import spec

from ._scores import scored


def definition(X, Y, fitted):
    scored(fitted, spec(X, Y))
