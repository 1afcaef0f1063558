"""The labels of a training instance are its class: of the nearest instance, all labels together."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from ._predictions import new_rows

PARAMETERS = {"estimator": KNeighborsClassifier(3)}


def definition(X, Y, fitted):
    names = ["".join(map(str, row)) for row in Y.astype(int)]
    assert {"".join(map(str, row)) for row in fitted.labelsets_} == set(names)
    model = KNeighborsClassifier(3).fit(X, names)
    for rows in (X, new_rows(X)):
        expected = [list(map(int, name)) for name in model.predict(rows)]
        np.testing.assert_array_equal(fitted.predict(rows), expected)
