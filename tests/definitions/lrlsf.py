"""Non-negative regression on non-negative combinations of labels, near them and smooth: the conditions of a minimum."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import bends, laplacian

from ._scores import graph, stationary

PARAMETERS = {"smoothness": 0.5, "label_error": 2.0, "sparsity": 3.0, "relevance": 0.7, "tol": 1e-5, "max_iter": 20_000}


def definition(X, Y, fitted):
    W, S, L = fitted.coef_, fitted.label_relevance_, laplacian(graph(X))
    errors, off = X @ W - Y @ S, Y @ S - Y
    slopes = Y.T @ (errors - 0.5 * L @ Y @ S - 2 * off) - 0.7
    assert (S >= 0).all()
    np.testing.assert_allclose(np.where(S > 0, slopes, np.maximum(slopes, 0)), 0, atol=1e-9 * len(X) ** 2)
    value = np.sum(errors**2) / 2 + 0.25 * bends(Y @ S, L) + np.sum(off**2) + 0.7 * S.sum()
    stationary(fitted, value + 3 * W.sum(), X.T @ errors, 3.0)
