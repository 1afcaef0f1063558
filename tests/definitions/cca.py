"""A = X'HY (Y'HY)^+ Y'HX and B = X'HX: the eigenvalues are squared canonical correlations."""

from __future__ import annotations

import numpy as np

from ._projections import centred, solves


def definition(X, Y, fitted, ridge=0.0):
    Xc = centred(X)
    A = Xc.T @ Y @ np.linalg.pinv(Y.T @ centred(Y), rcond=1e-10) @ Y.T @ Xc
    solves(X, fitted, A, Xc.T @ Xc + ridge * np.eye(X.shape[1]), X.mean(axis=0))
