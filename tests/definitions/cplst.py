"""Eigenvectors of Z'HZ: the smallest sum of the errors of encoding and of predicting the codes."""

from __future__ import annotations

from ._codes import centred, explained, orthonormal


def definition(X, Y, fitted):
    orthonormal(Y, fitted, explained(X, centred(Y)))
