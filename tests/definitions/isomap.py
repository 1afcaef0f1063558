"""Classical scaling of the shortest paths in the graph of neighbours."""

from __future__ import annotations

from proximity_by_the_book import joined, paths

from ._embeddings import distances_kept

PARAMETERS = {"n_neighbors": 5}


def definition(X, Y, fitted):
    distances_kept(fitted, paths(X, joined(X, 5)))
