"""Canonical directions of the labels, of unit variance; decoding is by their pseudo-inverse."""

from __future__ import annotations

import numpy as np

from ._codes import centred, explained, linear
from ._families import signs, signs_are_decided


def definition(X, Y, fitted):
    Z, V, q = centred(Y), fitted.components_, Y.shape[1]
    matrix, gram = explained(X, Z), Z.T @ Z
    variances, axes = np.linalg.eigh(gram)
    varying = variances > 1e-9 * variances.max()
    axes, roots, rank = axes[:, varying], np.sqrt(variances[varying]), int(varying.sum())
    correlations = np.linalg.eigvalsh((axes / roots).T @ matrix @ (axes / roots))[::-1]
    # Directions in which the labels do not vary come last.
    expected = np.r_[correlations, np.zeros(q - rank)][: len(V)]
    np.testing.assert_allclose(fitted.eigenvalues_, expected, atol=1e-9)
    np.testing.assert_allclose(V @ gram @ V.T, np.diag((np.arange(len(V)) < rank) * 1.0), atol=1e-9)
    np.testing.assert_allclose(matrix @ V.T, gram @ V.T * expected, atol=1e-8)
    # Signs are decided in terms of the principal components of the labels, whose largest entries are positive.
    signs_are_decided(V[:rank] @ axes * signs(axes.T) * roots)
    linear(Y, fitted, lambda m: np.linalg.pinv(V[:m]).T)
