"""Norms of residuals, squares where they are below a tenth, and of coefficients: the conditions of a minimum."""

from __future__ import annotations

import numpy as np

from ._scores import AT_MINIMUM, at_minimum, completed

PARAMETERS = AT_MINIMUM


def definition(X, Y, fitted):
    E = completed(Y, X @ fitted.coef_) - X @ fitted.coef_
    norms = np.linalg.norm(E, axis=1)
    larger = np.maximum(norms, 0.1)
    objective = (norms**2 / larger + larger).sum() / 2 + fitted.sparsity_ * np.linalg.norm(fitted.coef_, axis=1).sum()
    at_minimum(fitted, objective, X.T @ (E / (2 * larger[:, np.newaxis])))
