"""A = X'GX with the graph G of the largest combined proximities of features and labels."""

from __future__ import annotations

import numpy as np
from label_proximities_by_the_book import average_over_classes, combination, index_of_bits, nearest_by_psi

from ._projections import solves

PARAMETERS = {"n_neighbors": 4, "beta": 1.5, "random_state": 0}


def graph(X, Y, n_neighbors=4, beta=1.5):
    """Proximities of features by a Gaussian, of labels by averages of Dice's index; joined by the scheme "priority"."""
    n = len(X)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    W, G = np.exp(-squares * n * (n - 1) / squares.sum()), average_over_classes(Y, index_of_bits(Y.T, "dice"))
    return nearest_by_psi(combination(W, G, "priority", beta=beta), n_neighbors)


def definition(X, Y, fitted):
    solves(X, fitted, X.T @ graph(X, Y) @ X)
