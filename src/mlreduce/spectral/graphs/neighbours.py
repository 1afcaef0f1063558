"""Distances, neighbours, shortest paths and reconstruction weights of a training set, cached with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph
from numpy.typing import NDArray

from mlreduce.complexity import PAIRS
from mlreduce.linalg.compiled import compiled
from mlreduce.linalg.distances import LEAST_SQUARE, Distances, squared_norms
from mlreduce.linalg.utilities import quotient, scaled
from mlreduce.spectral.graphs.search import nearest_others, search_blocks
from mlreduce.spectral.graphs.similarities import pair_blocks
from mlreduce.spectral.training_set import TrainingSet
from mlreduce.validation import FloatArray, is_sparse

__all__ = [
    "close_pairs",
    "directed_graph",
    "distance_blocks",
    "distance_rows",
    "distances_of",
    "geodesics_of",
    "joined_pairs",
    "mean_distance",
    "neighbours_of",
    "pair_distances",
    "reconstruction_weights",
    "symmetric_graph",
    "weights_from",
]

#: Bytes up to which a table of all pairs is cached where blocks of its rows would do.
TABLE_BYTES = 8 * PAIRS

# Ridge of the reconstruction weights, relative to the trace of the neighbours' Gram matrix.
_RIDGE = 1e-3


def distances_of(data: TrainingSet) -> FloatArray:
    """Return the squared distances between all instances, shape (n_samples, n_samples); not to be modified."""
    return data.cached("distances", lambda: _search(data, "euclidean")[0].table())


def distance_rows(data: TrainingSet, metric: str = "euclidean") -> Callable[[slice], FloatArray]:
    """Return a function of a slice of the instances that returns their squared distances to all, not to be modified.

    Those of few instances are a table, which costs half the products and is cached (`distances_of`); those of many are
    computed again.
    """
    n_samples = data.X.shape[0]
    search, zero = _search(data, metric)
    if _has_table(data, metric):
        table = distances_of(data)
        return lambda rows: table[rows]

    def find(rows: slice) -> FloatArray:
        numbers = np.arange(n_samples)[rows]
        block = search.compute(numbers)
        if zero.any():  # zero rows have cosine 0 to all
            block[:, zero] = 2.0
            block[zero[rows]] = 2.0
            block[np.arange(len(numbers)), numbers] = 0.0
        return block

    return find


def _has_table(data: TrainingSet, metric: str) -> bool:
    """Whether distances are a cached table."""
    return metric == "euclidean" and ("distances" in data.cache or 8 * data.X.shape[0] ** 2 <= TABLE_BYTES)


def distance_blocks(data: TrainingSet, metric: str = "euclidean") -> Iterator[tuple[slice, FloatArray]]:
    """Yield blocks of instances and their squared distances to all, not to be modified."""
    rows_of = distance_rows(data, metric)
    for rows in search_blocks(data.X.shape[0]):
        yield rows, rows_of(rows)


def mean_distance(data: TrainingSet) -> float:
    """Return the mean squared distance of all pairs, by the distances from the mean instance."""
    return float(2.0 * data.centred_points.squared_norms.sum() / max(1, data.X.shape[0] - 1))


def neighbours_of(data: TrainingSet, number: int, metric: str = "euclidean") -> NDArray[np.intp]:
    """Return each instance's nearest others, nearest first; of equally near ones the first.

    Parameters
    ----------
    data : TrainingSet
    number : int
        At most as many as there are others.
    metric : {"euclidean", "cosine"}, default="euclidean"

    Returns
    -------
    ndarray of shape (n_samples, min(number, n_samples - 1))
    """

    def find() -> NDArray[np.intp]:
        n_samples = data.X.shape[0]
        most = min(number, n_samples - 1)
        search, zero = _search(data, metric)
        by_bounds = None if _has_table(data, metric) or zero.any() else search.nearest(most)
        if by_bounds is not None:
            return by_bounds
        neighbours = np.empty((n_samples, most), dtype=np.intp)
        for rows, block in distance_blocks(data, metric):
            neighbours[rows] = nearest_others(block, rows, neighbours.shape[1])
        return neighbours

    return data.cached(f"{number} neighbours by {metric}", find)


def _search(data: TrainingSet, metric: str) -> tuple[Distances, NDArray[np.bool_]]:
    """Return the squared distances of a metric and the mask of zero rows.

    Cosines are computed from the squared distances of rows of norm 1, ``2 - 2 cos``.
    """

    def find() -> tuple[Distances, NDArray[np.bool_]]:
        if metric == "euclidean":  # centred, to keep precision with a large offset of sparse features
            return Distances(data.centred_points.stored), np.zeros(data.X.shape[0], dtype=bool)
        norms = np.sqrt(squared_norms(data.points))
        return Distances(scaled(data.points, quotient(1.0, norms))), norms == 0

    return data.cached(f"search by {metric}", find)


def reconstruction_weights(
    data: TrainingSet, n_neighbors: int, ridge: float = _RIDGE, metric: str = "euclidean"
) -> Any:
    """Return the least-squares weights that reconstruct each instance from its neighbours, not symmetric.

    Parameters
    ----------
    data : TrainingSet
    n_neighbors : int
    ridge : float, default=1e-3
        Of the Gram matrix of the neighbours less the instance, relative to its trace.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Metric of the neighbours.

    Returns
    -------
    W : csr_array of shape (n_samples, n_samples)
        Rows of sum 1 with n_neighbors entries of either sign.

    References
    ----------
    Roweis and Saul (2000); Mu et al. (2012), equation (6).
    """

    def find() -> Any:
        neighbours = neighbours_of(data, n_neighbors, metric)
        return directed_graph(neighbours, weights_from(data.points, np.arange(len(neighbours)), neighbours, ridge))

    return data.cached(f"reconstruction from {n_neighbors} by {metric}, ridge {ridge}", find)


def weights_from(X: Any, rows: NDArray[np.intp], neighbours: NDArray[np.intp], ridge: float) -> FloatArray:
    """Return the least-squares weights, of sum 1, that reconstruct instances from neighbours.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    rows : ndarray of shape (n_rows,)
    neighbours : ndarray of shape (n_rows, k)
        Neighbours of each row.
    ridge : float
        Of the Gram matrix of the neighbours less the instance, relative to its trace.

    Returns
    -------
    ndarray of shape (n_rows, k)
    """
    gram = _local_gram(X, rows, neighbours)
    trace = np.trace(gram, axis1=1, axis2=2)
    ridges = np.where(trace > LEAST_SQUARE, ridge * trace, 1.0)
    gram += ridges[:, np.newaxis, np.newaxis] * np.eye(neighbours.shape[1])
    solved = np.linalg.solve(gram, np.ones((*neighbours.shape, 1)))[:, :, 0]
    return solved / solved.sum(axis=1)[:, np.newaxis]


def _local_gram(X: Any, rows: NDArray[np.intp], neighbours: NDArray[np.intp]) -> FloatArray:
    """Return the inner products of each instance's neighbours less the instance, shape (n_rows, k, k)."""
    n_rows, number = neighbours.shape
    gram = np.empty((n_rows, number, number))
    for block in pair_blocks(X, n_rows, number):
        centres, near = X[rows[block]], neighbours[block]
        if not is_sparse(X):
            dense = X[near] - centres[:, np.newaxis]
            gram[block] = dense @ dense.transpose(0, 2, 1)
            continue
        _sparse_gram(X.indptr, X.indices, X.data, X.shape[1], rows[block], near, gram[block])
    return gram


