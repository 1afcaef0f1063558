"""Soft labels near the labels, coefficients near combinations of signed correlations: the conditions of a minimum."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import bends, correlations, cosines, laplacian

from ._scores import AT_MINIMUM, at_minimum

PARAMETERS = {**AT_MINIMUM, "label_smoothness": 0.5, "subspace_error": 3.0}


def definition(X, Y, fitted):
    W, F, K, known = fitted.coef_, fitted.soft_labels_, correlations(X, Y), ~np.isnan(Y)
    np.testing.assert_allclose(fitted.correlation_, K, atol=1e-12)
    Y = np.where(known, Y, 0.0)
    L, off = laplacian(cosines(Y)), W - K @ np.linalg.lstsq(K, W)[0]
    errors = F - X @ W - (F - X @ W).mean(axis=0)
    np.testing.assert_allclose(errors + known * (F - Y) + 0.5 * F @ L, 0, atol=1e-5)
    value = np.sum(errors**2) + np.sum((F - Y)[known] ** 2) + 0.5 * bends(F.T, L) + 3 * np.sum(off**2)
    value += fitted.sparsity_ * np.linalg.norm(W, axis=1).sum()
    at_minimum(fitted, value, X.T @ errors - 3 * off, order=1)
