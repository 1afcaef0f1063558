"""SCMFS: feature selection with a mode that features and labels share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.extmath import randomized_svd

from mlreduce.complexity import Complexity
from mlreduce.linalg.compiled import compiled
from mlreduce.linalg.distances import squared_norms
from mlreduce.linalg.features import Features
from mlreduce.registry import register
from mlreduce.selection.base import weigh
from mlreduce.selection.row_sparse import RowSparseSelector, completed_by_means, few_products
from mlreduce.validation import FloatArray, Size, check_range, check_size, is_sparse

# Squares of features that are all zero count as this: the squares of labels over it are still a number.
_LEAST_SQUARE = 1e-290


@register("scmfs")
class SCMFS(RowSparseSelector):
    """Shared common mode (SCMFS): regression on non-negative factors that features and labels have in common.

    It minimises, over factors without negative entries,

        ||X W - V||^2 + feature_error ||X - V Q||^2 + label_error ||Y - V B||^2 + sparsity sum_j ||w_j||
        subject to    feature_error ||q_c||^2 + label_error ||b_c||^2 = 1 for each row of Q and B

    W has one row per feature; V, the shared mode, one column for each row c of Q and B. Features must not be negative.

    Labels may be unknown, NaN in ``y``: the third term is the squared errors of the known ones.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    n_latent : int, float, str or None, default=0.5
        Number of columns of V: a number up to that of the labels, a fraction in (0, 1) or "50%" of it, or None for as
        many as labels.
    feature_error : float or str, default="100%"
        Weight of the errors of the features, > 0: a number, or a percentage of the squares of all labels over those of
        all features, with which the unit of the features makes no difference.
    label_error : float, default=1.0
        Weight of the errors of the labels, > 0.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows of W: a number > 0; a percentage of ``sparsity_max_``, such as "5%"; or None:
        the largest of 38 from 70 % of it down to 1e-6 of it with which k rows, or as many as instances, are not zero.
    max_iter : int, default=5000
        Largest number of iterations, >= 1.
    tol : float, default=1e-6
        When to stop, >= 0; 0 for all ``max_iter`` iterations. Of "coordinate-descent" the largest ``gap_``, of
        "reweighted" the relative decrease of the objective in an iteration.
    solver : {"coordinate-descent", "reweighted"}, default="coordinate-descent"
        "reweighted" is what the papers print, with a number for sparsity: in each iteration a ridge regression with
        ``||w_j||^2 / (2 s_j)`` in place of ``||w_j||``, s_j the last norm, at first 1/2. Rows of W do not reach zero.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_latent)
        W.
    common_mode_ : ndarray of shape (n_samples, n_latent)
        V.
    feature_factors_ : ndarray of shape (n_features, n_latent)
        Q'.
    label_factors_ : ndarray of shape (n_latent, n_labels)
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
    Cost: O(n d^2 + r (d^2 + n d) c) for c columns of V and r iterations.

    The paper leaves the scale of the factors free. Then there is no minimum: V and W times t, and Q and B over t, leave
    the second and third term as they are, and the others go to 0 with t. Unit norms fix the scale, and lose no product.

    Of "reweighted", too, rows of W are minimised over without weights, once in each iteration, and reach zero.

    In place of multiplicative steps from a random start each row of W, each column of V and each row of Q and B is
    minimised over exactly, in turn, from the positive parts of singular vectors of features and labels (Boutsidis and
    Gallopoulos, "SVD based initialization", Pattern Recognition 41(4), 2008). The problem is not convex: the result is
    a point where none of them can be improved alone.

    References
    ----------
    Hu, Li, Gao, Zhang and Hu, "Multi-label feature selection with shared common mode", Pattern Recognition 104, 2020.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.SCMFS(k=10, n_latent=3).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    by_feature = ("coef_", "feature_factors_")

    _centred = False
    _positive = True

    complexity = Complexity("100 s q", "s + n q + d q")

    def __init__(
        self,
        k: Size = 0.5,
        n_latent: Size = 0.5,
        feature_error: float | str = "100%",
        label_error: float = 1.0,
        sparsity: float | str | None = None,
        max_iter: int = 5000,
        tol: float = 1e-6,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol, solver)
        self.n_latent = n_latent
        self.feature_error = feature_error
        self.label_error = label_error

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _loss(self, X: Any, labels: FloatArray) -> _CommonMode:
        squares = np.nansum(np.square(labels)) / max(float(squared_norms(X).sum()), _LEAST_SQUARE)
        self._feature_error = weigh(self.feature_error, "feature_error", float(squares) or 1.0, open_ends=True)
        label_error = check_range(self.label_error, "label_error", 0, open_ends=True)
        n_latent = check_size(self.n_latent, labels.shape[1], "labels", name="n_latent")
        return _CommonMode(X, labels, n_latent, self._feature_error, label_error)

    def _learned(self, loss: _CommonMode, spread: Callable[[FloatArray], FloatArray]) -> None:
        n_columns = loss.n_columns
        self.common_mode_ = loss.mode
        self.feature_factors_ = spread(loss.units[:n_columns]) / np.sqrt(self._feature_error)
        self.label_factors_ = loss.units[n_columns:].T / np.sqrt(self.label_error)


