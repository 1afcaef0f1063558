"""Orthonormal columns, smooth over the instances and near the labels, which few features give: none better alone."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import centring, filled, laplacian, mrdm_objective

from ._scores import AT_MINIMUM, at_minimum, graph

PARAMETERS = {**AT_MINIMUM, "smoothness": 0.5, "dependence": 2.0}


def definition(X, Y, fitted):
    W, V, n = fitted.coef_, fitted.latent_labels_, len(X)
    Z, L = centring(n) @ filled(Y), laplacian(graph(X))
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-9)
    slopes = 0.5 * L @ V - 2.0 * Z @ Z.T @ V - X @ W
    np.testing.assert_allclose(slopes - V @ (V.T @ slopes), 0, atol=1e-4)
    np.testing.assert_allclose(V.T @ slopes, slopes.T @ V, atol=1e-4)  # V does not turn
    objective = mrdm_objective(X, Z, L, W, V, 0.5, 2.0, fitted.sparsity_) + 2.0 * np.sum(Z**2)
    at_minimum(fitted, objective, X.T @ (V - X @ W))
