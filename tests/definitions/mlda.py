"""Discriminant analysis of copies with weights by the cosines of the labels, over the number of labels."""

from __future__ import annotations

import numpy as np

from ._projections import separates

PARAMETERS = {"ridge": 0.7}


def definition(X, Y, fitted):
    sizes = Y.sum(axis=0)
    cosines = Y.T @ Y / np.sqrt(np.outer(sizes, sizes))
    separates(X, fitted, Y @ cosines / np.maximum(Y.sum(axis=1, keepdims=True), 1))
