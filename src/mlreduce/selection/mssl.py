"""MSSL: multi-label selection by a manifold of features and sparsity."""

from __future__ import annotations

from typing import Any, Literal

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.base import weigh
from mlreduce.selection.row_sparse import Regression, RowSparseSelector, graph_laplacian, mean_scatter
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size


@register("mssl")
class MSSL(RowSparseSelector):
    """Manifold and sparsity (MSSL): a regression in which similar features have similar coefficients, few not zero.

    It minimises

        ||X W + 1 b' - Y||^2 + smoothness tr(W'LW) + sparsity sum_j ||w_j||

    over W, one row per feature, and b. L is the Laplacian of a graph of the features.

    Labels may be unknown, NaN in ``y``: the first term is the squared errors of the known ones.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    smoothness : float or str, default="1%"
        Weight of the manifold term, >= 0: a number, or a percentage of the mean over the features of their sums of
        squares around the mean, with which their unit makes no difference.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows of W: a number > 0; a percentage of ``sparsity_max_``, such as "5%"; or None:
        the largest of 38 from 70 % of it down to 1e-6 of it with which k rows, or as many as instances, are not zero.
    proximity : Proximity, dict of its parameters, or None, default=None
        Graph of the features, each a point with its values as coordinates; None is ``Proximity()``: Gaussian weights,
        ten nearest neighbours.
    max_iter : int, default=1000
        Largest number of iterations, >= 1.
    tol : float, default=1e-8
        Largest ``gap_`` at which to stop, of "reweighted" relative decrease of the objective, >= 0; 0 for no stop.
    solver : {"coordinate-descent", "reweighted"}, default="coordinate-descent"
        "reweighted" is what the papers print, with a number for sparsity: in each iteration a ridge regression with
        ``||w_j||^2 / (2 s_j)`` in place of ``||w_j||``, s_j the last norm, at first 1/2. Rows of W do not reach zero.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_labels)
        W.
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of W, equal of columns that are equal or one the negative of the other. Features with rows of
        zeros are ranked by how steep the loss is by these rows.
    n_nonzero_ : int
        Number of features whose score is not 0.
    objective_ : ndarray of shape (n_iter,)
        Objective after each iteration; it does not increase.
    n_iter_ : int
        Number of iterations.
    sparsity_, sparsity_max_ : float
        Weight of the norms, and the smallest with which rows of zeros stay so, as all do where the problem is convex.
    edge_ : bool
        Whether sparsity was chosen and is the smallest that is tried.
    gap_ : float
        Bound of how far the objective is above the minimum, relative to it; where the problem is not convex how far the
        conditions of a minimum are missed. Like the two before not of "reweighted".
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Cost: O(n d^2 + r (d^3 + d^2 q)) for r iterations, and the search for neighbours of d features.

    With the first two terms halved, as some write it, sparsity is twice as large here. The problem is convex.

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

    complexity = Complexity("s d + d^3", "s + d^2 + n q + d q", least_bytes=0.24)

    def __init__(
        self,
        k: Size = 0.5,
        smoothness: float | str = "1%",
        sparsity: float | str | None = None,
        proximity: ProximityLike = None,
        max_iter: int = 1000,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol, solver)
        self.smoothness = smoothness
        self.proximity = proximity

    def _loss(self, X: Any, labels: FloatArray) -> Regression:
        smoothness = weigh(self.smoothness, "smoothness", mean_scatter(X))
        return Regression(X, labels, curvature=smoothness * graph_laplacian(self.proximity, X.T))
