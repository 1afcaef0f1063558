"""Shared by the projections of which some instances have no labels."""

from __future__ import annotations

import numpy as np
import proximity_by_the_book

from ._classes import PAIRWISE, forms_by_copying
from ._projections import laplacian


def labelled_part(X, Y):
    labelled = ~np.isnan(Y).any(axis=1)
    return X[labelled], Y[labelled]


def of_labelled(forms, X, Y, p):
    """A and B of a class method for the labelled instances, each copied into its classes."""
    X, Y = labelled_part(X, Y)
    used = Y.any(axis=1)
    X, Y = X[used], Y[used]
    W = proximity_by_the_book.weights(X, **p["proximity"]) if "proximity" in p else None
    A, B = forms_by_copying(forms, X, Y, W, p, weighted=False)
    return X.T @ A @ X, None if B is None else X.T @ B @ X


def roughness(X):
    """X'LX of all instances."""
    return X.T @ laplacian(proximity_by_the_book.weights(X, **PAIRWISE)) @ X
