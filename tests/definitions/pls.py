"""A = X'HYY'HX, and orthonormal directions."""

from __future__ import annotations

from ._projections import centred, solves


def definition(X, Y, fitted):
    cross = centred(X).T @ Y
    solves(X, fitted, cross @ cross.T, mean=X.mean(axis=0))
