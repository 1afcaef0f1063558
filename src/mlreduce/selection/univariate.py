"""Controls: scores of scikit-learn for one target, averaged or maximised over the labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import psi
from sklearn.preprocessing import scale
from sklearn.utils import Tags, check_random_state

from mlreduce.complexity import Complexity
from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.linalg.distances import row_blocks, squared_norms
from mlreduce.linalg.utilities import known_together, rows_of
from mlreduce.registry import register
from mlreduce.selection.base import Selector, check_some_vary
from mlreduce.validation import FloatArray, Size, as_dense, check_count, check_option, is_sparse, split_known

#: Aggregations of the scores over the labels.
AGGREGATES = ("mean", "max")

# Noise that breaks ties of equal values, relative to a feature's scale.
_NOISE = 1e-10

# Variance relative to the mean square below which rows are compared to decide whether a feature is constant.
_LITTLE = 1e-8

# Bytes of the scores of a block of labels, which stay in the cache.
_BLOCK_BYTES = 2**22

# Bytes of a block of features with noise, and number of features in a job.
_NOISY_BYTES, _JOB = 2**28, 64


class UnivariateSelector(Selector):
    """Base of the controls that score each feature for each label by itself, and aggregate over the labels.

    Labels that all or no instances have are left out; at least one other is needed. Constant features have the score 0.
    Labels may be unknown, NaN in ``y``: the score for a label is that of the instances where it is known.
    """

    takes_unknown_cells = True
    takes_sparse_labels = True

    def __init__(self, k: Size = 0.5, aggregate: str = "mean") -> None:
        self.k = k
        self.aggregate = aggregate

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        check_option(self.aggregate, "aggregate", AGGREGATES)
        present, known = split_known(labels)
        sizes = np.asarray(present.sum(axis=0)).reshape(-1)
        counts = labels.shape[0] if known is None else known.sum(axis=0)
        varying = check_some_vary(np.flatnonzero((sizes > 0) & (sizes < counts)), labels.shape[0])
        members, total, score = sp.csc_array(present), np.zeros(X.shape[1]), self._scorer(X)
        for block in row_blocks(len(varying), X.shape[1], _BLOCK_BYTES):
            chosen = varying[block]
            scores = np.empty((len(chosen) + 1, X.shape[1]))
            scores[0] = total  # as one more label, so that the sums are the same for all sizes of blocks
            scores[1:] = score(members[:, chosen], None if known is None else known[:, chosen])
            total = scores.sum(axis=0) if self.aggregate == "mean" else scores.max(axis=0)
        return total / len(varying) if self.aggregate == "mean" else total

    def _scorer(self, X: Any) -> Callable[[Any, NDArray[np.bool_] | None], FloatArray]:
        """Return a function for the scores of the features for some labels that vary, shape (n_labels, n_features).

        It takes a csc_array of shape (n_samples, n_labels), with a one where an instance has a label, and which of its
        cells are known, None for all. A feature that is constant where a label is known has the score 0.
        """
        raise NotImplementedError  # abstract: a control is this choice


class _Totals(NamedTuple):
    """Numbers of instances, and sums of features and of their squares, of labels or, with one row, of all labels."""

    counts: FloatArray
    sums: FloatArray
    squares: FloatArray

    def constant(self, X: Any, known: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        """Return which features are constant in the rows summed: those of little variance are compared."""
        squares = self.squares * self.counts
        constant = squares - np.square(self.sums) <= _LITTLE * squares
        for label in np.flatnonzero(constant.any(axis=1)):
            features, rows = np.flatnonzero(constant[label]), slice(None) if known is None else known[:, label]
            constant[label, features[_varying(X[rows][:, features])]] = False
        return constant


class SumsSelector(UnivariateSelector):
    """Base of the controls whose scores follow from sums of the features over the instances of a label."""

    def _scorer(self, X: Any) -> Callable[[Any, NDArray[np.bool_] | None], FloatArray]:
        sums, squares = np.asarray(X.sum(axis=0)).reshape(1, -1), squared_norms(X.T).reshape(1, -1)
        all_rows = _Totals(np.full((1, 1), float(X.shape[0])), sums, squares)
        constant = all_rows.constant(X, None)

        def score(members: Any, known: NDArray[np.bool_] | None) -> FloatArray:
            totals, nothing = all_rows, constant
            if known is not None:
                rows = sp.csc_array(known, dtype=np.float64)
                squares = _sums(rows, X.multiply(X) if is_sparse(X) else np.square(X))
                totals = _Totals(known.sum(axis=0, dtype=np.float64)[:, np.newaxis], _sums(rows, X), squares)
                nothing = totals.constant(X, known)
            scores = self._score_sums(np.asarray(members.sum(axis=0)).reshape(-1, 1), _sums(members, X), totals)
            return np.where(nothing, 0.0, scores) if nothing.any() else scores

        return score

    def _score_sums(self, sizes: FloatArray, sums: FloatArray, totals: _Totals) -> FloatArray:
        """Return the scores from the numbers and sums of the instances with each label, and of all that are known."""
        raise NotImplementedError  # abstract: a control is this choice


def _sums(members: Any, X: Any) -> FloatArray:
    """Return the sums of the features over the instances of each label, added up row by row as scikit-learn does."""
    return as_dense(members.T @ X if is_sparse(X) else members.tocsr().T @ X)


def _varying(X: Any) -> NDArray[np.intp]:
    """Return the features that are not constant."""
    highest, lowest = (as_dense(each).reshape(-1) for each in (X.max(axis=0), X.min(axis=0)))
    return np.flatnonzero(lowest < highest)


@register("chi2")
class Chi2(SumsSelector):
    """Chi-square statistic of scikit-learn over the labels: a control for counts.

    See ``sklearn.feature_selection.chi2``, a statistic of the sums of a feature over the instances with and without a
    label. Features must not be negative.

    Labels may be unknown, NaN in ``y``: the score for a label is that of the instances where it is known.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    aggregate : {"mean", "max"}, default="mean"
        Aggregation of the scores over the labels: high for features that are relevant to all labels, or highly to one.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The aggregated chi-square statistics.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

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

    complexity = Complexity("s q", "d")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _score_sums(self, sizes: FloatArray, sums: FloatArray, totals: _Totals) -> FloatArray:
        scores = np.zeros_like(sums)
        with np.errstate(invalid="ignore"):  # 0 / 0 of a feature that is 0 where a label is known
            for counts, observed in ((totals.counts - sizes, totals.sums - sums), (sizes, sums)):
                expected = counts / totals.counts * totals.sums
                squares = observed - expected
                squares *= squares
                squares /= expected
                scores += squares
        return scores


