"""PageRank is the only fixed point of a walk among the rows of one minus the correlations, by their distances."""

from __future__ import annotations

import numpy as np

from ._scores import correlation_distances, scored


def definition(X, Y, fitted):
    K, d = correlation_distances(X, Y), X.shape[1]
    step = np.array([[np.linalg.norm(k - other) for other in K] for k in K])
    step /= step.sum(axis=0)
    np.testing.assert_allclose(step.sum(axis=0), 1)
    scored(fitted, np.linalg.solve(np.eye(d) - 0.85 * step, np.full(d, 0.15 / d)), rtol=1e-8)
    np.testing.assert_allclose(fitted.scores_.sum(), 1, rtol=1e-8)
    assert 1 < fitted.n_iter_ < 100
