"""Proximities of instances by their features: the weight matrix W of the graph-based methods.

A graph says which pairs of instances are joined: nearest neighbours, pairs that are close enough, or all. A weight says
how much a joined pair counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from mlreduce.distances import Distances, nearest, row_blocks
from mlreduce.exceptions import DataError, unknown_name
from mlreduce.projection.problem import TrainingSet
from mlreduce.validation import FloatArray, check_range, is_sparse

__all__ = ["Proximity", "check_proximity", "distances_of", "neighbours_of"]


def distances_of(data: TrainingSet) -> FloatArray:
    """Return the squared distances between all instances, shape (n_samples, n_samples); not to be modified.

    Kept with the training set, so that methods fitted on it share them.
    """
    if "distances" not in data.shared:
        n_samples = data.X.shape[0]
        distances, all_of = np.empty((n_samples, n_samples)), Distances(data.centred.stored)
        for rows in row_blocks(n_samples, n_samples):
            distances[rows] = all_of.of(np.arange(n_samples)[rows])
        data.shared["distances"] = distances
    found: FloatArray = data.shared["distances"]
    return found


def neighbours_of(data: TrainingSet, number: int) -> NDArray[np.intp]:
    """Return each instance's nearest others, shape (n_samples, number): nearest first, of equal ones the first."""
    key = f"{number} neighbours"
    if key not in data.shared:
        distances = distances_of(data).copy()
        np.fill_diagonal(distances, np.inf)
        data.shared[key] = nearest(distances, min(number, len(distances) - 1))
    found: NDArray[np.intp] = data.shared[key]
    return found


def check_proximity(proximity: Proximity | Mapping[str, Any] | None) -> Proximity:
    """Return what a method's parameter ``proximity`` stands for.

    Parameters
    ----------
    proximity : Proximity, mapping of its parameters, or None
        None is ``Proximity()``.

    Raises
    ------
    DataError
        If it is something else, or names an unknown parameter.
    """
    if proximity is None:
        return Proximity()
    if isinstance(proximity, Proximity):
        return proximity
    if not isinstance(proximity, Mapping):
        raise DataError(f"proximity must be a Proximity, a mapping of its parameters, or None; got {proximity!r}")
    known = Proximity._get_param_names()
    for name in proximity:
        if name not in known:
            raise DataError(unknown_name("parameter of proximity", name, known))
    return Proximity(**proximity)


class Proximity(BaseEstimator):
    """How near instances are by their features: which pairs a graph joins, and what weight each pair has.

    Parameters
    ----------
    weight : {"constant", "gaussian"}, default="gaussian"
    n_neighbors : int or None, default=10
        Pairs are joined of which one is among the nearest of the other; None joins all pairs.
    mutual : bool, default=False
        Only pairs where each is among the nearest of the other.
    tau : float or None, default=None
        Width of the Gaussian weight, > 0, in squared units of the features; None is the mean squared distance of the
        joined pairs.
    """

    def __init__(
        self,
        weight: str | Callable[[Any], Any] | FloatArray = "gaussian",
        n_neighbors: int | None = 10,
        mutual: bool = False,
        tau: float | None = None,
    ) -> None:
        self.weight = weight
        self.n_neighbors = n_neighbors
        self.mutual = mutual
        self.tau = tau

    def matrix(self, data: TrainingSet) -> Any:
        """Return W, symmetric with a zero diagonal: a CSR array, or an ndarray where all pairs are joined."""
        self._check()
        joined = self._joined(data)
        if self.weight == "constant":
            return joined
        distances = distances_of(data)
        if not is_sparse(joined):
            width = self._width(distances.sum() / max(joined.sum(), 1.0))
            weights: FloatArray = np.exp(-distances / width)
            np.fill_diagonal(weights, 0.0)
            return weights
        rows = np.repeat(np.arange(joined.shape[0]), np.diff(joined.indptr))
        squares = distances[rows, joined.indices]
        width = self._width(squares.mean() if len(squares) else 1.0)
        return sp.csr_array((np.exp(-squares / width), joined.indices, joined.indptr), shape=joined.shape)

    def _check(self) -> None:
        if self.weight not in ("constant", "gaussian"):
            raise DataError(unknown_name("weight", str(self.weight), ["constant", "gaussian"]))
        if self.tau is not None:
            check_range(self.tau, "tau", 0, open_ends=True)

    def _width(self, mean: float) -> float:
        if self.tau is not None:
            return self.tau
        return float(mean) or 1.0

    def _joined(self, data: TrainingSet) -> Any:
        """Return the graph: ones where a pair is joined."""
        n_samples = data.X.shape[0]
        if self.n_neighbors is None:
            return np.ones((n_samples, n_samples)) - np.eye(n_samples)
        found = neighbours_of(data, self.n_neighbors)
        starts = np.arange(n_samples + 1) * found.shape[1]
        directed = sp.csr_array((np.ones(found.size), found.ravel(), starts), shape=(n_samples, n_samples))
        joined = directed.minimum(directed.T) if self.mutual else directed.maximum(directed.T)
        joined = sp.csr_array(joined)
        joined.eliminate_zeros()
        joined.sort_indices()
        return joined
