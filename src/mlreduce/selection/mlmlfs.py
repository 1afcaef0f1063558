"""MLMLFS: multi-label feature selection with missing labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.linalg.features import constant_columns
from mlreduce.linalg.utilities import scaled
from mlreduce.registry import register
from mlreduce.selection.descent import penalised
from mlreduce.selection.partly_labelled import PartlyLabelledSelector
from mlreduce.selection.rfs import ROUNDED
from mlreduce.selection.row_sparse import SMALL, completed_by_means, graph_laplacian
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, as_dense, check_range

# Step of b, of labels 0 and 1, that is the last one, and most steps.
_STEP, _STEPS = 1e-12, 1000


@register("mlmlfs")
class MLMLFS(PartlyLabelledSelector):
    """Selection with missing labels (MLMLFS): L2,1 norms of residuals and coefficients, and smooth predictions.

    It minimises, with ``F = X W + 1 b'``,

        sum_i ||f_i - y_i|| + smoothness tr(F'LF) + sparsity sum_j ||w_j||
        where Y, if not known, is anywhere from 0 to 1

    over W, one row per feature, b, and the unknown labels. L is the Laplacian of a graph of the instances. Unknown
    labels are NaN in ``y``: single cells, or the rows of unlabelled instances.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    smoothness : float, default=0.01
        Weight of the manifold term, >= 0.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows of W: a number > 0; a percentage of ``sparsity_max_``, such as "5%"; or None:
        the largest of 38 from 70 % of it down to 1e-6 of it with which k rows, or as many as instances, are not zero.
    proximity : Proximity, dict of its parameters, or None, default=None
        Graph of the instances; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
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
    intercept_ : ndarray of shape (n_labels,)
        b.
    soft_labels_ : ndarray of shape (n_samples, n_labels)
        Y, completed.
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
    Cost: O(r (n d^2 + d^3 + n d q)) for r iterations, d being the number of features with rows that are not zero, and
    the search for neighbours of n instances.

    The problem is convex. The norm of a residual is no smooth function where it is 0: as of `RFS`, ``(r^2 / 0.1 + 0.1)
    / 2`` is in place of a norm r below 0.1. With labels -1 and 1, as in the paper, the weight of the manifold term is
    half of ``smoothness`` here, and all else is the same. The paper also has powers of the norms of coefficients below
    1, for which the problem is not convex.

    The authors' program solves other equations in an iteration than those of its objective (it subtracts 1 from all
    entries of a matrix in place of the identity), and so smooths the residuals instead of the predictions; its
    objective may rise.

    References
    ----------
    Zhu, Xu, Hu, Zhang and Zhao, "Multi-label feature selection with missing labels", Pattern Recognition 74, 2018; the
    objective is that of the authors' program.

    Examples
    --------
    >>> import numpy as np
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> labels = data.Y.astype(float)
    >>> labels[::2, 0] = np.nan  # not known
    >>> mlreduce.MLMLFS(k=10).fit(data.X, labels).transform(data.X).shape
    (1797, 10)
    """

    complexity = Complexity("n s + m^3 + n q^2", "s + m^2 + n q + d q")

    def __init__(
        self,
        k: Size = 0.5,
        smoothness: float = 0.01,
        sparsity: float | str | None = None,
        proximity: ProximityLike = None,
        max_iter: int = 1000,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol, solver)
        self.smoothness = smoothness
        self.proximity = proximity

    def _loss(self, X: Any, labels: FloatArray) -> _SmoothResiduals:
        smoothness = check_range(self.smoothness, "smoothness", 0)
        return _SmoothResiduals(X, labels, smoothness * graph_laplacian(self.proximity, X))

    def _learned(self, loss: _SmoothResiduals, spread: Callable[[FloatArray], FloatArray]) -> None:
        super()._learned(loss, spread)
        self.intercept_ = loss.intercept


class _SmoothResiduals:
    """The loss of `MLMLFS`; its targets are Y.

    A norm r lies below ``(r^2 / s + s) / 2`` for any s, and touches it for s = r: squares with the weights
    ``1 / (2 s)``, for which b is that of a weighted regression.
    """

    alternating = True

    def __init__(self, X: Any, labels: FloatArray, laplacian: Any) -> None:
        self._X, self._laplacian, self._constant = X, laplacian, constant_columns(X)
        self.targets, self._known = completed_by_means(labels)
        self.intercept = self.targets.mean(axis=0)
        self._means, self._level = np.zeros(X.shape[1]), self.intercept
        self.update(np.zeros((X.shape[1], self.n_targets)))

    @property
    def n_targets(self) -> int:
        return int(self.targets.shape[1])

    def update(self, coefficients: FloatArray) -> float:
        """Minimise over b and the unknown labels."""
        predicted = self._X @ coefficients
        self.intercept = reached = self._level - self._means @ coefficients
        momentum = 1.0
        for _ in range(_STEPS):
            fitted = predicted + self.intercept
            if self._known is not None:
                self.targets = np.where(self._known, self.targets, fitted.clip(0.0, 1.0))
            self._residuals = self.targets - fitted
            norms = np.linalg.norm(self._residuals, axis=1)
            larger = np.maximum(norms, ROUNDED)
            self._weights = 0.5 / larger
            step = self._weights @ self._residuals / self._weights.sum()
            if np.abs(step).max(initial=0.0) <= _STEP:
                break
            before, reached = reached, self.intercept + step
            momentum = 1.0 if step @ (reached - before) < 0.0 else momentum  # too far ahead
            following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
            self.intercept = reached + (momentum - 1.0) / following * (reached - before)
            momentum = following
        value = float((np.square(norms) * self._weights + larger / 2.0).sum())
        self._means = np.asarray(self._weights @ self._X) / self._weights.sum()
        self._level = self.intercept + self._means @ coefficients
        self._smoothed = np.asarray(self._laplacian @ predicted)
        return value + float((predicted * self._smoothed).sum())

    def descent(self, coefficients: FloatArray) -> tuple[float, FloatArray]:
        value = self.update(coefficients)
        rest = self._weights[:, np.newaxis] * self._residuals - self._smoothed
        slopes = np.asarray(self._X.T @ rest)
        slopes[self._constant] = 0.0  # the intercept leaves rounding errors
        return value, slopes

    @cached_property
    def _curvature(self) -> FloatArray:
        return as_dense(self._X.T @ (self._laplacian @ self._X))

    def products(self, rows: NDArray[np.intp]) -> FloatArray:
        columns, means = self._X[:, rows], self._means[rows]
        weighted = scaled(columns, rows=np.sqrt(self._weights))
        products = as_dense(weighted.T @ weighted)
        products -= self._weights.sum() * means * means[:, np.newaxis]
        if self._X.shape[1] <= SMALL:
            products += self._curvature[np.ix_(rows, rows)]
        else:
            products += as_dense(columns.T @ (self._laplacian @ columns))
        return products

    def coefficients(self, widths: FloatArray, sparsity: float) -> FloatArray:
        scale, weights = np.sqrt(widths)[:, np.newaxis], self._weights
        targets = weights[:, np.newaxis] * (self.targets - weights @ self.targets / weights.sum())
        products = scale * self.products(np.arange(len(widths))) * scale.T
        return scale * penalised(products, scale * np.asarray(self._X.T @ targets), sparsity)
