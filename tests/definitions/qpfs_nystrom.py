"""Information of sampled features; between the others by the method of Nystrom."""

from __future__ import annotations

import numpy as np

from ._program import minimises, sampled_rows

PARAMETERS = {"sampling": 0.4, "random_state": 0}


def definition(X, Y, fitted):
    rows = sampled_rows(fitted, X.shape[1])

    def fill(Q):
        filled = Q[:, rows] @ np.linalg.pinv(Q[np.ix_(rows, rows)], rcond=1e-9) @ Q[rows]
        filled[rows], filled[:, rows] = Q[rows], Q[:, rows]
        return filled

    minimises(X, Y, fitted, fill)
