"""Greedy criteria with the information that features share: mRMR, AMI, SCLS."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.greedy import GreedySelector, Information
from mlreduce.validation import FloatArray


class MeanRedundancy(GreedySelector):
    """A relevance minus ``mean_{s selected} I(f;s)``."""

    def _relevance(self, information: Information) -> FloatArray:
        """Return the first term, shape (n_features,)."""
        return information.relevance

    def _begin(self, information: Information) -> FloatArray:
        relevance = self._relevance(information)
        return np.column_stack([relevance, np.zeros(len(relevance))])

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        state[rest, 1] += information.shared(feature, rest)

    def _values(self, information: Information, state: FloatArray, n_selected: int) -> FloatArray:
        return state[:, 0] - state[:, 1] / max(n_selected, 1)


@register("mrmr")
class MRMR(MeanRedundancy):
    """Minimum redundancy and maximum relevance (mRMR), relevance summed over the labels.

        J(f) = sum_l I(f;l) - mean_{s selected} I(f;s)

    Labels may be unknown, NaN in ``y``: terms with a label l count the instances where it is known.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
        So many are selected one by one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The number of features that come after it.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    gains_ : ndarray of shape (n_features,)
        J in nats, to within 2^-33: when the feature was selected, or the last of those that were not.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    MLC_toolbox adds the mean, which prefers redundant features.

    References
    ----------
    Peng, Long and Ding, "Feature selection based on mutual information: criteria of max-dependency, max-relevance, and
    min-redundancy", IEEE TPAMI 27(8), 2005, equation 7, for one label.

    Examples
    --------
    >>> from mlreduce.selection import MRMR
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> MRMR(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("n d q + k n d + 1000 n d", "n d", least_bytes=2.7)


@register("ami")
class AMI(GreedySelector):
    """Approximate mutual information (AMI): relevance summed over the labels, minus the summed redundancy.

        J(f) = sum_l I(f;l) - sum_{s selected} I(f;s)

    Labels may be unknown, NaN in ``y``: terms with a label l count the instances where it is known.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
        So many are selected one by one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The number of features that come after it.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    gains_ : ndarray of shape (n_features,)
        J in nats, to within 2^-33: when the feature was selected, or the last of those that were not.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    The program of the authors' laboratory subtracts, at step k, the redundancy of all features from J of the k-th one
    alone: it ranks by the relevance, but for single features. Here J is that of the equation.

    References
    ----------
    Lee, Lim and Kim, "Approximating mutual information for multi-label feature selection", Electronics Letters 48(15),
    2012.

    Examples
    --------
    >>> from mlreduce.selection import AMI
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> AMI(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("n d q + k n d + 1000 n d", "n d", least_bytes=2.7)

    def _begin(self, information: Information) -> FloatArray:
        return information.relevance.copy()

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        state[rest] -= information.shared(feature, rest)


@register("scls")
class SCLS(GreedySelector):
    """Scalable criterion for a large label set (SCLS): relevance scaled down by redundancy.

        J(f) = (1 - sum_{s selected} I(f;s) / H(f)) sum_l I(f;l)

    Redundancy is relative to the entropy ``H(f)``, so that the sum over the labels is needed once only. J is 0 for a
    constant feature, and mostly negative when some features are selected: more so for relevant ones.

    Labels may be unknown, NaN in ``y``: terms with a label l count the instances where it is known.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
        So many are selected one by one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The number of features that come after it.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    gains_ : ndarray of shape (n_features,)
        J in nats, to within 2^-33: when the feature was selected, or the last of those that were not.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Lee and Kim, "SCLS: Multi-label feature selection based on scalable criterion for large label set", Pattern
    Recognition 66, 2017.

    Examples
    --------
    >>> from mlreduce.selection import SCLS
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> SCLS(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("n d q + k n d + 1000 n d", "n d", least_bytes=2.7)

    def _begin(self, information: Information) -> FloatArray:
        entropies = information.features.entropies()
        share = np.divide(1.0, entropies, out=np.zeros_like(entropies), where=entropies > 0)
        return np.column_stack([information.relevance, share, np.zeros(len(share))])

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        state[rest, 2] += information.shared(feature, rest)

    def _values(self, information: Information, state: FloatArray, n_selected: int) -> FloatArray:
        relevance, share, redundancy = state.T
        return (1.0 - redundancy * share) * relevance
