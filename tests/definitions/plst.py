"""Principal components of the labels."""

from __future__ import annotations

from ._codes import centred, orthonormal


def definition(X, Y, fitted):
    Z = centred(Y)
    orthonormal(Y, fitted, Z.T @ Z)
