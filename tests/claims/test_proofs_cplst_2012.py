"""What papers/cplst-2012/claims.yaml calls proved, or false by algebra, computed on small data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import mlreduce

N, K = 60, 6
ALPHA = 0.3


@pytest.fixture
def data(rng):
    """Features, and labels of unequal variance of which they explain a part."""
    X = rng.standard_normal((N, 4))
    Y = (X @ rng.standard_normal((4, K)) + 2 * rng.standard_normal((N, K)) > np.linspace(-1, 2, K)).astype(int)
    return X, Y


def linear(X, codes):
    return mlreduce.LinearRegressor().fit(X, codes).predict(X)


def ridge(X, codes):
    return mlreduce.KernelRidgeRegressor(gamma=1.0, alpha=ALPHA).fit(X, codes).predict(X)


def errors(regression, V, X, Y):
    """Prediction and encoding error of directions on the training rows."""
    Z = Y - Y.mean(axis=0)
    codes = Z @ V.T
    return np.array([np.sum((regression(X, codes) - codes) ** 2), np.sum((Z - codes @ V) ** 2)])


def rivals(rng, size, count=50):
    return scipy.stats.ortho_group.rvs(K, count, random_state=rng.integers(1000))[:, :size]


def test_only_occa_and_cplst_use_the_features(data, rng):
    X, Y = data
    other = rng.permutation(X)
    for name, parameters in (("plst", {}), ("cs", {"random_state": 0}), ("occa", {}), ("cplst", {})):
        own, moved = (mlreduce.make(name, n_components=2, **parameters).fit(x, Y).components_ for x in (X, other))
        assert np.allclose(own, moved) == (name in ("plst", "cs"))


def test_hamming_loss_is_below_the_bound(data, rng):
    """Of codes and of random directions, and of predictions of any size."""
    X, Y = data
    directions = [mlreduce.make(name, n_components=3).fit(X, Y).components_ for name in ("plst", "occa", "cplst")]
    for V in (*directions, *rivals(rng, 3)):
        coder = mlreduce.PLST(3).fit(None, Y)
        coder.components_ = V
        for predicted in (linear(X, coder.encode(Y)), rng.standard_normal((N, 3))):
            bound = np.sum((predicted - coder.encode(Y)) ** 2) + errors(linear, V, X, Y)[1]
            assert np.mean(coder.decode(predicted) != Y) <= 4 / (N * K) * bound


def test_each_code_minimises_its_error(data, rng):
    """The optimum by its eigenvalues, and below those of the other codes and of random directions."""
    X, Y = data
    Z = Y - Y.mean(axis=0)
    H = linear(X, np.eye(N)) - 1 / N  # of centred labels
    np.testing.assert_allclose(H @ H, H, atol=1e-10)
    for size in range(1, K):
        codes = {
            name: mlreduce.make(name, n_components=size).fit(X, Y).components_ for name in ("occa", "plst", "cplst")
        }
        own = {name: errors(linear, V, X, Y) for name, V in codes.items()}
        others = np.array([*own.values(), *(errors(linear, V, X, Y) for V in rivals(rng, size))])
        least = {
            "occa": (own["occa"][0], others[:, 0], np.linalg.eigvalsh(Z.T @ (Z - H @ Z))[:size].sum()),
            "plst": (own["plst"][1], others[:, 1], np.linalg.eigvalsh(Z.T @ Z)[: K - size].sum()),
            "cplst": (
                own["cplst"].sum(),
                others.sum(axis=1),
                np.sum(Z**2) - np.linalg.eigvalsh(Z.T @ H @ Z)[K - size :].sum(),
            ),
        }
        for found, compared, optimum in least.values():
            assert found == pytest.approx(optimum)
            assert (found <= compared + 1e-9).all()


def test_one_decomposition_serves_every_size(data):
    """The leading directions of the longest code are those of each shorter one, and singular vectors of Z'HZ."""
    X, Y = data
    Z = Y - Y.mean(axis=0)
    longest = mlreduce.CPLST().fit(X, Y).components_
    singular = np.linalg.svd(Z.T @ linear(X, Z))[2]
    for size in range(1, K + 1):
        own = mlreduce.CPLST(size).fit(X, Y).components_
        np.testing.assert_allclose(own, longest[:size], atol=1e-10)
    np.testing.assert_allclose(np.abs(np.sum(longest[:4] * singular[:4], axis=1)), 1.0)  # its rank is 4


def test_cca_directions_are_not_orthogonal(data):
    X, Y = data
    Z = Y - Y.mean(axis=0)
    W = mlreduce.CCACode().fit(X, Y).components_
    np.testing.assert_allclose(W @ Z.T @ Z @ W.T, np.eye(K), atol=1e-9)
    unit = W / np.linalg.norm(W, axis=1, keepdims=True)
    assert np.abs(unit @ unit.T - np.eye(K)).max() > 0.1
    assert np.abs(Z @ unit.T @ unit - Z).max() > 0.1


