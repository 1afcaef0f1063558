"""The second moments of the features, which are not centred, and orthonormal directions."""

from __future__ import annotations

from ._projections import solves


def definition(X, Y, fitted):
    solves(X, fitted, X.T @ X)
