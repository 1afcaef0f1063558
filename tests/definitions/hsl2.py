"""Star expansion: a graph of instances and labels, of which the normalised adjacency is taken twice."""

from __future__ import annotations

import numpy as np

from ._hypergraphs import keeps_neighbours, normalised

PARAMETERS = {"ridge": 0.6}


def similarity(Y):
    """S; a label is joined to its instances by the reciprocal of their number."""
    n, q = Y.shape
    joint = np.zeros((n + q, n + q))
    for k in range(q):
        for i in np.flatnonzero(Y[:, k]):
            joint[i, n + k] = joint[n + k, i] = 1 / Y[:, k].sum()
    adjacency = normalised(joint, joint.sum(axis=1))
    return (adjacency @ adjacency)[:n, :n]


def definition(X, Y, fitted):
    keeps_neighbours(X, fitted, similarity(Y))
