"""Chi-square of the feature and the label of copies of each instance, one per label, that share its weight."""

from __future__ import annotations

import numpy as np

from ._scores import bins, scored


def chi_square(f, Y):
    copies = [
        (b, label, 1 / sum(labels))
        for b, labels in zip(f, Y.tolist(), strict=True)
        if not np.isnan(labels).any()
        for label, present in enumerate(labels)
        if present
    ]
    values, classes = ({copy[place] for copy in copies} for place in range(2))

    def weight(value, label):
        return sum(w for b, c, w in copies if value in (b, None) and label in (c, None))

    total = 0.0
    for value in values:
        for label in classes:
            expected = weight(value, None) * weight(None, label) / weight(None, None)
            total += (weight(value, label) - expected) ** 2 / expected
    return total


def definition(X, Y, fitted):
    scored(fitted, [chi_square(f, Y) for f in bins(X).T])
