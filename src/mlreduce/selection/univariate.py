"""Controls: scores of scikit-learn for one target, averaged or maximised over the labels."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import psi
from sklearn.feature_selection import chi2, f_classif
from sklearn.preprocessing import scale
from sklearn.utils import Tags, check_random_state

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.registry import register
from mlreduce.selection.base import Selector
from mlreduce.validation import FloatArray, Size, as_dense, check_count, check_option

__all__ = ["AnovaF", "Chi2", "MutualInformation", "UnivariateSelector"]

#: Aggregations of the scores over the labels.
AGGREGATES = ("mean", "max")

# Noise that breaks ties of equal values, relative to a feature's scale.
_NOISE = 1e-10


class UnivariateSelector(Selector):
    """Base of the controls that score each feature for each label by itself, and aggregate over the labels.

    Labels that all or no instances have are left out; at least one other is needed. Constant features have the score 0.
    Labels may be unknown, NaN in ``y``: the score for a label is that of the instances where it is known.

    Parameters
    ----------
    k
        As of `Selector`.
    aggregate : {"mean", "max"}, default="mean"
        Aggregation of the scores over the labels: high for features that are relevant to all labels, or highly to one.
    """

    takes_unknown_cells = True

    def __init__(self, k: Size = 0.5, aggregate: str = "mean") -> None:
        self.k = k
        self.aggregate = aggregate

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        check_option(self.aggregate, "aggregate", AGGREGATES)
        varying = np.flatnonzero(np.nanmin(labels, axis=0) < np.nanmax(labels, axis=0))
        if not len(varying):
            raise DataError(
                f"no label has both values among the {len(labels)} instances: a score compares those that have a label "
                "with those that do not, and all labels are of one class"
            )
        scores, known, of_all = np.zeros((len(varying), X.shape[1])), ~np.isnan(labels), _varying(X)
        for number, label in enumerate(varying):
            rows = np.flatnonzero(known[:, label])
            some, features = (X, of_all) if len(rows) == len(labels) else (X[rows], _varying(X[rows]))
            if len(features):
                scores[number, features] = self._of_label(some[:, features], labels[rows, label].astype(int))
        aggregated: FloatArray = scores.mean(axis=0) if self.aggregate == "mean" else scores.max(axis=0)
        return aggregated

    def _of_label(self, X: Any, label: Any) -> FloatArray:
        """Return the scores of features that are not constant for one label that is not."""
        raise NotImplementedError  # abstract: a control is this choice


def _varying(X: Any) -> NDArray[np.intp]:
    """Return the features that are not constant: of others scikit-learn would warn."""
    highest, lowest = (as_dense(each).reshape(-1) for each in (X.max(axis=0), X.min(axis=0)))
    return np.flatnonzero(lowest < highest)


@register("chi2")
class Chi2(UnivariateSelector):
    """Chi-square statistic of scikit-learn over the labels: a control for counts.

    See ``sklearn.feature_selection.chi2``, a statistic of the sums of a feature over the instances with and without a
    label. Features must not be negative.

    Labels may be unknown, NaN in ``y``: the score for a label is that of the instances where it is known.

    Parameters
    ----------
    k, aggregate
        As of `UnivariateSelector`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The aggregated chi-square statistics.

    References
    ----------
    Yang and Pedersen, "A comparative study on feature selection in text categorization", ICML 1997, who average and
    maximise it over categories.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.Chi2(k=10, aggregate="max").fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("s q", "d q")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _of_label(self, X: Any, label: Any) -> FloatArray:
        return np.asarray(chi2(X, label)[0])


