"""Scatter between and inside classes, and the ridge that keeps a scatter that constrains from being singular."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlreduce.linalg.features import Features
from mlreduce.linalg.utilities import quotient
from mlreduce.projection.base import Projection
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import FloatArray, check_range

__all__ = ["Discriminant", "between_classes", "check_ridge", "weighted_mean", "with_ridge", "within_classes"]

# Ridge of a scatter relative to its mean diagonal, where none is given.
_RIDGE = 1e-3


def check_ridge(ridge: float | None) -> None:
    """Refuse a ridge that is neither None nor a number >= 0.

    Raises
    ------
    DataError
        If it is something else.
    """
    if ridge is not None:
        check_range(ridge, "ridge", 0)


def with_ridge(scatter: Form, features: Features, ridge: float | None) -> Form:
    """Return a scatter plus a ridge.

    Parameters
    ----------
    scatter : Form
        Without a ridge of its own.
    features : Features
        What it is of.
    ridge : float or None
        In the scatter's units; None is a thousandth of its mean diagonal.
    """
    if ridge is None:
        ridge = _RIDGE * scatter.mean_diagonal(features)
    return replace(scatter, ridge=float(ridge))


def between_classes(members: Any, sizes: FloatArray) -> Form:
    """Return ``Z diag(sizes)^-1 Z' - Z11'Z' / sum(sizes)``, the scatter of class means about the mean of all.

    Parameters
    ----------
    members : ndarray or csr_array of shape (n_samples, n_labels)
        Z: how much an instance belongs to a class.
    sizes : ndarray of shape (n_labels,)
    """
    used = (sizes > 0).astype(np.float64)
    return Form(factor=members, middle=np.diag(quotient(1.0, sizes)) - np.outer(used, used) / sizes.sum())


def within_classes(members: Any, weights: FloatArray, sizes: FloatArray) -> Form:
    """Return ``diag(weights) - Z diag(sizes)^-1 Z'``, the scatter of instances about their class means.

    Parameters
    ----------
    members : ndarray or csr_array of shape (n_samples, n_labels)
        Z: how much an instance belongs to a class.
    weights : ndarray of shape (n_samples,)
    sizes : ndarray of shape (n_labels,)
    """
    return Form(weights=weights, factor=members, middle=-np.diag(quotient(1.0, sizes)))


def weighted_mean(features: Features, weights: FloatArray) -> FloatArray:
    """Return the mean of instances that count by weights, shape (n_features,); of centred features, before centring."""
    mean: FloatArray = features.mean + features.transposed_dot(weights) / weights.sum()
    return mean


class Discriminant(Projection):
    """Base of the discriminant analyses: what separates classes in the metric of the scatter inside them."""

    def __init__(
        self, n_components: int | float | None = None, select: str = "size", ridge: float | None = None
    ) -> None:
        super().__init__(n_components, select)
        self.ridge = ridge

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_ridge(self.ridge)

    def _within(self, data: TrainingSet) -> Form:
        raise NotImplementedError  # abstract: which scatter counts as inside a class

    def _constraint(self, data: TrainingSet) -> Form:
        return with_ridge(self._within(data), data.centred, self.ridge)
