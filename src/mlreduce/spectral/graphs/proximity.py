"""Proximities of instances by their features: the weight matrix W of the graph-based methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError, unknown_name
from mlreduce.linalg.distances import squared_norms
from mlreduce.linalg.utilities import quotient
from mlreduce.spectral.form import Form
from mlreduce.spectral.graphs.neighbours import (
    close_pairs,
    directed_graph,
    distance_rows,
    distances_of,
    geodesics_of,
    joined_pairs,
    mean_distance,
    neighbours_of,
    pair_distances,
    reconstruction_weights,
    symmetric_graph,
)
from mlreduce.spectral.graphs.search import search_blocks
from mlreduce.spectral.graphs.similarities import SIMILARITIES, all_similarities, similarities_of
from mlreduce.spectral.training_set import TrainingSet
from mlreduce.validation import FloatArray, as_dense, check_count, check_option, check_options, check_range, is_sparse
from mlreduce.validation.estimator import Estimator

__all__ = ["Proximity", "ProximityLike", "attraction", "check_proximity", "degrees", "reconstruction"]

#: What a method's parameter ``proximity`` may be; see `check_proximity`.
ProximityLike: TypeAlias = "Proximity | Mapping[str, Any] | None"

_METRICS = ("euclidean", "cosine")
_WEIGHTS = ("constant", "gaussian", "local-scaling", "ratio", "reconstruction", *SIMILARITIES, "geodesic")

# Neighbour whose distance is the local scale, if the graph has no ``n_neighbors``.
_LOCAL_NEIGHBOUR = 7

# Largest asymmetry of a user's matrix, relative to its largest entry.
_ASYMMETRY = 1e-8


def degrees(weights: Any) -> FloatArray:
    """Return the row sums of W, the diagonal of D(W), shape (n_samples,)."""
    return np.asarray(weights.sum(axis=1), dtype=np.float64).reshape(-1)


def attraction(weights: Any) -> Form:
    """Return the form ``W - D(W)``, minus the weighted squared differences of the joined pairs."""
    if is_sparse(weights):
        return Form(graph=sp.csr_array(weights - sp.diags_array(degrees(weights))))
    graph = -np.diag(degrees(weights))
    graph += weights
    return Form(graph=graph)


def reconstruction(data: TrainingSet, n_neighbors: int) -> Form:
    """Return the form ``-(I - W)'(I - W)``, minus the squared errors with W of `reconstruction_weights`."""
    rest = sp.eye_array(data.X.shape[0], format="csr") - reconstruction_weights(data, n_neighbors)
    return Form(graph=sp.csr_array(-(rest.T @ rest)))


def check_proximity(proximity: ProximityLike, **defaults: Any) -> Proximity:
    """Return the checked `Proximity` of a method's parameter ``proximity``.

    Parameters
    ----------
    proximity : Proximity, mapping of its parameters, or None
        None is ``Proximity()``.
    **defaults
        Defaults of parameters that a mapping does not have.

    Raises
    ------
    DataError
        If it has another type, an unknown parameter, or one out of range.
    """
    if not isinstance(proximity, Proximity):
        proximity = Proximity(**{**defaults, **check_options(proximity, Proximity, "proximity")})
    proximity.check()
    return proximity