@register("anova")
class AnovaF(UnivariateSelector):
    """F statistic of the analysis of variance of scikit-learn over the labels: a control.

    See ``sklearn.feature_selection.f_classif``. `MLFS` is one F statistic of all labels together.

    Labels may be unknown, NaN in ``y``: the score for a label is that of the instances where it is known.

    Parameters
    ----------
    k, aggregate
        As of `UnivariateSelector`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The aggregated F statistics; infinite for a feature that separates a label without scatter within.

    References
    ----------
    Fisher, "Statistical methods for research workers", 1925; scikit-learn's ``f_classif``.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.AnovaF(k=10).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("s q", "s + d q")

    def _of_label(self, X: Any, label: Any) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(f_classif(X, label)[0])


@register("mutual-info")
class MutualInformation(UnivariateSelector):
    """Mutual information of scikit-learn over the labels, by nearest neighbours: a control.

    The values are those of ``sklearn.feature_selection.mutual_info_classif``, by a search among sorted values. Features
    are not discretised, unlike those of `MIM`; sparse ones are made dense, and take continuous values too.

    Labels may be unknown, NaN in ``y``: the score for a label is that of the instances where it is known.

    Parameters
    ----------
    k, aggregate
        As of `UnivariateSelector`.
    n_neighbors : int, default=3
        Number of neighbours of the estimate, >= 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the noise, 1e-10 of the feature's scale, that breaks ties of equal values.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The aggregated mutual information in nats, >= 0.

    Notes
    -----
    Where a label, or its absence, has fewer instances than twice ``n_neighbors``, scikit-learn's distances are rounded
    and its values are others; here they are those of the estimator.

    Cost: O(n log(n) d q).

    References
    ----------
    Ross, "Mutual information between discrete and continuous data sets", PLoS ONE 9(2), 2014.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MutualInformation(k=10, random_state=0).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("n d q", "n d")

    def __init__(self, k: Size = 0.5, aggregate: str = "mean", n_neighbors: int = 3, random_state: Any = None) -> None:
        super().__init__(k, aggregate)
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        check_count(self.n_neighbors, "n_neighbors")
        self._prepared: tuple[FloatArray, NDArray[np.intp]] | None = None
        self._n_rows = len(labels)
        try:
            return super()._scores(as_dense(X), labels)
        finally:
            del self._prepared, self._n_rows

    def _of_label(self, X: Any, label: Any) -> FloatArray:
        # A seed gives every label that is known of all instances the same noise, other sources a new one.
        shared = len(label) == self._n_rows and isinstance(self.random_state, numbers.Integral)
        prepared = self._prepared if shared else None
        if prepared is None:
            values = scale(X, with_mean=False)
            noise = check_random_state(self.random_state).standard_normal(size=values.shape)
            values += _NOISE * np.maximum(1, np.abs(values).mean(axis=0)) * noise
            prepared = values, np.argsort(values, axis=0)
            self._prepared = prepared if shared else None
        digamma = np.r_[0.0, psi(np.arange(1, len(label) + 1))]
        return np.asarray(_ross(*prepared, label, self.n_neighbors, digamma))


@compiled
def _ross(
    X: FloatArray, order: NDArray[np.intp], label: NDArray[np.int64], n_neighbors: int, digamma: FloatArray
) -> FloatArray:
    """Return the mutual information of each column, whose order is given, and a label in {0, 1}, in nats.

    Among sorted values the nearest of a class are beside each other. Ross (2014), equation (2): an instance that is
    alone in its class is left out.
    """
    sizes = np.array([len(label) - label.sum(), label.sum()])
    n_used = (sizes * (sizes > 1)).sum()
    if n_used == 0:
        return np.zeros(X.shape[1])
    of_sizes = 0.0
    for size in sizes:
        if size > 1:
            of_sizes += size * (digamma[min(n_neighbors, size - 1)] - digamma[size])
    information = np.empty(X.shape[1])
    values, classes, own = np.empty(n_used), np.empty(n_used, dtype=np.int64), np.empty(n_used)
    for column in range(X.shape[1]):
        place = 0
        for row in order[:, column]:
            if sizes[label[row]] > 1:
                values[place], classes[place] = X[row, column], label[row]
                place += 1
        within = 0.0
        for side in range(2):
            size = 0
            for place in range(n_used):
                if classes[place] == side:
                    own[size] = values[place]
                    size += 1
            number = min(n_neighbors, size - 1)
            for place in range(size):
                value, radius = own[place], np.inf
                for first in range(max(0, place - number), min(place, size - 1 - number) + 1):
                    radius = min(radius, max(value - own[first], own[first + number] - value))
                within += digamma[_nearer(values[:n_used], value, radius)]
        information[column] = max(0.0, digamma[n_used] + (of_sizes - within) / n_used)
    return information


@compiled_part
def _nearer(values: FloatArray, value: float, radius: float) -> int:
    """Return how many of sorted values are nearer than a radius > 0, or as near as one of 0."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value and value - values[middle] >= radius:
            low = middle + 1
        else:
            high = middle
    start, high = low, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] > value and values[middle] - value >= radius:
            high = middle
        else:
            low = middle + 1
    return low - start
