"""Least squares with the penalty of the least error of leaving out each row."""

from __future__ import annotations

import numpy as np

from ._predictions import new_rows


def definition(X, Y, fitted):
    n, Xc = len(X), X - X.mean(axis=0)

    def coefficients(penalty):
        return np.linalg.solve(Xc.T @ Xc + penalty * np.eye(X.shape[1]), Xc.T)

    accurate = fitted.penalties_ > 1e-3 * np.linalg.norm(Xc, 2) ** 2
    for penalty, error in zip(fitted.penalties_[accurate], fitted.errors_[accurate], strict=True):
        hat = Xc @ coefficients(penalty) + 1 / n
        expected = np.square((Y - hat @ Y) / (1 - np.diag(hat))[:, np.newaxis]).mean()
        np.testing.assert_allclose(error, expected, rtol=1e-6)
    assert fitted.errors_[fitted.penalties_ == fitted.penalty_] <= fitted.errors_.min() * (1 + 1e-9)
    W, new = coefficients(fitted.penalty_) @ Y, new_rows(X)
    np.testing.assert_allclose(fitted.coef_, W.T, atol=1e-8)
    for rows in (X, new):
        np.testing.assert_allclose(fitted.predict(rows), Y.mean(axis=0) + (rows - X.mean(axis=0)) @ W, atol=1e-8)
