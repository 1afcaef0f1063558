"""Squared errors, a Laplacian over the features and the L2,1 norm: the conditions of a minimum."""

from __future__ import annotations

from regressions_by_the_book import centring, laplacian, mssl_objective

from ._scores import AT_MINIMUM, at_minimum, completed, graph

PARAMETERS = {**AT_MINIMUM, "smoothness": 0.5}


def definition(X, Y, fitted):
    S, W = graph(X.T), fitted.coef_
    Y = completed(Y, X @ W, intercept=True)
    slopes = X.T @ centring(len(X)) @ (Y - X @ W) - 0.5 * laplacian(S) @ W
    at_minimum(fitted, mssl_objective(X, Y, S, W, 0.5, fitted.sparsity_), slopes)
