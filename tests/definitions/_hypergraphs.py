"""Shared by the expansions of a hypergraph with an edge for each label."""

from __future__ import annotations

import numpy as np

from ._projections import solves


def keeps_neighbours(X, fitted, S):
    """A = X'SX with the normalised similarities S, and B = X'X + ridge I."""
    solves(X, fitted, X.T @ S @ X, X.T @ X + fitted.ridge * np.eye(X.shape[1]))


def normalised(W, degrees):
    scale = np.array([1 / np.sqrt(degree) if degree > 0 else 0 for degree in degrees])
    return scale[:, None] * W * scale
