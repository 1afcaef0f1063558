"""Distances of neighbours of one class, less those of neighbours of different ones: the least."""

from __future__ import annotations

from single_label_by_the_book import across, graph, inside, laplacian

from ._classes import of_classes

DATA = "classes"
PARAMETERS = {"n_neighbors": 4, "ties": "first"}


def forms(X, y, W, p):
    near = [(i, j) for i in range(len(X)) for j in inside(X, y, i, p["n_neighbors"])]
    far = [(i, j) for i in range(len(X)) for j in across(X, y, i, p["n_neighbors"])]
    return -laplacian(graph(len(X), near) - graph(len(X), far)), None


def definition(X, Y, fitted):
    of_classes(forms, X, Y, fitted)
