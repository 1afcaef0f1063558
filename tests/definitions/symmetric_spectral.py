"""The largest eigenvectors of the weights over the roots of both degrees."""

from __future__ import annotations

import numpy as np
import proximity_by_the_book

from ._embeddings import embeds

PARAMETERS = {"proximity": {"n_neighbors": 5}}


def definition(X, Y, fitted):
    W = proximity_by_the_book.weights(X, n_neighbors=5)
    degrees = W.sum(axis=1)
    embeds(fitted, W / np.sqrt(np.outer(degrees, degrees)))
