"""Norms of residuals, squares below a tenth, and smooth predictions; unknown labels where the residual is least."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import laplacian, mlmlfs_objective

from ._scores import AT_MINIMUM, at_minimum, graph

DATA = "partly"
PARAMETERS = {**AT_MINIMUM, "smoothness": 3.0}


def definition(X, Y, fitted):
    L, F = laplacian(graph(X)), X @ fitted.coef_ + fitted.intercept_
    completed = np.where(np.isnan(Y), np.clip(F, 0, 1), Y)
    np.testing.assert_allclose(fitted.soft_labels_, completed, atol=1e-6)
    E = completed - F
    E /= 2 * np.maximum(np.linalg.norm(E, axis=1, keepdims=True), 0.1)
    np.testing.assert_allclose(E.sum(axis=0), 0, atol=1e-5)
    objective = mlmlfs_objective(X, completed, L, fitted.coef_, fitted.intercept_, 3.0, fitted.sparsity_)
    at_minimum(fitted, objective, X.T @ (E - 3.0 * L @ F))
