"""Multi-output proximity-based embeddings: a graph of instances that are near by labels and by features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import nearest, row_blocks, to_grid
from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral.graphs.combination import check_combination, combined
from mlreduce.spectral.graphs.label_proximity import LabelProximity, Rows
from mlreduce.spectral.graphs.proximity import Proximity, attraction, check_proximity
from mlreduce.spectral.problem import Form, TrainingSet
from mlreduce.validation import FloatArray, as_dense, check_count, check_options, is_sparse

__all__ = ["MOPE", "CombinedProximity"]

# Combined proximities are multiples of this, far above rounding: equal ones are tied, and the lower row number wins.
_UNIT = 2.0**-32


class CombinedProximity:
    """What MOPE's projection and its embedding share: the matrix A over the instances."""

    scheme: int
    index: str
    combine: str
    a: float
    b: float
    beta: float
    gamma: float
    proximity: Proximity | Mapping[str, Any] | None
    label_options: Mapping[str, Any] | None
    n_neighbors: int | None
    edges: str
    laplacian: bool

    def _check_graph(self) -> None:
        check_combination(self.combine, self.a, self.b, self.beta, self.gamma)
        if self.n_neighbors is not None:
            check_count(self.n_neighbors, "n_neighbors")
        if self.edges not in ("psi", "constant"):
            raise DataError(f"edges must be 'psi' or 'constant'; got {self.edges!r}")
        if not isinstance(self.laplacian, (bool, np.bool_)):
            raise DataError(f"laplacian must be True or False; got {self.laplacian!r}")
        self._label_proximity().check()
        self._feature_proximity()

    def _label_proximity(self) -> LabelProximity:
        options = check_options(self.label_options, LabelProximity, "label_options", taken=("scheme", "index"))
        return LabelProximity(self.scheme, self.index, **options)

    def _feature_proximity(self) -> Proximity:
        return check_proximity(self.proximity, n_neighbors=None)

    def _graph_form(self, data: TrainingSet) -> Form:
        """Return A, or A less its row sums."""
        graph = self._graph(data)
        return attraction(graph) if self.laplacian else Form(graph=graph)

    def _graph(self, data: TrainingSet) -> Any:
        """Return A: a CSR array, or an ndarray where all pairs are joined; symmetric, with a zero diagonal."""
        n_samples = data.X.shape[0]
        if n_samples < 2:
            raise DataError(f"MOPE needs two instances at least; got n_samples={n_samples}")
        psi_of, blocks = self._psi(data), row_blocks(n_samples, n_samples)
        if self.n_neighbors is None:
            graph: Any = np.vstack([psi_of(rows) for rows in blocks])
            graph = np.maximum(graph, graph.T)
        else:
            number = min(self.n_neighbors, n_samples - 1)
            graph = sp.vstack([_nearest(psi_of(rows), number) for rows in blocks])
            graph = sp.csr_array(graph.maximum(graph.T))
        if not graph.sum():
            raise DataError("MOPE joins no pair of instances: no two have a label in common, or are near enough")
        return graph if self.edges == "psi" else (graph > 0).astype(np.float64)

    def _psi(self, data: TrainingSet) -> Rows:
        """Return what gives combined proximities of some instances to all, 0 to themselves."""
        proximities = None if self.combine == "features" else self._label_proximity().of(data)
        weights = None if self.combine == "labels" else self._weights(data)

        def psi_of(rows: slice) -> FloatArray:
            g = None if proximities is None else proximities(rows)
            w = None if weights is None else as_dense(weights[rows])
            psi = combined(w, g, self.combine, self.a, self.b, self.beta, self.gamma)
            psi[np.arange(len(psi)), np.arange(rows.start, rows.stop)] = 0.0
            return to_grid(psi, _UNIT)

        return psi_of

    def _weights(self, data: TrainingSet) -> Any:
        """Return W in [0, 1]: what is negative counts as 0, and larger ones are divided by the largest."""
        weights = self._feature_proximity().matrix(data)
        values = weights.data if is_sparse(weights) else weights
        if values.size and (values.min() < 0 or values.max() > 1):
            weights = weights.maximum(0) if is_sparse(weights) else weights.clip(0)
            weights = weights / max(1.0, weights.max())
        return weights


