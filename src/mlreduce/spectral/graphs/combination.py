"""Graphs by a combination Psi of proximities by features, W, and by labels, G: the objective of MOPE."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import to_grid
from mlreduce.spectral.form import Form
from mlreduce.spectral.graphs.label_proximity import LabelProximity
from mlreduce.spectral.graphs.neighbours import directed_graph
from mlreduce.spectral.graphs.proximity import Proximity, ProximityLike, attraction, check_proximity
from mlreduce.spectral.graphs.search import nearest_others, search_blocks
from mlreduce.spectral.training_set import TrainingSet
from mlreduce.validation import FloatArray, check_count, check_option, check_options, check_range

__all__ = ["COMBINATIONS", "CombinedProximity", "check_combination", "combined"]

# Combined proximities are rounded to multiples of this, far above rounding error: equal ones are ties.
_UNIT = 2.0**-32

_TIES = ("features", "first", "all")

#: "labels" and "features" use one of the two proximities only.
COMBINATIONS = ("priority", "hadamard", "weighted-sum", "labels", "features")


_Pairs = Callable[[slice], tuple[FloatArray, FloatArray | None]]


def check_combination(combine: str, a: float, b: float, beta: float, priority_share: float) -> None:
    """Check the parameters of `combined`.

    Raises
    ------
    DataError
        If ``combine`` is unknown or a number is out of range.
    """
    check_option(combine, "combine", COMBINATIONS)
    check_range(a, "a", 0)
    check_range(b, "b", 0)
    check_range(beta, "beta", 0, 1 if combine == "weighted-sum" else np.inf)
    check_range(priority_share, "priority_share", 0, 1)


def combined(
    weights: FloatArray | None,
    proximities: FloatArray | None,
    combine: str = "priority",
    a: float = 1.0,
    b: float = 1.0,
    beta: float = 0.5,
    priority_share: float = 1.0,
) -> FloatArray:
    """Combine two proximities entry by entry.

    Parameters
    ----------
    weights : ndarray or None
        w, by features, in [0, 1]; None with ``"labels"``.
    proximities : ndarray of the same shape or None
        g, by labels, in [0, 1]; None with ``"features"``.
    combine : {"priority", "hadamard", "weighted-sum", "labels", "features"}, default="priority"
        ``"priority"``: ``priority_share g^a / (1 + beta (1 - w^b)) + (1 - priority_share) w^b``: with
        ``priority_share=1`` features reduce the proximity by labels, at most by the factor ``1 + beta``.
        ``"hadamard"``: ``g w``. ``"weighted-sum"``: ``beta g + (1 - beta) w``. ``"labels"``: g. ``"features"``: w.
    a, b, beta : float
        >= 0; in a weighted sum beta is in [0, 1].
    priority_share : float
        In [0, 1].

    Returns
    -------
    ndarray of the same shape, in [0, 1]

    References
    ----------
    Mu et al. (2012), section 3.3.2, equation (43).
    """
    if weights is None or proximities is None:
        return np.array(proximities if weights is None else weights)
    if combine == "hadamard":
        return proximities * weights
    if combine == "weighted-sum":
        return beta * proximities + (1.0 - beta) * weights
    raised = _power(weights, b)
    total = _power(proximities, a) / (1.0 + beta * (1.0 - raised))
    return total if priority_share == 1 else priority_share * total + (1.0 - priority_share) * raised


def _power(values: FloatArray, exponent: float) -> FloatArray:
    """Raise to a power, at no cost for the default exponent 1."""
    return values if exponent == 1 else values**exponent


class CombinedProximity:
    """Mixin of the methods that maximise the form of the graph A of MOPE, with its parameters."""

    scheme: int
    index: str
    combine: str
    a: float
    b: float
    beta: float
    priority_share: float
    proximity: ProximityLike
    label_options: Mapping[str, Any] | None
    n_neighbors: int | None
    ties: str
    edges: str
    laplacian: bool
    random_state: Any

    def _check_graph(self) -> None:
        check_combination(self.combine, self.a, self.b, self.beta, self.priority_share)
        if self.n_neighbors is not None:
            check_count(self.n_neighbors, "n_neighbors")
        check_option(self.ties, "ties", _TIES)
        check_random_state(self.random_state)
        check_option(self.edges, "edges", ("psi", "constant"))
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
        """Return A, with ``laplacian`` less its row sums on the diagonal."""
        graph = self._graph(data)
        return attraction(graph) if self.laplacian else Form(graph=graph)

    def _graph(self, data: TrainingSet) -> Any:
        """Return A, symmetric with a zero diagonal: a CSR array, or an ndarray where all pairs are joined."""
        n_samples = data.X.shape[0]
        if n_samples < 2:
            raise DataError(f"MOPE needs two instances at least; got n_samples={n_samples}")
        psi_of, blocks = self._psi(data), search_blocks(n_samples)
        if self.n_neighbors is None:
            graph: Any = np.empty((n_samples, n_samples))
            for rows in blocks:
                graph[rows] = psi_of(rows)[0]
            graph = np.maximum(graph, graph.T)
        else:
            number = min(self.n_neighbors, n_samples - 1)
            joined = self._with_ties if self.ties == "all" else self._nearest
            graph = joined(psi_of, blocks, n_samples, number)
            graph = sp.csr_array(graph.maximum(graph.T))
        if not graph.sum():
            raise DataError("MOPE joins no pair of instances: none has a positive combined proximity")
        return graph if self.edges == "psi" else (graph > 0).astype(np.float64)

    def _nearest(self, psi_of: _Pairs, blocks: list[slice], n_samples: int, number: int) -> Any:
        """Return the directed graph to the nearest by Psi, with equal ones as chosen by ``ties``."""
        neighbours = np.empty((n_samples, number), dtype=np.intp)
        values = np.empty(neighbours.shape)
        order = check_random_state(self.random_state).permutation(n_samples)
        for rows in blocks:
            psi, w = psi_of(rows)
            neighbours[rows] = nearest_others(-psi, rows, number, w if w is None else -w, order)
            values[rows] = np.take_along_axis(psi, neighbours[rows], axis=1)
        return directed_graph(neighbours, values)

    def _with_ties(self, psi_of: _Pairs, blocks: list[slice], n_samples: int, number: int) -> Any:
        """Return the directed graph to all that are as near by Psi as the last of the nearest."""
        parts = []
        for rows in blocks:
            psi, _ = psi_of(rows)
            last = np.partition(psi, n_samples - number, axis=1)[:, n_samples - number, np.newaxis]
            parts.append(sp.csr_array(np.where(psi >= last, psi, 0.0)))
        return sp.csr_array(sp.vstack(parts))

    def _psi(self, data: TrainingSet) -> _Pairs:
        """Return a function of a slice of instances that returns their Psi to all, 0 to themselves, and W.

        W is None unless ties are broken by it.
        """
        breaking = self.ties == "features" and self.n_neighbors is not None
        proximities = None if self.combine == "features" else self._label_proximity().of(data)
        weights = self._feature_proximity().rows(data) if breaking or self.combine != "labels" else None

        def psi_of(rows: slice) -> tuple[FloatArray, FloatArray | None]:
            g = None if proximities is None else proximities(rows)
            w = None if weights is None else weights(rows)
            used = None if self.combine == "labels" else w
            psi = combined(used, g, self.combine, self.a, self.b, self.beta, self.priority_share)
            psi[np.arange(len(psi)), np.arange(rows.start, rows.stop)] = 0.0
            return to_grid(psi, _UNIT), to_grid(w, _UNIT) if breaking and w is not None else None

        return psi_of