def test_kernel_cplst_needs_only_the_kernel(data, rng):
    """Rotated features have the same kernel, others have not."""
    X, Y = data
    rotated = X @ scipy.stats.ortho_group.rvs(X.shape[1], random_state=rng.integers(1000))
    own, same, other = (
        mlreduce.KernelCPLST(2, gamma=1.0, alpha=ALPHA).fit(x, Y).components_ for x in (X, rotated, rng.permutation(X))
    )
    np.testing.assert_allclose(own, same, atol=1e-9)
    assert not np.allclose(own, other)


def test_kernel_cplst_minimises_its_sum(data, rng):
    X, Y = data
    Z = Y - Y.mean(axis=0)
    kernel = np.exp(-np.sum((X[:, None] - X) ** 2, axis=2))
    Q = np.linalg.inv(kernel + ALPHA * np.eye(N))
    for size in range(1, K):
        found = errors(ridge, mlreduce.KernelCPLST(size, gamma=1.0, alpha=ALPHA).fit(X, Y).components_, X, Y).sum()
        explained = np.linalg.eigvalsh(Z.T @ (2 * kernel @ Q - Q @ kernel @ kernel @ Q) @ Z)[K - size :].sum()
        assert found == pytest.approx(np.sum(Z**2) - explained)
        assert all(found <= errors(ridge, V, X, Y).sum() + 1e-9 for V in rivals(rng, size))


def test_the_identity_in_equation_8_is_wrong(data):
    """The solution of the problem as printed has a larger sum of errors."""
    X, Y = data
    Z = Y - Y.mean(axis=0)
    kernel = np.exp(-np.sum((X[:, None] - X) ** 2, axis=2))
    Q = np.linalg.inv(kernel + ALPHA * np.eye(N))
    printed = Z.T @ (2 * kernel @ Q - Q @ kernel @ kernel @ Q - np.eye(N)) @ Z
    own, with_identity = (
        mlreduce.make(name, n_components=2, gamma=1.0, alpha=ALPHA).fit(X, Y).components_
        for name in ("kernel-cplst", "kernel-occa")
    )
    assert np.trace(with_identity @ printed @ with_identity.T) == pytest.approx(np.linalg.eigvalsh(printed)[-2:].sum())
    assert errors(ridge, with_identity, X, Y).sum() > 1.05 * errors(ridge, own, X, Y).sum()


def test_a_kernel_finds_a_parity():
    bits = np.array([[a, b, coin] for a in (0, 1) for b in (0, 1) for coin in (0, 1)] * 5)
    X, Y = bits[:, :2].astype(float), np.column_stack([bits[:, 2], bits[:, 0] ^ bits[:, 1]])
    np.testing.assert_allclose(mlreduce.CPLST().fit(X, Y).eigenvalues_, 0.0, atol=1e-9)
    kernelised = mlreduce.KernelCPLST(gamma=1.0, alpha=ALPHA).fit(X, Y)
    np.testing.assert_allclose(np.abs(kernelised.components_), [[0, 1], [1, 0]], atol=1e-9)
    assert kernelised.eigenvalues_[0] > 0.9 * np.sum((Y[:, 1] - 0.5) ** 2)


@pytest.mark.parametrize("name", ["pbr", "occa", "plst", "cplst"])
def test_a_full_code_encodes_exactly(name, data, rng):
    """Rows that it was not fitted on too."""
    X, Y = data
    coder = mlreduce.make(name, **({"random_state": 0} if name == "pbr" else {})).fit(X, Y)
    unseen = rng.integers(0, 2, (30, K))
    np.testing.assert_allclose(coder.reconstruct(coder.encode(unseen)), unseen - coder.mean_, atol=1e-9)
    short = coder.encode(unseen)[:, : K - 1]
    assert not np.allclose(coder.reconstruct(short), unseen - coder.mean_)


@pytest.mark.parametrize("name", ["plst", "cplst"])
def test_a_full_code_is_binary_relevance(name, data, rng):
    X, Y = data
    unseen = rng.standard_normal((30, X.shape[1]))
    coder = mlreduce.make(name).fit(X, Y)
    codes = mlreduce.LinearRegressor().fit(X, coder.encode(Y)).predict(unseen)
    alone = np.column_stack([mlreduce.LinearRegressor().fit(X, Y[:, [k]]).predict(unseen) for k in range(K)])
    np.testing.assert_allclose(coder.reconstruct(codes) + coder.mean_, alone, atol=1e-9)
    np.testing.assert_array_equal(coder.decode(codes), alone > 0.5)
