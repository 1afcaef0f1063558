"""Least squares with an intercept, of the smallest norm."""

from __future__ import annotations

import numpy as np

from ._predictions import new_rows


def definition(X, Y, fitted):
    Xc, new = X - X.mean(axis=0), new_rows(X)
    W = np.linalg.pinv(Xc, rcond=1e-10) @ (Y - Y.mean(axis=0))
    np.testing.assert_allclose(fitted.coef_, W.T, atol=1e-9)
    np.testing.assert_allclose(fitted.intercept_, Y.mean(axis=0) - X.mean(axis=0) @ W, atol=1e-9)
    for rows in (X, new):
        np.testing.assert_allclose(fitted.predict(rows), Y.mean(axis=0) + (rows - X.mean(axis=0)) @ W, atol=1e-9)
