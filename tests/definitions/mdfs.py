"""Soft labels near the known ones, smooth over instances and labels, and their sparse regression: a minimum."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import centring, label_weights, laplacian, mdfs_objective

from ._scores import AT_MINIMUM, at_minimum, graph

DATA = "partly"
PARAMETERS = {**AT_MINIMUM, "label_error": 0.5, "label_smoothness": 2.0}


def definition(X, Y, fitted):
    S, W, F, known = graph(X), fitted.coef_, fitted.soft_labels_, ~np.isnan(Y)
    H, labels = centring(len(X)), np.where(known, Y, 0.0)
    errors = 0.5 * known * (F - labels) + H @ (F - X @ W)
    stationary = laplacian(S) @ F + 2.0 * F @ laplacian(label_weights(labels, "complete")) + errors
    np.testing.assert_allclose(stationary, 0, atol=1e-5)
    at_minimum(fitted, mdfs_objective(X, Y, S, F, W, 0.5, 2.0, fitted.sparsity_), X.T @ H @ (F - X @ W))
