"""What papers/plst-2010/claims.yaml calls proved, computed on small data: labels as they are, and centred."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import mlreduce

K = 6


@pytest.fixture
def data(rng):
    X = rng.standard_normal((50, 4))
    return X, (X @ rng.standard_normal((4, K)) + rng.standard_normal((50, K)) > 0.5).astype(int)


@pytest.mark.parametrize("centred", [False, True])
def test_a_full_code_is_binary_relevance(centred, data, rng):
    X, Y = data
    unseen = rng.standard_normal((30, X.shape[1]))
    coder = mlreduce.PLST(centred=centred).fit(None, Y)
    codes = mlreduce.RidgeRegressor(0.01).fit(X, coder.encode(Y)).predict(unseen)
    alone = np.column_stack([mlreduce.RidgeRegressor(0.01).fit(X, Y[:, [k]]).predict(unseen) for k in range(K)])
    np.testing.assert_allclose(coder.reconstruct(codes) + coder.mean_, alone, atol=1e-9)
    np.testing.assert_array_equal(coder.decode(codes), alone > 0.5)


@pytest.mark.parametrize("centred", [False, True])
def test_principal_directions_encode_best(centred, data, rng):
    """The optimum by its singular values, and below random directions."""
    Y = data[1]
    for size in range(1, K):
        coder = mlreduce.PLST(size, centred=centred).fit(None, Y)
        Z = Y - coder.mean_

        def error(V, Z=Z):
            return np.sum((Z - Z @ V.T @ V) ** 2)

        found = error(coder.components_)
        assert found == pytest.approx(np.sum(np.linalg.svd(Z, compute_uv=False)[size:] ** 2))
        rivals = scipy.stats.ortho_group.rvs(K, 50, random_state=rng.integers(1000))[:, :size]
        assert all(found <= error(V) + 1e-9 for V in rivals)
