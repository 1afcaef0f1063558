"""A = X'HYY'HX and B = X'HX."""

from __future__ import annotations

from ._projections import centred, solves


def definition(X, Y, fitted):
    Xc = centred(X)
    cross = Xc.T @ Y
    solves(X, fitted, cross @ cross.T, Xc.T @ Xc, X.mean(axis=0))
