"""Directly: about the mean of each class the scatter of those outside of it, and of those inside."""

from __future__ import annotations

import numpy as np

from ._projections import solves

PARAMETERS = {"ridge": 0.7}


def definition(X, Y, fitted):
    between, within = np.zeros((2, X.shape[1], X.shape[1]))
    for members in Y.T == 1:
        difference = X - X[members].mean(axis=0)
        between += difference[~members].T @ difference[~members]
        within += difference[members].T @ difference[members]
    solves(X, fitted, between, within + 0.7 * np.eye(X.shape[1]), X.mean(axis=0))
