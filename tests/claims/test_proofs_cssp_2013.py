"""What papers/cssp-2013/claims.yaml calls proved, computed on small data."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import mlreduce

K = 8


@pytest.fixture
def data(rng):
    X = rng.standard_normal((60, 4))
    latent = X @ rng.standard_normal((4, K)) + rng.standard_normal((60, K))
    return X, (latent > np.linspace(0, 2, K)).astype(int)


def test_leverage_is_the_share_in_the_best_subspace(data):
    """A label that does not vary has no part in it; with all labels each is as important."""
    Y = data[1].copy()
    Y[:, 3] = 1
    Z = Y - Y.mean(axis=0)
    for size in range(1, K - 1):
        best = np.linalg.svd(Z)[2][:size].T
        shares = np.linalg.norm(best @ best.T, axis=0) ** 2  # of the unit vectors
        coder = mlreduce.CSSP(size, random_state=0).fit(None, Y)
        np.testing.assert_allclose(size * coder.leverage_, shares, atol=1e-10)
        assert coder.leverage_[3] == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(mlreduce.CSSP(K, random_state=0).fit(None, data[1]).leverage_, 1 / K)


def test_rmse_is_below_the_bound(data, rng):
    """Whatever the regression predicts; a third of the bound would not do."""
    X, Y = data
    ratios = []
    for seed, size in enumerate([1, 2, 4, 6] * 3):
        coder = mlreduce.CSSP(size, random_state=seed).fit(None, Y)
        codes = coder.encode(Y)
        learned = mlreduce.LinearRegressor().fit(X, codes).predict(X)
        for predicted in (learned, learned + rng.standard_normal(codes.shape) / 5):
            training = np.linalg.norm(coder.reconstruct(predicted) - coder.reconstruct(codes))
            encoding = np.linalg.norm(Y - coder.mean_ - coder.reconstruct(codes))
            rmse = np.linalg.norm(coder.decode(predicted) - Y) / np.sqrt(len(Y))
            ratios.append(rmse / (2 * (training + encoding) / np.sqrt(len(Y))))
    assert 1 / 3 < max(ratios) <= 1


def expected_trials(probabilities, size):
    """Draws with replacement until so many different labels are there, exactly: over the sets that can be there."""

    @cache
    def rest(there):
        if len(there) == size:
            return 0.0
        new = [j for j in range(len(probabilities)) if j not in there and probabilities[j] > 0]
        total = sum(probabilities[j] for j in new)
        return (1 + sum(probabilities[j] * rest(there | {j}) for j in new)) / total

    return rest(frozenset())


def test_expected_trials_are_at_most_k_log_k(data, rng):
    """Of leverages, and of labels that span just k dimensions, for which it is the sum exactly."""
    assert expected_trials([0.5, 0.5], 2) == pytest.approx(3)
    Y = data[1]
    alike = np.column_stack([Y[:, :4], *[np.full(len(Y), 1)] * 4])  # four labels have all the leverage
    for labels in (Y, alike):
        for size in range(1, 5):
            leverage = mlreduce.CSSP(size, random_state=0).fit(None, labels).leverage_
            assert leverage.max() <= 1 / size + 1e-12
            bound = size * np.sum(1 / np.arange(1, size + 1))
            assert bound <= size * (1 + np.log(size))
            trials = expected_trials(np.where(leverage < 1e-12, 0.0, leverage), size)
            assert trials <= bound * (1 + 1e-9)
    assert trials == pytest.approx(bound)
