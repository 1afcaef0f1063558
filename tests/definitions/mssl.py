"""Squared errors, a Laplacian over the features and the L2,1 norm, minimised in turn."""

from __future__ import annotations

from regressions_by_the_book import mssl, mssl_objective

from ._scores import THREE_ITERATIONS, graph, regressed

PARAMETERS = {**THREE_ITERATIONS, "alpha": 0.5}


def definition(X, Y, fitted):
    S = graph(X.T)
    W = mssl(X, Y, S, 0.5, 0.3, 3)
    regressed(fitted, W, mssl_objective(X, Y, S, W, 0.5, 0.3))
