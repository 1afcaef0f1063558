"""Unnormalised spectral clustering: the least of the Laplacian's eigenvectors."""

from __future__ import annotations

import proximity_by_the_book

from ._embeddings import embeds
from ._projections import laplacian

PARAMETERS = {"proximity": {"n_neighbors": 5}}


def definition(X, Y, fitted):
    embeds(fitted, -laplacian(proximity_by_the_book.weights(X, n_neighbors=5)))
