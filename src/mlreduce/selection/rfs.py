"""RFS: robust feature selection by joint L2,1 norms."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, unknown_name
from mlreduce.registry import register
from mlreduce.selection.base import Selector
from mlreduce.validation import FloatArray, as_dense, check_range, is_sparse

__all__ = ["RFS"]

# The system that is solved in each round; "auto" is the smaller of the others.
_SYSTEMS = ("auto", "instances", "features")

# Smallest residual norm in a division; labels are 0 and 1.
_SHORTEST = 1e-8


@register("rfs")
class RFS(Selector):
    """Robust feature selection (RFS): L2,1 norms of residuals and coefficients.

    It minimises ``sum_i ||x_i W - y_i|| + gamma sum_j ||w_j||`` over the coefficients W, one row per feature, by a
    sequence of ridge regressions, each with instances and features weighted by the norms of the previous one. The first
    has no weights and the penalty ``gamma^2``. There is no intercept, and labels are 0 and 1, as in the paper.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    gamma : float, default=1.0
        Weight of the coefficients against the residuals, > 0.
    n_iter : int, default=10
        Number of regressions, >= 1.
    system : {"auto", "instances", "features"}, default="auto"
        What each regression solves: the linear system over the instances (n_samples equations), as the paper writes it,
        that over the features (n_features equations), or the smaller of them. The scores are the same to rounding.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Lengths of the rows of W.
    ranking_
        See `Selector`.
    coef_ : ndarray of shape (n_features, n_labels)
        W.
    objective_ : ndarray of shape (n_iter,)
        Objective after each regression; it does not increase.

    Notes
    -----
    A row of W that is zero stays so. A residual shorter than 1e-8 counts as of that length.

    References
    ----------
    Nie, Huang, Cai and Ding, "Efficient and robust feature selection via joint l2,1-norms minimization", NIPS 2010,
    problem 8 and algorithm 1; the method of norms that Lim, Lee and Kim (2016) compare with.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.RFS(k=5, gamma=10.0).fit(data.X, data.Y)
    >>> method.get_feature_names_out(data.feature_names)
    array(['x1', 'x11', 'x12', 'x21', 'x29'], dtype=object)
    >>> bool(method.objective_[0] > method.objective_[-1])
    True
    """

    complexity = Complexity("s m + m^3", "s + m^2")

    def __init__(
        self,
        k: int | float | str | None = 0.5,
        gamma: float = 1.0,
        n_iter: int = 10,
        system: Literal["auto", "instances", "features"] = "auto",
    ) -> None:
        self.k = k
        self.gamma = gamma
        self.n_iter = n_iter
        self.system = system

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        gamma = check_range(self.gamma, "gamma", 0, open_ends=True)
        if not isinstance(self.n_iter, (int, np.integer)) or isinstance(self.n_iter, bool) or self.n_iter < 1:
            raise DataError(f"n_iter must be an integer >= 1; got {self.n_iter!r}")
        if self.system not in _SYSTEMS:
            raise DataError(unknown_name("system", self.system, _SYSTEMS))
        over_instances = self.system == "instances" or (self.system == "auto" and X.shape[0] <= X.shape[1])
        by_feature, by_instance = np.ones(X.shape[1]), np.full(X.shape[0], gamma)
        objective = []
        for _ in range(self.n_iter):
            coefficients = _weighted_ridge(X, labels, by_feature, by_instance, gamma, over_instances)
            lengths = np.linalg.norm(coefficients, axis=1)
            residuals = np.linalg.norm(X @ coefficients - labels, axis=1)
            objective.append(residuals.sum() + gamma * lengths.sum())
            by_feature, by_instance = 2.0 * lengths, 2.0 * np.maximum(residuals, _SHORTEST)
        self.coef_, self.objective_ = coefficients, np.array(objective)
        scores: FloatArray = lengths
        return scores


def _weighted_ridge(
    X: Any,
    labels: FloatArray,
    by_feature: FloatArray,
    by_instance: FloatArray,
    penalty: float,
    over_instances: bool,
) -> FloatArray:
    """Minimise ``sum_i ||x_i W - y_i||^2 / t_i + penalty sum_j ||w_j||^2 / s_j`` for the widths s and t."""
    scale, weight = np.sqrt(by_feature), 1.0 / np.sqrt(by_instance)
    targets = weight[:, np.newaxis] * labels
    scaled: Any = sp.diags_array(weight) @ X @ sp.diags_array(scale) if is_sparse(X) else weight[:, None] * X * scale
    if over_instances:
        solution = scaled.T @ _penalised(scaled @ scaled.T, targets, penalty)
    else:
        solution = _penalised(scaled.T @ scaled, scaled.T @ targets, penalty)
    coefficients: FloatArray = scale[:, np.newaxis] * solution
    return coefficients


def _penalised(products: Any, targets: FloatArray, penalty: float) -> FloatArray:
    """Solve ``(K + penalty I) Z = T`` for a positive semidefinite K."""
    matrix = as_dense(products)
    matrix.flat[:: len(matrix) + 1] += penalty
    solution: FloatArray
    try:
        solution = scipy.linalg.cho_solve(scipy.linalg.cho_factor(matrix, check_finite=False), targets)
    except np.linalg.LinAlgError:  # the penalty is lost in the rounding of large products
        values, vectors = scipy.linalg.eigh(matrix, check_finite=False)
        solution = vectors @ ((vectors.T @ targets) / np.maximum(values, penalty)[:, np.newaxis])
    return solution
