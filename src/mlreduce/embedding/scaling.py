"""Embeddings that keep distances: multidimensional scaling, by straight lines or along a graph."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph

from mlreduce.embedding.base import Embedding
from mlreduce.embedding.inner_products import inner_products
from mlreduce.exceptions import ProjectionWarning
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.neighbours import distances_of, geodesics_of
from mlreduce.spectral.graphs.proximity import Proximity
from mlreduce.validation import FloatArray, check_count

__all__ = ["MDS", "Isomap"]


class _Scaling(Embedding):
    """Base of the scalings: columns as long as the root of their eigenvalue, which is positive."""

    signed_values = False

    def _finish(self, embedding: FloatArray, values: FloatArray) -> FloatArray:
        scaled: FloatArray = embedding * np.sqrt(values)
        return scaled


@register("mds")
class MDS(_Scaling):
    """Classical multidimensional scaling: inner products, and with them distances, as they are among the features.

    ``max tr(Z'(-HEH/2)Z)`` subject to ``Z'Z = I``, E the squared Euclidean distances, and then columns times the root
    of their eigenvalue. As ``-HEH/2 = Xc Xc'`` these are the principal components' scores.

    Parameters
    ----------
    n_components : int, float or None, default=2
        Number of columns, 1..n_samples; a fraction of that in (0, 1), rounded down but never to zero; None for all.

    References
    ----------
    Cox and Cox (2000), "Multidimensional scaling"; Mu, Goulermas, Tsujii and Ananiadou (2012), equation (5).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MDS().fit_transform(data.X).shape
    (1797, 2)
    """

    def __init__(self, n_components: int | float | None = 2) -> None:
        self.n_components = n_components

    def _objective(self, data: TrainingSet) -> Form:
        return inner_products(data.centred)


@register("isomap")
class Isomap(_Scaling):
    """Isomap: multidimensional scaling of the shortest paths from neighbour to neighbour.

    ``max tr(Z'(-HEH/2)Z)`` subject to ``Z'Z = I``, E the squared lengths of the shortest paths over the graph of
    nearest neighbours, and then columns times the root of their eigenvalue. Where the graph has several parts, each two
    of them are joined by their nearest instances, and a warning says so.

    Parameters
    ----------
    n_components : int, float or None, default=2
        Number of columns, 1..n_samples; a fraction of that in (0, 1), rounded down but never to zero; None for all.
    n_neighbors : int, default=10
        An edge joins instances of which one is among so many nearest of the other, all where there are fewer.

    References
    ----------
    Tenenbaum, de Silva and Langford (2000), "A global geometric framework for nonlinear dimensionality reduction"; Mu,
    Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.Isomap().fit_transform(data.X).shape
    (1797, 2)
    """

    def __init__(self, n_components: int | float | None = 2, n_neighbors: int = 10) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors

    def _check_parameters(self) -> None:
        check_count(self.n_neighbors, "n_neighbors")

    def _objective(self, data: TrainingSet) -> Form:
        graph = Proximity("constant", self.n_neighbors).matrix(data)
        squares = geodesics_of(data, _in_one_part(data, graph)) ** 2
        means = squares.mean(axis=0)
        squares -= means
        squares -= (means - means.mean())[:, np.newaxis]
        squares *= -0.5
        return Form(graph=squares)


def _in_one_part(data: TrainingSet, graph: Any) -> Any:
    """Join each two parts of a graph by their nearest instances, of equally near ones the first."""
    n_parts, part = scipy.sparse.csgraph.connected_components(graph, directed=False)
    if n_parts == 1:
        return graph
    warnings.warn(
        f"the graph of nearest neighbours has {n_parts} parts: each two are joined by their nearest instances; more "
        "neighbours may make it one",
        ProjectionWarning,
        stacklevel=5,
    )
    distances, number = distances_of(data), np.arange(graph.shape[0])
    joins = []
    for own in (np.flatnonzero(part == each) for each in range(n_parts)):
        nearest = own[distances[own].argmin(axis=0)]
        order = np.lexsort((number, distances[nearest, number], part))
        first = order[np.searchsorted(part[order], np.arange(n_parts))]  # of each part the one nearest to this
        joins.append(np.column_stack([nearest[first], first]))
    rows, columns = np.vstack(joins).T
    apart = part[rows] != part[columns]
    links = sp.csr_array((np.ones(np.count_nonzero(apart)), (rows[apart], columns[apart])), shape=graph.shape)
    joined = sp.csr_array(graph.maximum(links).maximum(links.T))
    joined.sort_indices()
    return joined
