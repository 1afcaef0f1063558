"""The largest eigenvectors of the graph of MOPE."""

from __future__ import annotations

from ._embeddings import embeds
from .mope import graph

PARAMETERS = {"n_neighbors": 5, "beta": 1.5, "random_state": 0}


def definition(X, Y, fitted):
    embeds(fitted, graph(X, Y, n_neighbors=5))
