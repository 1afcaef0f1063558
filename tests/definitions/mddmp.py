"""A = X'HSS'HX with the labels S in {-1, 1}, and orthonormal directions."""

from __future__ import annotations

from ._projections import centred, solves


def definition(X, Y, fitted):
    cross = centred(X).T @ (2 * Y - 1)
    solves(X, fitted, cross @ cross.T, mean=X.mean(axis=0))
