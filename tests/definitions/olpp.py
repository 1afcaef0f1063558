"""The least X'LX, L the Laplacian of the neighbours' weights, and orthonormal directions."""

from __future__ import annotations

import proximity_by_the_book

from ._projections import laplacian, solves

PARAMETERS = {"proximity": {"n_neighbors": 4}}


def definition(X, Y, fitted):
    W = proximity_by_the_book.weights(X, n_neighbors=4)
    solves(X, fitted, -X.T @ laplacian(W) @ X, mean=X.mean(axis=0))
