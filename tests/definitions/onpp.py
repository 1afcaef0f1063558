"""The least error by which projected instances are reconstructed from their neighbours."""

from __future__ import annotations

import numpy as np
import proximity_by_the_book

from ._projections import solves

PARAMETERS = {"n_neighbors": 4}


def definition(X, Y, fitted):
    solves(X, fitted, -error(X), mean=X.mean(axis=0))


def error(X):
    """X'(I - W)'(I - W)X with the weights W of the reconstruction from four neighbours."""
    rest = np.eye(len(X)) - proximity_by_the_book.reconstruction(X, 4)
    return X.T @ rest.T @ rest @ X
