"""Greedy criteria with pairs of labels and the information that features share: PMU, LRFS, TCRFS, LSMFS, MLSMFS."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.greedy import GreedySelector, Information
from mlreduce.selection.redundancy import AMI, MeanRedundancy
from mlreduce.validation import FloatArray, Size, check_option

#: Pairs of labels in the third term of `PMU`.
PAIRS = ("distinct", "ordered")
#: Other labels in the first term of `LRFS`.
OTHERS = ("varying", "all")
#: What a label adds to another in `LSMFS`, and in `MLSMFS`.
SUPPLEMENTS, LARGEST_SUPPLEMENTS = ("gain", "redundancy"), ("gain", "conditional")


@register("pmu")
class PMU(GreedySelector):
    """Pairwise multi-label utility (PMU): relevance minus redundancy minus label interactions.

    Features are selected one by one, each time the one with the largest

        J(f) = sum_l I(f;l) - sum_{s selected} sum_l I(f;s;l) - sum_{pairs of labels i, j} I(f;i;j)

    ``I(a;b;c) = I(b;c) - I(b;c|a)`` is the interaction information, positive for redundancy and negative for synergy.
    Only the middle term changes, by what the last feature selected adds to it.

    Labels may be unknown, NaN in ``y``: a term counts the instances where its labels are known.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
        So many are selected one by one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    pairs : {"distinct", "ordered"}, default="distinct"
        Pairs of labels with i < j, or all of i and j, each pair twice and a label with itself: as a public
        implementation has it. ``I(f;l;l) = I(f;l)``, so that the relevance then cancels.

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
    Lee and Kim, "Feature selection for multi-label classification using multivariate mutual information", Pattern
    Recognition Letters 34(3), 2013; as compared with by Lim, Lee and Kim (2016).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.PMU(k=5).fit(data.X, data.Y[:, :8])
    >>> method.get_feature_names_out(data.feature_names)
    array(['x2', 'x10', 'x16', 'x21', 'x23'], dtype=object)
    """

    complexity = Complexity("n d q^2", "n d + d q")

    def __init__(
        self,
        k: Size = 0.5,
        discretise: str | None = "equal-width",
        n_bins: int = 3,
        pairs: Literal["distinct", "ordered"] = "distinct",
    ) -> None:
        super().__init__(k, discretise, n_bins)
        self.pairs = pairs

    def _check_parameters(self) -> None:
        check_option(self.pairs, "pairs", PAIRS)

    def _begin(self, information: Information) -> FloatArray:
        relevance: FloatArray = information.triples.shared.sum(axis=1)
        gains, ordered = relevance.copy(), self.pairs == "ordered"
        for interactions in information.label_pairs():
            information_of_pairs = interactions.sum(axis=1)
            gains -= 2.0 * information_of_pairs if ordered else information_of_pairs
        if ordered:
            gains -= relevance
        gains /= information.n_samples
        return gains

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        state[rest] -= information.interaction(feature, rest)


@register("lrfs")
class LRFS(MeanRedundancy):
    """Label redundancy (LRFS): information on a label given another, minus the mean redundancy.

        J(f) = sum_{l != l'} I(f;l|l') - mean_{s selected} I(f;s)

    Ordered pairs of labels. One label has no other: the first term is then ``I(f;l)``.

    Labels may be unknown, NaN in ``y``: ``I(f;l|l')`` is then ``I(f;l) - I(f;l;l')``, the former of the instances where
    l is known and the latter of those where both are.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
        So many are selected one by one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    others : {"varying", "all"}, default="varying"
        Which labels are l': those that some instances have and others lack, or all. A label that all instances have, or
        none, has no information: with I(f;l|l') = I(f;l) it would raise the weight of relevance against redundancy.

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

    Raises
    ------
    DataError
        If a parameter is out of range.

    References
    ----------
    Zhang, Liu and Gao, "Distinguishing two types of labels for multi-label feature selection", Pattern Recognition 95,
    2019.

    Examples
    --------
    >>> from mlreduce.selection import LRFS
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> LRFS(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("n d q^2 + k n d + 1000 n d", "n d + d q")

    def __init__(
        self,
        k: Size = 0.5,
        discretise: str | None = "equal-width",
        n_bins: int = 3,
        others: Literal["varying", "all"] = "varying",
    ) -> None:
        super().__init__(k, discretise, n_bins)
        self.others = others

    def _check_parameters(self) -> None:
        check_option(self.others, "others", OTHERS)

    def _relevance(self, information: Information) -> FloatArray:
        n_labels = information.relevances.shape[1] if self.others == "all" else information.n_varying
        return _given_others(information, n_labels - 1)


def _given_others(information: Information, n_others: int) -> FloatArray:
    """Return ``sum_{l != l'} I(f;l|l')`` with a number of labels l', ``sum_l I(f;l)`` with none."""
    if n_others < 1:
        return information.relevance
    shared = sum((pairs.sum(axis=1) for pairs in information.label_pairs()), np.zeros(len(information.relevance)))
    return n_others * information.relevance - 2.0 * shared / information.n_samples


@register("tcrfs")
class TCRFS(MeanRedundancy):
    """Three types of conditional relevance (TCRFS): given other labels, selected features and the feature itself.

        J(f) = mean_{l != l'} I(f;l|l') + mean_{s selected, l} [I(f;l|s) + I(s;l|f) - I(f;s;l)]

    The last term is the redundancy, ``I(f;s;l) = I(f;s) - I(f;s|l)``. Ordered pairs of labels; one label has no other,
    and the first term is then ``I(f;l)``. The means are over the labels that some instances have and others lack.

    Labels may be unknown, NaN in ``y``: as of `LRFS`.

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
    J is ``mean_{l != l'} I(f;l|l') + mean_{s, l} [I(f;l) + I(s;l) - 3 I(f;s;l)]``, so that an iteration counts what
    features and labels share with the feature selected last.

    References
    ----------
    Gao, Wang, Li, Zhang and Hu, "Multi-label feature selection combining three types of conditional relevance", Entropy
    23(12), 2021; equations from a public program of November 2021.

    Examples
    --------
    >>> from mlreduce.selection import TCRFS
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> TCRFS(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("n d q^2 + k n d q + 3000 k d q + 10000 n d", "n d + d q")

    def _relevance(self, information: Information) -> FloatArray:
        n_labels = max(information.n_varying, 1)
        return _given_others(information, n_labels - 1) / (n_labels * max(n_labels - 1, 1))

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        alone = information.relevance[rest] + information.relevance[feature]
        state[rest, 1] += (3.0 * information.interaction(feature, rest) - alone) / max(information.n_varying, 1)


@register("lsmfs")
class LSMFS(AMI):
    """Label supplementation (LSMFS): relevance, plus what labels add to it, minus the redundancy.

        J(f) = sum_l I(f;l) + sum_{l != l'} max(0, I(f;l|l') - I(f;l)) - sum_{s selected} I(f;s)

    A label l' supplements l where the feature has more information about l given l'. Of the ordered pairs of labels
    both orders have the same term: each pair counts twice.

    Labels may be unknown, NaN in ``y``: a term counts the instances where its labels are known, so that the second is
    ``max(0, -I(f;l;l'))`` of those where both are.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
        So many are selected one by one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    supplement : {"gain", "redundancy"}, default="gain"
        What l' adds: "gain" is that of the formula, "redundancy" ``max(0, I(f;l) - I(f;l|l'))``, as PyIT-MLFS has it.

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

    Raises
    ------
    DataError
        If a parameter is out of range.

    Notes
    -----
    The authors' program is not public. With "redundancy" pairs of labels count that make each other superfluous; the
    idea of a supplement is a gain of information by the other label. Of two labels of which the feature is the
    exclusive or, the supplement is 2 log 2, and 0 with "redundancy".

    References
    ----------
    Zhang, Liu, Gao and Song, "Multi-label feature selection considering label supplementation", Pattern Recognition
    120, 2021.

    Examples
    --------
    >>> from mlreduce.selection import LSMFS
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> LSMFS(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("n d q^2 + k n d + 1000 n d", "n d + d q")
    _supplements = SUPPLEMENTS

    def __init__(
        self, k: Size = 0.5, discretise: str | None = "equal-width", n_bins: int = 3, supplement: str = "gain"
    ) -> None:
        super().__init__(k, discretise, n_bins)
        self.supplement = supplement

    def _check_parameters(self) -> None:
        check_option(self.supplement, "supplement", self._supplements)

    def _begin(self, information: Information) -> FloatArray:
        return information.relevance + self._supplement(information) / information.n_samples

    def _supplement(self, information: Information) -> FloatArray:
        """Return n times what pairs of labels add, shape (n_features,); both orders of a pair add the same."""
        added, sign = np.zeros(len(information.relevance)), 1.0 if self.supplement == "redundancy" else -1.0
        for pairs in information.label_pairs():
            added += 2.0 * np.maximum(sign * pairs, 0.0).sum(axis=1)
        return added


@register("mlsmfs")
class MLSMFS(LSMFS):
    """Maximum label supplementation (MLSMFS): relevance, plus the most that a label adds to it, minus the redundancy.

        J(f) = sum_l I(f;l) + max_{l != l'} max(0, I(f;l|l') - I(f;l)) - sum_{s selected} I(f;s)

    The largest of the terms that `LSMFS` adds up.

    Labels may be unknown, NaN in ``y``: as of `LSMFS`.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
        So many are selected one by one; the others follow by their last J. For a larger k fit again.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-width"
        How features become bins, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are integers.
    n_bins : int, default=3
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    supplement : {"gain", "conditional"}, default="gain"
        What the maximum is of: "gain" is that of the formula, "conditional" ``I(f;l|l')``, as PyIT-MLFS has it; of
        labels that some instances have and others lack.

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
    The maximum is over all pairs of labels, as in PyIT-MLFS, not one for each label, to be summed. "conditional" is
    large for a relevant feature, too, where l' adds nothing.

    References
    ----------
    Zhang, Liu, Gao and Song, "Multi-label feature selection considering label supplementation", Pattern Recognition
    120, 2021.

    Examples
    --------
    >>> from mlreduce.selection import MLSMFS
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> MLSMFS(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("n d q^2 + k n d + 1000 n d", "n d + d q")
    _supplements = LARGEST_SUPPLEMENTS

    def _supplement(self, information: Information) -> FloatArray:
        varying, alone = information.labels.entropies() > 0, information.triples.shared
        largest = np.zeros(len(alone))
        for label, pairs in enumerate(information.label_pairs()):
            added = -pairs
            if self.supplement == "conditional":
                added += np.maximum(alone[:, [label]], alone[:, label + 1 :])
                added[:, ~(varying[label] & varying[label + 1 :])] = 0.0
            np.maximum(largest, added.max(axis=1), out=largest)
        return largest
