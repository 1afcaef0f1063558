"""What every projection shares: fitting through the template, the choice of size, transforming."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError, ProjectionWarning
from mlreduce.linalg.features import Features
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.solver import Solution, solve
from mlreduce.validation import (
    FloatArray,
    check_features,
    check_labels,
    check_range,
    check_size,
    remember_label_names,
)

__all__ = ["Projection", "energy_size"]

# A share this close below the threshold reaches it: sums of equal eigenvalues are not exact.
_SHARE_ROUNDING = 1e-12


def energy_size(eigenvalues: FloatArray, threshold: float) -> int:
    """Return the smallest number of leading eigenvalues that hold a share of the sum of all.

    Parameters
    ----------
    eigenvalues : ndarray of shape (k,)
        All positive eigenvalues, descending.
    threshold : float
        The share t, in (0, 1).

    References
    ----------
    Xu et al. (2016), equation (15).
    """
    shares = np.cumsum(eigenvalues)
    return int(np.searchsorted(shares, threshold * shares[-1] * (1 - _SHARE_ROUNDING))) + 1


class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of the projections of the feature space.

    Directions P maximise ``tr(P'AP)`` subject to ``P'BP = I``. A method says what A is (`_objective`) and B, if not
    the identity (`_constraint`); the rest is here. Directions are nested: the first m of them are the projection to m
    dimensions.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first; of each, the entry of largest magnitude is positive.
    eigenvalues_ : ndarray of shape (n_components,)
        What each direction contributes to the objective, descending; positive, but of methods that turn the sign of a
        cost.
    mean_ : ndarray of shape (n_features,)
        What is subtracted from features before they are projected.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.
    label_names_ : list of str
        Only when ``Y`` was a DataFrame.
    """

    #: Whether `fit` needs labels.
    supervised = True
    #: Whether A and B are of the features less their mean.
    centred = True
    #: Whether directions count whose eigenvalue is not positive: the objective is a cost with its sign turned.
    signed_values = False

    def __init__(self, n_components: int | float | None = None, select: str = "size") -> None:
        self.n_components = n_components
        self.select = select

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.supervised
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, Y: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features; a sparse matrix stays sparse.
        Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None
            Labels in {0, 1} or {-1, 1}. Unsupervised methods ignore it.

        Returns
        -------
        self

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1 or -1/1, a parameter is impossible, or no direction has a
            positive eigenvalue.

        Warns
        -----
        ProjectionWarning
            If there are fewer positive eigenvalues than ``n_components``, or the constraint is singular.
        """
        features = check_features(self, X, reset=True)
        return self.fit_training_set(self._training_set(features, Y))

    def _training_set(self, features: Any, Y: Any) -> TrainingSet:
        """Return checked features with labels as the method takes them."""
        return TrainingSet(features, self._labels(Y, features.shape[0]) if self.supervised else None)

    def fit_training_set(self, data: TrainingSet) -> Self:
        """Find the directions from a training set that several methods share.

        Parameters
        ----------
        data : TrainingSet

        Raises
        ------
        DataError
            As `fit`.
        """
        self._check_parameters()
        data = self._usable(data)
        features = self._features(data)
        self.n_features_in_ = features.shape[1]
        if (features.centred or self.signed_values) and features.shape[0] == 1:
            raise DataError(f"{type(self).__name__} needs instances that differ; got n_samples=1")
        wanted = self._wanted(features.shape[1])
        solution = self._solve(data, features, wanted)
        size = self._size(solution, wanted)
        self.components_ = solution.components[:size]
        self.eigenvalues_ = solution.eigenvalues[:size]
        self.n_components_ = size
        self.mean_ = self._mean(data)
        return self

    def _labels(self, Y: Any, n_samples: int) -> Any:
        """Check labels and remember their names."""
        labels = check_labels(Y, n_samples, sparse=True)
        remember_label_names(self, Y)
        return labels

    def _usable(self, data: TrainingSet) -> TrainingSet:
        """Return the instances that the method uses."""
        return data

    def _solve(self, data: TrainingSet, features: Features, wanted: int | None) -> Solution:
        labels = data.labels if self.supervised else None
        constraint = self._constraint(data)
        return solve(features, self._objective(data), constraint, wanted, labels, self.signed_values)

    def objective(self, data: TrainingSet) -> Form:
        """Return A as a form over all instances; those that take no part have no share in it.

        Parameters
        ----------
        data : TrainingSet
        """
        self._check_parameters()
        part = self._usable(data)
        form = self._objective(part)
        return form if part is data else form.pulled_back(part.selection_from(data))

    def _objective(self, data: TrainingSet) -> Form:
        """Return A."""
        raise NotImplementedError  # abstract: a projection is this choice

    def _constraint(self, data: TrainingSet) -> Form | None:
        """Return B; None is the identity."""
        return None

    def _features(self, data: TrainingSet) -> Features:
        return data.centred if self.centred else data.raw

    def _mean(self, data: TrainingSet) -> FloatArray:
        return self._features(data).mean

    def _check_parameters(self) -> None:
        """Refuse parameters that are out of range; methods with parameters of their own add to it."""
        if not isinstance(self.centred, (bool, np.bool_)):
            raise DataError(f"centred must be True or False; got {self.centred!r}")
        if self.select not in ("size", "energy"):
            raise DataError(f"select must be 'size' or 'energy'; got {self.select!r}")
        if self.select == "energy":
            if self.signed_values:
                raise DataError(f"{type(self).__name__} has eigenvalues below zero: select must be 'size'")
            if not isinstance(self.n_components, float):
                raise DataError(
                    f"select='energy' takes n_components as the share t, a float in (0, 1); got {self.n_components!r}"
                )
            check_range(self.n_components, "n_components", 0, 1, open_ends=True)

    def _wanted(self, n_features: int) -> int | None:
        if self.n_components is None or self.select == "energy":
            return None
        return check_size(self.n_components, n_features, "features")

    def _size(self, solution: Solution, wanted: int | None) -> int:
        found = len(solution.eigenvalues)
        name = type(self).__name__
        what = "directions" if self.signed_values else "positive eigenvalues"
        if not found:
            raise DataError(
                f"{name} finds no direction with a positive eigenvalue: the features do not vary, or the labels do not "
                "vary with them"
            )
        if self.select == "energy":
            return energy_size(solution.eigenvalues, float(self.n_components or 0))
        if wanted is not None and found < wanted:
            warnings.warn(
                f"{name} has {found} {what}: n_components_ is {found}, not {wanted}",
                ProjectionWarning,
                stacklevel=4,
            )
        return found

    @property
    def _n_features_out(self) -> int:
        """Number of projected features, for their names."""
        return self.n_components_

    def transform(self, X: Any) -> FloatArray:
        """Project features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            ``(X - mean_) components_'``.
        """
        check_is_fitted(self, "components_")
        features = check_features(self, X, reset=False)
        projected: FloatArray = features @ self.components_.T
        return projected - self.components_ @ self.mean_
