"""MIFS: multi-label informed feature selection."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mlreduce.complexity import Complexity
from mlreduce.linalg.distances import squared_norms
from mlreduce.linalg.utilities import scaled
from mlreduce.registry import register
from mlreduce.selection.row_sparse import (
    Regression,
    RowSparseSelector,
    completed_by_means,
    graph_laplacian,
    solve_positive,
)
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, as_dense, check_range, check_size, is_sparse

# Cells of labels above which the system for them is solved once, and V is not as before to the last digits.
_MANY = 2**18

# Columns of features and labels for which the system of V is solved at once, and systems that are expected.
_AT_ONCE, _ITERATIONS = 64, 300


@register("mifs")
class MIFS(RowSparseSelector):
    """Multi-label informed feature selection (MIFS): regression on latent labels that vary little among neighbours.

    It minimises

        ||X W - V||^2 + label_error ||Y - V B||^2 + smoothness tr(V'LV) + sparsity sum_j ||w_j||
        subject to    B B' = I

    over W, one row per feature, the latent labels V, one column for each of them, and B, which turns them into labels.
    L is the Laplacian of a graph of the instances.

    Labels may be unknown, NaN in ``y``: the second term is the squared errors of the known ones.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    n_latent : int, float, str or None, default=0.5
        Number of latent labels: a number up to that of the labels, a fraction in (0, 1) or "50%" of it, or None for as
        many as labels.
    label_error : float, default=1.0
        Weight of the errors of labels by latent labels, > 0.
    smoothness : float, default=1.0
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
    coef_ : ndarray of shape (n_features, n_latent)
        W.
    latent_labels_ : ndarray of shape (n_samples, n_latent)
        V.
    label_basis_ : ndarray of shape (n_latent, n_labels)
        B.
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
    Cost: O(n d (d + q) + r d^2 (d + c)) for c latent labels, r iterations and few features, otherwise
    O(n d min(n, d) + r (min(n, d)^3 + n d c)); with fewer instances than features O(r n^2 d) instead of the first. The
    search for neighbours of n instances comes first.

    The paper leaves B free. Then there is no minimum: V and W times t and B over t leave the second term as it is, and
    the others go to 0 with t. Public codes take gradient steps of 1e-10 and do not come far enough to show it.
    Orthonormal rows of B fix the scale, and lose no labels that a free B of the same size could give.

    There is no intercept, as in the paper: centre the features. W, V and B are minimised over exactly, in turn, from
    the leading right singular vectors of Y for B and ``V = Y B'``.

    References
    ----------
    Jian, Li, Shu and Liu, "Multi-label informed feature selection", IJCAI 2016.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MIFS(k=10, n_latent=3).fit_transform(data.X - data.X.mean(axis=0), data.Y).shape
    (1797, 10)
    """

    _centred = False

    complexity = Complexity("n s + d m q + 100 m^3", "s + n q + d q + q^2")

    def __init__(
        self,
        k: Size = 0.5,
        n_latent: Size = 0.5,
        label_error: float = 1.0,
        smoothness: float = 1.0,
        sparsity: float | str | None = None,
        proximity: ProximityLike = None,
        max_iter: int = 1000,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol, solver)
        self.n_latent = n_latent
        self.label_error = label_error
        self.smoothness = smoothness
        self.proximity = proximity

    def _loss(self, X: Any, labels: FloatArray) -> _LatentLabels:
        label_error = check_range(self.label_error, "label_error", 0, open_ends=True)
        smoothness = check_range(self.smoothness, "smoothness", 0)
        n_latent = check_size(self.n_latent, labels.shape[1], "labels", name="n_latent")
        return _LatentLabels(X, labels, n_latent, label_error, smoothness * graph_laplacian(self.proximity, X))

    def _learned(self, loss: _LatentLabels, spread: Callable[[FloatArray], FloatArray]) -> None:
        self.latent_labels_, self.label_basis_ = loss.latent_labels(), loss.basis


class _LatentLabels(Regression):
    """The loss of `MIFS`; its targets are V."""

    alternating = True

    def __init__(self, X: Any, labels: FloatArray, n_latent: int, label_error: float, laplacian: Any) -> None:
        self._labels, self._labels_known = completed_by_means(labels)
        leading = np.linalg.eigh(self._labels.T @ self._labels)[1][:, ::-1]
        self.basis: FloatArray = leading[:, :n_latent].T
        super().__init__(X, self._labels @ self.basis.T, intercept=False)
        self._alpha, self._laplacian = label_error, laplacian
        # With few features products of features and labels take the place of V, which is needed at the end alone.
        few = X.shape[1] < X.shape[0] and X.shape[1] + labels.shape[1] <= _ITERATIONS * n_latent
        self._by_products = self._labels_known is None and self._keeps_products and few
        self._solved_for: tuple[FloatArray, FloatArray] | None = None
        self._label_squares = float(np.square(self._labels).sum())
        # V is a sum of what it takes of XW and of the labels, which B turns: the latter does not change.
        self._adds = self._labels_known is None and labels.size > _MANY
        if self._adds:
            self._of_fitted = np.zeros_like(self.targets)
            self._of_labels = self._solved(label_error * self._labels, self._labels)

    def _solved(self, moments: FloatArray, start: FloatArray) -> FloatArray:
        """Solve ``(1 + label_error) Z + L Z = T``."""
        diagonal = (1.0 + self._alpha + self._laplacian.diagonal())[:, np.newaxis] + np.zeros(moments.shape[1])
        return solve_positive(lambda Z: (1.0 + self._alpha) * Z + self._laplacian @ Z, diagonal, moments, start)

    @cached_property
    def _solved_products(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return ``X'M^-1 X``, ``X'M^-1 Y`` and ``Y'M^-1 Y``, where V is ``M^-1 (X W + label_error Y B')``."""
        both: Any = [self.features.X, self._labels]
        both = sp.hstack(both, format="csc") if is_sparse(self.features.X) else np.hstack(both)
        sizes = np.sqrt(squared_norms(both.T))
        both = scaled(both, columns=1.0 / np.where(sizes > 0, sizes, 1.0))
        products = np.empty((both.shape[1], both.shape[1]))
        for start in range(0, both.shape[1], _AT_ONCE):
            columns = slice(start, start + _AT_ONCE)
            part = as_dense(both[:, columns])
            products[:, columns] = both.T @ self._solved(part, part / (1.0 + self._alpha))
        products *= sizes * sizes[:, np.newaxis]
        n_features = self.features.shape[1]
        return (
            products[:n_features, :n_features],
            products[:n_features, n_features:],
            products[n_features:, n_features:],
        )

    def descent(self, coefficients: FloatArray) -> tuple[float, FloatArray]:
        if not self._by_products:
            return super().descent(coefficients)
        by_features, between, by_labels = self._solved_products
        self._solved_for = coefficients, self.basis
        active = np.flatnonzero(coefficients.any(axis=1))
        own, alpha = coefficients[active], self._alpha
        moments = by_features[:, active] @ own + alpha * (between @ self.basis.T)  # X'V
        crossed = between[active].T @ own + alpha * (by_labels @ self.basis.T)  # Y'V
        fitted = self.features.scatter[:, active] @ own
        value = (own * (fitted - moments)[active]).sum() + alpha * (self.basis.T * crossed).sum()
        self._turn_basis(crossed.T)
        value += alpha * (self._label_squares - 2.0 * (self.basis.T * crossed).sum())
        return float(value), moments - fitted

    def latent_labels(self) -> FloatArray:
        """Return V."""
        if self._solved_for is None:
            return self.targets
        coefficients, basis = self._solved_for
        target = self.fitted(coefficients) + self._alpha * (self._labels @ basis.T)
        return self._solved(target, target / (1.0 + self._alpha))

    def _turn_basis(self, crossed: FloatArray) -> None:
        """Take the orthonormal rows of B that are best, given ``V'Y``."""
        left, _, right = np.linalg.svd(crossed, full_matrices=False)
        self.basis = left @ right

    def update(self, coefficients: FloatArray) -> float:
        fitted = self.fitted(coefficients)
        if self._adds:
            self._of_fitted = self._solved(fitted, self._of_fitted)
            self.targets = self._of_fitted + self._of_labels @ self.basis.T
        else:
            self.targets = self._solved(fitted + self._alpha * (self._labels @ self.basis.T), self.targets)
        self._turn_basis(self.targets.T @ self._labels)
        decoded = self.targets @ self.basis
        if self._labels_known is not None:
            self._labels = np.where(self._labels_known, self._labels, decoded)
        errors = np.square(self._labels - decoded).sum()
        smoothness = (self.targets * (self._laplacian @ self.targets)).sum()
        return float(np.square(fitted - self.targets).sum() + self._alpha * errors + smoothness)
