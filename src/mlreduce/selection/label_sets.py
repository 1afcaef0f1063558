"""Criteria with label sets as classes, rare ones pruned: PPT-MI, PPT-CHI2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, DegenerateWarning, warn
from mlreduce.linalg.compiled import compiled
from mlreduce.linalg.utilities import distinct_rows
from mlreduce.preprocessing.discretisation import Bins
from mlreduce.registry import register
from mlreduce.selection.greedy import GreedySelector, rows_without_unknown
from mlreduce.validation import FloatArray, Size, check_count


class LabelSets:
    """Features and label sets of the instances whose label set is known and not rare.

    ``bins``, of shape (n_frequent, n_features), are numbered from 0; ``classes`` has the number of the label set of
    each instance, and ``n_pruned`` is the number of the other instances.
    """

    def __init__(self, bins: Bins, labels: Any, min_count: int) -> None:
        complete = rows_without_unknown(labels)
        bins, sets = bins[complete], distinct_rows(labels[complete])[1]
        counts = np.bincount(sets)
        frequent = (counts >= min_count)[sets]
        self.n_pruned = int(np.count_nonzero(~frequent))
        self.n_classes = np.count_nonzero(counts >= min_count)
        if self.n_classes < 2:
            known = "" if len(complete) == len(bins) else f" whose labels are all known, of {len(complete)}"
            raise DataError(
                f"{self.n_classes} of {len(counts)} label sets occur min_count={min_count} times or more among "
                f"n_samples={len(bins)} instances{known}, the commonest {counts.max()} times; two must be left: take a "
                "smaller min_count"
            )
        self.classes = np.unique(sets[frequent], return_inverse=True)[1]
        self.bins = np.empty((np.count_nonzero(frequent), bins.shape[1]), dtype=np.int32, order="F")
        for column, values in enumerate(bins[frequent].T):
            self.bins[:, column] = np.unique(values, return_inverse=True)[1]
        #: Number of each instance's cell: instances with the same values of the selected features.
        self.cells = np.zeros(len(self.bins), dtype=np.int64)

    def joint(self, features: NDArray[np.intp]) -> FloatArray:
        """Return ``I(f,S;L)`` of features f, the selected features S and the label set L, in nats."""
        n_rows = len(self.bins)
        order = np.lexsort((self.classes, self.cells))
        cells, classes = self.cells[order], self.classes[order]
        same = cells[1:] == cells[:-1]
        impure = np.unique(cells[1:][same & (classes[1:] != classes[:-1])])
        mixed = np.isin(cells, impure)  # a cell of one label set has as many in each bin as of the set in each bin
        terms = np.arange(n_rows + 1) * np.log(np.maximum(np.arange(n_rows + 1), 1))
        sums = _cells_of_classes(self.bins, order[mixed], cells[mixed], classes[mixed], features, terms)
        of_classes = terms[np.bincount(self.classes)].sum()
        return np.log(n_rows) + (sums - of_classes) / n_rows

    def split(self, feature: int) -> None:
        """Select a feature."""
        bins = self.bins[:, feature].astype(np.int64)
        self.cells = np.unique(self.cells * (bins.max() + 1) + bins, return_inverse=True)[1]


@compiled
def _cells_of_classes(
    bins: Bins,
    order: NDArray[np.intp],
    cells: NDArray[np.int64],
    classes: NDArray[np.int64],
    features: NDArray[np.intp],
    terms: FloatArray,
) -> FloatArray:
    """Return for each feature the sum of ``k log k`` over cells, classes and bins, less that over cells and bins."""
    sums = np.zeros(len(features))
    for place in range(len(features)):
        column = bins[:, features[place]]
        in_cell = np.zeros(column.max() + 1, dtype=np.int64)
        in_class = np.zeros(column.max() + 1, dtype=np.int64)
        start_of_cell, start_of_class = 0, 0
        for at in range(len(order)):
            value = column[order[at]]
            in_cell[value] += 1
            in_class[value] += 1
            ends_cell = at + 1 == len(order) or cells[at + 1] != cells[at]
            if ends_cell or classes[at + 1] != classes[at]:
                for row in order[start_of_class : at + 1]:
                    sums[place] += terms[in_class[column[row]]]
                    in_class[column[row]] = 0
                start_of_class = at + 1
            if ends_cell:
                for row in order[start_of_cell : at + 1]:
                    sums[place] -= terms[in_cell[column[row]]]
                    in_cell[column[row]] = 0
                start_of_cell = at + 1
    return sums


class LabelSetSelector(GreedySelector):
    """Base of the selectors that take the label sets of instances as classes."""

    def __init__(
        self, k: Size = 0.5, discretise: str | None = "equal-width", n_bins: int = 3, min_count: int = 6
    ) -> None:
        super().__init__(k, discretise, n_bins)
        self.min_count = min_count

    def _check_parameters(self) -> None:
        check_count(self.min_count, "min_count")

    def _information(self, bins: Bins, labels: Any) -> LabelSets:
        sets = LabelSets(bins, labels, self.min_count)
        self.n_pruned_ = sets.n_pruned
        if 2 * self.n_pruned_ > len(bins):
            warn(
                f"{type(self).__name__} leaves out {self.n_pruned_} of {len(bins)} instances, whose label sets occur "
                f"less often than min_count={self.min_count}; a smaller min_count keeps more of them",
                DegenerateWarning,
            )
        return sets


@register("ppt-mi")
class PPTMI(LabelSetSelector):
    """Pruned problem transformation with mutual information (PPT-MI): forward selection by joint information.

        J(f) = I(f, S; L)

    S are the selected features and L the label set of an instance as a class, both as one variable. Instances with rare
    label sets are left out. Of equal J the feature with the larger ``I(f;L)`` is selected first: with many features in
    S, often from ten on, every label set differs from the others, and J is ``H(L)`` for all that remain.

    Instances with an unknown label, NaN in ``y``, are left out, too, once features are bins.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
        So many are selected one by one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    min_count : int, default=6
        Label sets that occur less often are pruned, with their instances; >= 1, and 1 keeps all. Two must be left.

    Attributes
    ----------
    n_pruned_ : int
        Number of instances that were left out; a `DegenerateWarning` is issued if they are more than half.
        Instances with an unknown label, NaN in ``y``, are left out before.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
        Of equal J that with the larger I(f;L), and then the first column, comes first.
    scores_ : ndarray of shape (n_features,)
        The number of features that come after it.
    gains_ : ndarray of shape (n_features,)
        J in nats, to within 2^-33: when the feature was selected, or the last of those that were not.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    The paper estimates J from distances to nearest neighbours of features that are not discretised, and stops by a
    permutation test. Here J is that of counts, as of the other criteria, and k is given. PyIT-MLFS computes
    `MRMR` with the label set as the only label under this name.

    References
    ----------
    Doquire and Verleysen, "Feature selection for multi-label classification problems", IWANN 2011; pruning by Read, "A
    pruned problem transformation method for multi-label classification", NZCSRS 2008.

    Examples
    --------
    >>> from mlreduce.selection import PPTMI
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> PPTMI(k=2, discretise=None, min_count=1).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("k n d + 1000 n d", "n d")

    def _begin(self, information: LabelSets) -> FloatArray:
        return information.joint(np.arange(information.bins.shape[1]))

    def _ties(self, information: LabelSets, gains: FloatArray) -> FloatArray:
        return gains.copy()

    def _add(self, information: LabelSets, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        information.split(feature)
        state[rest] = information.joint(rest)


@register("ppt-chi2")
class PPTChi2(LabelSetSelector):
    """Pruned problem transformation with the chi-square statistic (PPT-CHI2) of a feature and the label set.

        J(f) = sum_{bins b, label sets L} (n_{bL} - n_b n_L / n)^2 / (n_b n_L / n)

    Counts n of instances; those with rare label sets are left out.

    Instances with an unknown label, NaN in ``y``, are left out, too, once features are bins.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    min_count : int, default=6
        Label sets that occur less often are pruned, with their instances; >= 1, and 1 keeps all. Two must be left.

    Attributes
    ----------
    gains_ : ndarray of shape (n_features,)
        J, to within 2^-33.
    n_pruned_ : int
        Number of instances that were left out; a `DegenerateWarning` is issued if they are more than half.
        Instances with an unknown label, NaN in ``y``, are left out before.
    scores_ : ndarray of shape (n_features,)
        The number of features that come after it.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Read, "A pruned problem transformation method for multi-label classification", NZCSRS 2008, for the pruning; as
    compared with by Doquire and Verleysen, "Feature selection for multi-label classification problems", IWANN 2011.

    Examples
    --------
    >>> from mlreduce.selection import PPTChi2
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> PPTChi2(k=2, discretise=None, min_count=1).fit(X, Y).ranking_
    array([1, 2, 3])
    """

    complexity = Complexity("n d", "n d")
    looks_back = False

    def _begin(self, information: LabelSets) -> FloatArray:
        n_rows, sizes = len(information.bins), np.bincount(information.classes)
        gains = np.empty(information.bins.shape[1])
        for column, bins in enumerate(information.bins.T):
            shape = (bins.max() + 1, information.n_classes)
            cells = np.bincount(bins * information.n_classes + information.classes, minlength=shape[0] * shape[1])
            counts = cells.reshape(shape).astype(np.float64)
            expected = np.outer(counts.sum(axis=1), sizes) / n_rows
            gains[column] = (np.square(counts - expected) / expected).sum()
        return gains
