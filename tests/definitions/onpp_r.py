"""The least error of reconstruction from neighbours of the class, less proximities of other classes."""

from __future__ import annotations

from single_label_by_the_book import from_neighbours, repulsion

from ._classes import PAIRWISE, of_classes

DATA = "classes"
PARAMETERS = {"n_neighbors": 3, "reg": 1e-2, "repulsion": 0.2, "proximity": PAIRWISE}


def forms(X, y, W, p):
    return -(from_neighbours(X, y, p["n_neighbors"], p["reg"]) - p["repulsion"] * repulsion(y, W)), None


def definition(X, Y, fitted):
    of_classes(forms, X, Y, fitted)
