"""A = X'HSS'HX with the labels S in {-1, 1}; B = beta X'HX + (1 - beta) I."""

from __future__ import annotations

import numpy as np

from ._projections import centred, solves

PARAMETERS = {"scatter_weight": 0.3}


def definition(X, Y, fitted):
    Xc = centred(X)
    cross = Xc.T @ (2 * Y - 1)
    solves(X, fitted, cross @ cross.T, 0.3 * Xc.T @ Xc + 0.7 * np.eye(X.shape[1]), X.mean(axis=0))
