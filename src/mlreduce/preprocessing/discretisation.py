"""Discretisation of features into bins.

A bin holds the values from one cut point to the next, the lower end included. Values outside the range that was seen
are in the first or last bin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError, check_known_name
from mlreduce.linalg.compiled import compiled
from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.utilities import distinct_rows, rows_of
from mlreduce.validation import (
    FloatArray,
    as_dense,
    check_count,
    check_features,
    check_known_labels,
    is_sparse,
    one_hot,
)
from mlreduce.validation.estimator import Estimator

__all__ = ["DISCRETISERS", "Bins", "Discretiser", "discretise"]

Bins = NDArray[np.int32]

#: Names of the discretisation methods.
DISCRETISERS = ("equal-width", "equal-frequency", "mdl", "laim")

# Cuts whose gains differ by less than this share of the largest possible gain tie; the lower one is taken.
_TIE = 1e-9


def discretise(X: Any, labels: Any, method: str | None, n_bins: int) -> Bins:
    """Discretise the features for a selector.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Features, or numbers of bins where ``method`` is None.
    labels : ndarray or csr_array of shape (n_samples, n_labels), in {0, 1}
    method : {"equal-width", "equal-frequency", "mdl", "laim"} or None
        See `Discretiser`; None where the columns are bins already.
    n_bins : int
        Number of bins of "equal-width" and "equal-frequency", >= 2.

    Returns
    -------
    ndarray of int32, shape (n_samples, n_features)
        Numbers of bins, 0 for the lowest.

    Raises
    ------
    DataError
        If a parameter is impossible, or a column holds no integers and ``method`` is None.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.preprocessing.discretisation import discretise
    >>> X, labels = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> discretise(X, labels, "equal-width", n_bins=3).ravel()
    array([0, 0, 0, 2], dtype=int32)
    """
    if method is not None:
        return Discretiser(method, n_bins).fit(X, labels).transform(X)
    bins = np.empty(X.shape, dtype=np.int32, order="F")
    for column, values in _columns(X):
        bins[:, column] = values
        if (bins[:, column] != values).any():
            wrong = values[bins[:, column] != values][0]
            raise DataError(
                f"discretise=None takes columns that are bins already, integers; column {column} holds {wrong:g}"
            )
    return bins


class Discretiser(TransformerMixin, Estimator):
    """Discretise each feature into bins numbered from 0.

    Parameters
    ----------
    method : {"equal-width", "equal-frequency", "mdl", "laim"}, default="equal-width"
        "equal-width": ``n_bins`` intervals of one width between the least and the greatest value.
        "equal-frequency": ``n_bins`` bins of nearly as many rows each; equal values are in one bin, and there may be
        fewer bins for that.
        "mdl": recursive halving by the entropy of the classes, while the description gets shorter (Fayyad and Irani);
        a class is a set of labels that occurs. Without a cut that pays there is one bin.
        "laim": one cut after the other where the commonest label of each bin is most frequent (Cano et al.), until
        there are as many bins as labels and no cut raises the criterion. It is that of CAIM with the labels' counts
        for those of classes: the mean over the bins of the commonest label's count, squared, over all labels' counts.
    n_bins : int, default=3
        >= 2; the supervised methods choose the number.

    Attributes
    ----------
    cut_points_ : list of ndarray
        Cut points of each feature, ascending; one less than bins, none for a constant feature.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.

    References
    ----------
    Fayyad and Irani, "Multi-interval discretization of continuous-valued attributes for classification learning",
    IJCAI 1993. Kurgan and Cios, "CAIM discretization algorithm", IEEE TKDE 16(2), 2004. Cano, Luna, Gibaja and Ventura,
    "LAIM discretization for multi-label data", Information Sciences 330, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.preprocessing.discretisation import Discretiser
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> Discretiser(n_bins=3).fit(X).cut_points_
    [array([3., 6.])]
    >>> Discretiser("equal-frequency", n_bins=2).fit_transform(X).ravel()
    array([0, 0, 1, 1], dtype=int32)
    """

    def __init__(self, method: str = "equal-width", n_bins: int = 3) -> None:
        self.method = method
        self.n_bins = n_bins

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # codes are integers
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the cut points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A sparse matrix is made dense some columns at a time.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None
            Labels in {0, 1} or {-1, 1}; only the supervised methods use them. Of labels that are not known, NaN, "laim"
            counts those that are, and "mdl" leaves the instance out.

        Returns
        -------
        self
            The fitted transformer.

        Raises
        ------
        DataError
            If a feature is not finite, a parameter is impossible, or a supervised method gets no labels.
        """
        features = check_features(self, X, reset=True)
        check_known_name("discretiser", self.method, DISCRETISERS, error=DataError)
        check_count(self.n_bins, "n_bins", 2)
        cut = self._cutter(y, features.shape[0])
        self.cut_points_ = [cut(values) for _, values in _columns(features)]
        return self

    def _cutter(self, Y: Any, n_samples: int) -> Callable[[FloatArray], FloatArray]:
        if self.method == "equal-width":
            return partial(_equal_width, n_bins=self.n_bins)
        if self.method == "equal-frequency":
            return partial(_equal_frequency, n_bins=self.n_bins)
        if Y is None:
            raise DataError(f"the discretiser {self.method!r} needs labels, but the target y is None")
        labels, known = check_known_labels(one_hot(Y)[0], n_samples, sparse=is_sparse(Y) and self.method == "mdl")
        if self.method == "laim":
            return partial(_supervised, search=partial(_laim_cuts, labels.astype(np.int8)))
        rows = slice(None) if known is None else np.flatnonzero(known[:, known.any(axis=0)].all(axis=1))
        sets = distinct_rows(rows_of(labels, rows))[1]
        if not len(sets):
            raise DataError(
                f'the discretiser "mdl" takes sets of labels, and none of the {n_samples} instances has all its labels '
                'known: take another, such as "laim"'
            )
        search = partial(_mdl_cuts, sets, _entropy_terms(len(sets)))
        return lambda values: _supervised(values[rows], search)

    def transform(self, X: Any) -> Bins:
        """Return the number of each value's bin, a dense array of int32 of the shape of ``X``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite values; those beyond the training rows' fall into the outermost bins.

        Returns
        -------
        ndarray of int32, shape (n_samples, n_features)
            Numbers of bins, 0 for the lowest.
        """
        check_is_fitted(self, "cut_points_")
        features = check_features(self, X, reset=False)
        bins = np.empty(features.shape, dtype=np.int32, order="F")
        for column, values in _columns(features):
            bins[:, column] = np.searchsorted(self.cut_points_[column], values, side="right")
        return bins


