"""Multi-output proximity-based embeddings (MOPE) of the training instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mlreduce.embedding.base import Embedding
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.combination import CombinedProximity
from mlreduce.spectral.graphs.proximity import Proximity
from mlreduce.validation import FloatArray

__all__ = ["MOPEEmbedding"]


@register("mope-embedding")
class MOPEEmbedding(CombinedProximity, Embedding):
    """Multi-output proximity-based embeddings (MOPE) without a projection: coordinates of instances near in labels.

    ``max tr(Z'AZ)`` subject to ``Z'Z = I`` with the graph A of `MOPE`.

    Parameters
    ----------
    n_components
        As of `Embedding`.
    scheme, index, combine, a, b, beta, gamma, proximity, label_options, n_neighbors, ties, edges
        As of `CombinedProximity`.
    laplacian
        As of `CombinedProximity`. The constant vector is then a trivial solution and left out.
    random_state
        As of `CombinedProximity`.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", section 3.3 and equation (30).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MOPEEmbedding(n_components=3, combine="labels").fit_transform(data.X, data.Y).shape
    (300, 3)
    """

    supervised = True

    def __init__(
        self,
        n_components: int | str | None = 2,
        scheme: int = 3,
        index: str = "dice",
        combine: str = "priority",
        a: float = 1.0,
        b: float = 1.0,
        beta: float = 0.5,
        gamma: float = 1.0,
        proximity: Proximity | Mapping[str, Any] | None = None,
        label_options: Mapping[str, Any] | None = None,
        n_neighbors: int | None = 10,
        ties: str = "features",
        edges: str = "psi",
        laplacian: bool = False,
        random_state: Any = 0,
    ) -> None:
        super().__init__(n_components)
        self.scheme = scheme
        self.index = index
        self.combine = combine
        self.a = a
        self.b = b
        self.beta = beta
        self.gamma = gamma
        self.proximity = proximity
        self.label_options = label_options
        self.n_neighbors = n_neighbors
        self.ties = ties
        self.edges = edges
        self.laplacian = laplacian
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_graph()

    def _objective(self, data: TrainingSet) -> Form:
        return self._graph_form(data)

    def _trivial(self, data: TrainingSet) -> FloatArray | None:
        return np.ones(data.X.shape[0]) if self.laplacian else None
