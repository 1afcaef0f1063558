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

    complexity = Complexity("s q + d q", "s + d", least_bytes=0.25)

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

    complexity = Complexity("s q + d q", "s + d", least_bytes=0.25)

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
        state, minorities = random.get_state(), _minorities(labels)
        for block in row_blocks(n_features, n_samples, _NOISY_BYTES):
            columns = as_dense(by_column[:, block].T)
            columns = columns if is_sparse(X) else np.array(columns, order="C")  # X stays as it is
            columns = scale(columns.T, with_mean=False, copy=False).T
            noise = _NOISE * np.maximum(1, np.abs(columns).mean(axis=1))[:, np.newaxis]
            random.set_state(state)  # that of the noise of all features, of which a block is used
            for rows in row_blocks(n_samples, n_features):
                columns[:, rows] += random.standard_normal((rows.stop - rows.start, n_features))[:, block].T * noise
            jobs = (
                delayed(_information)(columns[start : start + _JOB], minorities, self.n_neighbors, digamma)
                for start in range(0, len(columns), _JOB)
            )
            information[:, block] = np.hstack(Parallel(self.n_jobs, require="sharedmem")(jobs))
        return information


def _minorities(labels: Any) -> tuple[NDArray[np.intp], ...]:
    """Return the labels whose smaller class each row is in, as indptr and indices, and where each label's rows begin.

    The smaller class of a label are the rows that have it, or those that lack it where these are fewer.
    """
    everyone = np.arange(labels.shape[0])
    parts = np.split(labels.indices.astype(np.intp), labels.indptr[1:-1])
    parts = [part if 2 * len(part) <= len(everyone) else np.delete(everyone, part) for part in parts]
    bounds, rows = np.cumsum([0, *map(len, parts)]), np.concatenate(parts)
    by_row = np.repeat(np.arange(len(parts)), np.diff(bounds))[np.argsort(rows, kind="stable")]
    return np.cumsum(np.bincount(rows + 1, minlength=len(everyone) + 1)), by_row, bounds


def _information(
    columns: FloatArray,
    minorities: tuple[NDArray[np.intp], ...],
    n_neighbors: int,
    digamma: FloatArray,
) -> FloatArray:
    """Return the mutual information of each label and feature, shape (n_labels, n_features); features are rows."""
    return _ross(columns, np.argsort(columns, axis=1), *minorities, n_neighbors, digamma)


@compiled
def _ross(
    X: FloatArray,
    order: NDArray[np.intp],
    indptr: NDArray[np.intp],
    labels: NDArray[np.intp],
    bounds: NDArray[np.intp],
    n_neighbors: int,
    digamma: FloatArray,
) -> FloatArray:
    """Return the mutual information of each label and each row, whose order is given, in nats.

    Ross (2014), equation (2): an instance that is alone in its class is left out. Among sorted values the nearest are
    adjacent. Instances of the larger class that are near none of the smaller have the same neighbours for all labels.
    """
    n_labels, n_samples = len(bounds) - 1, X.shape[1]
    information = np.zeros((n_labels, len(X)))
    reach, alone, ranks = np.empty(n_samples), np.empty(n_samples), np.empty(bounds[-1], dtype=np.intp)
    for feature in range(len(X)):
        values = X[feature][order[feature]]
        # The label in whose smaller class an instance is, and that for which it was counted; by rank.
        smaller, counted = np.full(n_samples, -1), np.full(n_samples, -1)
        filled = bounds[:-1].copy()
        for place in range(n_samples):
            row = order[feature, place]
            for label in labels[indptr[row] : indptr[row + 1]]:
                ranks[filled[label]] = place
                filled[label] += 1
            number, reach[place] = _nearest(values, place, smaller, n_labels, True, min(n_neighbors, n_samples - 1))
            alone[place] = digamma[number]
        of_all = alone.sum()
        for label in range(n_labels):
            places = ranks[bounds[label] : bounds[label + 1]]
            size, others = len(places), n_samples - len(places)
            if size == 0 or others == 1:  # one class only, or two that are alone
                continue
            smaller[places] = label
            wanted, used = min(n_neighbors, others - 1), others
            within = of_all + _change(
                values, places, smaller, counted, label, wanted, n_neighbors, reach, alone, digamma
            )
            of_sizes = others * (digamma[wanted] - digamma[others])
            for which in range(size):
                within -= alone[places[which]]
            if size > 1:
                wanted, used = min(n_neighbors, size - 1), n_samples
                of_sizes += size * (digamma[wanted] - digamma[size])
                for which in range(size):
                    within += digamma[_nearest_of_some(values, places, which, wanted)]
            information[label, feature] = max(0.0, digamma[used] + (of_sizes - within) / used)
    return information


