"""Scatter between classes less a multiple of that inside of them."""

from __future__ import annotations

from single_label_by_the_book import scatters

from ._classes import of_classes

DATA = "classes"
PARAMETERS = {"within_weight": 0.3}


def forms(X, y, W, p):
    between, within = scatters(y)
    return between - p["within_weight"] * within, None


def definition(X, Y, fitted):
    of_classes(forms, X, Y, fitted)
