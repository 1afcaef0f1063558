"""Control selectors: all features, and random features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.base import Selector
from mlreduce.validation import FloatArray, Size


@register("all-features")
class AllFeatures(Selector):
    """All features: a control that keeps every feature.

    Attributes
    ----------
    scores_, ranking_
        Zeros, and the order of the columns.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.AllFeatures().fit_transform(data.X, data.Y).shape
    (300, 30)
    """

    complexity = Complexity("s + 50 d", "s + d", least_bytes=0.25)
    supervised = False
    takes_unknown_cells = True
    selects = False
    k = None

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        return np.zeros(X.shape[1])


@register("random-features")
class RandomFeatures(Selector):
    """Random features: a control that ranks the features at random.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    random_state : int, RandomState instance or None, default=None
        Seed of the order.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The larger, the better the feature.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.RandomFeatures(k=5, random_state=0).fit(data.X, data.Y)
    >>> int(method.get_support().sum())
    5
    """

    complexity = Complexity("s + 50 d", "s + d", least_bytes=0.25)
    supervised = False
    takes_unknown_cells = True

    def __init__(self, k: Size = 0.5, random_state: Any = None) -> None:
        self.k = k
        self.random_state = random_state

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        return check_random_state(self.random_state).random_sample(X.shape[1])
