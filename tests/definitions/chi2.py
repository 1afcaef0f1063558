"""Chi-square of the sums of a feature with and without a label, averaged over the labels."""

from __future__ import annotations

import numpy as np

from ._scores import known_part, scored


def definition(X, Y, fitted):
    scored(fitted, np.mean([chi_square(*known_part(X, y)) for y in Y.T], axis=0))


def chi_square(X, y):
    sums = np.array([(1 - y) @ X, y @ X])
    expected = np.outer([1 - y.mean(), y.mean()], X.sum(axis=0))
    return ((sums - expected) ** 2 / expected).sum(axis=0)
