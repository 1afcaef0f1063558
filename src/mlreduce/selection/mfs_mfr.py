"""MFS-MFR: weights of features near their relevance, of single labels and of all, with little redundancy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mlreduce.complexity import Complexity
from mlreduce.exceptions import warn
from mlreduce.registry import register
from mlreduce.selection.base import DiscretisingSelector, check_pairs, weigh
from mlreduce.selection.information import Counted, Labels, shared_bits
from mlreduce.selection.proximal import Minimum, Norm, minimise
from mlreduce.selection.quadratic import nearest_positive
from mlreduce.selection.row_sparse import graph_laplacian
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, check_count, check_range


@register("mfs-mfr")
class MFSMFR(DiscretisingSelector):
    """Minimal feature redundancy (MFS-MFR): sparse weights near the relevance, of single labels and of all labels.

    The weights W + M, one row per feature, one column per label, minimise

        ||W + M - R||^2 / 2 + sparsity sum_jl abs(w_jl) + row_sparsity sum_j ||m_j|| + sharing ||W'M||^2 / 2
        + redundancy tr((W + M)'G (W + M)) / 2 + smoothness tr((W + M)'L (W + M)) / 2

    R holds the information of features and labels, G that of features with each other with 1 on the diagonal, in bits;
    L is the Laplacian of a graph of the features. A feature's score is the sum of its weights.

    Labels may be unknown, NaN in ``y``: information on a label is that of the instances where it is known.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    sparsity : float or str, default="1%"
        Weight of the entries of W, >= 0; or as a percentage of the largest entry of R.
    row_sparsity : float or str, default="2%"
        Weight of the norms of the rows of M, >= 0; or as a percentage of the largest norm of a row of R.
    sharing : float, default=0.01
        Weight of what W and M have in common, >= 0.
    redundancy : float, default=0.1
        Weight of the redundancy, >= 0.
    smoothness : float, default=0.1
        Weight of the manifold term, >= 0.
    proximity : Proximity, dict of its parameters, or None, default=None
        Graph of the features, each a point with its values as coordinates; None is ``Proximity()``: Gaussian weights,
        ten nearest neighbours.
    discretise : {"equal-width", "equal-frequency", "mdl", "laim"} or None, default="equal-frequency"
        Discretisation of the features, see `mlreduce.preprocessing.discretisation.Discretiser`; None where they are
        bins: integers.
    n_bins : int, default=2
        Number of bins of "equal-width" and "equal-frequency", >= 2.
    max_iter : int, default=5000
        Largest number of iterations, >= 1.
    tol : float, default=1e-5
        Violation of the conditions of a minimum at which to stop, >= 0; see ``gap_``.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Sums of weights; they may be negative.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
        Of equal scores that with more information on the labels comes first.
    coef_ : ndarray of shape (n_features, n_labels)
        W.
    common_coef_ : ndarray of shape (n_features, n_labels)
        M.
    n_negative_eigenvalues_ : int
        Of G: they count as 0.
    objective_ : ndarray of shape (n_iter,)
        Objective after each iteration; it does not increase.
    n_iter_ : int
        Number of iterations.
    gap_ : float
        The largest change by a proximal gradient step of one, relative to the largest entry of R; 0 at a minimum.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Cost: O(n d^2 + n d q + r d^2 q) for r iterations, and the search for neighbours of d features.

    Gradient steps, extended as in Nesterov's method, after which entries of W and rows of M shrink; they start at 0,
    with the same step for both, and no step increases the objective. With ``sharing=0`` the problem is convex and W + M
    unique. The authors' program has fixed weights, solves systems for the quadratic terms in each step, and starts at
    a ridge solution that depends on the unit of the features; its objective may rise. Nor does it discretise: it takes
    the integer part of a value, by which features between 0 and 1 have no information. Two bins of equal frequency are
    those of a line of it that is commented out. Where G is not positive semidefinite the nearest such matrix takes its
    place, as of `QPFS`.

    References
    ----------
    Zhou, Li, Shang, Li and Jia, "Multi-label feature selection based on minimizing feature redundancy of mutual
    information", Neurocomputing 2024 (128392); the objective is that of the authors' program.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MFSMFR(k=10).fit_transform(data.X, data.Y).shape
    (1797, 10)
    """

    complexity = Complexity("n d^2 + n d q + d^3 + 300 q d^2", "n d + d^2 + d q")
    takes_unknown_cells = True
    takes_sparse_labels = True
    by_feature = ("coef_", "common_coef_")

    def __init__(
        self,
        k: Size = 0.5,
        sparsity: float | str = "1%",
        row_sparsity: float | str = "2%",
        sharing: float = 0.01,
        redundancy: float = 0.1,
        smoothness: float = 0.1,
        proximity: ProximityLike = None,
        discretise: str | None = "equal-frequency",
        n_bins: int = 2,
        max_iter: int = 5000,
        tol: float = 1e-5,
    ) -> None:
        super().__init__(k, discretise, n_bins)
        self.sparsity = sparsity
        self.row_sparsity = row_sparsity
        self.sharing = sharing
        self.redundancy = redundancy
        self.smoothness = smoothness
        self.proximity = proximity
        self.max_iter = max_iter
        self.tol = tol

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        check_pairs(X.shape[1], "MFSMFR")
        max_iter, tol = check_count(self.max_iter, "max_iter"), check_range(self.tol, "tol", 0)
        sharing = check_range(self.sharing, "sharing", 0)
        shares = check_range(self.redundancy, "redundancy", 0), check_range(self.smoothness, "smoothness", 0)
        redundancy, relevance = shared_bits(Counted.from_bins(self._bins(X, labels)), Labels(labels))
        sparsity = weigh(self.sparsity, "sparsity", float(relevance.max()))
        row_sparsity = weigh(self.row_sparsity, "row_sparsity", float(np.linalg.norm(relevance, axis=1).max()))
        redundancy, self.n_negative_eigenvalues_ = nearest_positive(redundancy)
        products = shares[0] * redundancy + shares[1] * graph_laplacian(self.proximity, X.T)
        products.flat[:: len(products) + 1] += 1.0
        minimum = minimum_of(products, relevance, sparsity, row_sparsity, sharing, tol, max_iter)
        if minimum.gap > tol > 0:
            warn(
                f"MFSMFR: after {max_iter} iterations the conditions of a minimum are violated by {minimum.gap:.1g} of "
                f"the largest information, more than tol={tol:g}; a larger max_iter lets it converge",
                ConvergenceWarning,
            )
        self.coef_, self.common_coef_ = np.split(minimum.coefficients, 2)
        self.objective_, self.gap_ = np.array(minimum.objective), minimum.gap
        self.n_iter_ = len(self.objective_)
        self._relevance = relevance.sum(axis=1)
        return (self.coef_ + self.common_coef_).sum(axis=1)

    def _best_first(self, scores: FloatArray) -> NDArray[np.intp]:
        return np.lexsort((-self._relevance, -scores))


class _Together(NamedTuple):
    """The penalty of W above M, one after the other in one table."""

    entries: Norm
    rows: Norm
    unit: float

    def of(self, table: FloatArray) -> float:
        above, below = np.split(table, 2)
        return self.entries.of(above) + self.rows.of(below)

    def shrunk(self, table: FloatArray, steps: FloatArray) -> FloatArray:
        parts = zip((self.entries, self.rows), np.split(table, 2), np.split(steps, 2), strict=True)
        return np.vstack([norm.shrunk(part, step) for norm, part, step in parts])

    def gap(self, coefficients: FloatArray, gradient: FloatArray, objective: float) -> float:
        """Return the largest change by a step of one, relative to the unit; a norm without weight has no steepness."""
        step = coefficients - self.shrunk(coefficients - gradient, np.ones((len(gradient), 1)))
        return float(np.abs(step).max()) / self.unit


def minimum_of(
    products: FloatArray,
    relevance: FloatArray,
    sparsity: float,
    row_sparsity: float,
    sharing: float,
    tol: float,
    max_iter: int,
) -> Minimum:
    """Minimise over W and M, one above the other; ``products`` are ``I + redundancy G + smoothness L``."""
    constant = float(np.square(relevance).sum())

    def loss(table: FloatArray) -> tuple[float, FloatArray]:
        W, M = np.split(table, 2)
        overlap, rest = W.T @ M, products @ (W + M) - relevance
        value = constant + float(((W + M) * (rest - relevance)).sum()) + sharing * float(np.square(overlap).sum())
        return value / 2.0, np.vstack([rest + sharing * M @ overlap.T, rest + sharing * W @ overlap])

    start = np.zeros((2 * len(relevance), relevance.shape[1]))
    penalty = _Together(Norm(sparsity), Norm(row_sparsity, by_row=True), float(relevance.max()) or 1.0)
    return minimise(loss, penalty, start, np.ones(len(start)), tol, max_iter)
