"""Laplacian eigenmaps: Wz = vDz with the degrees D, without the constant vector."""

from __future__ import annotations

import numpy as np
import proximity_by_the_book

from ._embeddings import embeds

PARAMETERS = {"proximity": {"n_neighbors": 5}}


def definition(X, Y, fitted):
    W = proximity_by_the_book.weights(X, n_neighbors=5)
    embeds(fitted, W, np.diag(W.sum(axis=1)), constant=True)