def _columns(X: Any) -> Iterator[tuple[int, FloatArray]]:
    """Yield the columns with their numbers."""
    by_column = X.tocsc() if is_sparse(X) else X
    for block in row_blocks(X.shape[1], X.shape[0]):
        dense = as_dense(by_column[:, block])
        for place, column in enumerate(range(block.start, block.stop)):
            yield column, dense[:, place]


def _equal_width(values: FloatArray, n_bins: int) -> FloatArray:
    low, high = values.min(), values.max()
    shares = np.arange(1, n_bins) / n_bins
    cuts = np.unique(low * (1.0 - shares) + high * shares)
    return cuts[(cuts > low) & (cuts <= high)]


def _equal_frequency(values: FloatArray, n_bins: int) -> FloatArray:
    distinct, counts = np.unique(values, return_counts=True)
    below = counts.cumsum()[:-1]
    if not len(below):
        return np.empty(0)
    wanted = np.arange(1, n_bins) / n_bins * len(values)
    nearest = np.abs(below[:, np.newaxis] - wanted).argmin(axis=0)
    return _between(distinct, np.unique(nearest) + 1)


def _supervised(values: FloatArray, search: Callable[..., NDArray[np.int64]]) -> FloatArray:
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    places = np.flatnonzero(ascending[1:] > ascending[:-1]) + 1
    return _between(ascending, search(order, places)) if len(places) else np.empty(0)


def _between(ascending: FloatArray, places: NDArray[np.integer[Any]]) -> FloatArray:
    """Return the midpoints between the values at some positions and their predecessors."""
    low, high = ascending[places - 1], ascending[places]
    middle = low / 2 + high / 2
    return np.where((middle > low) & (middle <= high), middle, high)


def _entropy_terms(largest: int) -> FloatArray:
    """Return ``k log k`` of 0, 1, ..., largest."""
    numbers = np.arange(largest + 1, dtype=np.float64)
    numbers[1:] *= np.log(numbers[1:])
    return numbers


