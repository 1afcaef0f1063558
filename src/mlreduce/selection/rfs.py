"""RFS: robust feature selection by joint L2,1 norms."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, check_known_name
from mlreduce.linalg.utilities import scaled
from mlreduce.registry import register
from mlreduce.selection.descent import penalised
from mlreduce.selection.row_sparse import RowSparseSelector, completed_by_means
from mlreduce.validation import FloatArray, Size, as_dense, check_count, check_range, is_sparse

# The system that is solved in each iteration; "auto" is the smaller of the others.
_SYSTEMS = ("auto", "instances", "features")

# Most iterations of "coordinate-descent", and number of those of "reweighted".
_ITERATIONS, _REGRESSIONS = 1000, 10

# Smallest residual norm in a division; labels are 0 and 1.
_LEAST_NORM = 1e-8

#: Norm of a residual below which its square counts, of "coordinate-descent".
ROUNDED = 0.1


@register("rfs")
class RFS(RowSparseSelector):
    """Robust feature selection (RFS): L2,1 norms of residuals and coefficients.

    It minimises ``sum_i ||x_i W - y_i|| + sparsity sum_j ||w_j||`` over the coefficients W, one row per feature. There
    is no intercept, and labels are 0 and 1, as in the paper.

    Labels may be unknown, NaN in ``y``: the residual of an instance is that of its known ones.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows of W: a number > 0; a percentage of ``sparsity_max_``, such as "5%"; or None:
        the largest of 38 from 70 % of it down to 1e-6 of it with which k rows, or as many as instances, are not zero.
    system : {"auto", "instances", "features"}, default="auto"
        What each regression of "reweighted" solves: the linear system over the instances (n_samples equations), as the
        paper writes it, that over the features (n_features equations), or the smaller of them. The scores are the same
        to rounding.
    max_iter : int or None, default=None
        Largest number of iterations, >= 1; None is 1000, of "reweighted" 10.
    tol : float, default=1e-8
        Largest ``gap_`` at which to stop, of "reweighted" relative decrease of the objective, >= 0; 0 for no stop.
    solver : {"coordinate-descent", "reweighted"}, default="coordinate-descent"
        "reweighted", which ``tol`` does not end, is the algorithm of the paper: a sequence of ridge regressions, each
        with instances and features weighted by the norms of the previous one, of which the first has no weights and
        the penalty ``sparsity^2``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_labels)
        W.
    objective_ : ndarray of shape (n_iter,)
        Objective after each iteration; it does not increase.
    n_iter_ : int
        Number of iterations.
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of W, equal of columns that are equal or one the negative of the other. Features with rows of
        zeros are ranked by how steep the loss is by these rows.
    sparsity_ : float
        Weight of the norms.
    sparsity_max_ : float
        The smallest weight with which rows of zeros stay so: all rows are zero with it where the problem is convex.
        As the following not of "reweighted".
    gap_ : float
        Bound of how far the objective is above the minimum, relative to it, where the problem is convex; elsewhere how
        far the conditions of a minimum are missed.
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
    The norm of a residual is no smooth function where it is 0. "coordinate-descent" has ``(r^2 / 0.1 + 0.1) / 2`` in
    place of a norm r below 0.1, a tenth of what one wrong label is: the minimum is larger by 0.05 for each instance at
    most, and rows of W are exactly zero by its conditions. Of "reweighted" a residual of a norm below 1e-8 counts as of
    that norm, and a row of W that is zero stays so.

    References
    ----------
    Nie, Huang, Cai and Ding, "Efficient and robust feature selection via joint l2,1-norms minimization", NIPS 2010,
    problem 8 and algorithm 1; the method of norms that Lim, Lee and Kim (2016) compare with.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.RFS(k=5, sparsity=10.0).fit(data.X, data.Y)
    >>> method.get_feature_names_out(data.feature_names)
    array(['x1', 'x11', 'x12', 'x21', 'x29'], dtype=object)
    >>> bool(method.objective_[0] > method.objective_[-1])
    True
    """

    complexity = Complexity("s m + m^3 + 100 s q", "s + m^2 + n q + d q")

    _centred = False

    def __init__(
        self,
        k: Size = 0.5,
        sparsity: float | str | None = None,
        system: Literal["auto", "instances", "features"] = "auto",
        max_iter: int | None = None,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        self.k = k
        self.sparsity = sparsity
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.system = system

    def _stopping(self) -> tuple[int, float]:
        reweighted = self.solver == "reweighted"
        default = _REGRESSIONS if reweighted else _ITERATIONS
        max_iter = default if self.max_iter is None else check_count(self.max_iter, "max_iter")
        return max_iter, 0.0 if reweighted else check_range(self.tol, "tol", 0)

    def _loss(self, X: Any, labels: FloatArray) -> _Residuals:
        check_known_name("system", self.system, _SYSTEMS, error=DataError)
        over_instances = self.system == "instances" or (self.system == "auto" and X.shape[0] <= X.shape[1])
        return _Residuals(X, labels, over_instances)


class _Residuals:
    """Norms of the residuals, by ridge regressions in which an instance is weighted by its previous norm."""

    alternating = True

    def __init__(self, X: Any, labels: FloatArray, over_instances: bool) -> None:
        self._X, self._over_instances = X, over_instances
        self._labels, self._known = completed_by_means(labels)
        self._by_instance: FloatArray | None = None

    @property
    def n_targets(self) -> int:
        return int(self._labels.shape[1])

    def descent(self, coefficients: FloatArray) -> tuple[float, FloatArray]:
        residuals = self._residuals(coefficients)
        norms = np.linalg.norm(residuals, axis=1)
        self._norms = np.maximum(norms, ROUNDED)
        value = float((np.square(norms) / (2.0 * self._norms) + self._norms / 2.0).sum())
        return value, self._X.T @ (residuals / (2.0 * self._norms)[:, np.newaxis])

    def _residuals(self, coefficients: FloatArray) -> FloatArray:
        """Return the residuals of the labels, of those that are not known what is best: none."""
        fitted = self._X @ coefficients
        if self._known is not None:
            self._labels = np.where(self._known, self._labels, fitted)
        return self._labels - fitted

    def products(self, rows: NDArray[np.intp]) -> FloatArray:
        columns = scaled(self._X[:, rows], rows=1.0 / np.sqrt(2.0 * self._norms))
        return as_dense(columns.T @ columns)

    def coefficients(self, widths: FloatArray, sparsity: float) -> FloatArray:
        if self._by_instance is None:
            self._by_instance = np.full(self._X.shape[0], sparsity)
        return _weighted_ridge(self._X, self._labels, widths, self._by_instance, sparsity, self._over_instances)

    def update(self, coefficients: FloatArray) -> float:
        residuals = np.linalg.norm(self._residuals(coefficients), axis=1)
        self._by_instance = 2.0 * np.maximum(residuals, _LEAST_NORM)
        return float(residuals.sum())


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
    weighted: Any = sp.diags_array(weight) @ X @ sp.diags_array(scale) if is_sparse(X) else weight[:, None] * X * scale
    if over_instances:
        solution = weighted.T @ penalised(weighted @ weighted.T, targets, penalty)
    else:
        solution = penalised(weighted.T @ weighted, weighted.T @ targets, penalty)
    return scale[:, np.newaxis] * solution