@compiled
def _sparse_gram(
    indptr: NDArray[np.integer[Any]],
    indices: NDArray[np.integer[Any]],
    values: FloatArray,
    n_features: int,
    rows: NDArray[np.intp],
    neighbours: NDArray[np.intp],
    gram: FloatArray,
) -> None:
    """Fill in `_local_gram` for rows of a CSR matrix: differences are dense over the features that any of them uses."""
    n_rows, number = neighbours.shape
    place = np.full(n_features, -1)
    used = np.empty(n_features, dtype=np.intp)
    for row in range(n_rows):
        size = 0
        for item in range(number + 1):
            one = rows[row] if item == number else neighbours[row, item]
            for entry in range(indptr[one], indptr[one + 1]):
                if place[indices[entry]] < 0:
                    place[indices[entry]] = size
                    used[size] = indices[entry]
                    size += 1
        differences = np.zeros((number, size))
        for item in range(number):
            one, difference = neighbours[row, item], differences[item]
            for entry in range(indptr[one], indptr[one + 1]):
                difference[place[indices[entry]]] += values[entry]
            for entry in range(indptr[rows[row]], indptr[rows[row] + 1]):
                difference[place[indices[entry]]] -= values[entry]
        gram[row] = differences @ differences.T
        for feature in used[:size]:
            place[feature] = -1


