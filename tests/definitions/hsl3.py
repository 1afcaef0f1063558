"""Zhou's Laplacian: an edge joins any two of its instances, by the reciprocal of its size."""

from __future__ import annotations

import numpy as np

from ._hypergraphs import keeps_neighbours, normalised

PARAMETERS = {"ridge": 0.6}


def similarity(Y):
    """S; an instance has the degree of the number of its edges."""
    W = np.zeros((len(Y), len(Y)))
    for edge in Y.T:
        members = np.flatnonzero(edge)
        for i in members:
            W[i, members] += 1 / len(members)
    return normalised(W, Y.sum(axis=1))


def definition(X, Y, fitted):
    keeps_neighbours(X, fitted, similarity(Y))
