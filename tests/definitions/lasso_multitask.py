"""A feature's coefficients are along its slope of the squared errors, which is alpha long; or none."""

from __future__ import annotations

import numpy as np

from ._scores import scored

PARAMETERS = {"sparsity": 0.05, "tol": 1e-12, "max_iter": 100_000}


def definition(X, Y, fitted):
    W, Xc = fitted.coef_, X - X.mean(axis=0)
    slopes = Xc.T @ (Y - Y.mean(axis=0) - Xc @ W) / len(X)
    norms = np.linalg.norm(W, axis=1)
    for slope, w, norm in zip(slopes, W, norms, strict=True):
        if norm > 0:
            np.testing.assert_allclose(slope, 0.05 * w / norm, atol=1e-6)
        else:
            assert np.linalg.norm(slope) <= 0.05 * (1 + 1e-6)
    assert norms.any()
    scored(fitted, norms)