@register("anova")
class AnovaF(SumsSelector):
    """F statistic of the analysis of variance of scikit-learn over the labels: a control.

    See ``sklearn.feature_selection.f_classif``. `MLFS` is one F statistic of all labels together.

    Labels may be unknown, NaN in ``y``: the score for a label is that of the instances where it is known.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    aggregate : {"mean", "max"}, default="mean"
        Aggregation of the scores over the labels: high for features that are relevant to all labels, or highly to one.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The aggregated F statistics; infinite for a feature that separates a label without scatter within.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

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

    complexity = Complexity("s q", "d")

    def _score_sums(self, sizes: FloatArray, sums: FloatArray, totals: _Totals) -> FloatArray:
        between = np.square(totals.sums - sums)
        between /= totals.counts - sizes
        squares = np.square(sums)
        squares /= sizes
        between += squares
        of_mean = np.square(totals.sums) / totals.counts
        between -= of_mean
        within = np.subtract(totals.squares - of_mean, between, out=squares)
        # Rounding error of sums is not scatter.
        noise = totals.counts * np.finfo(float).eps * totals.squares
        between *= between > noise
        none = within <= noise
        within /= np.maximum(totals.counts - 2.0, 1.0)
        if none.any():
            within[none] = 0.0
            within[none & (between == 0)] = 1.0
        with np.errstate(divide="ignore"):
            between /= within
        return between


@register("mutual-info")
class MutualInformation(UnivariateSelector):
    """Mutual information of scikit-learn over the labels, by nearest neighbours: a control.

    The values are those of ``sklearn.feature_selection.mutual_info_classif``, by a search among sorted values. Features
    are not discretised, unlike those of `MIM`; sparse ones are made dense some columns at a time, and take continuous
    values too.

    Labels may be unknown, NaN in ``y``: the score for a label is that of the instances where it is known.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    aggregate : {"mean", "max"}, default="mean"
        Aggregation of the scores over the labels: high for features that are relevant to all labels, or highly to one.
    n_neighbors : int, default=3
        Number of neighbours of the estimate, >= 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the noise, 1e-10 of the feature's scale, that breaks ties of equal values.
    n_jobs : int or None, default=None
        Number of threads that features are divided among, as of joblib; the scores are the same for all.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The aggregated mutual information in nats, >= 0.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

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

    complexity = Complexity("n d q", "n d", least_bytes=0.25)

    def __init__(
        self,
        k: Size = 0.5,
        aggregate: str = "mean",
        n_neighbors: int = 3,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(k, aggregate)
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        check_count(self.n_neighbors, "n_neighbors")
        return super()._scores(X, labels)

    def _scorer(self, X: Any) -> Callable[[Any, NDArray[np.bool_] | None], FloatArray]:
        return partial(self._information_of_labels, X)

    def _information_of_labels(self, X: Any, members: Any, known: NDArray[np.bool_] | None) -> FloatArray:
        scores = np.zeros((members.shape[1], X.shape[1]))
        for rows, chosen in known_together(np.zeros(0) if known is None else np.where(known, 0.0, np.nan)):
            # Labels that are known of the same instances have the same noise.
            some, of_some = rows_of(X, rows), sp.csc_array(rows_of(members, rows)[:, chosen])
            features, information = _varying(some), np.zeros((of_some.shape[1], X.shape[1]))
            information[:, features] = self._information_of_known(some[:, features], of_some)
            scores[chosen] = information
        return scores

    def _information_of_known(self, X: Any, labels: Any) -> FloatArray:
        """Return the information of features that vary and labels that are known, shape (n_labels, n_features)."""
        n_samples, n_features = X.shape
        information = np.empty((labels.shape[1], n_features))
        digamma = np.r_[0.0, psi(np.arange(1, n_samples + 1))]
        by_column, random = X.tocsc() if is_sparse(X) else X, check_random_state(self.random_state)
        state = random.get_state()
        for block in row_blocks(n_features, n_samples, _NOISY_BYTES):
            values = scale(np.ascontiguousarray(as_dense(by_column[:, block])), with_mean=False)
            noise = np.empty(values.shape)
            random.set_state(state)  # that of the noise of all features, of which a block is used
            for rows in row_blocks(n_samples, n_features):
                noise[rows] = random.standard_normal((rows.stop - rows.start, n_features))[:, block]
            noise *= _NOISE * np.maximum(1, np.abs(values).mean(axis=0))
            values += noise
            columns = np.ascontiguousarray(values.T)
            jobs = (
                delayed(_information)(columns[start : start + _JOB], labels, self.n_neighbors, digamma)
                for start in range(0, len(columns), _JOB)
            )
            information[:, block] = np.hstack(Parallel(self.n_jobs, require="sharedmem")(jobs))
        return information


def _information(columns: FloatArray, labels: Any, n_neighbors: int, digamma: FloatArray) -> FloatArray:
    """Return the mutual information of each label and feature, shape (n_labels, n_features); features are rows."""
    order = np.argsort(columns, axis=1)
    information = np.empty((labels.shape[1], len(columns)))
    for label in range(labels.shape[1]):
        present = labels[:, [label]].toarray().reshape(-1).astype(np.int64)
        information[label] = _ross(columns, order, present, n_neighbors, digamma)
    return information


@compiled
def _ross(
    X: FloatArray, order: NDArray[np.intp], label: NDArray[np.int64], n_neighbors: int, digamma: FloatArray
) -> FloatArray:
    """Return the mutual information of each row, whose order is given, and a label in {0, 1}, in nats.

    Among sorted values the nearest of a class are adjacent. Ross (2014), equation (2): an instance that is
    alone in its class is left out.
    """
    sizes = np.array([len(label) - label.sum(), label.sum()])
    n_used = (sizes * (sizes > 1)).sum()
    if n_used == 0:
        return np.zeros(len(X))
    of_sizes = 0.0
    for size in sizes:
        if size > 1:
            of_sizes += size * (digamma[min(n_neighbors, size - 1)] - digamma[size])
    information = np.empty(len(X))
    values, classes = np.empty(n_used), np.empty(n_used, dtype=np.int64)
    of_class, places = np.empty(n_used), np.empty(n_used, dtype=np.intp)
    for feature in range(len(X)):
        place = 0
        for row in order[feature]:
            if sizes[label[row]] > 1:
                values[place], classes[place] = X[feature, row], label[row]
                place += 1
        within = 0.0
        for side in range(2):
            size = 0
            for place in range(n_used):
                if classes[place] == side:
                    of_class[size], places[size] = values[place], place
                    size += 1
            number = min(n_neighbors, size - 1)
            for place in range(size):
                value, radius = of_class[place], np.inf
                for first in range(max(0, place - number), min(place, size - 1 - number) + 1):
                    radius = min(radius, max(value - of_class[first], of_class[first + number] - value))
                within += digamma[_nearer(values, places[place], radius)]
        information[feature] = max(0.0, digamma[n_used] + (of_sizes - within) / n_used)
    return information


@compiled_part
def _nearer(values: FloatArray, place: int, radius: float) -> int:
    """Return how many of sorted values are nearer to one of them than a radius > 0, or as near as one of 0.

    They are searched for from there on, in steps that double, and then halved.
    """
    value, ends = values[place], (-1, len(values))
    count = 1
    for side in range(2):
        sign = 2 * side - 1
        inside, outside, step = place, ends[side], 1
        while step < sign * (ends[side] - inside):
            probe = inside + sign * step
            apart = abs(values[probe] - value)
            if apart > 0 and apart >= radius:
                outside = probe
                break
            inside = probe
            step *= 2
        while sign * (outside - inside) > 1:
            probe = (inside + outside) // 2
            apart = abs(values[probe] - value)
            if apart > 0 and apart >= radius:
                outside = probe
            else:
                inside = probe
        count += sign * (inside - place)
    return count
