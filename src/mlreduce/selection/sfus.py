"""SFUS: feature selection by a regression whose coefficients share a subspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.base import weigh
from mlreduce.selection.row_sparse import Regression, RowSparseSelector, mean_scatter
from mlreduce.validation import FloatArray, Size, check_size

# Singular value, relative to the largest, that counts as zero.
_RANK = 1e-10


@register("sfus")
class SFUS(RowSparseSelector):
    """Sub-feature uncovering with sparsity (SFUS): a regression with few features, labels sharing a subspace of them.

    It minimises

        ||X W + 1 b' - Y||^2 + subspace_error ||W - Q P||^2 + sparsity sum_j ||w_j||
        subject to    Q'Q = I

    over W, one row per feature, b, the shared subspace Q, one column for each of its dimensions, and P, what each label
    takes of it.

    Labels may be unknown, NaN in ``y``: the first term is the squared errors of the known ones.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    n_latent : int, float, str or None, default=0.5
        Dimension of the subspace: a number up to that of the labels, a fraction in (0, 1) or "50%" of it, or None for
        as many as labels, or as features where these are fewer: the second term is 0 then.
    subspace_error : float or str, default="1%"
        Weight of what of the coefficients lies outside of the subspace, >= 0: a number, or a percentage of the mean
        over the features of their sums of squares around the mean, with which their unit makes no difference.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows of W: a number > 0; a percentage of ``sparsity_max_``, such as "5%"; or None:
        the largest of 38 from 70 % of it down to 1e-6 of it with which k rows, or as many as instances, are not zero.
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
    subspace_ : ndarray of shape (n_features, n_latent)
        Q. The best P is ``Q'W``. Fewer columns where W is of a smaller rank.
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
    Cost: O(n d^2 + r (d^3 + d^2 q)) for r iterations.

    In turn W by a ridge regression with the curvature ``subspace_error (I - QQ')``, and Q as the leading left singular
    vectors of W, both exactly. Q starts empty. The paper finds both in one step of each iteration; the conditions of a
    minimum are the same.

    References
    ----------
    Ma, Nie, Yang, Uijlings and Sebe, "Web image annotation via subspace-sparsity collaborated feature selection", IEEE
    Transactions on Multimedia 14, 2012. The shared subspace is that of Ando and Zhang, "A framework for learning
    predictive structures from multiple tasks and unlabeled data", JMLR 6, 2005.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.SFUS(k=10, n_latent=3).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("s d + d^3", "s + d^2 + n q + d q", least_bytes=0.24)
    by_feature = ("coef_", "subspace_")

    def __init__(
        self,
        k: Size = 0.5,
        n_latent: Size = 0.5,
        subspace_error: float | str = "1%",
        sparsity: float | str | None = None,
        max_iter: int = 1000,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol, solver)
        self.n_latent = n_latent
        self.subspace_error = subspace_error

    def _loss(self, X: Any, labels: FloatArray) -> _SharedSubspace:
        n_latent = check_size(self.n_latent, labels.shape[1], "labels", name="n_latent")
        subspace_error = weigh(self.subspace_error, "subspace_error", mean_scatter(X))
        return _SharedSubspace(X, labels, min(n_latent, X.shape[1]), subspace_error)

    def _learned(self, loss: _SharedSubspace, spread: Callable[[FloatArray], FloatArray]) -> None:
        self.subspace_ = spread(loss.subspace)


class _SharedSubspace(Regression):
    """The loss of `SFUS`."""

    def __init__(self, X: Any, labels: FloatArray, n_latent: int, subspace_error: float) -> None:
        super().__init__(X, labels)
        self.subspace: FloatArray = np.empty((X.shape[1], 0))
        self._n_latent, self._beta, self._by_feature = n_latent, subspace_error, True

    @property
    def _scatter(self) -> FloatArray:
        matrix = self._curved + self._beta * np.eye(len(self.subspace))
        return matrix - self._beta * (self.subspace @ self.subspace.T)

    def update(self, coefficients: FloatArray) -> float:
        left, singular_values, _ = np.linalg.svd(coefficients, full_matrices=False)
        self.subspace = left[:, : self._n_latent]
        outside = float(np.square(singular_values[self._n_latent :]).sum())
        return super().update(coefficients) + self._beta * outside

    def descent(self, coefficients: FloatArray) -> tuple[float, FloatArray]:
        value, slopes = self._descent(coefficients, super().update)
        active = np.flatnonzero(coefficients.any(axis=1))
        left, singular_values, _ = np.linalg.svd(coefficients[active], full_matrices=False)
        # Of a smaller rank the other directions are open: none is taken.
        rank = int((singular_values > _RANK * singular_values.max(initial=0.0)).sum())
        self.subspace = np.zeros((len(coefficients), min(rank, self._n_latent)))
        self.subspace[active] = left[:, : self.subspace.shape[1]]
        outside = coefficients - self.subspace @ (self.subspace.T @ coefficients)
        return value + self._beta * float(np.square(outside).sum()), slopes - self._beta * outside

    def products(self, rows: NDArray[np.intp]) -> FloatArray:
        shared = self.subspace[rows]
        return super().products(rows) + self._beta * (np.eye(len(rows)) - shared @ shared.T)
