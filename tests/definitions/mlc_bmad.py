"""Asso: a Boolean product of codes and label sets, each set the one that covers most of what is left."""

from __future__ import annotations

import numpy as np


def definition(X, Y, fitted):
    T, B, gains = asso(Y, fitted.n_components_, 0.5)
    np.testing.assert_array_equal(fitted.codes_, T)
    np.testing.assert_array_equal(fitted.components_, B)
    np.testing.assert_allclose(fitted.eigenvalues_, gains)
    np.testing.assert_array_equal(fitted.training_codes(Y), T)
    if set(Y.flat) <= {0, 1}:  # others are taken as the nearer one
        np.testing.assert_array_equal(fitted.encode(Y), T)
    predicted = 0.7 * T + 0.2 * np.cos(np.arange(T.size)).reshape(T.shape)
    for m in range(1, len(B) + 1):
        for codes in (T[:, :m], predicted[:, :m]):
            present = (codes > 0.5).astype(int) @ B[:m] > 0
            np.testing.assert_array_equal(fitted.decode(codes), present)
            largest = np.max(codes[:, :, None] * B[None, :m], axis=1).clip(0)  # of the sets with the label
            np.testing.assert_allclose(fitted.reconstruct(codes) + Y.mean(axis=0), largest, atol=1e-12)


def asso(Y, size, tau):
    """The algorithm cell by cell; one that is p is p ones and 1 - p zeros."""
    n, q = Y.shape
    candidates = []
    for j in range(q):
        number = Y[:, j].sum()
        candidates.append([int(number > 0 and (k == j or Y[:, j] @ Y[:, k] / number >= tau)) for k in range(q)])
    covered = np.zeros((n, q), dtype=bool)
    T, B, gains = np.zeros((n, size)), np.zeros((size, q)), np.zeros(size)
    for m in range(size):
        for candidate in candidates:
            column, total = [], 0
            for i in range(n):
                gain = sum(2 * Y[i, k] - 1 for k in range(q) if candidate[k] and not covered[i, k])
                column.append(int(gain > 0))
                total += max(gain, 0)
            if total > gains[m]:
                T[:, m], B[m], gains[m] = column, candidate, total
        covered |= np.outer(T[:, m], B[m]) > 0
    return T, B, gains
