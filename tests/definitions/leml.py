"""Factors of the coefficients: no slope of squared errors and penalty is left, and no rank would lower them."""

from __future__ import annotations

import numpy as np

from ._predictions import new_rows, predicts

PARAMETERS = {"penalty": 2.0, "tol": 0, "max_iter": 3000}


def definition(X, Y, fitted):
    W, H, Xc, Yc = fitted.feature_factors_, fitted.label_factors_, X - X.mean(axis=0), Y - Y.mean(axis=0)
    V, new = W @ H.T, new_rows(X)
    slope = Xc.T @ (Yc - Xc @ V)
    np.testing.assert_allclose(slope @ H, 2.0 * W, atol=1e-6)
    np.testing.assert_allclose(slope.T @ W, 2.0 * H, atol=1e-6)
    if fitted.n_components is None:  # of all ranks: the penalty is the trace norm, and this its optimum
        assert np.linalg.norm(slope, 2) <= 2.0 * (1 + 1e-6)
    np.testing.assert_allclose(fitted.coef_, V.T, atol=1e-12)
    objective = np.square(Yc - Xc @ V).sum() / 2 + np.square(W).sum() + np.square(H).sum()
    np.testing.assert_allclose(fitted.objective_[-1], objective, rtol=1e-9)
    scores = Y.mean(axis=0) + (new - X.mean(axis=0)) @ V
    predicts(fitted, new, scores - 0.5)
    np.testing.assert_allclose(fitted.predict_scores(new), scores, atol=1e-9)
