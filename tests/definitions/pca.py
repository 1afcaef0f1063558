"""The scatter of the features, and orthonormal directions."""

from __future__ import annotations

from ._projections import centred, solves


def definition(X, Y, fitted):
    Xc = centred(X)
    solves(X, fitted, Xc.T @ Xc, mean=X.mean(axis=0))
