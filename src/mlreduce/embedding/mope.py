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


@register("mope-embedding")
class MOPEEmbedding(CombinedProximity, Embedding):
    """Multi-output proximity-based embeddings (MOPE) without a projection: coordinates of instances near in labels.

    ``max tr(Z'AZ)`` subject to ``Z'Z = I`` with the graph A of `MOPE`.

    Parameters
    ----------
    n_components : int, str or None, default=2
        Number of columns, 1..n_samples, less one where the constant vector is a trivial solution; a percentage of that
        such as ``"50%"``, rounded down to at least 1; None for all.
    scheme : {1, 2, 3}, default=3
        Scheme of the label proximity; see `LabelProximity`.
    index : str, default="dice"
        Index of the scheme; see `LabelProximity`.
    combine : {"priority", "hadamard", "weighted-sum", "labels", "features"}, default="priority"
        Psi; ``"priority"`` is ``g^a / (1 + beta (1 - w^b))``, equation (43). See
        `mlreduce.spectral.graphs.combination.combined`.
    a, b : float, default=1
        Exponents of g and of w in ``"priority"``, >= 0.
    beta : float, default=0.5
        Influence of the features in ``"priority"``, >= 0; weight of the labels in ``"weighted-sum"``, in [0, 1].
    priority_share : float, default=1
        Share of equation (43) in ``"priority"``, in [0, 1]; the rest is ``w^b``.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; by default Gaussian weights of all pairs. Negative weights are set to 0, and all are divided by the largest
        if it exceeds 1.
    label_options : dict or None, default=None
        Further parameters of `LabelProximity`: ``tau``, ``p``, ``space``, ``n_label_components``.
    n_neighbors : int or None, default=10
        K of the graph, >= 1; None joins all pairs with Psi > 0.
    ties : {"features", "first", "all"}, default="features"
        Which of equal Psi are near, as hundreds are where Psi is G alone; section 3.3.2 of the paper leaves it open.
        ``"features"``: those of larger W, the paper's secondary source of information, and of equal W the first in a
        random order of the rows. ``"first"``: the lower row numbers, which become neighbours of all. ``"all"``: all
        that are as near as the K-th. The order of the rows has no influence with ``"all"``, and with ``"features"``
        only where rows tie in W too: equal rows, distances that are integers, pairs that W does not join, weights
        below ``2^-33``.
    edges : {"psi", "constant"}, default="psi"
        Weight of a joined pair: Psi, or 1.
    laplacian : bool, default=False
        Whether row sums are subtracted from the diagonal of A, as in `OLPP`; the paper does not.
        The constant vector is then a trivial solution and left out.
    random_state : int, RandomState instance or None, default=None
        Of the order of the rows.

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
        priority_share: float = 1.0,
        proximity: Proximity | Mapping[str, Any] | None = None,
        label_options: Mapping[str, Any] | None = None,
        n_neighbors: int | None = 10,
        ties: str = "features",
        edges: str = "psi",
        laplacian: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(n_components)
        self.scheme = scheme
        self.index = index
        self.combine = combine
        self.a = a
        self.b = b
        self.beta = beta
        self.priority_share = priority_share
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