def _nearest(psi: FloatArray, number: int) -> Any:
    """Return rows of a graph: the largest entries, of equal ones the first, where they are positive."""
    found = nearest(-psi, number)
    values = np.take_along_axis(psi, found, axis=1)
    rows = sp.csr_array((values.ravel(), found.ravel(), np.arange(len(psi) + 1) * number), shape=psi.shape)
    rows.sort_indices()
    return rows


@register("mope")
class MOPE(CombinedProximity, Projection):
    """Multi-output proximity-based embeddings by projection.

    ``max tr(P'X'AXP)`` subject to ``P'P = I``, with a graph A of instances that are near each other by a combination
    Psi of proximities by labels, G (`LabelProximity`), and by features, W (`Proximity`). Psi is computed for all
    pairs; A joins the pairs of which one is among the ``n_neighbors`` of largest Psi of the other. Of equal Psi the
    first row is nearer; Psi is rounded to multiples of ``2^-32`` for that, and pairs with Psi = 0 are not joined.
    X is not centred.

    A has negative eigenvalues: all directions in the row space of X count, and ``eigenvalues_`` may be negative.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all in the row space.
    select : {"size"}, default="size"
        What ``n_components`` says; a share of the eigenvalues has no meaning here.
    scheme : {1, 2, 3}, default=3
        How labels are compared; see `LabelProximity`.
    index : str, default="dice"
        The index of the scheme; see `LabelProximity`.
    combine : {"priority", "hadamard", "weighted-sum", "labels", "features"}, default="priority"
        Psi; ``"priority"`` is ``g^a / (1 + beta (1 - w^b))``, equation (43); the last two leave out W, or G. For the
        others see `mlreduce.spectral.graphs.combination.combined`.
    a, b : float, default=1
        Exponents of g and of w in ``"priority"``, >= 0.
    beta : float, default=0.5
        What features may take away in ``"priority"``, >= 0; the weight of the labels in ``"weighted-sum"``, in [0, 1].
    gamma : float, default=1
        Share of equation (43) in ``"priority"``, in [0, 1]; the rest is ``w^b``.
    proximity : Proximity, dict of its parameters, or None, default=None
        W; None, and what a dict does not say, is the Gaussian weight of all pairs. Weights below 0 count as 0;
        where the largest exceeds 1 all are divided by it.
    label_options : dict or None, default=None
        Further parameters of `LabelProximity`: ``tau``, ``p``, ``space``, ``n_label_components``.
    n_neighbors : int or None, default=10
        K of the graph, >= 1; of n instances all are joined where it is n - 1 or more, or None.
    edges : {"psi", "constant"}, default="psi"
        What a joined pair counts: Psi, or 1.
    on : {"P", "Z"}, default="P"
        What is orthonormal: the directions, ``P'P = I``, or the projected training instances, ``P'X'XP = I``.
    laplacian : bool, default=False
        Whether row sums are subtracted from the diagonal of A, as in OLPP; the origin of the features then does not
        matter. The paper writes Psi itself.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), "Proximity-based frameworks for generating embeddings from multi-output
    data", section 3.3.
    """

    centred = False
    signed_values = True

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
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
        edges: str = "psi",
        on: str = "P",
        laplacian: bool = False,
    ) -> None:
        self.n_components = n_components
        self.select = select
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
        self.edges = edges
        self.on = on
        self.laplacian = laplacian

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_graph()
        if self.on not in ("P", "Z"):
            raise DataError(f"on must be 'P' (directions) or 'Z' (projected instances); got {self.on!r}")

    def _objective(self, data: TrainingSet) -> Form:
        return self._graph_form(data)

    def _constraint(self, data: TrainingSet) -> Form | None:
        return Form(weights=1.0) if self.on == "Z" else None
