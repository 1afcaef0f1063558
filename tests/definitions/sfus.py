"""Squared errors, what lies outside of a shared subspace and the L2,1 norm: none better alone."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import centring, sfus_objective

from ._scores import AT_MINIMUM, at_minimum, completed

PARAMETERS = {**AT_MINIMUM, "subspace_error": 0.5, "n_latent": 1}


def definition(X, Y, fitted):
    W, Q = fitted.coef_, fitted.subspace_
    Y = completed(Y, X @ W, intercept=True)
    np.testing.assert_allclose(Q.T @ Q, np.eye(1), atol=1e-9)
    outside, values = W - Q @ (Q.T @ W), np.linalg.svd(W, compute_uv=False)
    np.testing.assert_allclose(np.sum(outside**2), np.sum(values[1:] ** 2), rtol=1e-6, atol=1e-12)
    slopes = X.T @ centring(len(X)) @ (Y - X @ W) - 0.5 * outside
    at_minimum(fitted, sfus_objective(X, Y, W, Q, 0.5, fitted.sparsity_), slopes)
