"""Distances to the centres of clusters of the instances with a label, and of those without; a classifier of each label.

Centres are means of the instances nearest to them, as many for both parts.
"""

from __future__ import annotations

import math

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from ._predictions import new_rows

CLASSIFIER = LogisticRegression(solver="newton-cholesky", tol=1e-12)  # to the minimum
PARAMETERS = {"ratio": 0.3, "estimator": CLASSIFIER, "random_state": 0}


def distances(rows, centres):
    return np.array([[math.dist(row, centre) for centre in centres] for row in rows])


def definition(X, Y, fitted):
    for rows in (X, new_rows(X)):
        np.testing.assert_allclose(fitted.transform(rows), distances(rows, fitted.centres_), rtol=1e-7, atol=1e-6)
    for label, y in enumerate(Y.T):
        centres = fitted.centres_[fitted.label_of_column_ == label]
        number = math.ceil(0.3 * min(y.sum(), len(y) - y.sum()))
        assert len(centres) == 2 * number
        for part, own in ((X[y == 1], centres[:number]), (X[y == 0], centres[number:])):
            nearest = distances(part, own).argmin(axis=1)
            for cluster, centre in enumerate(own):
                np.testing.assert_allclose(centre, part[nearest == cluster].mean(axis=0), rtol=1e-9)
        model = clone(CLASSIFIER).fit(distances(X, centres), y)
        for rows in (X, new_rows(X)):
            expected = model.predict_proba(distances(rows, centres))[:, 1]
            np.testing.assert_allclose(fitted.predict_proba(rows)[:, label], expected, rtol=1e-5)
            sure = np.abs(expected - 0.5) > 1e-6
            np.testing.assert_array_equal(fitted.predict(rows)[sure, label], expected[sure] > 0.5)