@compiled_part
def _change(
    values: FloatArray,
    places: NDArray[np.intp],
    smaller: NDArray[np.intp],
    counted: NDArray[np.intp],
    label: int,
    wanted: int,
    n_neighbors: int,
    reach: FloatArray,
    alone: FloatArray,
    digamma: FloatArray,
) -> float:
    """Return what the sum over the larger class of a label changes by, as neighbours of the smaller are none."""
    change = 0.0
    every = wanted < n_neighbors or len(places) == 1
    for which in range(len(values) if every else len(places)):
        middle, near = (which, 0) if every else (places[which], n_neighbors)
        for place in range(max(0, middle - near), min(len(values), middle + near + 1)):
            if smaller[place] == label or counted[place] == label:
                continue
            if every or abs(values[middle] - values[place]) <= reach[place]:
                counted[place] = label
                number, _ = _nearest(values, place, smaller, label, len(places) > 1, wanted)
                change += digamma[number] - alone[place]
    return change


@compiled_part
def _nearest(
    values: FloatArray, place: int, smaller: NDArray[np.intp], label: int, counts: bool, wanted: int
) -> tuple[int, float]:
    """Return how many of sorted values are nearer to one than the wanted-th that is not of a label; and how far it is.

    As near as this one where it is as near as can be, at 0. Those of the label are in the number if they count.
    """
    left, right, number, seen, met, last = place - 1, place + 1, 1, 1, 0, -1.0
    while True:
        below = values[place] - values[left] if left >= 0 else np.inf
        above = values[right] - values[place] if right < len(values) else np.inf
        apart = min(below, above)
        if met >= wanted and (last > 0.0 or apart > 0.0):
            return (number if last > 0.0 else seen), max(last, 0.0)
        if apart > last:
            number, last = seen, apart
        at = left if below <= above else right
        if below <= above:
            left -= 1
        else:
            right += 1
        of_label = smaller[at] == label
        met += 0 if of_label else 1
        seen += 1 if counts or not of_label else 0


@compiled_part
def _nearest_of_some(values: FloatArray, places: NDArray[np.intp], which: int, wanted: int) -> int:
    """Return how many of sorted values are nearer to that at one of some places than the wanted-th of the others."""
    value, left, right, radius = values[places[which]], which - 1, which + 1, 0.0
    for _ in range(wanted):
        below = value - values[places[left]] if left >= 0 else np.inf
        above = values[places[right]] - value if right < len(places) else np.inf
        radius = min(below, above)
        if below <= above:
            left -= 1
        else:
            right += 1
    number = 1
    for side in (-1, 1):
        # The places up to which values are near, and from which on they are not.
        other = which
        while 0 <= other + side < len(places) and _near(abs(values[places[other + side]] - value), radius):
            other += side
        outside = places[other + side] if 0 <= other + side < len(places) else (-1 if side < 0 else len(values))
        inside = places[other]
        probe = outside - side  # the last before the next place, which often is the wanted-th
        while inside != outside - side:
            if _near(abs(values[probe] - value), radius):
                inside = probe
            else:
                outside = probe
            probe = (inside + outside) // 2
        number += abs(inside - places[which])
    return number


@compiled_part
def _near(apart: float, radius: float) -> bool:
    return apart == 0.0 or apart < radius
