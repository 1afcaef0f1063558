"""LRLSF: features of each label by stable relevance of the labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.linalg.features import Features
from mlreduce.registry import register
from mlreduce.selection import quadratic
from mlreduce.selection.proximal import ProximalSelector
from mlreduce.selection.row_sparse import graph_laplacian
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, check_range

__all__ = ["LRLSF"]


@register("lrlsf")
class LRLSF(ProximalSelector):
    """Stable label relevance and label-specific features (LRLSF): a sparse regression on combinations of the labels.

    It minimises, over W and S without negative entries,

        ||X W - Y S||^2 / 2 + alpha / 2 tr((Y S)' L (Y S)) + beta / 2 ||Y S - Y||^2
        + gamma sum_jl w_jl + delta sum_lm s_lm

    W has one row per feature. S, one row and column per label, is the relevance of labels for each other. L is the
    Laplacian of a graph of the instances.

    Parameters
    ----------
    k
        As of `Selector`.
    alpha : float, default=0.1
        Weight of the smoothness over the instances, >= 0; lambda1 in the paper's program.
    beta : float, default=100.0
        Weight of what the combinations lie off the labels, > 0; 10^4 lambda2 in the paper's program.
    gamma
        As of `ProximalSelector`.
    delta : float, default=0.01
        Weight of the relevance, >= 0; lambda4 in the paper's program.
    proximity : Proximity, dict of its parameters, or None, default=None
        Graph of the instances; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    max_iter, tol
        As of `ProximalSelector`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_labels)
        W.
    label_relevance_ : ndarray of shape (n_labels, n_labels)
        S.

    Notes
    -----
    Cost: O(n d^2 + r (d^2 q + q^4)) for r iterations; the search for neighbours of n instances comes first.

    The problem is convex. S is solved for exactly for each W, a quadratic program for each label. The program of the
    authors starts S at random, weights the first term by ``alpha`` where it moves S, and stops by a loss that counts
    coefficients that are not 0; ``gamma`` is its lambda3. There is no intercept.

    References
    ----------
    Yang et al., "Multi-label feature selection based on stable label relevance and label-specific features", 2023;
    title and equations from the program of the authors.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.LRLSF(k=10).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("n s + s d + q d^2 + q^4", "d^2 + d q + n q")

    def __init__(
        self,
        k: Size = 0.5,
        alpha: float = 0.1,
        beta: float = 100.0,
        gamma: float | str = "5%",
        delta: float = 0.01,
        proximity: ProximityLike = None,
        max_iter: int = 1000,
        tol: float = 1e-4,
    ) -> None:
        super().__init__(k, gamma, max_iter, tol)
        self.alpha = alpha
        self.beta = beta
        self.delta = delta
        self.proximity = proximity

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        alpha, delta = check_range(self.alpha, "alpha", 0), check_range(self.delta, "delta", 0)
        beta = check_range(self.beta, "beta", 0, open_ends=True)
        features = Features(X, centred=False)
        scatter, moments, shared = features.scatter, features.transposed_dot(labels), labels.T @ labels
        curvature = (1.0 + beta) * shared + alpha * (labels.T @ (graph_laplacian(self.proximity, X) @ labels))
        constant = beta / 2.0 * float(shared.trace())

        def relevance(W: FloatArray) -> tuple[FloatArray, FloatArray]:
            rewards = moments.T @ W + beta * shared - delta
            columns = [quadratic.minimise(curvature, reward).x for reward in rewards.T]
            return np.column_stack(columns), rewards

        def loss(W: FloatArray) -> tuple[float, FloatArray]:
            S, rewards = relevance(W)
            products = scatter @ W
            value = float((W * products).sum() + (S * (curvature @ S)).sum()) / 2.0 - float((S * rewards).sum())
            return constant + value, products - moments @ S

        scores = self._minimise(loss, np.zeros(moments.shape), scatter.diagonal(), positive=True)
        self.label_relevance_ = relevance(self.coef_)[0]
        return scores
