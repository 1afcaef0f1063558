"""Random projection, a control."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mlreduce.complexity import Complexity
from mlreduce.linalg.features import Features
from mlreduce.linalg.utilities import signed
from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import TrainingSet
from mlreduce.spectral.solver import Solution
from mlreduce.validation import Size

__all__ = ["RandomProjection"]


@register("random-projection")
class RandomProjection(Projection):
    """Random orthonormal directions, uniformly distributed: a control that ignores features and labels.

    ``eigenvalues_`` are ones.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        A whole number of 1..n_features is the number of directions. A float in (0, 1) is the share t of the sum of all
        positive eigenvalues, such as the variance in `PCA`: the fewest directions that hold it are kept (Xu et al.
        2016, equation (15)); not where eigenvalues may be negative (``signed_values``). A string such as ``"50%"`` is
        a percentage of n_features in (0, 100], rounded down to at least 1. None keeps all with a positive eigenvalue;
        with ``signed_values`` as many as the rank of the features.
    random_state : int, RandomState instance or None, default=None
        Seed of the directions.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first; of each, the entry of largest magnitude is positive, of equal ones
        the first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, of the directions not kept too. Not where eigenvalues
        may be negative (``signed_values``), nor, for a kernel or graph in the objective, with fewer directions than
        exist: their sum is not known then.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

    References
    ----------
    Mezzadri (2007), "How to generate random matrices from the classical compact groups".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.RandomProjection(n_components=5, random_state=0)
    >>> method.fit_transform(data.X).shape
    (300, 5)
    """

    complexity = Complexity("d k^2", "d k")
    supervised = False

    def __init__(self, n_components: Size = None, random_state: Any = None) -> None:
        super().__init__(n_components)
        self.random_state = random_state

    def _solve(self, data: TrainingSet, features: Features, wanted: int | None) -> Solution:
        n_features = features.shape[1]
        size = wanted or n_features
        # One direction after another, so that the first do not depend on their number.
        gaussian = check_random_state(self.random_state).standard_normal((size, n_features))
        return Solution(np.ones(size), signed(np.linalg.qr(gaussian.T).Q.T))
