"""The smallest error of predicting the codes by kernel ridge regression: eigenvectors of Z'(2KQ - QKKQ - I)Z."""

from __future__ import annotations

import numpy as np

from ._codes import centred, orthonormal

PARAMETERS = {"gamma": 0.05, "alpha": 0.5}


def definition(X, Y, fitted):
    K = np.exp(-0.05 * ((X[:, None] - X) ** 2).sum(axis=2))
    error, Z = np.linalg.inv(K + 0.5 * np.eye(len(K))) @ K - np.eye(len(K)), centred(Y)
    orthonormal(Y, fitted, -Z.T @ error.T @ error @ Z)