class Proximity(Estimator):
    """Proximity of instances by their features: a graph and the weights of its joined pairs.

    A pair is joined if it meets the conditions ``n_neighbors`` and ``radius``, those that are given; without any,
    all pairs are. Negative correlations are set to 0.

    Parameters
    ----------
    weight : str, callable, or matrix of shape (n_samples, n_samples), default="gaussian"
        Weight of a pair with distance d:

        - ``"constant"``: 1.
        - ``"gaussian"``: ``exp(-d^2 / tau)``, equation (7).
        - ``"local-scaling"``: ``exp(-d^2 / (s_i s_j))``, s the distance to the ``n_neighbors``-th nearest instance (7th
          without ``n_neighbors``), equation (8). Where s is 0, equal instances have weight 1 and others 0.
        - ``"ratio"``: ``1 / (tau + d^2 / (||x_i||^2 + ||x_j||^2))``, equation (9).
        - ``"reconstruction"``: ``(|w_ij| + |w_ji|) / 2`` of `reconstruction_weights`; needs ``n_neighbors``.
        - ``"cosine"``, ``"pearson"``, ``"spearman"``, ``"kendall"``: similarity or correlation of two rows; 0 for
          constant rows. Kendall's costs n log(n) per joined pair, n the number of features (stored entries of sparse
          rows): half a minute for 25 000 pairs of 3000 features.
        - ``"geodesic"``: ``exp(-g^2 / tau)`` with the length g of the shortest path over the graph, for all pairs that
          have one.
        - a callable of X, an ndarray or csr_array, that returns the weights of all pairs, or these weights: symmetric,
          not negative, dense or sparse. Those of joined pairs are used.
    n_neighbors : int or None, default=10
        Join pairs of which one is among the ``n_neighbors`` nearest of the other, >= 1.
    mutual : bool, default=False
        Join only pairs of which each is among the nearest of the other.
    radius : float or None, default=None
        Join pairs no farther apart, > 0: in units of the features, or of ``1 - cos``.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Metric of the graph; weights do not depend on it.
    tau : float or None, default=None
        Width of the weight, > 0. For "gaussian" and "geodesic" in squared units of the features; None is the mean
        squared distance, or path, of the pairs that have one. For "ratio" None is 1.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), section 2.1.1.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.spectral import TrainingSet
    >>> from mlreduce.spectral.graphs.proximity import Proximity
    >>> data = TrainingSet(np.array([[0.0], [1.0], [3.0]]))
    >>> Proximity("constant", n_neighbors=1).matrix(data).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """

    def __init__(
        self,
        weight: str | Callable[[Any], Any] | FloatArray = "gaussian",
        n_neighbors: int | None = 10,
        mutual: bool = False,
        radius: float | None = None,
        metric: str = "euclidean",
        tau: float | None = None,
    ) -> None:
        self.weight = weight
        self.n_neighbors = n_neighbors
        self.mutual = mutual
        self.radius = radius
        self.metric = metric
        self.tau = tau

    def matrix(self, data: TrainingSet) -> Any:
        """Return W, symmetric with a zero diagonal, not negative; not to be modified.

        Parameters
        ----------
        data : TrainingSet
            Checked features; labels are not used.

        Returns
        -------
        csr_array or ndarray of shape (n_samples, n_samples)
            An array where all pairs have a weight: without conditions, and for "geodesic".

        Raises
        ------
        DataError
            If a parameter is out of range, or given weights are invalid.
        """
        self.check()
        named = isinstance(self.weight, str)
        # The object of an id is cached too: the id of a deleted object may be reused.
        key = f"weights {self.weight if named else id(self.weight)} of {self._graph_key()}, tau {self.tau}"
        return data.cached(key, lambda: (self.weight, self._matrix(data)))[1]

    def rows(self, data: TrainingSet) -> Callable[[slice], FloatArray]:
        """Return a function of a slice of the instances that returns these rows of W, scaled to [0, 1].

        All are divided by the largest if it exceeds 1. Weights of all pairs that are functions of their distances are
        computed when requested; others are those of `matrix`.

        Parameters
        ----------
        data : TrainingSet
            As of `matrix`.

        Returns
        -------
        callable
            Takes a slice and returns an ndarray of shape (n_rows, n_samples).

        Raises
        ------
        DataError
            As `matrix`.
        """
        self.check()
        joins_all = self.n_neighbors is None and self.radius is None and data.X.shape[0] > 1
        by_distance = isinstance(self.weight, str) and self.weight not in (*SIMILARITIES, "geodesic")
        if not joins_all or not by_distance:
            weights = self.matrix(data)
            largest = max(1.0, weights.max()) if weights.size else 1.0
            return lambda rows: as_dense(weights[rows]).clip(0) / largest
        rows_of = self._rows_of_all(data)
        if self.weight != "ratio" or self.tau is None or self.tau >= 1:
            return rows_of
        largest = max(1.0, *(rows_of(rows).max() for rows in search_blocks(data.X.shape[0])))
        return lambda rows: rows_of(rows) / largest

    def check(self) -> None:
        """Check the parameters.

        Raises
        ------
        DataError
            If one is; given weights are checked when used.
        """
        if isinstance(self.weight, str) and self.weight not in _WEIGHTS:
            raise DataError(unknown_name("weight", self.weight, _WEIGHTS))
        check_option(self.metric, "metric", _METRICS)
        if self.n_neighbors is not None:
            check_count(self.n_neighbors, "n_neighbors")
        elif self.mutual or self._weighs("reconstruction"):
            raise DataError("mutual=True and weight='reconstruction' need n_neighbors")
        if self.radius is not None:
            check_range(self.radius, "radius", 0, open_ends=True)
        if self.tau is not None:
            check_range(self.tau, "tau", 0, open_ends=True)

    def _weighs(self, name: str) -> bool:
        return isinstance(self.weight, str) and self.weight == name

    def _graph_key(self) -> str:
        return f"{self.n_neighbors} neighbours, mutual {self.mutual}, radius {self.radius}, {self.metric}"

    def _matrix(self, data: TrainingSet) -> Any:
        if data.X.shape[0] == 1:
            return sp.csr_array((1, 1))
        if self.n_neighbors is None and self.radius is None:
            return self._weights_of_all_pairs(data)
        graph = data.cached(self._graph_key(), lambda: self._graph(data))
        if self._weighs("constant"):
            return graph
        if self._weighs("geodesic"):
            return self._geodesic(geodesics_of(data, graph))
        weights = symmetric_graph(graph, self._weights_of_pairs(data, *joined_pairs(graph)))
        weights.eliminate_zeros()
        return weights

    def _graph(self, data: TrainingSet) -> Any:
        """Return ones where a pair is joined."""
        near = None if self.radius is None else close_pairs(data, self.radius, self.metric)
        if self.n_neighbors is None:
            return near
        neighbours = neighbours_of(data, self.n_neighbors, self.metric)
        directed = directed_graph(neighbours, np.ones(neighbours.shape))
        joined = directed.minimum(directed.T) if self.mutual else directed.maximum(directed.T)
        joined = sp.csr_array(joined if near is None else joined.multiply(near))
        joined.eliminate_zeros()
        joined.sort_indices()
        return joined

    def _weights_of_pairs(self, data: TrainingSet, first: NDArray[np.intp], second: NDArray[np.intp]) -> FloatArray:
        """Return the weights of joined pairs."""
        if not isinstance(self.weight, str):
            return as_dense(self._given_weights(data)[first, second]).reshape(-1)
        if self.weight in SIMILARITIES:
            return similarities_of(data.points, self.weight, first, second).clip(0)
        if self.weight == "reconstruction":
            coefficients = abs(reconstruction_weights(data, self._number, metric=self.metric))
            return as_dense((coefficients + coefficients.T)[first, second]).reshape(-1) / 2
        squares = pair_distances(data.points, first, second)
        return self._weights_of_distances(data, squares, first, second, float(squares.sum()) / max(squares.size, 1))

    @property
    def _number(self) -> int:
        return self.n_neighbors or _LOCAL_NEIGHBOUR

    def _weights_of_all_pairs(self, data: TrainingSet) -> Any:
        """Return the weights of all pairs."""
        n_samples = data.X.shape[0]
        if not isinstance(self.weight, str):
            return self._given_weights(data)
        if self.weight == "geodesic":
            return self._geodesic(np.sqrt(distances_of(data)))
        if self.weight in SIMILARITIES:
            weights = all_similarities(data.points, self.weight).clip(0)
            np.fill_diagonal(weights, 0.0)
            return weights
        weights, rows_of = np.empty((n_samples, n_samples)), self._rows_of_all(data)
        for rows in search_blocks(n_samples):
            weights[rows] = rows_of(rows)
        return weights

    def _rows_of_all(self, data: TrainingSet) -> Callable[[slice], FloatArray]:
        """Return a function of a slice of instances that returns the weights of their pairs with all."""
        everyone, squares, mean = np.arange(data.X.shape[0]), distance_rows(data), mean_distance(data)

        def weights_of(rows: slice) -> FloatArray:
            numbers = everyone[rows]
            if self._weighs("constant"):
                weights = np.ones((len(numbers), len(everyone)))
            else:
                weights = self._weights_of_distances(data, squares(rows), numbers[:, np.newaxis], everyone, mean)
            weights[np.arange(len(numbers)), numbers] = 0.0
            return weights

        return weights_of

    def _weights_of_distances(
        self, data: TrainingSet, squares: FloatArray, first: NDArray[np.intp], second: NDArray[np.intp], mean: float
    ) -> FloatArray:
        """Return weights that are functions of squared distances, of which the mean is given."""
        if self.weight == "gaussian":
            return np.asarray(np.exp(squares / -self._width(mean)))
        if self.weight == "ratio":
            norms = data.cached("squared norms", lambda: squared_norms(data.points))
            sums = norms[first] + norms[second]
            return np.asarray(1.0 / ((1.0 if self.tau is None else self.tau) + quotient(squares, sums)))
        scales = data.cached(f"distances to neighbour {self._number}", lambda: self._scales(data))
        products = scales[first] * scales[second]
        infinite = np.where(squares > 0, np.inf, 0.0)
        return np.asarray(np.exp(-np.divide(squares, products, out=infinite, where=products > 0)))

    def _scales(self, data: TrainingSet) -> FloatArray:
        """Return the distance of each instance to its last neighbour."""
        neighbours = neighbours_of(data, self._number)
        return np.sqrt(pair_distances(data.points, np.arange(len(neighbours)), neighbours[:, -1]))

    def _width(self, mean: float) -> float:
        if self.tau is not None:
            return self.tau
        return float(mean) or 1.0

    def _geodesic(self, lengths: FloatArray) -> FloatArray:
        squares = lengths**2
        reached = np.isfinite(squares)
        pairs = np.count_nonzero(reached) - len(squares)
        weights = np.asarray(np.exp(-squares / self._width(squares[reached].sum() / max(pairs, 1))))
        np.fill_diagonal(weights, 0.0)
        return weights

    def _given_weights(self, data: TrainingSet) -> Any:
        """Return the weights of the user, checked."""
        n_samples = data.X.shape[0]
        weights: Any = self.weight(data.points) if callable(self.weight) else self.weight
        weights = sp.csr_array(weights, dtype=np.float64) if is_sparse(weights) else np.array(weights, dtype=np.float64)
        if weights.shape != (n_samples, n_samples):
            raise DataError(f"weights must have the shape {(n_samples, n_samples)}; got {weights.shape}")
        values = weights.data if is_sparse(weights) else weights
        if not np.isfinite(values).all() or (values < 0).any():
            raise DataError("weights must be finite and not negative")
        if abs(weights - weights.T).max() > _ASYMMETRY * values.max(initial=0.0):
            raise DataError("weights must be symmetric")
        weights = (weights + weights.T) / 2
        if not is_sparse(weights):
            np.fill_diagonal(weights, 0.0)
            return weights
        weights = sp.csr_array(weights - sp.diags_array(weights.diagonal()))
        weights.eliminate_zeros()
        return weights
