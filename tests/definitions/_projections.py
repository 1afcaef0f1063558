"""Shared by the definitions of projections: a solution of the pair A, B, and matrices that several equations have."""

from __future__ import annotations

import numpy as np
import scipy.linalg


def solves(X, fitted, A, B=None, mean=0.0):
    """The directions maximise tr(P'AP) subject to P'BP = I, in the space that the rows of X span; B is I if None.

    All eigenvalues are compared with those of dense matrices, so that the directions are the best, in their order, and
    none is left out. `mean` is what is subtracted from the features before they are projected.
    """
    P, B = fitted.components_, np.eye(X.shape[1]) if B is None else B
    basis = scipy.linalg.orth((centred(X) if fitted.centred else X).T, rcond=1e-10)
    expected = scipy.linalg.eigh(basis.T @ A @ basis, basis.T @ B @ basis, eigvals_only=True)[::-1]
    scale = np.abs(expected).max()
    if not fitted.signed_values:
        expected = expected[expected > 1e-9 * scale]
    expected = expected[: fitted.n_components]
    np.testing.assert_allclose(fitted.eigenvalues_, expected, rtol=1e-8, atol=1e-9 * scale)
    np.testing.assert_allclose(P @ B @ P.T, np.eye(len(expected)), atol=1e-8)
    np.testing.assert_allclose(P @ A @ P.T, np.diag(expected), atol=1e-8 * scale)
    np.testing.assert_allclose(fitted.mean_, np.broadcast_to(mean, X.shape[1]), rtol=1e-9, atol=1e-12)


def centring(n):
    return np.eye(n) - np.ones((n, n)) / n


def centred(X):
    return X - X.mean(axis=0)


def laplacian(W):
    return np.diag(W.sum(axis=1)) - W


def scatters(X, Z):
    """Scatter between classes and inside of them, of instances copied into each class k with the weight Z[i, k]."""
    n, d = X.shape
    copies = [(X[i], k, Z[i, k]) for i in range(n) for k in range(Z.shape[1]) if Z[i, k] > 0]
    points, classes, weights = (np.array(part) for part in zip(*copies, strict=True))
    mean = np.average(points, axis=0, weights=weights)
    between, within = np.zeros((d, d)), np.zeros((d, d))
    for k in range(Z.shape[1]):
        members = classes == k
        center = np.average(points[members], axis=0, weights=weights[members])
        between += weights[members].sum() * np.outer(center - mean, center - mean)
        within += (points[members] - center).T @ ((points[members] - center) * weights[members, None])
    return between, within


def separates(X, fitted, Z):
    """Discriminant analysis of such copies."""
    between, within = scatters(X, Z)
    mean = np.average(X, axis=0, weights=Z.sum(axis=1))
    solves(X, fitted, between, within + fitted.ridge * np.eye(X.shape[1]), mean)
