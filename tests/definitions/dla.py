"""Distances to the nearest of the same class, less a multiple of those to the nearest of others: the least."""

from __future__ import annotations

import numpy as np
from single_label_by_the_book import across, inside, one_pair

from ._classes import of_classes

DATA = "classes"
PARAMETERS = {"n_neighbors": 2, "n_others": 5, "repulsion": 0.4}


def forms(X, y, W, p):
    cost = np.zeros((len(X), len(X)))
    for i in range(len(X)):
        for j in inside(X, y, i, p["n_neighbors"]):
            cost += one_pair(len(X), i, j)
        for j in across(X, y, i, p["n_others"]):
            cost -= p["repulsion"] * one_pair(len(X), i, j)
    return -cost, None


def definition(X, Y, fitted):
    of_classes(forms, X, Y, fitted)
