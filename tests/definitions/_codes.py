"""Shared by the definitions of label coders."""

from __future__ import annotations

import warnings

import numpy as np

from mlreduce.predictors.ridge import RidgeRegressor

from ._families import signs_are_decided


def centred(Y):
    return Y - Y.mean(axis=0)


def completed(X, Y):
    """Unknown labels are what a ridge regression predicts after ten rounds with what the one before has filled in."""
    known, n = ~np.isnan(Y), len(X)
    F, Xc = np.where(known, Y, np.nanmean(Y, axis=0)), X - X.mean(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the end of the penalties
        penalty = RidgeRegressor().fit(X, F).penalty_
    hat = np.full((n, n), 1 / n) + Xc @ np.linalg.inv(Xc.T @ Xc + penalty * np.eye(X.shape[1])) @ Xc.T
    for _ in range(10):
        F = np.where(known, Y, np.clip(hat @ F, 0, 1))
    return F


def explained(X, Z):
    """Z'HZ with the hat matrix H of least squares with an intercept."""
    design = np.column_stack([np.ones(len(X)), X])
    fitted = design @ np.linalg.lstsq(design, Z, rcond=1e-10)[0]
    return fitted.T @ fitted


def orthonormal(Y, fitted, matrix):
    """The directions are leading eigenvectors of a matrix over the labels; codes are decoded by their transpose."""
    V, size = fitted.components_, fitted.n_components_
    expected = np.linalg.eigvalsh(matrix)[::-1][:size]
    scale = np.trace(centred(Y).T @ centred(Y))
    np.testing.assert_allclose(fitted.eigenvalues_, expected, atol=1e-9 * scale)
    np.testing.assert_allclose(V @ V.T, np.eye(size), atol=1e-9)
    np.testing.assert_allclose(matrix @ V.T, V.T * expected, atol=1e-8 * scale)
    signs_are_decided(V)
    linear(Y, fitted, lambda m: V[:m])


def linear(Y, fitted, decoder):
    """Codes are V(y - mean); the first m are decoded by a matrix, and rounded."""
    np.testing.assert_allclose(fitted.encode(Y), centred(Y) @ fitted.components_.T, atol=1e-12)
    decodes(Y, fitted, fitted.encode(Y), decoder)


def decodes(Y, fitted, codes, decoder):
    """Codes, also such as a regression predicts, are decoded by a matrix of their size; above one half is a label."""
    for m in range(1, fitted.n_components_ + 1):
        for some in (codes[:, :m], 0.8 * codes[:, :m] + 0.1):
            expected = some @ decoder(m)
            np.testing.assert_allclose(fitted.reconstruct(some), expected, atol=1e-9)
            above = expected + Y.mean(axis=0)
            sure = np.abs(above - 0.5) > 1e-6  # elsewhere rounding decides
            np.testing.assert_array_equal(fitted.decode(some)[sure], above[sure] > 0.5)
