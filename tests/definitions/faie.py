"""Leading eigenvectors of ZZ' + alpha X(X'X + ridge I)^-1 X', centred, are the codes; T'Z decodes them."""

from __future__ import annotations

import numpy as np

from ._codes import centred, decodes
from ._families import signs_are_decided

PARAMETERS = {"predictability": 4.0, "ridge": 0.5}


def definition(X, Y, fitted):
    Xc, Z = centred(X), centred(Y)
    A = Z @ Z.T + 4.0 * Xc @ np.linalg.inv(Xc.T @ Xc + 0.5 * np.eye(X.shape[1])) @ Xc.T
    T, D = fitted.codes_, fitted.components_
    expected = np.linalg.eigvalsh(A)[::-1][: fitted.n_components_]
    np.testing.assert_allclose(fitted.eigenvalues_, expected)
    np.testing.assert_allclose(T.T @ T, np.eye(len(expected)), atol=1e-9)
    np.testing.assert_allclose(A @ T, T * expected, atol=1e-8)
    np.testing.assert_allclose(D, T.T @ Z, atol=1e-9)
    signs_are_decided(D)
    np.testing.assert_array_equal(fitted.training_codes(Y), T)
    np.testing.assert_allclose(fitted.encode(Y), Z @ np.linalg.pinv(D), atol=1e-9)
    decodes(Y, fitted, T, lambda m: D[:m])
