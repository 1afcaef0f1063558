"""Some labels in the seed's order; others are predicted absent."""

from __future__ import annotations

import numpy as np

from ._codes import centred

PARAMETERS = {"random_state": 3}


def definition(X, Y, fitted):
    chosen = np.random.RandomState(3).permutation(Y.shape[1])[: fitted.n_components_]
    np.testing.assert_array_equal(fitted.components_, np.eye(Y.shape[1])[chosen])
    np.testing.assert_allclose(fitted.eigenvalues_, np.square(centred(Y)).sum(axis=0)[chosen])
    codes = fitted.encode(Y)
    np.testing.assert_allclose(codes, centred(Y)[:, chosen], atol=1e-12)
    for m in range(1, len(chosen) + 1):
        decoded, kept = np.zeros(Y.shape), chosen[:m]
        decoded[:, kept] = Y[:, kept] > 0.5
        np.testing.assert_array_equal(fitted.decode(codes[:, :m]), decoded)
        restored = np.zeros(Y.shape)
        restored[:, kept] = 0.8 * centred(Y)[:, kept]
        np.testing.assert_allclose(fitted.reconstruct(0.8 * codes[:, :m]), restored, atol=1e-12)
