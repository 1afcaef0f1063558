"""Scatter between and within classes, and the base of the discriminant analyses."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlreduce.linalg.features import Features, WeightedFeatures
from mlreduce.linalg.utilities import quotient
from mlreduce.projection.base import Projection
from mlreduce.projection.ridge import Regularised, Ridge
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import FloatArray, Size, check_memory


def between_classes(members: Any, sizes: FloatArray) -> Form:
    """Return ``Z diag(sizes)^-1 Z' - Z11'Z' / sum(sizes)``, the scatter of the class means.

    Z are the weights of the instances in the classes, shape (n_samples, n_labels).
    """
    _check_pairs(len(sizes))
    used = (sizes > 0).astype(np.float64)
    return Form(factor=members, middle=np.diag(quotient(1.0, sizes)) - np.outer(used, used) / sizes.sum())


def within_classes(members: Any, weights: FloatArray, sizes: FloatArray) -> Form:
    """Return ``diag(weights) - Z diag(sizes)^-1 Z'``, the scatter about the class means; Z as of `between_classes`."""
    _check_pairs(len(sizes))
    return Form(weights=weights, factor=members, middle=-np.diag(quotient(1.0, sizes)))


def _check_pairs(n_labels: int) -> None:
    """Refuse matrices of all pairs of labels that do not fit into the memory."""
    advice = "take MVMD, MDDMp or PLS, which need none, or fewer labels"
    check_memory(24.0 * n_labels**2, f"the matrix of all pairs of {n_labels} labels", advice)


def weighted_mean(features: Features, weights: FloatArray) -> FloatArray:
    """Return the weighted mean of the instances before centring, shape (n_features,), for centred features."""
    if isinstance(features, WeightedFeatures):
        return features.mean + features.transposed_dot(features.roots * weights) / (features.roots**2 @ weights)
    return features.mean + features.transposed_dot(weights) / weights.sum()


class Discriminant(Regularised, Projection):
    """Base of the discriminant analyses: ``max tr(P'AP)`` subject to ``P'(S_w + ridge I)P = I``, S_w `_within`."""

    def __init__(self, n_components: Size = None, ridge: Ridge = None) -> None:
        super().__init__(n_components)
        self.ridge = ridge

    def _within(self, data: TrainingSet) -> Form:
        """Return S_w."""
        raise NotImplementedError  # abstract

    def _constraint(self, data: TrainingSet) -> Form:
        return self._with_ridge(self._within(data), data)
