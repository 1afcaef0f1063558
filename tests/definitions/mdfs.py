"""Soft labels near the known ones, smooth over instances and labels, and their sparse regression, in turn."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import mdfs

from ._scores import THREE_ITERATIONS, graph, scored

DATA = "partly"
PARAMETERS = {**THREE_ITERATIONS, "alpha": 0.5, "beta": 2.0}


def definition(X, Y, fitted):
    W, F = mdfs(X, Y, graph(X), 0.5, 2.0, 0.3, 3)
    np.testing.assert_allclose(fitted.coef_, W, atol=1e-7)
    np.testing.assert_allclose(fitted.soft_labels_, F, atol=1e-7)
    scored(fitted, np.linalg.norm(W, axis=1), rtol=1e-6)
