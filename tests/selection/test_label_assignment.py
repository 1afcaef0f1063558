"""ELA-CHI2: features that tie but for rounding keep their order."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mlreduce.selection import ELAChi2


def test_no_rounding_error_decides_between_features():
    """Labels that are sparse are summed in another order."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n, d, q = rng.integers(4, 13), rng.integers(2, 5), rng.integers(1, 5)
        X, Y = (
            rng.integers(0, 3, (n, d)).astype(float),
            (rng.random((n, q)) < rng.choice([0.3, 0.7, 1.0], q)).astype(int),
        )
        dense, sparse = (ELAChi2(k=1, discretise=None).fit(X, labels) for labels in (Y, sp.csr_array(Y)))
        np.testing.assert_array_equal(dense.ranking_, sparse.ranking_)
        steps = dense.scores_ / (max(1, Y.any(axis=1).sum()) * 2.0**-40)
        np.testing.assert_array_equal(steps, np.rint(steps))
