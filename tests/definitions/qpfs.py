"""Mutual information of the features, with their entropies on the diagonal."""

from __future__ import annotations

from ._program import minimises


def definition(X, Y, fitted):
    minimises(X, Y, fitted)
