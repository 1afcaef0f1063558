"""Distances of all pairs of one class, less proximities of those of different ones: the least."""

from __future__ import annotations

from single_label_by_the_book import laplacian, repulsion

from ._classes import PAIRWISE, of_classes

DATA = "classes"
PARAMETERS = {"repulsion": 2.5, "proximity": PAIRWISE}


def forms(X, y, W, p):
    together = (y[:, None] == y).astype(float)
    return -(laplacian(together) - p["repulsion"] * repulsion(y, W)), None


def definition(X, Y, fitted):
    of_classes(forms, X, Y, fitted)
