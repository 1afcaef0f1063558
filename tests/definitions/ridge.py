"""Least squares with the penalty of the least generalised error of cross-validation."""

from __future__ import annotations

import numpy as np

from ._predictions import new_rows


def definition(X, Y, fitted):
    n, Xc = len(X), X - X.mean(axis=0)

    def coefficients(penalty):
        return np.linalg.solve(Xc.T @ Xc + penalty * np.eye(X.shape[1]), Xc.T)

    for penalty, error in zip(fitted.penalties_[28:], fitted.errors_[28:], strict=True):
        hat = Xc @ coefficients(penalty) + 1 / n
        expected = np.square(Y - hat @ Y).mean() / np.square(1 - np.trace(hat) / n)
        np.testing.assert_allclose(error, expected, rtol=1e-6)
    assert fitted.errors_[fitted.penalties_ == fitted.penalty_] <= fitted.errors_.min() * (1 + 1e-9)
    W, new = coefficients(fitted.penalty_) @ Y, new_rows(X)
    np.testing.assert_allclose(fitted.coef_, W.T, atol=1e-8)
    for rows in (X, new):
        np.testing.assert_allclose(fitted.predict(rows), Y.mean(axis=0) + (rows - X.mean(axis=0)) @ W, atol=1e-8)
