"""MSSL: multi-label selection by a manifold of features and sparsity."""

from __future__ import annotations

from typing import Any, Literal

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.row_sparse import Regression, RowSparseSelector, graph_laplacian
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, as_dense, check_range

__all__ = ["MSSL"]


@register("mssl")
class MSSL(RowSparseSelector):
    """Manifold and sparsity (MSSL): a regression in which similar features have similar coefficients, few not zero.

    It minimises

        ||X W + 1 b' - Y||^2 + alpha tr(W'LW) + gamma sum_j ||w_j||

    over W, one row per feature, and b. L is the Laplacian of a graph of the features.

    Labels may be unknown, NaN in ``y``: the first term is the squared errors of the known ones.

    Parameters
    ----------
    k
        As of `Selector`.
    alpha : float, default=1.0
        Weight of the manifold term, >= 0.
    gamma
        As of `RowSparseSelector`.
    proximity : Proximity, dict of its parameters, or None, default=None
        Graph of the features, each a point with its values as coordinates; None is ``Proximity()``: Gaussian weights,
        ten nearest neighbours.
    max_iter, tol, solver
        As of `RowSparseSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_labels)
        W.

    Notes
    -----
    Cost: O(n d^2 + r (d^3 + d^2 q)) for r iterations, and the search for neighbours of d features.

    With the first two terms halved, as some write it, gamma is twice as large here. The problem is convex.

    References
    ----------
    Cai and Zhu, "Multi-label feature selection via feature manifold learning and sparsity regularization",
    International Journal of Machine Learning and Cybernetics 9, 2018.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MSSL(k=10).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    _merges_copies = False  # whose coefficients their graph ties together

    complexity = Complexity("s d + d^3", "s + d^2 + n q + d q")

    def __init__(
        self,
        k: Size = 0.5,
        alpha: float = 1.0,
        gamma: float | str | None = None,
        proximity: ProximityLike = None,
        max_iter: int = 1000,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        super().__init__(k, gamma, max_iter, tol, solver)
        self.alpha = alpha
        self.proximity = proximity

    def _loss(self, X: Any, labels: FloatArray) -> Regression:
        alpha = check_range(self.alpha, "alpha", 0)
        return Regression(X, labels, curvature=alpha * as_dense(graph_laplacian(self.proximity, X.T)))
