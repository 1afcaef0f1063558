"""Clique expansion: an edge joins any two of its instances, by the weight one."""

from __future__ import annotations

import numpy as np

from ._hypergraphs import keeps_neighbours, normalised

PARAMETERS = {"ridge": 0.6}


def similarity(Y):
    """S; an instance has the degree of the sizes of its edges."""
    W, degrees = np.zeros((len(Y), len(Y))), np.zeros(len(Y))
    for edge in Y.T:
        members = np.flatnonzero(edge)
        degrees[members] += len(members)
        for i in members:
            W[i, members] += 1
    return normalised(W, degrees)


def definition(X, Y, fitted):
    keeps_neighbours(X, fitted, similarity(Y))
