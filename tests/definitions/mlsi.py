"""A = X'((1 - beta) XX' + beta YY')X and B = X'X + ridge I, of features that are not centred."""

from __future__ import annotations

import numpy as np

from ._projections import solves

PARAMETERS = {"beta": 0.4, "ridge": 0.6}


def definition(X, Y, fitted):
    A = X.T @ (0.6 * X @ X.T + 0.4 * Y @ Y.T) @ X
    solves(X, fitted, A, X.T @ X + 0.6 * np.eye(X.shape[1]))
