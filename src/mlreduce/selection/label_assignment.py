"""Each label of an instance as a class of a copy of it: ELA-CHI2."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce.complexity import Complexity
from mlreduce.linalg.distances import to_grid
from mlreduce.linalg.utilities import dense_columns, scaled
from mlreduce.registry import register
from mlreduce.selection.base import DiscretisingSelector
from mlreduce.selection.greedy import rows_without_unknown
from mlreduce.selection.information import Counted
from mlreduce.spectral.training_set import selection_matrix
from mlreduce.validation import FloatArray

# Scores are rounded to multiples of this share of the number of instances, so that ties are exact.
_UNIT = 2.0**-40


@register("ela-chi2")
class ELAChi2(DiscretisingSelector):
    """Entropy-based label assignment with the chi-square statistic (ELA-CHI2): labels as classes of weighted copies.

        J(f) = sum_{bins b, labels l} (t_bl - t_b t_l / t)^2 / (t_b t_l / t)

    An instance with m labels is m copies of weight 1/m, one in the class of each label; t are sums of the weights of
    copies, in a bin and a class (t_bl), in one of both, and of all (t, the number of instances with a label). Those
    without labels do not count.

    Instances with an unknown label, NaN in ``y``, are left out once features are bins.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        J, rounded so that no rounding error decides between features; 0 where no instance has a label.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    The weights are those of the largest entropy over the labels of an instance: equal ones.

    References
    ----------
    Chen, Yan, Zhang, Chen and Yang, "Document transformation for multi-label feature selection in text categorization",
    ICDM 2007; equations from two public programs.

    Examples
    --------
    >>> from mlreduce.selection import ELAChi2
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 1], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> ELAChi2(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 2, 3])
    """

    complexity = Complexity("s q + d q", "n d")
    takes_unknown_cells = True
    takes_sparse_labels = True

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        bins, complete = self._bins(X, labels), rows_without_unknown(labels)
        bins, labels = bins[complete], labels[complete]
        sizes = np.asarray(labels.sum(axis=1), dtype=np.float64)
        labelled, scores = np.flatnonzero(sizes), np.zeros(bins.shape[1])
        if not len(labelled):
            return scores
        features = Counted.from_bins(bins[labelled])
        # Sums in the order of the rows, whatever the column: equal features have equal scores.
        by_bin, counts, n_features = sp.csc_array(features.ones).T, features.totals(), len(scores)
        of_bins = np.repeat(np.arange(n_features), np.diff(features.starts))
        to_features = sp.csr_array(selection_matrix(of_bins, n_features).T)
        commonest = len(labelled) - to_features @ counts
        for _, weights in dense_columns(scaled(labels[labelled], rows=1.0 / sizes[labelled])):
            totals = weights.sum(axis=0)
            weights, shares = weights[:, totals > 0], totals[totals > 0] / len(labelled)
            cells = by_bin @ weights
            scores += to_features @ _chi_square(cells, counts, shares)
            scores += _chi_square(shares * len(labelled) - to_features @ cells, commonest, shares)
        return to_grid(scores, _UNIT * len(labelled))


def _chi_square(cells: FloatArray, counts: Any, shares: FloatArray) -> FloatArray:
    """Return the terms of bins with some counts, summed over the labels, which have some shares of all instances."""
    expected = counts[:, np.newaxis] * shares
    return (np.square(cells - expected) / expected).sum(axis=1)
