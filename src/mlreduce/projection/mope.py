"""Multi-output proximity-based embeddings (MOPE) by projection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlreduce.linalg.features import Features
from mlreduce.projection.base import NEIGHBOURS, Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.combination import CombinedProximity
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.spectral.solver import Solution
from mlreduce.validation import Size, check_option

__all__ = ["MOPE"]


@register("mope")
class MOPE(CombinedProximity, Projection):
    """Multi-output proximity-based embeddings (MOPE) by projection: instances near in labels and features stay near.

    ``max tr(P'X'AXP)`` subject to ``P'P = I``, with a graph A by a combination Psi of proximities by labels, G
    (`LabelProximity`), and by features, W (`Proximity`). A joins the pairs of which one is among the ``n_neighbors`` of
    largest Psi of the other; Psi and W are rounded to multiples of ``2^-32``, and pairs with ``Psi = 0`` are not
    joined. X is not centred. A is indefinite: ``eigenvalues_`` may be negative.

    Parameters
    ----------
    n_components
        As of `Projection`.
    scheme, index, combine, a, b, beta, gamma, proximity, label_options, n_neighbors, ties, edges
        As of `CombinedProximity`.
    on : {"P", "Z"}, default="P"
        Orthonormal directions, ``P'P = I``, or orthonormal projected instances, ``P'X'XP = I``.
    laplacian
        As of `CombinedProximity`.
    null_space : {"variance", "none"}, default="variance"
        A of few neighbours has a lower rank than the number of directions wanted, which the paper fixes (1,800 and
        500), and eigenvalue zero does not order the rest. ``"variance"``: by the mean squares of the features along
        them, largest first (the eigenvectors of ``X'X`` in the null space), before those of negative eigenvalue.
        ``"none"``: only directions of positive eigenvalue.
    random_state
        As of `CombinedProximity`.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", section 3.3.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MOPE(n_components=5, scheme=2, index="cosine").fit(data.X, data.Y)
    >>> method.transform(data.X[:2]).shape
    (2, 5)
    """

    complexity = NEIGHBOURS
    centred = False
    signed_values = True

    def __init__(
        self,
        n_components: Size = None,
        scheme: int = 3,
        index: str = "dice",
        combine: str = "priority",
        a: float = 1.0,
        b: float = 1.0,
        beta: float = 0.5,
        gamma: float = 1.0,
        proximity: ProximityLike = None,
        label_options: Mapping[str, Any] | None = None,
        n_neighbors: int | None = 10,
        ties: str = "features",
        edges: str = "psi",
        on: str = "P",
        laplacian: bool = False,
        null_space: str = "variance",
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
        self.on = on
        self.laplacian = laplacian
        self.null_space = null_space
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_graph()
        check_option(self.on, "on", ("P", "Z"))
        check_option(self.null_space, "null_space", ("variance", "none"))

    def _solve(self, data: TrainingSet, features: Features, wanted: int | None) -> Solution:
        solution = super()._solve(data, features, wanted)
        if self.null_space == "variance":
            return solution
        positive = solution.eigenvalues > 0
        return Solution(solution.eigenvalues[positive], solution.components[positive])

    def _objective(self, data: TrainingSet) -> Form:
        return self._graph_form(data)

    def _constraint(self, data: TrainingSet) -> Form | None:
        return Form(weights=1.0) if self.on == "Z" else None
