"""The least error of reconstruction from all of the class, less distances to the nearest of others."""

from __future__ import annotations

from single_label_by_the_book import across, from_all, one_pair

from ._classes import of_classes

DATA = "classes"
PARAMETERS = {"n_others": 5, "repulsion": 0.4, "reg": 1e-2}


def forms(X, y, W, p):
    cost = from_all(X, y, p["reg"])
    for i in range(len(X)):
        for j in across(X, y, i, p["n_others"]):
            cost -= p["repulsion"] * one_pair(len(X), i, j)
    return -cost, None


def definition(X, Y, fitted):
    of_classes(forms, X, Y, fitted)