def directed_graph(neighbours: NDArray[np.intp], values: FloatArray) -> Any:
    """Return a graph from each instance to its neighbours."""
    n_samples, number = neighbours.shape
    starts = np.arange(n_samples + 1) * number
    graph = sp.csr_array((values.ravel(), neighbours.ravel(), starts), shape=(n_samples, n_samples), copy=True)
    graph.sort_indices()
    return graph


def geodesics_of(data: TrainingSet, graph: Any) -> FloatArray:
    """Return the lengths of the shortest paths over a graph, infinite without a path.

    Parameters
    ----------
    data : TrainingSet
    graph : csr_array of shape (n_samples, n_samples)
        Symmetric; its stored entries are edges, of the Euclidean length.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
    """
    lengths = symmetric_graph(graph, np.sqrt(pair_distances(data.points, *joined_pairs(graph))))
    paths = scipy.sparse.csgraph.shortest_path(lengths, method="D", directed=True)
    return np.minimum(paths, paths.T)


def joined_pairs(graph: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return each joined pair of a symmetric graph once."""
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    upper = rows < graph.indices
    return rows[upper], graph.indices[upper].astype(np.intp)


def symmetric_graph(graph: Any, values: FloatArray) -> Any:
    """Return the symmetric graph with the values on its joined pairs; zeros stay stored."""
    first, second = joined_pairs(graph)
    rows, columns = np.r_[first, second], np.r_[second, first]
    order = np.lexsort((columns, rows))
    return sp.csr_array((np.r_[values, values][order], columns[order], graph.indptr.copy()), shape=graph.shape)


def pair_distances(X: Any, first: NDArray[np.intp], second: NDArray[np.intp]) -> FloatArray:
    """Return the squared distances of pairs of rows, from their differences."""
    squares = np.empty(len(first))
    for block in pair_blocks(X, len(first)):
        squares[block] = squared_norms(X[first[block]] - X[second[block]])
    return squares


def close_pairs(data: TrainingSet, threshold: float, metric: str = "euclidean") -> Any:
    """Return the graph with weight 1 between pairs no farther apart than a threshold.

    Parameters
    ----------
    data : TrainingSet
    threshold : float
        In units of the features; for the cosine in units of ``1 - cos``.
    metric : {"euclidean", "cosine"}, default="euclidean"

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    n_samples, unit = data.X.shape[0], _search(data, metric)[0].unit
    largest = 2.0 * threshold if metric == "cosine" else threshold**2
    largest = unit * np.round(largest / unit)  # on the grid that distances are on
    blocks = []
    for rows, block in distance_blocks(data, metric):
        close = block <= largest
        close[np.arange(len(block)), np.arange(n_samples)[rows]] = False
        blocks.append(sp.csr_array(close, dtype=np.float64))
    return sp.csr_array(sp.vstack(blocks))