class _CommonMode:
    """The loss of `SCMFS`: Z are features and labels side by side, U the rows of Q and B as columns, both weighted."""

    alternating = True

    def __init__(self, X: Any, labels: FloatArray, n_latent: int, feature_error: float, label_error: float) -> None:
        self._features, self.n_columns = Features(X, centred=False), X.shape[1]
        completed, self._known = completed_by_means(labels)
        self._root = np.sqrt(feature_error)
        self._weighted = self._root * X
        self._join(np.sqrt(label_error) * completed)
        self.mode, self.units = _positive_parts(self._both, n_latent)
        self._coefficients = np.zeros((X.shape[1], n_latent))

    def _join(self, labels: FloatArray) -> None:
        """Put features and labels side by side, both weighted."""
        both, self._labels = [self._weighted, labels], labels
        self._both: Any = sp.hstack(both, format="csr") if is_sparse(self._weighted) else np.hstack(both)
        self._square = float(np.square(self._both.data if is_sparse(self._weighted) else self._both).sum())

    @property
    def n_targets(self) -> int:
        return int(self.mode.shape[1])

    def descent(self, coefficients: FloatArray) -> tuple[float, FloatArray]:
        fitted = self._fitted(coefficients)
        value, products = self._update(fitted)
        slopes = products[: self.n_columns] / self._root  # X'V
        if few_products(self._features.X):
            slopes -= self._features.scatter @ coefficients
        else:
            slopes -= self._features.transposed_dot(fitted)
        return value, slopes

    def products(self, rows: NDArray[np.intp]) -> FloatArray:
        if few_products(self._features.X):
            return self._features.scatter[np.ix_(rows, rows)]
        return Features(self._features.X[:, rows], centred=False).scatter

    def coefficients(self, widths: FloatArray, sparsity: float) -> FloatArray:
        moments = self._features.transposed_dot(self.mode)
        _descend_rows(self._coefficients, self._features.scatter, moments, sparsity)
        return self._coefficients

    def update(self, coefficients: FloatArray) -> float:
        return self._update(self._fitted(coefficients))[0]

    def _fitted(self, coefficients: FloatArray) -> FloatArray:
        """Return X W."""
        return self._features.dot(coefficients) if coefficients.any() else np.zeros(self.mode.shape)

    def _update(self, fitted: FloatArray) -> tuple[float, FloatArray]:
        """Minimise over the other variables, given X W; return the loss, and the products of X and Y with V."""
        mode, units = self.mode.copy(), self.units.copy()
        # BLAS multiplies a narrow matrix by a long one in half the time of the transposed product.
        products, overlaps = (units.T @ self._both.T).T, units.T @ units
        for column in range(mode.shape[1]):
            rest = products[:, column] - mode @ overlaps[:, column] + mode[:, column]
            mode[:, column] = np.maximum(fitted[:, column] + rest, 0.0) / 2.0
        products, overlaps = (mode.T @ self._both).T, mode.T @ mode
        for column in np.flatnonzero(overlaps.diagonal()).tolist():
            rest = products[:, column] - units @ overlaps[:, column] + overlaps[column, column] * units[:, column]
            best = np.maximum(rest, 0.0) if rest.max() > 0 else (np.arange(len(rest)) == rest.argmax()).astype(float)
            units[:, column] = best / np.linalg.norm(best)
        self.mode, self.units = mode, units  # those of before may be taken back
        if self._known is not None:
            decoded = mode @ units[self._weighted.shape[1] :].T
            self._join(np.where(self._known, self._labels, decoded))
            products = (mode.T @ self._both).T
        crossed = float((products * units).sum())
        errors = self._square - 2.0 * crossed + float((overlaps * (units.T @ units)).sum())
        return float(np.square(fitted - mode).sum()) + max(errors, 0.0), products


def _positive_parts(both: Any, n_latent: int) -> tuple[FloatArray, FloatArray]:
    """Return V and U from the positive or negative parts of pairs of singular vectors, those of the larger product."""
    left, values, right = randomized_svd(both, min(n_latent, *both.shape), random_state=0)
    mode, units = np.zeros((both.shape[0], n_latent)), np.full((both.shape[1], n_latent), both.shape[1] ** -0.5)
    for column, value in enumerate(values):
        parts = [(np.maximum(s * left[:, column], 0), np.maximum(s * right[column], 0)) for s in (1, -1)]
        norms = [(np.linalg.norm(one), np.linalg.norm(other)) for one, other in parts]
        best = int(np.prod(norms, axis=1).argmax())
        if norms[best][1] > 0:
            units[:, column] = parts[best][1] / norms[best][1]
            mode[:, column] = value * norms[best][1] * parts[best][0]
    return mode, units


@compiled
def _descend_rows(coefficients: FloatArray, scatter: FloatArray, moments: FloatArray, sparsity: float) -> None:
    """Minimise ``||XW - V||^2 + sparsity sum_j ||w_j||`` over each row of W >= 0 in turn, in place."""
    n_features, n_latent = coefficients.shape
    rest = np.empty(n_latent)
    for row in range(n_features):
        square = scatter[row, row]
        rest[:] = moments[row] + square * coefficients[row]
        for other in range(n_features):
            product = scatter[row, other]
            if product != 0.0:
                for column in range(n_latent):
                    rest[column] -= product * coefficients[other, column]
        rest = np.maximum(rest, 0.0)
        norm = np.sqrt((rest * rest).sum())
        if norm > sparsity / 2.0:
            coefficients[row] = rest * ((1.0 - sparsity / (2.0 * norm)) / square)
        else:
            coefficients[row] = 0.0
