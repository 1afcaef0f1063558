"""Compile the loops of the predictors and the selectors, a last step of the installation.

Numba does so when a loop is first called, 24 s for model trees, and keeps the result beside the package. Jobs that
start at once on a fresh installation would each compile them.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import is_regressor

import mlreduce

rng = np.random.default_rng(0)
X = rng.random((40, 5))
Y = rng.integers(2, size=(40, 3))
for family in ("predictors", "selection"):
    for name in mlreduce.list_methods(family):
        method = mlreduce.make(name)
        method.fit(X, Y.astype(float) if is_regressor(method) else Y)
        if hasattr(method, "predict"):
            method.predict(X)
