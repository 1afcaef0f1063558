"""Labels that are not known, filled in for the label coders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.linalg.features import Features
from mlreduce.linalg.lsqr import is_large
from mlreduce.linalg.utilities import quotient
from mlreduce.predictors.ridge import RidgeRegressor, _coefficients, _Factor, _plus_diagonal
from mlreduce.validation import FloatArray

# Regressions after which further ones change next to nothing.
_ITERATIONS = 10


def complete_labels(features: Any, labels: FloatArray, known: NDArray[np.bool_]) -> FloatArray:
    """Fill in labels that are not known by a ridge regression on the features that is repeated with what it filled in.

    It starts from the mean of the label where known, with the penalty that leaving out rows chooses then, and clips
    predictions to [0, 1]. Repeated without an end it would be, but for the clipping, the regression of each label on
    the rows where it is known: they alone would leave its error as it is. Without features the means remain. Labels,
    shape (n_samples, n_labels), are in {0, 1} where ``known``, a mask of the same shape; they are returned as they are
    there.
    """
    means = quotient(np.where(known, labels, 0.0).sum(axis=0), known.sum(axis=0).astype(np.float64))
    completed: FloatArray = np.where(known, labels, means)
    if features is None:
        return completed
    chooser = RidgeRegressor()
    chooser._warns = False  # an edge of the penalties is no harm here
    design = Features(features, centred=True)
    solve = _solver(design, chooser.fit(features, completed).penalty_)
    for _ in range(_ITERATIONS):
        mean = completed.mean(axis=0)
        coefficients = solve(completed - mean)
        predicted = features @ coefficients + (mean - design.mean @ coefficients)
        completed = np.where(known, labels, predicted.clip(0.0, 1.0))
    return completed


def _solver(features: Features, penalty: float) -> Callable[[FloatArray], FloatArray]:
    """Return what `RidgeRegressor` does to centred targets, from one factor for all regressions."""
    by_rows = features.shape[0] < features.shape[1]
    if not is_large(features.X) and (penalty > 0 or not by_rows):
        factor = _Factor.from_matrix(_plus_diagonal(features.gram if by_rows else features.scatter, penalty))
        if factor is not None:
            if by_rows:
                return lambda targets: features.transposed_dot(factor.solve(targets))
            return lambda targets: factor.solve(features.transposed_dot(targets))
    return lambda targets: _coefficients(features, targets, penalty)