@compiled
def _mdl_cuts(
    classes: NDArray[np.int64], terms: FloatArray, order: NDArray[np.int64], places: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the positions, among those where the value changes, at which the sorted rows are cut."""
    n_classes = classes.max() + 1
    left, right = np.zeros(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    chosen = np.zeros(len(order) + 1, dtype=np.bool_)
    parts = [(0, len(order))]
    while len(parts):
        start, stop = parts.pop()
        left[:] = 0
        right[:] = 0
        for row in range(start, stop):
            right[classes[order[row]]] += 1
        many = 0
        total = 0.0  # sum over the classes of k log k
        for label in range(n_classes):
            many += right[label] > 0
            total += terms[right[label]]
        size = stop - start
        low, high = 0.0, total
        few, rest = 0, many
        best, best_at, best_low, best_high, best_few, best_rest = -np.inf, -1, 0.0, 0.0, 0, 0
        candidate = np.searchsorted(places, start + 1)
        for row in range(start, stop - 1):
            label = classes[order[row]]
            low += terms[left[label] + 1] - terms[left[label]]
            high += terms[right[label] - 1] - terms[right[label]]
            few += left[label] == 0
            left[label] += 1
            right[label] -= 1
            rest -= right[label] == 0
            if candidate < len(places) and places[candidate] == row + 1:
                candidate += 1
                value = low - terms[row + 1 - start] + high - terms[stop - row - 1]
                if value > best + _TIE * terms[size]:
                    best, best_at, best_low, best_high, best_few, best_rest = value, row + 1, low, high, few, rest
        if best_at < 0:
            continue
        gain = best - (total - terms[size])  # times the number of rows, as all that follows
        entropy = (terms[size] - total) / size
        one = (terms[best_at - start] - best_low) / (best_at - start)
        other = (terms[stop - best_at] - best_high) / (stop - best_at)
        codes = many * np.log(3.0) + np.log1p(-2.0 * 3.0 ** (-many))  # log(3^many - 2)
        price = np.log(size - 1.0) + codes - (many * entropy - best_few * one - best_rest * other)
        if gain > price + _TIE * terms[size]:
            chosen[best_at] = True
            parts.append((best_at, stop))
            parts.append((start, best_at))
    return np.flatnonzero(chosen)


@compiled
def _laim_cuts(labels: NDArray[np.int8], order: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions, among those where the value changes, at which the sorted rows are cut."""
    n_labels = labels.shape[1]
    left, right = np.zeros(n_labels, dtype=np.int64), np.zeros(n_labels, dtype=np.int64)
    # Start, stop and criterion of each bin, and the best criterion of its two parts.
    starts, stops = np.zeros(len(places) + 1, dtype=np.int64), np.zeros(len(places) + 1, dtype=np.int64)
    single, halved = np.zeros(len(places) + 1), np.full(len(places) + 1, -np.inf)
    where = np.full(len(places) + 1, -1)
    stops[0] = len(order)
    n_bins, total, reached = 1, 0.0, 0.0
    changed = (0, 0)  # the two bins of the last cut
    while True:
        for each in changed:
            start, stop = starts[each], stops[each]
            left[:] = 0
            right[:] = 0
            for row in range(start, stop):
                right += labels[order[row]]
            single[each] = right.max() ** 2 / max(right.sum(), 1)
            halved[each], where[each] = -np.inf, -1
            candidate = np.searchsorted(places, start + 1)
            last = start
            while candidate < len(places) and places[candidate] < stop:
                for row in range(last, places[candidate]):
                    left += labels[order[row]]
                    right -= labels[order[row]]
                last = places[candidate]
                value = left.max() ** 2 / max(left.sum(), 1) + right.max() ** 2 / max(right.sum(), 1)
                if value > halved[each] + _TIE * len(order):
                    halved[each], where[each] = value, last
                candidate += 1
        total = single[:n_bins].sum()
        best, at = -np.inf, -1
        for each in range(n_bins):
            gain = halved[each] - single[each]
            margin = 0.0 if at < 0 else _TIE * len(order) * (-1 if where[each] < where[at] else 1)
            if where[each] >= 0 and gain > best + margin:
                best, at = gain, each
        if at < 0:
            break
        value = (total + best) / (n_bins + 1)
        if n_bins >= n_labels and value <= reached + _TIE * len(order):
            break
        reached = value
        starts[n_bins], stops[n_bins] = where[at], stops[at]
        stops[at] = where[at]
        changed = (at, n_bins)
        n_bins += 1
    return np.sort(starts[1:n_bins])
