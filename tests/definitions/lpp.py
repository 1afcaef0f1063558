"""The least X'LX, L the Laplacian of the neighbours' weights; B = X'DX + ridge I with the degrees D."""

from __future__ import annotations

import numpy as np
import proximity_by_the_book

from ._projections import laplacian, solves

PARAMETERS = {"proximity": {"n_neighbors": 4}, "ridge": 0.7}


def definition(X, Y, fitted):
    W = proximity_by_the_book.weights(X, n_neighbors=4)
    B = X.T @ np.diag(W.sum(axis=1)) @ X + 0.7 * np.eye(X.shape[1])
    solves(X, fitted, -X.T @ laplacian(W) @ X, B)
