"""LLSF: features of each label, similar for labels that are."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.linalg

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.features import Features
from mlreduce.registry import register
from mlreduce.selection.base import weigh
from mlreduce.selection.label_graph import label_distances, label_laplacian
from mlreduce.selection.proximal import ProximalSelector
from mlreduce.selection.row_sparse import mean_scatter, scatter_products
from mlreduce.validation import FloatArray, Size, check_option

#: What the second term of `LLSF` is made of.
LABEL_TERMS = ("laplacian", "distance")

# Curvature below 0, relative to the largest, that is no rounding error.
_NEGATIVE = 1e-12


@register("llsf")
class LLSF(ProximalSelector):
    """Learning label-specific features (LLSF): a sparse regression, with similar coefficients for similar labels.

    It minimises

        ||X W + 1 b' - Y||^2 / 2 + label_smoothness / 2 tr(W R W') + sparsity sum_jl abs(w_jl)

    over W, one row per feature, and b. R is made of the cosines C of the labels. A label takes the features whose
    coefficients are not 0 in its column.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    label_smoothness : float or str, default="1%"
        Weight of the labels' similarity, >= 0: a number, or a percentage of the mean over the features of their sums
        of squares around the mean, with which their unit makes no difference.
    sparsity : float, str or None, default=None
        Weight of the norm: a number > 0; a percentage of ``sparsity_max_``; or None: the largest of 38 from 70 % of it
        down to 1e-6 of it with which k features, or as many as instances, have a coefficient.
    label_term : {"laplacian", "distance"}, default="laplacian"
        R: the Laplacian of C, with which the problem is convex; or 1 - C, as in the paper, which is refused where the
        objective has no minimum.
    fit_intercept : bool, default=True
        Whether there is a b. The paper has none.
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

    Raises
    ------
    DataError
        If the objective has no minimum, with ``label_term="distance"``.

    Notes
    -----
    Cost: O(n d^2 + r (d^2 q + d q^2)) for r iterations, and d^3 with "distance". ``sparsity`` is beta in the paper.

    ``1 - C`` has zeros on its diagonal and so a negative eigenvalue. Along its eigenvector and a direction in which
    features hardly vary the objective falls without end, unless ``label_smoothness`` is small: always where there are
    fewer instances than features. The program of the authors stops where its loss is not above 0, and its loss counts
    coefficients that are not 0 in place of their absolute values. The paper selects features for each label; the scores
    over all labels are ours.

    References
    ----------
    Huang, Li, Huang and Wu, "Learning label specific features for multi-label classification", ICDM 2015; equations
    from the program of the authors.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.LLSF(k=10).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("s d + q d^2 + d q^2", "d^2 + d q + q^2", least_bytes=0.6)

    def __init__(
        self,
        k: Size = 0.5,
        label_smoothness: float | str = "1%",
        sparsity: float | str | None = None,
        label_term: Literal["laplacian", "distance"] = "laplacian",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol)
        self.label_smoothness = label_smoothness
        self.label_term = label_term
        self.fit_intercept = fit_intercept

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        label_smoothness = weigh(self.label_smoothness, "label_smoothness", mean_scatter(X))
        distance = check_option(self.label_term, "label_term", LABEL_TERMS) == "distance"
        features = Features(X, centred=bool(self.fit_intercept))
        scattered, squares = scatter_products(features)
        targets = labels - labels.mean(axis=0) if self.fit_intercept else labels
        moments, half = features.transposed_dot(targets), float(np.square(targets).sum()) / 2.0
        if distance:
            between = label_smoothness * label_distances(labels)
            _check_bounded(features, between)
        else:
            between = label_smoothness * label_laplacian(labels)

        def loss(W: FloatArray) -> tuple[float, FloatArray]:
            products = scattered(W) + W @ between
            return half + float((W * (products / 2.0 - moments)).sum()), products - moments

        scales = squares + np.abs(between).sum(axis=1).max(initial=0.0)
        return self._minimise(loss, np.zeros(moments.shape), scales)


def _check_bounded(features: Features, between: FloatArray) -> None:
    """Refuse a quadratic function of W that is negative along some direction."""
    least = float(np.linalg.eigvalsh(between)[0])
    wide = features.shape[1] > features.shape[0]
    values = scipy.linalg.eigvalsh(features.gram if wide else features.scatter, check_finite=False)
    if wide:
        values[0] = 0.0  # more features than rows
    if values[0] + least < -_NEGATIVE * (values[-1] - least):
        raise DataError(
            f"the objective of LLSF has no minimum with label_term='distance': the least curvature by the features is "
            f"{max(float(values[0]), 0.0):.3g}, by the labels {least:.3g}, and their sum has to be >= 0; a "
            "smaller label_smoothness with fewer features than rows, or label_term='laplacian', has one"
        )
