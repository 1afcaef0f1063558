"""Criteria that judge features one by one: MIM, FIMF, IGMF."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.linalg.utilities import distinct_rows
from mlreduce.preprocessing.discretisation import Bins
from mlreduce.registry import register
from mlreduce.selection.greedy import GreedySelector, Information, rows_without_unknown
from mlreduce.selection.information import Counted, shared_information
from mlreduce.validation import FloatArray, Size, check_count


@register("mim")
class MIM(GreedySelector):
    """Mutual information maximisation (MIM), summed over the labels.

        J(f) = sum_l I(f;l)

    Labels may be unknown, NaN in ``y``: terms with a label l count the instances where it is known.

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
    gains_ : ndarray of shape (n_features,)
        J in nats, to within 2^-33.
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
    Lewis, "Feature selection and feature extraction for text categorization", Workshop on Speech and Natural Language
    1992. Summed over the labels by Sechidis, Nikolaou and Brown, "Information theoretic feature selection in
    multi-label data through composite likelihood", S+SSPR 2014, with independent labels.

    Examples
    --------
    >>> from mlreduce.selection import MIM
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> MIM(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 2, 3])
    """

    complexity = Complexity("n d q + 1000 n d", "n d", least_bytes=2.7)
    looks_back = False

    def _begin(self, information: Information) -> FloatArray:
        return information.relevance


@register("fimf")
class FIMF(GreedySelector):
    """Fast information-theoretic feature ranking (FIMF): relevance minus interactions of some labels.

        J(f) = sum_l I(f;l) - sum_{pairs l, l' of Q} I(f;l;l')        I(f;l;l') = I(f;l) - I(f;l|l')

    Q holds the labels of the largest entropy, so that the cost is not that of all pairs of labels.

    Labels may be unknown, NaN in ``y``: a term counts the instances where its labels are known.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    n_labels : int or None, default=10
        Number of labels in Q, >= 1: of equal entropies the first; None, or more than there are, for all labels.

    Attributes
    ----------
    gains_ : ndarray of shape (n_features,)
        J in nats, to within 2^-33.
    scores_ : ndarray of shape (n_features,)
        The number of features that come after it.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Cost: O(n d (q + m^2)) for m labels in Q. With all labels in Q J is that of `PMU` while no feature is selected.

    References
    ----------
    Lee and Kim, "Fast multi-label feature selection based on information-theoretic feature ranking", Pattern
    Recognition 48(9), 2015.

    Examples
    --------
    >>> from mlreduce.selection import FIMF
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> FIMF(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 2, 3])
    """

    complexity = Complexity("n d q + 1000 n d", "n d", least_bytes=2.7)
    looks_back = False

    def __init__(
        self, k: Size = 0.5, discretise: str | None = "equal-width", n_bins: int = 3, n_labels: int | None = 10
    ) -> None:
        super().__init__(k, discretise, n_bins)
        self.n_labels = n_labels

    def _check_parameters(self) -> None:
        if self.n_labels is not None:
            check_count(self.n_labels, "n_labels")

    def _begin(self, information: Information) -> FloatArray:
        gains = information.relevance.copy()
        uncertain = np.argsort(-information.labels.entropies(), kind="stable")[: self.n_labels]
        for interactions in information.label_pairs(information.labels.variables(uncertain)):
            gains -= interactions.sum(axis=1) / information.n_samples
        return gains


@register("igmf")
class IGMF(GreedySelector):
    """Information gain for multi-label data (IGMF): symmetrical uncertainty of a feature and the set of labels.

        J(f) = 2 I(f;L) / (H(f) + H(L))

    L is the set of labels of an instance, as one variable with a value for each set that occurs. J is in [0, 1]; it is
    0 where both are constant. Instances with an unknown label, NaN in ``y``, are left out once features are bins.

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
    gains_ : ndarray of shape (n_features,)
        J, to within 2^-33.
    scores_ : ndarray of shape (n_features,)
        The number of features that come after it.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    The paper keeps features above a threshold; here all are ranked.

    References
    ----------
    Li, Liu, Ma, Mo, Duan, Zhou and Zhao, "Multi-label feature selection via information gain", ADMA 2014.

    Examples
    --------
    >>> from mlreduce.selection import IGMF
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> IGMF(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 2, 3])
    """

    complexity = Complexity("n d", "n d", least_bytes=2.7)
    looks_back = False

    def _information(self, bins: Bins, labels: Any) -> tuple[Counted, Counted]:
        complete = rows_without_unknown(labels)
        return Counted.from_bins(bins[complete]), Counted.from_bins(distinct_rows(labels[complete])[1][:, np.newaxis])

    def _begin(self, information: Any) -> FloatArray:
        features, sets = information
        shared = shared_information(features, sets)[:, 0] / sets.n_samples
        both = features.entropies() + sets.entropies()
        return np.divide(2.0 * shared, both, out=np.zeros_like(shared), where=both > 0)
