"""Squared errors, what lies outside of a shared subspace and the L2,1 norm, minimised in turn."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import sfus, sfus_objective

from ._scores import THREE_ITERATIONS, regressed

PARAMETERS = {**THREE_ITERATIONS, "beta": 0.5, "n_latent": 1}


def definition(X, Y, fitted):
    W, Q, gap = sfus(X, Y, 1, 0.5, 0.3, 3)
    assert gap > 1e-3  # otherwise the subspace is open
    np.testing.assert_allclose(fitted.subspace_ @ fitted.subspace_.T, Q @ Q.T, atol=1e-6)
    regressed(fitted, W, sfus_objective(X, Y, W, Q, 0.5, 0.3))
