"""The seed's Gaussian directions; decoding is by orthogonal matching pursuit of as many labels as are usual."""

from __future__ import annotations

import numpy as np

from ._codes import centred

PARAMETERS = {"random_state": 3}


def definition(X, Y, fitted):
    q, size = Y.shape[1], fitted.n_components_
    V = np.random.RandomState(3).standard_normal((q, q))[:size] / np.sqrt(q)
    usual = max(1, int(np.ceil(Y.sum() / len(Y))))
    np.testing.assert_allclose(fitted.components_, V)
    np.testing.assert_allclose(fitted.eigenvalues_, np.square(centred(Y) @ V.T).sum(axis=0))
    codes = fitted.encode(Y)
    np.testing.assert_allclose(codes, centred(Y) @ V.T, atol=1e-12)
    noise = 0.3 * np.random.default_rng(0).standard_normal(codes.shape)
    for m in range(1, size + 1):
        some = (codes + noise)[:, :m]
        expected = np.array([pursuit(V[:m], code + V[:m] @ Y.mean(axis=0), min(usual, m)) for code in some])
        np.testing.assert_allclose(fitted.reconstruct(some) + Y.mean(axis=0), expected, atol=1e-9)
        np.testing.assert_array_equal(fitted.decode(some), expected > 0.5)


def pursuit(V, signal, number):
    """Labels one after the other, each the most correlated with what those before leave, and all fitted anew."""
    atoms, picked, rest = V / np.linalg.norm(V, axis=0), [], signal
    for _ in range(number):
        picked.append(int(np.abs(atoms.T @ rest).argmax()))
        solution = np.linalg.lstsq(V[:, picked], signal, rcond=None)[0]
        rest = signal - V[:, picked] @ solution
    labels = np.zeros(V.shape[1])
    labels[picked] = solution
    return labels
