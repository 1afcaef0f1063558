"""A = X'HLHX with the kernel L of the labels, by default linear."""

from __future__ import annotations

from ._projections import centred, solves


def definition(X, Y, fitted, divisor=1):
    Xc, L = centred(X), Y @ Y.T
    solves(X, fitted, Xc.T @ L @ Xc / divisor, mean=X.mean(axis=0))
