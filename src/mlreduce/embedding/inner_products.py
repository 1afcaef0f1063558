"""Inner products of instances as a form over the instances."""

from __future__ import annotations

import numpy as np

from mlreduce.linalg.features import Features
from mlreduce.spectral import Form

__all__ = ["inner_products"]

# Features are few, and products with them cheaper than with a matrix over the instances, below this share of these.
_FEW = 0.25


def inner_products(features: Features) -> Form:
    """Return ``XX'``, by the features where they are few and otherwise by the matrix.

    Parameters
    ----------
    features : Features
    """
    n_samples, n_features = features.shape
    if n_features <= _FEW * n_samples:
        return Form(factor=features.dot(np.eye(n_features)))
    return Form(graph=features.gram)
