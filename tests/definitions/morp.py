"""The least cost X'H((1 - beta) XX' + beta YY')^-1 HX + ridge I, inverted within the span of HX; B = X'HX."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from ._projections import centred, solves

PARAMETERS = {"beta": 0.4, "ridge": 0.7}


def definition(X, Y, fitted):
    Xc, Yc = centred(X), centred(Y)
    span = scipy.linalg.orth(Xc, rcond=1e-10)
    K = 0.4 * Yc @ Yc.T + 0.6 * Xc @ Xc.T
    cost = Xc.T @ span @ np.linalg.inv(span.T @ K @ span) @ span.T @ Xc + 0.7 * np.eye(X.shape[1])
    solves(X, fitted, -cost, Xc.T @ Xc, X.mean(axis=0))
