"""Shared by the definitions of embeddings: a solution of the pair A, B of order n."""

from __future__ import annotations

import numpy as np
import scipy.linalg


def embeds(fitted, A, B=None, constant=False, positive=False, scaled=False):
    """The columns of Z maximise tr(Z'AZ) subject to Z'BZ = I, B being I if None.

    With `constant` the constant vector, a trivial solution, is left out. With `positive` only positive eigenvalues
    count, and with `scaled` columns are multiplied by their roots.
    """
    Z, B = fitted.embedding_, np.eye(len(A)) if B is None else B
    expected = scipy.linalg.eigh(A, B, eigvals_only=True)[::-1]
    scale = np.abs(expected).max()
    expected = expected[constant : fitted.n_components + constant]
    if positive:
        expected = expected[expected > 1e-9 * scale]
    np.testing.assert_allclose(fitted.eigenvalues_, expected, rtol=1e-7, atol=1e-11 * scale)
    if scaled:
        Z = Z / np.sqrt(expected)
    np.testing.assert_allclose(Z.T @ B @ Z, np.eye(len(expected)), atol=1e-9)
    np.testing.assert_allclose(A @ Z, B @ Z * expected, atol=1e-8 * scale)
    if constant:
        np.testing.assert_allclose(B.sum(axis=0) @ Z, 0, atol=1e-9)


def distances_kept(fitted, lengths):
    """Inner products about the mean of points that are so far apart."""
    H = np.eye(len(lengths)) - 1 / len(lengths)
    embeds(fitted, -H @ lengths**2 @ H / 2, positive=True, scaled=True)
