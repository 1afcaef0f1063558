"""Squared errors of labels, unknown ones filled in from the regression, and the L2,1 norm, in turn."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import csfs

from ._scores import THREE_ITERATIONS, scored

DATA = "partly"
PARAMETERS = THREE_ITERATIONS


def definition(X, Y, fitted):
    W, F = csfs(X, Y, 0.3, 3)
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-8)
    np.testing.assert_allclose(fitted.soft_labels_, F, atol=1e-8)
    scored(fitted, np.linalg.norm(W, axis=1), rtol=1e-7)
