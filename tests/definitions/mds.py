"""Classical scaling of the distances: the inner products of the centred instances."""

from __future__ import annotations

from scipy.spatial.distance import cdist

from ._embeddings import distances_kept


def definition(X, Y, fitted):
    distances_kept(fitted, cdist(X, X))
