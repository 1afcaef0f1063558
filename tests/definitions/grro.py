"""Weights at which the slope is zero: their difference to the relevance, the redundancy and the distance of labels."""

from __future__ import annotations

import numpy as np
from information_by_the_book import bins_of, equal_frequency, information
from regressions_by_the_book import cosines

from ._scores import scored

PARAMETERS = {"redundancy": 2.0, "label_smoothness": 0.3}


def definition(X, Y, fitted):
    varying = np.flatnonzero((X[0] != X).any(axis=0))
    F = np.column_stack([bins_of(x, equal_frequency(x, 2)) for x in X[:, varying].T.tolist()])
    redundancy = np.array([[information(a, b) for b in F.T] for a in F.T]) / np.log(2)
    np.fill_diagonal(redundancy, 1)
    relevance = np.array([[information(f, y) for y in Y.T] for f in F.T]) / np.log(2)
    distances = np.array(
        [
            [1 - cosines(Y[~np.isnan(Y[:, [i, j]]).any(axis=1)][:, [i, j]])[0, 1] for j in range(Y.shape[1])]
            for i in range(Y.shape[1])
        ]
    )
    np.fill_diagonal(distances, 0)
    W = fitted.coef_[varying]
    np.testing.assert_allclose(W - relevance + 2 * redundancy @ W + 0.3 * W @ distances, 0, atol=1e-10)
    scored(fitted, fitted.coef_.sum(axis=1))
