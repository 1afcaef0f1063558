"""Canonical directions of the labels, of unit variance; decoding is by their pseudo-inverse."""

from __future__ import annotations

import numpy as np

from ._codes import centred, explained, linear
from ._families import signs, signs_are_decided


def definition(X, Y, fitted):
    Z, V = centred(Y), fitted.components_
    matrix, gram = explained(X, Z), Z.T @ Z
    expected = np.sort(np.linalg.eigvals(np.linalg.solve(gram, matrix)).real)[::-1][: len(V)]
    np.testing.assert_allclose(fitted.eigenvalues_, expected, atol=1e-9)
    np.testing.assert_allclose(V @ gram @ V.T, np.eye(len(V)), atol=1e-9)
    np.testing.assert_allclose(matrix @ V.T, gram @ V.T * expected, atol=1e-8)
    # Signs are decided in terms of the principal components of the labels, whose largest entries are positive.
    variances, axes = np.linalg.eigh(gram)
    signs_are_decided(V @ axes * signs(axes.T) * np.sqrt(variances))
    linear(Y, fitted, lambda m: np.linalg.pinv(V[:m]).T)
