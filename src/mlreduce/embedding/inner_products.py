"""Inner products as a form over the instances."""

from __future__ import annotations

import numpy as np

from mlreduce.linalg.features import Features
from mlreduce.spectral import Form

# Ratio of n_features to n_samples up to which products with the features are cheaper than with XX'.
_FEW = 0.25


def inner_products(features: Features) -> Form:
    """Return ``XX'``, factored where features are few."""
    n_samples, n_features = features.shape
    if n_features <= _FEW * n_samples:
        return Form(factor=features.dot(np.eye(n_features)))
    return Form(graph=features.gram)
