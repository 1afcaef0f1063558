"""Squared errors of labels, unknown ones what the regression says from 0 to 1, and the L2,1 norm: a minimum."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import centring, csfs_objective

from ._scores import AT_MINIMUM, at_minimum

DATA = "partly"
PARAMETERS = AT_MINIMUM


def definition(X, Y, fitted):
    W, F, known = fitted.coef_, fitted.soft_labels_, ~np.isnan(Y)
    np.testing.assert_array_equal(F[known], Y[known])
    predicted = X @ W + (F - X @ W).mean(axis=0)
    np.testing.assert_allclose(F[~known], predicted[~known].clip(0, 1), atol=1e-5)
    at_minimum(fitted, csfs_objective(X, F, W, fitted.sparsity_), X.T @ centring(len(X)) @ (F - X @ W))
