"""Eigenvectors of Z'(H - I)Z: the smallest error of predicting the codes by least squares."""

from __future__ import annotations

from ._codes import centred, explained, orthonormal


def definition(X, Y, fitted):
    Z = centred(Y)
    orthonormal(Y, fitted, explained(X, Z) - Z.T @ Z)
