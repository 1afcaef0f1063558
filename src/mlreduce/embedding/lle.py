"""Locally linear embedding."""

from __future__ import annotations

import numpy as np

from mlreduce.embedding.base import Embedding
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.proximity import reconstruction
from mlreduce.validation import FloatArray, check_count


@register("lle")
class LLE(Embedding):
    """Locally linear embedding (LLE): minimal errors of reconstruction from neighbours.

    ``max -tr(Z'(I - W)'(I - W)Z)`` subject to ``Z'Z = I``, without the trivial constant vector. The rows of W, of sum
    1, reconstruct each instance from its neighbours, with a ridge of a thousandth of the trace of their Gram matrix.

    Parameters
    ----------
    n_components : int, str or None, default=2
        Number of columns, 1..n_samples, less one where the constant vector is a trivial solution; a percentage of that
        such as ``"50%"``, rounded down to at least 1; None for all.
    n_neighbors : int, default=10
        Number of neighbours that reconstruct an instance, >= 1; at most n_samples - 1 are used.

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
    Roweis and Saul (2000), "Nonlinear dimensionality reduction by locally linear embedding"; Mu, Goulermas, Tsujii and
    Ananiadou (2012), equation (6).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Z = mlreduce.LLE(n_components=2).fit_transform(data.X)
    >>> (Z.T @ Z).round(6) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """

    upper = 0.0

    def __init__(self, n_components: int | str | None = 2, n_neighbors: int = 10) -> None:
        super().__init__(n_components)
        self.n_neighbors = n_neighbors

    def _check_parameters(self) -> None:
        check_count(self.n_neighbors, "n_neighbors")

    def _objective(self, data: TrainingSet) -> Form:
        return reconstruction(data, self.n_neighbors)

    def _trivial(self, data: TrainingSet) -> FloatArray:
        return np.ones(data.X.shape[0])
