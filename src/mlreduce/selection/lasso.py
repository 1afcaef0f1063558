"""Control: the lasso of several targets of scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import MultiTaskLasso

from mlreduce.complexity import Complexity
from mlreduce.exceptions import warn
from mlreduce.linalg.features import Features
from mlreduce.registry import register
from mlreduce.selection.base import Selector
from mlreduce.selection.descent import SHARES
from mlreduce.validation import FloatArray, Size, as_dense, check_count, check_memory, check_range, is_sparse


@register("lasso-multitask")
class LassoMultiTask(Selector):
    """Lasso of several targets of scikit-learn (multi-task lasso): a control of the L2,1 regressions.

    See ``sklearn.linear_model.MultiTaskLasso``. It minimises ``||X W + 1 b' - Y||^2 / (2 n) + sparsity sum_j ||w_j||``
    for n instances.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    sparsity : float or None, default=None
        Weight of the norms of the rows of W, > 0. From the largest norm of a row of ``X'Y / n`` on, both centred, all
        rows of W are 0. None: the largest of 38 from 70 % of it down to 1e-6 of it with which k rows, or as many as
        instances, are not 0.
    max_iter : int, default=10000
        Largest number of iterations, >= 1.
    tol : float, default=1e-4
        Largest duality gap at which to stop, relative to ``||Y||^2``, >= 0.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of W; 0 for features that the penalty leaves out.
    coef_ : ndarray of shape (n_features, n_labels)
        W.
    n_iter_ : int
        Number of iterations.
    sparsity_ : float
        Weight of the norms.
    edge_ : bool
        Whether sparsity was chosen and is the smallest that is tried.
    n_nonzero_ : int
        Number of features whose score is not 0.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Sparse features are made dense. All labels have to be known, since scikit-learn's class takes no weights of single
    targets: take `MSSL` where some are not. `MSSL` with ``smoothness=0`` and 2 n times as large a sparsity minimises
    the same.

    References
    ----------
    Obozinski, Taskar and Jordan, "Multi-task feature selection", UC Berkeley, 2006; scikit-learn's ``MultiTaskLasso``.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.LassoMultiTask(k=10, sparsity=0.1).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("n d q", "n d + n q + d q")

    by_feature = ("coef_",)

    def __init__(self, k: Size = 0.5, sparsity: float | None = None, max_iter: int = 10_000, tol: float = 1e-4) -> None:
        self.k = k
        self.sparsity = sparsity
        self.max_iter = max_iter
        self.tol = tol

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        if is_sparse(X):
            check_memory(
                16.0 * np.prod(X.shape),
                f"a dense array of {len(labels)} x {X.shape[1]} features, with the copy that scikit-learn makes,",
                "take MSSL with smoothness=0, which minimises the same, or fewer features",
                (X.shape[1], "features"),
            )
        slopes = Features(X, centred=True).transposed_dot(labels) / len(labels)
        weights = (float(np.linalg.norm(slopes, axis=1).max()) or 1.0) * SHARES
        if self.sparsity is not None:
            weights = np.array([check_range(self.sparsity, "sparsity", 0, open_ends=True)])
        max_iter, tol = check_count(self.max_iter, "max_iter"), check_range(self.tol, "tol", 0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            lasso = MultiTaskLasso(max_iter=max_iter, tol=tol, warm_start=True)
            for weight in weights:
                caught.clear()
                lasso.set_params(alpha=weight).fit(as_dense(X), labels)
                self.n_nonzero_ = np.count_nonzero(lasso.coef_.any(axis=0))
                if self.n_nonzero_ >= self._n_wanted or not slopes.any():
                    break
        self.sparsity_, self.edge_ = float(weight), self.sparsity is None and bool(weight == weights[-1])
        if any(issubclass(warning.category, ConvergenceWarning) for warning in caught):
            warn(
                f"{type(self).__name__} did not converge in {max_iter} iterations; scale the features, or raise "
                "sparsity, tol or max_iter",
                ConvergenceWarning,
            )
        self.coef_, self.n_iter_ = lasso.coef_.T, lasso.n_iter_
        return np.linalg.norm(self.coef_, axis=1)
