"""A = (1 - beta) X'HX + beta X'HSS'HX with the labels S in {-1, 1}."""

from __future__ import annotations

from ._projections import centred, solves

PARAMETERS = {"beta": 0.2}


def definition(X, Y, fitted):
    Xc = centred(X)
    cross = Xc.T @ (2 * Y - 1)
    solves(X, fitted, 0.8 * Xc.T @ Xc + 0.2 * cross @ cross.T, mean=X.mean(axis=0))
