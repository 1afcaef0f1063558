"""The least error of reconstruction from neighbours, without the constant vector."""

from __future__ import annotations

import numpy as np
import proximity_by_the_book

from ._embeddings import embeds

PARAMETERS = {"n_neighbors": 5}


def definition(X, Y, fitted):
    rest = np.eye(len(X)) - proximity_by_the_book.reconstruction(X, 5)
    embeds(fitted, -rest.T @ rest, constant=True)
