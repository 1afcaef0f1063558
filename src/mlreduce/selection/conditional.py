"""Greedy criteria with the information that features and labels share: JMI, CMIM, D2F, MDMR."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.greedy import GreedySelector, Information
from mlreduce.selection.redundancy import MeanRedundancy
from mlreduce.validation import FloatArray


@register("jmi")
class JMI(GreedySelector):
    """Joint mutual information (JMI), summed over the labels.

        J(f) = sum_{s selected} sum_l I(f,s;l)        I(f,s;l) = I(f;l) + I(s;l) - I(f;s;l)

    The pair of f and s is one variable. While no feature is selected, J is ``sum_l I(f;l)``.

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
    MLC_toolbox takes the last label only; the sum follows from the composite likelihood.

    References
    ----------
    Yang and Moody, "Data visualization and feature selection: new algorithms for nongaussian data", NIPS 1999. Summed
    over the labels by Sechidis, Nikolaou and Brown, "Information theoretic feature selection in multi-label data
    through composite likelihood", S+SSPR 2014, with independent labels.

    Examples
    --------
    >>> from mlreduce.selection import JMI
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> JMI(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    # The fixed terms: some thousand instances take no longer than few, and features are discretised (docs/scale.md).
    complexity = Complexity("k n d q + 3000 k d q + 10000 n d", "n d + d q", least_bytes=2.7)

    def _begin(self, information: Information) -> FloatArray:
        return np.column_stack([information.relevance, np.zeros(len(information.relevance))])

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        state[rest, 1] += (
            information.relevance[feature] + information.relevance[rest] - information.interaction(feature, rest)
        )

    def _values(self, information: Information, state: FloatArray, n_selected: int) -> FloatArray:
        return state[:, min(n_selected, 1)]


@register("cmim")
class CMIM(GreedySelector):
    """Conditional mutual information maximisation (CMIM), summed over the labels.

        J(f) = sum_l min(I(f;l), min_{s selected} I(f;l|s))

    The information of a feature about a label is the least, over selected features, of that given the feature.

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
    The minimum is taken for each label and then summed. That of the sum over the labels would be another criterion.

    References
    ----------
    Fleuret, "Fast binary feature selection with conditional mutual information", JMLR 5, 2004, equation 6 and algorithm
    1, for one label. Summed over the labels as by Sechidis, Nikolaou and Brown, "Information theoretic feature
    selection in multi-label data through composite likelihood", S+SSPR 2014, with independent labels.

    Examples
    --------
    >>> from mlreduce.selection import CMIM
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> CMIM(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("k n d q + 3000 k d q + 10000 n d", "n d + d q", least_bytes=2.7)

    def _begin(self, information: Information) -> FloatArray:
        return information.relevances.copy()

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        conditional = information.relevances[rest] - information.interactions(feature, rest)
        state[rest] = np.minimum(state[rest], conditional)

    def _values(self, information: Information, state: FloatArray, n_selected: int) -> FloatArray:
        return state.sum(axis=1)


@register("d2f")
class D2F(GreedySelector):
    """Dependence by interaction information (D2F): relevance minus what features and labels share.

        J(f) = sum_l I(f;l) - sum_{s selected} sum_l I(f;s;l)        I(f;s;l) = I(f;l) - I(f;l|s)

    The first two terms of `PMU`.

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
    Lee and Kim, "Mutual information-based multi-label feature selection using interaction information", Expert Systems
    with Applications 42(4), 2015.

    Examples
    --------
    >>> from mlreduce.selection import D2F
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> D2F(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("k n d q + 3000 k d q + 10000 n d", "n d + d q", least_bytes=2.7)

    def _begin(self, information: Information) -> FloatArray:
        return information.relevance.copy()

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        state[rest] -= information.interaction(feature, rest)


@register("mdmr")
class MDMR(MeanRedundancy):
    """Max-dependency and min-redundancy (MDMR): relevance minus the mean conditional redundancy.

        J(f) = sum_l I(f;l) - mean_{s selected} [I(f;s) - sum_l I(f;l|s)]

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
    PyIT-MLFS computes `D2F` under this name: it subtracts ``sum_s sum_l I(f;s;l)``, neither averaged nor with I(f;s).

    References
    ----------
    Lin, Hu, Liu and Duan, "Multi-label feature selection based on max-dependency and min-redundancy", Neurocomputing
    168, 2015.

    Examples
    --------
    >>> from mlreduce.selection import MDMR
    >>> X = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 1, 0], [0, 0, 0]]  # feature 1 is a copy of feature 0
    >>> Y = [[0, 1], [0, 0], [1, 1], [1, 0], [1, 0], [0, 0]]
    >>> MDMR(k=2, discretise=None).fit(X, Y).ranking_
    array([1, 3, 2])
    """

    complexity = Complexity("k n d q + 3000 k d q + 10000 n d", "n d + d q", least_bytes=2.7)

    def _add(self, information: Information, state: FloatArray, feature: int, rest: NDArray[np.intp]) -> None:
        conditional = information.relevance[rest] - information.interaction(feature, rest)  # sum_l I(f;l|s)
        state[rest, 1] += information.shared(feature, rest) - conditional
