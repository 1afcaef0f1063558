"""Embeddings by a graph: spectral clustering and Laplacian eigenmaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce.embedding.base import Embedding
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.proximity import Proximity, attraction, check_proximity, degrees
from mlreduce.validation import FloatArray, is_sparse


class GraphEmbedding(Embedding):
    """Base of the embeddings by a weight matrix W."""

    def __init__(
        self, n_components: int | str | None = 2, proximity: Proximity | Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(n_components)
        self.proximity = proximity

    def _check_parameters(self) -> None:
        check_proximity(self.proximity)

    def _weights(self, data: TrainingSet) -> Any:
        return check_proximity(self.proximity).matrix(data)


@register("usc")
class USC(GraphEmbedding):
    """Unnormalised spectral clustering (USC): minimal weighted squared differences of neighbours.

    ``max tr(Z'(W - D(W))Z)`` subject to ``Z'Z = I``. Each connected component of the graph adds an eigenvalue zero,
    whose columns are constant on every component.

    Parameters
    ----------
    n_components : int, str or None, default=2
        Number of columns, 1..n_samples, less one where the constant vector is a trivial solution; a percentage of that
        such as ``"50%"``, rounded down to at least 1; None for all.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.

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
    von Luxburg (2007), "A tutorial on spectral clustering"; Mu, Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.USC(n_components=3).fit_transform(data.X).shape
    (1797, 3)
    """

    upper = 0.0

    def _objective(self, data: TrainingSet) -> Form:
        return attraction(self._weights(data))


@register("symmetric-spectral")
class SymmetricSpectralEmbedding(GraphEmbedding):
    """Normalised spectral clustering by the symmetric Laplacian (symmetric-spectral): weights relative to degrees.

    ``max tr(Z'D^-1/2 W D^-1/2 Z)`` subject to ``Z'Z = I`` with ``D = D(W)``. The first column is the root of the
    degrees where the graph is connected. An instance without neighbours has an edge of weight 1 to itself.

    Parameters
    ----------
    n_components : int, str or None, default=2
        Number of columns, 1..n_samples, less one where the constant vector is a trivial solution; a percentage of that
        such as ``"50%"``, rounded down to at least 1; None for all.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.

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
    Ng, Jordan and Weiss (2001), "On spectral clustering: analysis and an algorithm"; Mu, Goulermas, Tsujii and
    Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.SymmetricSpectralEmbedding(n_components=3).fit(data.X)
    >>> method.eigenvalues_[:1].round(6)  # the graph is connected
    array([1.])
    """

    upper = 1.0

    def _objective(self, data: TrainingSet) -> Form:
        return self._joined(data).scaled(1.0 / self._roots(data))

    def _joined(self, data: TrainingSet) -> Form:
        """Return W, with weight 1 on the diagonal of instances without neighbours."""
        weights = self._weights(data)
        loops = (degrees(weights) == 0).astype(np.float64)
        if loops.any():
            weights = sp.csr_array(weights + sp.diags_array(loops)) if is_sparse(weights) else weights + np.diag(loops)
        return Form(graph=weights)

    def _roots(self, data: TrainingSet) -> FloatArray:
        sums = degrees(self._weights(data))
        return np.sqrt(np.where(sums > 0, sums, 1.0))


@register("le")
class LaplacianEigenmaps(SymmetricSpectralEmbedding):
    """Laplacian eigenmaps (LE), also known as normalised spectral clustering: neighbours get similar coordinates.

    ``max tr(Z'WZ)`` subject to ``Z'D(W)Z = I``, without the trivial constant vector. Eigenvalues are one less those of
    the Laplacian. An instance without neighbours has an edge of weight 1 to itself.

    Parameters
    ----------
    n_components : int, str or None, default=2
        Number of columns, 1..n_samples, less one where the constant vector is a trivial solution; a percentage of that
        such as ``"50%"``, rounded down to at least 1; None for all.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.

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
    Belkin and Niyogi (2003), "Laplacian eigenmaps for dimensionality reduction and data representation"; Shi and Malik
    (2000), "Normalized cuts and image segmentation"; Mu, Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.LaplacianEigenmaps().fit(data.X)
    >>> method.embedding_.shape
    (300, 2)
    >>> bool((method.eigenvalues_ < 1).all())
    True
    """

    def _objective(self, data: TrainingSet) -> Form:
        return self._joined(data)

    def _scale(self, data: TrainingSet) -> FloatArray:
        return self._roots(data)

    def _trivial(self, data: TrainingSet) -> FloatArray:
        return np.ones(data.X.shape[0])
