"""Scores of features by fitted estimators of other packages; imports no package that takes long."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import DataError

# Attributes by which fitted selectors, tree ensembles and linear models score features, in order of precedence; ranks
# are 1 for the best.
_IMPORTANCES = ("scores_", "feature_importances_", "coef_", "ranking_")


def ratings(estimator: Any, n_features: int) -> NDArray[np.float64]:
    """Return the scores of the features by a fitted estimator, shape (n_features,), higher for better ones.

    Raises DataError if it rates no features, or another number of them.
    """
    name = next((name for name in _IMPORTANCES if hasattr(estimator, name)), None)
    if name is None:
        known = ", ".join(_IMPORTANCES)
        raise DataError(f"{type(estimator).__name__} rates no features: when fitted it has none of {known}")
    scores: NDArray[np.float64] = np.asarray(getattr(estimator, name), dtype=np.float64)
    if name == "coef_":
        scores = np.abs(scores).reshape(-1, n_features).sum(axis=0)
    if scores.shape != (n_features,):
        raise DataError(f"{type(estimator).__name__}.{name} has the shape {scores.shape}, of {n_features} features")
    return -scores if name == "ranking_" else scores
