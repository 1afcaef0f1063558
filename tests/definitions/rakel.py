"""Different sets of three labels, a class for each combination in a set; most of the sets with a label decide."""

from __future__ import annotations

import math

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from ._predictions import new_rows

PARAMETERS = {"estimator": KNeighborsClassifier(3), "random_state": 0}


def definition(X, Y, fitted):
    n_labels = Y.shape[1]
    size = min(3, n_labels)
    sets = [tuple(labels) for labels in fitted.labelsets_]
    assert len(set(sets)) == len(sets) == min(2 * n_labels, math.comb(n_labels, size))
    assert {len(set(labels)) for labels in sets} == {size}
    for rows in (X, new_rows(X)):
        votes = [[] for _ in range(n_labels)]
        for labels in sets:
            names = ["".join(str(int(Y[i, label])) for label in labels) for i in range(len(Y))]
            predicted = KNeighborsClassifier(3).fit(X, names).predict(rows)
            for place, label in enumerate(labels):
                votes[label].append([int(name[place]) for name in predicted])
        shares = np.array([np.mean(own, axis=0) if own else np.zeros(len(rows)) for own in votes]).T
        np.testing.assert_allclose(fitted.predict_proba(rows), shares, atol=1e-12)
        np.testing.assert_array_equal(fitted.predict(rows), shares > 0.5 + 1e-9)
