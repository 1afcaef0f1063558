"""Linear discriminant analyses for multi-label data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import quotient
from mlreduce.projection.base import DENSE, PENALISED, WeightedProjection
from mlreduce.projection.scatter import Discriminant, between_classes, weighted_mean, within_classes
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.duplication import instances_with_labels
from mlreduce.spectral.solver import check_arrays
from mlreduce.validation import FloatArray


class WeightedDiscriminant(WeightedProjection, Discriminant):
    """Base: scatter between and within classes to which instances belong by weights Z."""

    complexity = PENALISED
    least_labels = 2

    @property
    def _key(self) -> str:
        """Name of the weights in the cache of a training set."""
        return type(self).__name__

    def _weights(self, data: TrainingSet) -> Any:
        """Return Z, shape (n_samples, n_labels), sparse or dense, not negative."""
        raise NotImplementedError  # abstract

    def _shared_weights(self, data: TrainingSet) -> tuple[Any, FloatArray, FloatArray]:
        """Return Z and the sums of its rows and of its columns, cached."""
        name = type(self).__name__

        def find() -> tuple[Any, FloatArray, FloatArray]:
            Z = self._weights(data)
            rows, columns = np.asarray(Z.sum(axis=1), dtype=np.float64).reshape(-1), data.column_sums(Z)
            if not rows.sum():
                raise DataError(f"{name} needs classes: no instance has a label")
            if np.count_nonzero(columns) == 1:
                raise DataError(f"{name} needs two classes at least: only one label occurs")
            return Z, rows, columns

        return data.cached(self._key, find)

    def _objective(self, data: TrainingSet) -> Form:
        Z, _, sizes = self._shared_weights(data)
        return between_classes(Z, sizes)

    def _within(self, data: TrainingSet) -> Form:
        Z, rows, sizes = self._shared_weights(data)
        return within_classes(Z, rows, sizes)

    def _chooses_from(self, data: TrainingSet) -> TrainingSet:
        return instances_with_labels(data)

    def _mean(self, data: TrainingSet) -> FloatArray:
        _, rows, _ = self._shared_weights(data)
        return weighted_mean(data.centred, rows)


def cosine_weights(data: TrainingSet) -> FloatArray:
    """Return ``diag(m)^-1 Y C`` for the cosines C between labels, and the numbers m of labels of the instances."""
    inverse = quotient(1.0, np.sqrt(data.class_sizes))
    cosines = data.label_products * inverse * inverse[:, np.newaxis]
    weights: FloatArray = data.labels @ cosines
    weights *= quotient(1.0, data.label_counts)[:, np.newaxis]
    return weights


@register("lda-copy")
class LDACopy(WeightedDiscriminant):
    """Linear discriminant analysis by copying (LDA-copy): every instance belongs to the class of each of its labels.

    ``max tr(P'S_bP)`` subject to ``P'(S_w + ridge I)P = I`` with ``S_b = X'(Y diag(n_c)^-1 Y' - mm'/sum(m))X`` and
    ``S_w = X'(diag(m) - Y diag(n_c)^-1 Y')X``, with the numbers of labels m. At most n_labels - 1
    eigenvalues are positive; instances without labels are not used.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.

    Attributes
    ----------
    ridge_, edge_ : float, {"lowest", "highest"} or None
        The ridge, and which end of those compared a chosen one is, if any.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Park and Lee (2008), "On applying linear discriminant analysis for multi-labeled problems".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.LDACopy().fit_transform(data.X, data.Y).shape
    (300, 8)
    """

    def _weights(self, data: TrainingSet) -> Any:
        return data.labels


@register("mlda")
class MLDA(WeightedDiscriminant):
    """Multi-label linear discriminant analysis (MLDA): class weights from label correlations.

    As `LDACopy` with the weights ``Z = diag(m)^-1 Y C`` instead of Y, with the cosines C between the columns of Y
    and the numbers of labels m. Class means and the global mean use the same weights.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.

    Attributes
    ----------
    ridge_, edge_ : float, {"lowest", "highest"} or None
        The ridge, and which end of those compared a chosen one is, if any.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Wang, Ding and Huang (2010), "Multi-label linear discriminant analysis", equations (5) to (9).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MLDA().fit(data.X, data.Y).n_components_  # 12 labels, 4 of which are the same
    8
    """

    def _weights(self, data: TrainingSet) -> Any:
        return cosine_weights(data)


@register("dmlda")
class DMLDA(WeightedProjection, Discriminant):
    """Direct multi-label linear discriminant analysis (DMLDA): as many directions as features, not as labels.

    ``max tr(P'S_bP)`` subject to ``P'(S_w + ridge I)P = I`` where, summed over the labels, ``S_b`` is the scatter of
    the instances *without* the label about the mean of those with it, and ``S_w`` the scatter of those with it. There
    may be as many positive eigenvalues as features. Labels without instances are not used.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.

    Attributes
    ----------
    ridge_, edge_ : float, {"lowest", "highest"} or None
        The ridge, and which end of those compared a chosen one is, if any.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Oikonomou and Tefas (2013), "Direct multi-label linear discriminant analysis".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.DMLDA().fit(data.X, data.Y).n_components_  # more than the number of labels
    30
    >>> mlreduce.LDACopy().fit(data.X, data.Y).n_components_
    8
    """

    complexity = replace(DENSE, time="s m + m^3 + n m q + 100 d r")

    def _objective(self, data: TrainingSet) -> Form:
        # Scatter of all instances about each class mean, less the within-class scatter, for centred features.
        sizes, n_samples = data.class_sizes, data.n_counted
        used = np.count_nonzero(sizes)
        means = n_samples * quotient(1.0, sizes) ** 2
        weights = used - data.label_counts
        return Form(weights=weights, factor=data.labels, middle=np.diag(means + quotient(1.0, sizes)))

    def _within(self, data: TrainingSet) -> Form:
        if not data.class_sizes.any():
            raise DataError("DMLDA needs classes: no instance has a label")
        # Before the ridge is chosen: the basis of the features, both scatters, their decomposition.
        check_arrays(data.centred, 5, self._wanted(data.X.shape[1]), type(self).__name__)
        return within_classes(data.labels, data.label_counts, data.class_sizes)
