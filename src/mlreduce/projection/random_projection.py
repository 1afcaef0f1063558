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


@register("random-projection")
class RandomProjection(Projection):
    """Random orthonormal directions, uniformly distributed: a control that ignores features and labels.

    ``eigenvalues_`` are ones.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None the smaller of n_samples and n_features. See
        `Projection`.
    random_state : int, RandomState instance or None, default=None
        Seed of the directions.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

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
        n_samples, n_features = features.shape
        size = wanted or min(n_samples, n_features)
        # One direction after another, so that the first do not depend on their number.
        gaussian = check_random_state(self.random_state).standard_normal((size, n_features))
        return Solution(np.ones(size), signed(np.linalg.qr(gaussian.T).Q.T))
