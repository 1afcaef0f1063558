"""Labels drawn by their leverage on the leading singular vectors; others by least squares from these."""

from __future__ import annotations

import numpy as np

from ._codes import centred, linear

PARAMETERS = {"random_state": 3}


def definition(X, Y, fitted):
    Z, size = centred(Y), fitted.n_components_
    leading = np.linalg.svd(Z)[2][:size]
    leverage = np.square(leading).sum(axis=0) / size
    np.testing.assert_allclose(fitted.leverage_, leverage, atol=1e-9)
    chosen = np.random.RandomState(3).choice(Y.shape[1], size, replace=False, p=leverage / leverage.sum())
    np.testing.assert_array_equal(fitted.chosen_, chosen)
    np.testing.assert_array_equal(fitted.components_, np.eye(Y.shape[1])[chosen])
    explained = [0.0]
    for m in range(1, size + 1):
        C = Z[:, chosen[:m]]
        explained.append(np.square(C @ np.linalg.pinv(C) @ Z).sum())
    np.testing.assert_allclose(fitted.eigenvalues_, np.diff(explained), atol=1e-9)
    linear(Y, fitted, lambda m: np.linalg.pinv(Z[:, chosen[:m]]) @ Z)
