"""MFS-MFR against plain steps from other starts, and its penalties as percentages."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mlreduce.exceptions import DataError
from mlreduce.selection import MFSMFR
from mlreduce.selection.mfs_mfr import minimum_of


def problem(n=80, d=9, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[:, 3] = X[:, 1] + 0.3 * X[:, 3]
    W = rng.standard_normal((d, q)) * (np.arange(d) < 4)[:, np.newaxis]
    return X, (X @ W + rng.standard_normal((n, q)) > 0).astype(int)


@pytest.mark.parametrize("sharing", [0.0, 0.01])
def test_it_ends_where_plain_steps_from_elsewhere_end(sharing):
    """Those of W alone and of M alone, in turn, with steps that are short enough."""
    rng = np.random.default_rng(1)
    R, Q = rng.gamma(1.0, size=(8, 3)), np.eye(8) + 0.2 * np.ones((8, 8))
    alpha, beta = 0.3, 0.5
    minimum = minimum_of(Q, R, alpha, beta, sharing, 1e-10, 100_000)
    assert (np.diff(minimum.objective) <= 0).all()
    W, M = rng.standard_normal((2, 8, 3))
    for _ in range(20_000):
        W = W - 0.2 * (Q @ (W + M) - R + sharing * M @ (M.T @ W))
        W = np.sign(W) * np.maximum(np.abs(W) - 0.2 * alpha, 0)
        M = M - 0.2 * (Q @ (W + M) - R + sharing * W @ (W.T @ M))
        norms = np.linalg.norm(M, axis=1, keepdims=True)
        M = M * np.maximum(1 - 0.2 * beta / np.maximum(norms, 1e-12), 0)
    assert W.any()
    assert M.any()
    np.testing.assert_allclose(sum(np.split(minimum.coefficients, 2)), W + M, atol=1e-6)


def test_percentages_are_those_of_the_largest_information():
    X, Y = problem()
    assert not MFSMFR(sparsity="100%", row_sparsity="100%").fit(X, Y).scores_.any()
    some = MFSMFR(sparsity="99%", row_sparsity="100%").fit(X, Y)
    assert some.coef_.any()
    assert not some.common_coef_.any()
    ranked = np.argsort(MFSMFR(sparsity="100%", row_sparsity="100%").fit(X, Y).ranking_)
    assert ranked[0] == MFSMFR(sparsity=0.0, sharing=0.0, redundancy=0.0, smoothness=0.0).fit(X, Y).scores_.argmax()


def test_what_cannot_be_is_refused_and_too_few_iterations_are_said():
    X, Y = problem()
    for name in ("sparsity", "row_sparsity", "sharing", "redundancy", "smoothness"):
        with pytest.raises(DataError, match=f"{name} must be"):
            MFSMFR(**{name: -1.0}).fit(X, Y)
    with pytest.raises(DataError, match="sparsity must be a number, a percentage"):
        MFSMFR(sparsity="3").fit(X, Y)
    with pytest.warns(ConvergenceWarning, match="after 2 iterations .* than tol=1e-05; a larger max_iter"):
        MFSMFR(max_iter=2).fit(X, Y)
