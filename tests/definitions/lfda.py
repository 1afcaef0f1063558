"""Scatter between and inside classes as sums over pairs, those of one class weighted by proximities."""

from __future__ import annotations

from single_label_by_the_book import local_scatters

from ._classes import PAIRWISE, of_classes

DATA = "classes"
PARAMETERS = {"ridge": 0.7, "proximity": PAIRWISE}


def forms(X, y, W, p):
    return local_scatters(y, W)


def definition(X, Y, fitted):
    of_classes(forms, X, Y, fitted)
