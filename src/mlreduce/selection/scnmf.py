"""SCNMF: selection by non-negative coefficients that factorise the similarities of features."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils import Tags

from mlreduce.complexity import Complexity
from mlreduce.linalg.features import Features
from mlreduce.linalg.kernels import gaussian_kernel, squared_distances
from mlreduce.registry import register
from mlreduce.selection.base import check_pairs
from mlreduce.selection.label_graph import label_distances
from mlreduce.selection.proximal import ProximalSelector
from mlreduce.validation import FloatArray, Size, check_option, check_range, is_sparse

SCALES = ("max", None)


@register("scnmf")
class SCNMF(ProximalSelector):
    """Similarity constraints with non-negative matrix factorisation (SCNMF): coefficients as similar as the features.

    It minimises, over W without negative entries, one row per feature,

        ||X W - Y||^2 + feature_similarity ||G - W W'||^2 + label_smoothness tr(R W'W) + sparsity sum_j ||w_j||

    G are the Gaussian similarities of the features, of the width of their mean distance. R are the cosine distances of
    the labels, 1 less the cosine: labels that have few instances in common get coefficients of different features.
    Features must not be negative.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    feature_similarity : float, default=0.001
        Weight of the similarities of features, >= 0; lambda1 in the paper's program.
    label_smoothness : float, default=1.0
        Weight of the distances of labels, >= 0; lambda2 in the paper's program.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows: a number > 0, in the paper's program 1; a percentage of ``sparsity_max_``; or
        None: the largest of 38 from 70 % down to 1e-6 of it with which k rows, or as many as instances, are not zero.
    scale : {"max"} or None, default="max"
        What all features are divided by: their largest value. With None their unit matters, as G has none.
    max_iter : int, default=1000
        Largest number of iterations, >= 1.
    tol : float, default=1e-4
        Largest ``gap_`` at which to stop, >= 0.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_labels)
        W.
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
    Cost: O(n d^2 + r d^2 q) for r iterations.

    The problem is not convex: the result is a point where the conditions of a minimum hold. The start is that of the
    program, one half everywhere, but not its multiplicative steps: rows that vanish do so exactly, after fewer
    iterations, and the objective never rises. There is no intercept. A label that no instance has is at distance 1 from
    the others; the program takes 0.

    References
    ----------
    He, Lin, Lin and Wang, "Multi-label feature selection via similarity constraints with non-negative matrix
    factorization", Knowledge-Based Systems, 111948, 2024; equations from the program of the authors.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.SCNMF(k=10).fit_transform(data.X / 16, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("s d + 100 q d^2", "d^2 + d q + q^2")

    def __init__(
        self,
        k: Size = 0.5,
        feature_similarity: float = 0.001,
        label_smoothness: float = 1.0,
        sparsity: float | str | None = None,
        scale: Literal["max"] | None = "max",
        max_iter: int = 1000,
        tol: float = 1e-4,
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol)
        self.feature_similarity = feature_similarity
        self.label_smoothness = label_smoothness
        self.scale = scale

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        check_pairs(X.shape[1], "SCNMF")
        alpha = check_range(self.feature_similarity, "feature_similarity", 0)
        beta = check_range(self.label_smoothness, "label_smoothness", 0)
        features = Features(X / X.max() if check_option(self.scale, "scale", SCALES) else X, centred=False)
        scatter, moments = features.scatter, features.transposed_dot(labels)
        similar, apart = _similarities(X), label_distances(labels)
        constant = float(np.square(labels).sum()) + alpha * float(np.square(similar).sum())
        mixed = scatter - 2.0 * alpha * similar

        def loss(W: FloatArray) -> tuple[float, FloatArray]:
            products, overlaps, distances = mixed @ W, W.T @ W, beta * (W @ apart)
            value = float((W * (products - 2.0 * moments + distances)).sum()) + alpha * float((overlaps**2).sum())
            return constant + value, 2.0 * (products - moments + distances) + 4.0 * alpha * (W @ overlaps)

        return self._minimise(loss, np.full(moments.shape, 0.5), scatter.diagonal(), by_row=True, positive=True)


def _similarities(X: Any) -> FloatArray:
    """Return G of `SCNMF`."""
    distances = squared_distances(X.T.tocsr() if is_sparse(X) else X.T)
    mean = float(np.sqrt(distances).sum()) / max(len(distances) * (len(distances) - 1), 1)
    return gaussian_kernel(distances, 0.5 / mean**2, overwrite=True) if mean > 0 else np.ones_like(distances)
