"""PNC: selection by correlations of features with labels that have a sign."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import entr

from mlreduce.complexity import Complexity
from mlreduce.linalg.distances import row_blocks
from mlreduce.preprocessing.discretisation import discretise
from mlreduce.registry import register
from mlreduce.selection.base import weigh
from mlreduce.selection.partly_labelled import PartlyLabelledSelector, Smoothed
from mlreduce.selection.row_sparse import OffSubspace, few_products, mean_scatter
from mlreduce.validation import FloatArray, Size, check_range, is_sparse

# Singular value, relative to the largest, that counts as zero.
_RANK = 1e-10


@register("pnc")
class PNC(PartlyLabelledSelector):
    """Positive or negative correlation (PNC): a regression whose coefficients are near combinations of correlations.

    It minimises

        ||X W + 1 b' - F||^2 + ||Y - F||^2 + label_smoothness tr(F L F') + subspace_error ||W - K H||^2
        + sparsity sum_j ||w_j||

    over W, one row per feature, b, the soft labels F and H. L is the Laplacian of the cosines of the labels. K has one
    row per feature, one column per label: with the feature cut into two bins of nearly as many instances each, the
    entropy of the bin among instances without the label less that among instances with it, in bits. It is positive
    where the feature is more concentrated among the instances of the label. Errors ``Y - F`` count where a label is
    known; the others are NaN in ``y``.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    label_smoothness : float, default=1.0
        Weight of the labels' similarity, >= 0; lambda1 in the paper's program.
    subspace_error : float or str, default="1%"
        Weight of what of the coefficients is no combination of columns of K, >= 0; lambda2 in the paper's program: a
        number, or a percentage of the mean over the features of their sums of squares around the mean, with which
        their unit makes no difference.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows of W: a number > 0; a percentage of ``sparsity_max_``, such as "5%"; or None:
        the largest of 38 from 70 % of it down to 1e-6 of it with which k rows, or as many as instances, are not zero.
    fit_intercept : bool, default=True
        Whether there is a b. The paper's program has none.
    max_iter : int, default=1000
        Largest number of iterations, >= 1.
    tol : float, default=1e-8
        Largest ``gap_`` at which to stop, of "reweighted" relative decrease of the objective, >= 0; 0 for no stop.
    solver : {"coordinate-descent", "reweighted"}, default="coordinate-descent"
        "reweighted" is what the papers print, with a number for sparsity: in each iteration a ridge regression with
        ``||w_j||^2 / (2 s_j)`` in place of ``||w_j||``, s_j the last norm, at first 1/2. Rows of W do not reach zero.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Sums of the absolute values of the rows of W.
    coef_ : ndarray of shape (n_features, n_labels)
        W.
    correlation_ : ndarray of shape (n_features, n_labels)
        K.
    soft_labels_ : ndarray of shape (n_samples, n_labels)
        F.
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
    Cost: O(n d (d + q) + r (d^3 + d^2 q + n q^2)) for r iterations.

    The problem is convex. The best H is known for each W, and leaves of the fourth term
    ``subspace_error ||W - Q Q'W||^2`` with an orthonormal basis Q of the columns of K; F is solved for exactly, in turn
    with W. The program takes W, F and H in turn from one half everywhere until the objective moves by 0.01, with
    ``sparsity`` 1.

    A label of all instances or of none has a column of zeros in K; in the program it has one less the entropy of the
    feature. The sign of a feature matters: K is the same for x and -x, so that they have unequal scores.

    References
    ----------
    Lin, He, Guo and Ding, "Multi-label feature selection via positive or negative correlation", IEEE Transactions on
    Emerging Topics in Computational Intelligence 8(1), 2024; equations from the program of the authors.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.PNC(k=10).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("s d + d^3 + 100 s q", "n d + d^2 + n q + d q + q^2", least_bytes=0.4)
    by_feature = ("coef_", "correlation_")

    _order = 1

    def __init__(
        self,
        k: Size = 0.5,
        label_smoothness: float = 1.0,
        subspace_error: float | str = "1%",
        sparsity: float | str | None = None,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol, solver)
        self.label_smoothness = label_smoothness
        self.subspace_error = subspace_error
        self.fit_intercept = fit_intercept

    @property
    def _merges_copies(self) -> bool:  # type: ignore[override]
        return self.subspace_error == 0  # else the fourth term ties them

    def _loss(self, X: Any, labels: FloatArray) -> _Correlated:
        label_smoothness = check_range(self.label_smoothness, "label_smoothness", 0)
        subspace_error = weigh(self.subspace_error, "subspace_error", mean_scatter(X))
        return _Correlated(X, labels, label_smoothness, subspace_error, bool(self.fit_intercept))

    def _learned(self, loss: Any, spread: Any) -> None:
        super()._learned(loss, spread)
        one = np.ones((len(loss.correlation), 1))
        self.correlation_ = spread(loss.correlation) / spread(one)  # copies have the same row


class _Correlated(Smoothed):
    """The loss of `PNC`: that of `MDFS` without a graph of instances, and with a curvature off the columns of K."""

    def __init__(
        self, X: Any, labels: FloatArray, label_smoothness: float, subspace_error: float, intercept: bool
    ) -> None:
        self.correlation = _correlations(X, labels)
        left, values, _ = np.linalg.svd(self.correlation, full_matrices=False)
        basis = left[:, values > _RANK * values.max(initial=0.0)]
        curvature: Any = None
        if subspace_error:
            curvature = OffSubspace(basis, subspace_error)
            if few_products(X):
                curvature = subspace_error * (np.eye(X.shape[1]) - basis @ basis.T)
        no_graph = sp.csr_array((X.shape[0], X.shape[0]))
        super().__init__(X, labels, 1.0, label_smoothness, no_graph, intercept=intercept, curvature=curvature)


def _correlations(X: Any, labels: FloatArray) -> FloatArray:
    """Return K of `PNC`."""
    without, within = labels == 0, labels == 1
    varying = without.any(axis=0) & within.any(axis=0)
    by_column, gains = X.tocsc() if is_sparse(X) else X, np.empty((X.shape[1], labels.shape[1]))
    for block in row_blocks(X.shape[1], X.shape[0]):
        upper = discretise(by_column[:, block], labels, "equal-frequency", 2)
        gains[block] = _entropies(upper, without) - _entropies(upper, within)
    return np.where(varying, gains, 0.0)


def _entropies(upper: NDArray[np.int32], members: NDArray[np.bool_]) -> FloatArray:
    """Return the entropies in bits of two bins of each feature, among the members of each label."""
    shares = (upper.T @ members.astype(np.float64)) / np.maximum(members.sum(axis=0), 1)
    return (entr(shares) + entr(1.0 - shares)) / np.log(2.0)
