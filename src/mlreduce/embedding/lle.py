"""Locally linear embedding."""

from __future__ import annotations

import numpy as np

from mlreduce.embedding.base import Embedding
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.proximity import reconstruction
from mlreduce.validation import FloatArray, check_count

__all__ = ["LLE"]


@register("lle")
class LLE(Embedding):
    """Locally linear embedding: instances stay where their neighbours put them.

    ``max -tr(Z'(I - W)'(I - W)Z)`` subject to ``Z'Z = I``, without the constant vector, which solves it first. The rows
    of W sum to one and reconstruct each instance from its nearest others, with a ridge of a thousandth of the trace of
    their Gram matrix.

    Parameters
    ----------
    n_components : int, float or None, default=2
        Number of columns, 1..n_samples - 1; a fraction of that in (0, 1), rounded down but never to zero; None for all.
    n_neighbors : int, default=10
        From how many of its nearest others an instance is reconstructed, all where there are fewer.

    References
    ----------
    Roweis and Saul (2000), "Nonlinear dimensionality reduction by locally linear embedding"; Mu, Goulermas, Tsujii and
    Ananiadou (2012), equation (6).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.LLE().fit_transform(data.X).shape
    (1797, 2)
    """

    upper = 0.0

    def __init__(self, n_components: int | float | None = 2, n_neighbors: int = 10) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors

    def _check_parameters(self) -> None:
        check_count(self.n_neighbors, "n_neighbors")

    def _objective(self, data: TrainingSet) -> Form:
        return reconstruction(data, self.n_neighbors)

    def _trivial(self, data: TrainingSet) -> FloatArray:
        return np.ones(data.X.shape[0])
