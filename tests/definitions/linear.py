"""Least squares with an intercept, of all solutions that of the smallest norm."""

from __future__ import annotations

import numpy as np

from ._predictions import new_rows


def definition(X, Y, fitted):
    solution = np.linalg.pinv(with_ones(X), rcond=1e-10) @ Y
    np.testing.assert_allclose(fitted.intercept_, solution[0], atol=1e-9)
    np.testing.assert_allclose(fitted.coef_, solution[1:].T, atol=1e-9)
    for rows in (X, new_rows(X)):
        np.testing.assert_allclose(fitted.predict(rows), with_ones(rows) @ solution, atol=1e-9)


def with_ones(X):
    return np.column_stack([np.ones(len(X)), X])
