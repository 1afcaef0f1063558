"""Discriminant analysis of copies with equal weights, which add up to one over the labels of an instance."""

from __future__ import annotations

import numpy as np

from ._projections import separates

PARAMETERS = {"ridge": 0.7}


def definition(X, Y, fitted):
    separates(X, fitted, Y / np.maximum(Y.sum(axis=1, keepdims=True), 1))
