"""LRLSF: features of each label by stable relevance of the labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.linalg.features import Features
from mlreduce.registry import register
from mlreduce.selection import quadratic
from mlreduce.selection.proximal import ProximalSelector
from mlreduce.selection.row_sparse import graph_laplacian, scatter_products
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, check_range


@register("lrlsf")
class LRLSF(ProximalSelector):
    """Stable label relevance and label-specific features (LRLSF): a sparse regression on combinations of the labels.

    It minimises, over W and S without negative entries,

        ||X W - Y S||^2 / 2 + smoothness / 2 tr((Y S)' L (Y S)) + label_error / 2 ||Y S - Y||^2
        + sparsity sum_jl w_jl + relevance sum_lm s_lm

    W has one row per feature. S, one row and column per label, is the relevance of labels for each other. L is the
    Laplacian of a graph of the instances.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    smoothness : float, default=0.1
        Weight of the smoothness over the instances, >= 0; lambda1 in the paper's program.
    label_error : float, default=100.0
        Weight of what the combinations lie off the labels, > 0; 10^4 lambda2 in the paper's program.
    sparsity : float, str or None, default=None
        Weight of the norm: a number > 0; a percentage of ``sparsity_max_``; or None: the largest of 38 from 70 % of it
        down to 1e-6 of it with which k features, or as many as instances, have a coefficient.
    relevance : float, default=0.01
        Weight of the relevance, >= 0; lambda4 in the paper's program.
    proximity : Proximity, dict of its parameters, or None, default=None
        Graph of the instances; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    max_iter : int, default=1000
        Largest number of iterations, >= 1.
    tol : float, default=1e-4
        Largest ``gap_`` at which to stop, >= 0.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_labels)
        W.
    label_relevance_ : ndarray of shape (n_labels, n_labels)
        S.
    scores_ : ndarray of shape (n_features,)
        Sums of the absolute values of the rows of the coefficients. Features with rows of zeros are ranked by how steep
        the loss is by these rows.
    objective_ : ndarray of shape (n_iter,)
        Objective after each iteration; it does not increase.
    n_iter_ : int
        Number of iterations.
    sparsity_, sparsity_max_ : float
        Weight of the norm, and the smallest with which coefficients that are zero meet the conditions of a minimum.
    edge_ : bool
        Whether sparsity was chosen and is the smallest that is tried.
    n_nonzero_ : int
        Number of features whose score is not 0.
    gap_ : float
        How far the conditions of a minimum are missed; where the problem is convex, a bound of how far the objective is
        above the minimum, relative to it.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Cost: O(n d^2 + r (d^2 q + q^4)) for r iterations; the search for neighbours of n instances comes first.

    The problem is convex. S is solved for exactly for each W, a quadratic program for each label. The program of the
    authors starts S at random, weights the first term by ``smoothness`` where it moves S, and stops by a loss that
    counts coefficients that are not 0; ``sparsity`` is its lambda3. There is no intercept.

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

    complexity = Complexity("n s + s d + q d^2 + q^4", "d^2 + d q + n q", least_bytes=0.7)

    def __init__(
        self,
        k: Size = 0.5,
        smoothness: float = 0.1,
        label_error: float = 100.0,
        sparsity: float | str | None = None,
        relevance: float = 0.01,
        proximity: ProximityLike = None,
        max_iter: int = 1000,
        tol: float = 1e-4,
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol)
        self.smoothness = smoothness
        self.label_error = label_error
        self.relevance = relevance
        self.proximity = proximity

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        alpha = check_range(self.smoothness, "smoothness", 0)
        delta = check_range(self.relevance, "relevance", 0)
        beta = check_range(self.label_error, "label_error", 0, open_ends=True)
        features = Features(X, centred=False)
        scattered, squares = scatter_products(features)
        moments, shared = features.transposed_dot(labels), labels.T @ labels
        curvature = (1.0 + beta) * shared + alpha * (labels.T @ (graph_laplacian(self.proximity, X) @ labels))
        constant = beta / 2.0 * float(shared.trace())

        def relevance(W: FloatArray) -> tuple[FloatArray, FloatArray]:
            rewards = moments.T @ W + beta * shared - delta
            columns = [quadratic.minimise(curvature, reward).x for reward in rewards.T]
            return np.column_stack(columns), rewards

        def loss(W: FloatArray) -> tuple[float, FloatArray]:
            S, rewards = relevance(W)
            products = scattered(W)
            value = float((W * products).sum() + (S * (curvature @ S)).sum()) / 2.0 - float((S * rewards).sum())
            return constant + value, products - moments @ S

        scores = self._minimise(loss, np.zeros(moments.shape), squares, positive=True)
        self.label_relevance_ = relevance(self.coef_)[0]
        return scores
