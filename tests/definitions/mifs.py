"""Latent labels, smooth over the instances, which give the labels and are given by few features: none better alone."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import laplacian, mifs_objective

from ._scores import AT_MINIMUM, at_minimum, completed, graph

PARAMETERS = {**AT_MINIMUM, "n_latent": 2, "smoothness": 0.5}


def definition(X, Y, fitted):
    S, W, V, B = graph(X), fitted.coef_, fitted.latent_labels_, fitted.label_basis_
    Y = completed(Y, V @ B)
    np.testing.assert_allclose(B @ B.T, np.eye(2), atol=1e-9)
    np.testing.assert_allclose((V - X @ W) + (V - Y @ B.T) + 0.5 * laplacian(S) @ V, 0, atol=1e-4)
    products = V.T @ Y @ B.T  # the best rotation makes it symmetric and positive
    np.testing.assert_allclose(products, products.T, atol=1e-6 * np.abs(products).max())
    assert np.linalg.eigvalsh(products).min() > 0
    at_minimum(fitted, mifs_objective(X, Y, S, W, V, B, 1.0, 0.5, fitted.sparsity_), X.T @ (V - X @ W))
