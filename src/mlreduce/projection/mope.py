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


@register("mope")
class MOPE(CombinedProximity, Projection):
    """Multi-output proximity-based embeddings (MOPE) by projection: instances near in labels and features stay near.

    ``max tr(P'X'AXP)`` subject to ``P'P = I``, with a graph A by a combination Psi of proximities by labels, G
    (`LabelProximity`), and by features, W (`Proximity`). A joins the pairs of which one is among the ``n_neighbors`` of
    largest Psi of the other; Psi and W are rounded to multiples of ``2^-32``, and pairs with ``Psi = 0`` are not
    joined. X is not centred. A is indefinite: ``eigenvalues_`` may be negative.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
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
    on : {"P", "Z"}, default="P"
        Orthonormal directions, ``P'P = I``, or orthonormal projected instances, ``P'X'XP = I``.
    laplacian : bool, default=False
        Whether row sums are subtracted from the diagonal of A, as in `OLPP`; the paper does not.
    null_space : {"variance", "none"}, default="variance"
        A of few neighbours has a lower rank than the number of directions wanted, which the paper fixes (1,800 and
        500), and eigenvalue zero does not order the rest. ``"variance"``: by the mean squares of the features along
        them, largest first (the eigenvectors of ``X'X`` in the null space), before those of negative eigenvalue.
        ``"none"``: only directions of positive eigenvalue.
    random_state : int, RandomState instance or None, default=None
        Of the order of the rows.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

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
        priority_share: float = 1.0,
        proximity: ProximityLike = None,
        label_options: Mapping[str, Any] | None = None,
        n_neighbors: int | None = 10,
        ties: str = "features",
        edges: str = "psi",
        on: str = "P",
        laplacian: bool = False,
        null_space: str = "variance",
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
