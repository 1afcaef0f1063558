"""Embeddings that preserve distances: multidimensional scaling and Isomap."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph

from mlreduce.complexity import Complexity
from mlreduce.embedding.base import Embedding
from mlreduce.embedding.inner_products import inner_products
from mlreduce.exceptions import ProjectionWarning, warn
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.neighbours import distances_of, geodesics_of
from mlreduce.spectral.graphs.proximity import Proximity
from mlreduce.validation import FloatArray, check_count


class _Scaling(Embedding):
    """Base of the scalings: columns times the root of their positive eigenvalue."""

    signed_values = False

    def _rescaled(self, embedding: FloatArray, values: FloatArray) -> FloatArray:
        return embedding * np.sqrt(values)


@register("mds")
class MDS(_Scaling):
    """Classical multidimensional scaling (MDS): Euclidean distances of the features are preserved.

    ``max tr(Z'(-HEH/2)Z)`` subject to ``Z'Z = I``, E the squared Euclidean distances; columns are multiplied by the
    root of their eigenvalue. As ``-HEH/2 = Xc Xc'`` they are the scores of the principal components.

    Parameters
    ----------
    n_components : int, str or None, default=2
        Number of columns, 1..n_samples, less one where the constant vector is a trivial solution; a percentage of that
        such as ``"50%"``, rounded down to at least 1; None for all.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Most important column first; of each, the entry of largest magnitude is positive, of equal ones the first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each column to the objective, descending.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Cox and Cox (2000), "Multidimensional scaling"; Mu, Goulermas, Tsujii and Ananiadou (2012), equation (5).

    Examples
    --------
    >>> import mlreduce
    >>> import numpy as np
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Z = mlreduce.MDS(n_components=2).fit_transform(data.X)
    >>> scores = mlreduce.PCA(n_components=2).fit_transform(data.X)
    >>> np.allclose(abs(Z), abs(scores))
    True
    """

    complexity = Complexity("s m + k n m", "n m", least_bytes=1)

    def _objective(self, data: TrainingSet) -> Form:
        return inner_products(data.centred)


@register("isomap")
class Isomap(_Scaling):
    """Isomap: multidimensional scaling of the lengths of shortest paths over a graph of neighbours.

    ``max tr(Z'(-HEH/2)Z)`` subject to ``Z'Z = I``, E the squared path lengths; columns are multiplied by the root of
    their eigenvalue. Each two connected components of the graph are joined by their nearest instances, with a warning.

    Parameters
    ----------
    n_components : int, str or None, default=2
        Number of columns, 1..n_samples, less one where the constant vector is a trivial solution; a percentage of that
        such as ``"50%"``, rounded down to at least 1; None for all.
    n_neighbors : int, default=10
        Edges join instances of which one is among the ``n_neighbors`` nearest of the other, >= 1.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Most important column first; of each, the entry of largest magnitude is positive, of equal ones the first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each column to the objective, descending.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Tenenbaum, de Silva and Langford (2000), "A global geometric framework for nonlinear dimensionality reduction"; Mu,
    Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.Isomap(n_components=2, n_neighbors=15).fit_transform(data.X).shape
    (300, 2)
    """

    complexity = Complexity("n s + k n^2", "n^2", least_bytes=16)

    def __init__(self, n_components: int | str | None = 2, n_neighbors: int = 10) -> None:
        super().__init__(n_components)
        self.n_neighbors = n_neighbors

    def _check_parameters(self) -> None:
        check_count(self.n_neighbors, "n_neighbors")

    def _objective(self, data: TrainingSet) -> Form:
        graph = Proximity("constant", self.n_neighbors).matrix(data)
        squares = geodesics_of(data, _connected(data, graph, type(self).__name__)) ** 2
        means = squares.mean(axis=0)
        squares -= means
        squares -= (means - means.mean())[:, np.newaxis]
        squares *= -0.5
        return Form(graph=squares)


def _connected(data: TrainingSet, graph: Any, who: str) -> Any:
    """Join each two components of a graph by their nearest instances; of equally near ones the first."""
    n_parts, part = scipy.sparse.csgraph.connected_components(graph, directed=False)
    if n_parts == 1:
        return graph
    warn(
        f"{who}: the graph of nearest neighbours has {n_parts} components: each two are joined by their nearest "
        "instances; more neighbours may connect it",
        ProjectionWarning,
    )
    distances, number = distances_of(data), np.arange(graph.shape[0])
    joins = []
    for members in (np.flatnonzero(part == each) for each in range(n_parts)):
        nearest = members[distances[members].argmin(axis=0)]
        order = np.lexsort((number, distances[nearest, number], part))
        first = order[np.searchsorted(part[order], np.arange(n_parts))]  # the nearest instance of each component
        joins.append(np.column_stack([nearest[first], first]))
    rows, columns = np.vstack(joins).T
    apart = part[rows] != part[columns]
    links = sp.csr_array((np.ones(np.count_nonzero(apart)), (rows[apart], columns[apart])), shape=graph.shape)
    joined = sp.csr_array(graph.maximum(links).maximum(links.T))
    joined.sort_indices()
    return joined
