"""Greedy criteria with the information that features share: mRMR, SCLS."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.greedy import GreedySelector, Informations
from mlreduce.validation import FloatArray

__all__ = ["MRMR", "SCLS", "MeanRedundancy"]


class MeanRedundancy(GreedySelector):
    """A relevance minus ``mean_{s taken} I(f;s)``."""

    def _relevance(self, known: Informations) -> FloatArray:
        """Return the first term, shape (n_features,)."""
        return known.relevance

    def _begin(self, known: Informations) -> FloatArray:
        relevance = self._relevance(known)
        return np.column_stack([relevance, np.zeros(len(relevance))])

    def _add(self, known: Informations, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        state[rest, 1] += known.shared(feature, rest)

    def _values(self, known: Informations, state: FloatArray, n_taken: int) -> FloatArray:
        values: FloatArray = state[:, 0] - state[:, 1] / max(n_taken, 1)
        return values


@register("mrmr")
class MRMR(MeanRedundancy):
    """Minimum redundancy and maximum relevance (mRMR), relevance summed over the labels.

        J(f) = sum_l I(f;l) - mean_{s taken} I(f;s)

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all. So many are taken one by
        one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        Discretisation of the features, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they
        are bins.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The number of features that come after it.
    ranking_
        As of `Selector`. Of equal J the first column comes first.
    gains_ : ndarray of shape (n_features,)
        J in nats, to within 2^-33: when the feature was taken, or the last of those that were not.

    Raises
    ------
    DataError
        By ``fit``: as `Selector.fit`; if ``discretise`` is unknown or None and a feature is no whole number, or
        ``n_bins`` is below 2.

    Notes
    -----
    Cost: O(n d q + k n d) for a fixed number of bins.

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

    complexity = Complexity("n d q + k n d", "n d")


@register("scls")
class SCLS(GreedySelector):
    """Scalable criterion for a large label set (SCLS): relevance scaled down by redundancy.

        J(f) = (1 - sum_{s taken} I(f;s) / H(f)) sum_l I(f;l)

    Redundancy is relative to the entropy H(f), so that the sum over the labels is needed once only. J is 0 for a
    constant feature, and mostly negative when some features are taken: more so for relevant ones.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all. So many are taken one by
        one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        Discretisation of the features, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they
        are bins.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The number of features that come after it.
    ranking_
        As of `Selector`. Of equal J the first column comes first.
    gains_ : ndarray of shape (n_features,)
        J in nats, to within 2^-33: when the feature was taken, or the last of those that were not.

    Raises
    ------
    DataError
        By ``fit``: as `Selector.fit`; if ``discretise`` is unknown or None and a feature is no whole number, or
        ``n_bins`` is below 2.

    Notes
    -----
    Cost: O(n d q + k n d) for a fixed number of bins.

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

    complexity = Complexity("n d q + k n d", "n d")

    def _begin(self, known: Informations) -> FloatArray:
        entropies = known.features.entropies()
        share = np.divide(1.0, entropies, out=np.zeros_like(entropies), where=entropies > 0)
        return np.column_stack([known.relevance, share, np.zeros(len(share))])

    def _add(self, known: Informations, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        state[rest, 2] += known.shared(feature, rest)

    def _values(self, known: Informations, state: FloatArray, n_taken: int) -> FloatArray:
        relevance, share, redundancy = state.T
        values: FloatArray = (1.0 - redundancy * share) * relevance
        return values
