"""Distances of the nearest pairs across classes, and of the nearest neighbours inside of them."""

from __future__ import annotations

from single_label_by_the_book import graph, inside, laplacian, pairs_across

from ._classes import of_classes

DATA = "classes"
PARAMETERS = {"ridge": 0.7, "n_neighbors": 2, "n_pairs": 60, "ties": "first"}


def forms(X, y, W, p):
    pairs = [pair for label in set(y) for pair in pairs_across(X, y, label, p["n_pairs"])]
    near = [(i, j) for i in range(len(X)) for j in inside(X, y, i, p["n_neighbors"])]
    return laplacian(graph(len(X), pairs)), laplacian(graph(len(X), near))


def definition(X, Y, fitted):
    of_classes(forms, X, Y, fitted)
