"""Latent labels, smooth over the instances, which give the labels and are given by few features, in turn."""

from __future__ import annotations

import numpy as np
from regressions_by_the_book import mifs, mifs_objective

from ._scores import THREE_ITERATIONS, graph, scored

PARAMETERS = {**THREE_ITERATIONS, "n_latent": 2, "beta": 0.5}


def definition(X, Y, fitted):
    S = graph(X)
    W, V, B = mifs(X, Y, S, 2, 1.0, 0.5, 0.3, 3)
    np.testing.assert_allclose(fitted.latent_labels_ @ fitted.label_basis_, V @ B, atol=1e-7)
    np.testing.assert_allclose(fitted.coef_ @ fitted.label_basis_, W @ B, atol=1e-7)
    np.testing.assert_allclose(fitted.objective_[-1], mifs_objective(X, Y, S, W, V, B, 1.0, 0.5, 0.3), rtol=1e-7)
    scored(fitted, np.linalg.norm(W, axis=1), rtol=1e-6)
