"""MFS-MFR: weights of features near their relevance, of single labels and of all, with little redundancy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mlreduce.complexity import Complexity
from mlreduce.exceptions import warn
from mlreduce.linalg.utilities import quotient
from mlreduce.registry import register
from mlreduce.selection.base import DiscretisingSelector
from mlreduce.selection.information import Counted, Labels, shared_bits
from mlreduce.selection.quadratic import nearest_positive
from mlreduce.selection.row_sparse import graph_laplacian
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, check_count, check_percentage, check_range

__all__ = ["MFSMFR"]

# Excess of a function over what bounds it that is rounding error.
_ROUNDING = 1e-12


@register("mfs-mfr")
class MFSMFR(DiscretisingSelector):
    """Minimal feature redundancy (MFS-MFR): sparse weights near the relevance, of single labels and of all labels.

    The weights W + M, one row per feature, one column per label, minimise

        ||W + M - R||^2 / 2 + alpha sum_jl |w_jl| + beta sum_j ||m_j|| + sharing ||W'M||^2 / 2
        + redundancy tr((W + M)'G (W + M)) / 2 + smoothness tr((W + M)'L (W + M)) / 2

    R holds the information of features and labels, G that of features with each other with 1 on the diagonal, in bits;
    L is the Laplacian of a graph of the features. A feature's score is the sum of its weights.

    Labels may be unknown, NaN in ``y``: information on a label is that of the instances where it is known.

    Parameters
    ----------
    k
        As of `Selector`.
    alpha : float or str, default="1%"
        Weight of the entries of W, >= 0; or as a percentage of the largest entry of R.
    beta : float or str, default="2%"
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
        As of `DiscretisingSelector`.
    n_bins : int, default=2
        As of `DiscretisingSelector`.
    max_iter : int, default=5000
        Largest number of iterations, >= 1.
    tol : float, default=1e-5
        Violation of the conditions of a minimum at which to stop, >= 0; see ``gap_``.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Sums of weights; they may be negative.
    ranking_
        As of `Selector`. Of equal scores that with more information on the labels comes first.
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
        By how much the conditions of a minimum are violated, relative to the largest entry of R.

    Notes
    -----
    Cost: O(n d^2 + n d q + r d^2 q) for r iterations, and the search for neighbours of d features.

    Gradient steps, extended as in Nesterov's method, after which entries of W and rows of M shrink; they start at 0,
    with the same step for both, and no step increases the objective. With ``sharing=0`` the problem is convex and W + M
    unique. The authors' program has fixed weights, solves systems for the quadratic terms in each step, and starts at
    a ridge solution that depends on the unit of the features; its objective may rise. Nor does it discretise: it takes
    the whole part of a value, by which features between 0 and 1 have no information. Two bins of equal frequency are
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

    complexity = Complexity("n d^2 + n d q + d^3", "n d + d^2 + d q")
    takes_unknown_cells = True
    takes_sparse_labels = True
    by_feature = ("coef_", "common_coef_")

    def __init__(
        self,
        k: Size = 0.5,
        alpha: float | str = "1%",
        beta: float | str = "2%",
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
        self.alpha = alpha
        self.beta = beta
        self.sharing = sharing
        self.redundancy = redundancy
        self.smoothness = smoothness
        self.proximity = proximity
        self.max_iter = max_iter
        self.tol = tol

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        max_iter, tol = check_count(self.max_iter, "max_iter"), check_range(self.tol, "tol", 0)
        sharing = check_range(self.sharing, "sharing", 0)
        shares = check_range(self.redundancy, "redundancy", 0), check_range(self.smoothness, "smoothness", 0)
        redundancy, relevance = shared_bits(Counted.of(self._bins(X, labels)), Labels(labels))
        alpha = _weight(self.alpha, "alpha", float(relevance.max()))
        beta = _weight(self.beta, "beta", float(np.linalg.norm(relevance, axis=1).max()))
        redundancy, self.n_negative_eigenvalues_ = nearest_positive(redundancy)
        products = shares[0] * redundancy + shares[1] * graph_laplacian(self.proximity, X.T)
        products.flat[:: len(products) + 1] += 1.0
        weights = _Weights(products, relevance, alpha, beta, sharing)
        history = weights.minimise(tol, max_iter)
        if weights.gap > tol > 0:
            warn(
                f"MFSMFR: after {max_iter} iterations the conditions of a minimum are violated by {weights.gap:.1g} of "
                f"the largest information, more than tol={tol:g}; a larger max_iter lets it converge",
                ConvergenceWarning,
            )
        self.coef_, self.common_coef_ = weights.both
        self.objective_, self.n_iter_, self.gap_ = np.array(history), len(history), weights.gap
        self._relevance = relevance.sum(axis=1)
        scores: FloatArray = weights.both.sum(axis=(0, 2))
        return scores

    def _best_first(self, scores: FloatArray) -> NDArray[np.intp]:
        return np.lexsort((-self._relevance, -scores))


def _weight(value: float | str, name: str, largest: float) -> float:
    if isinstance(value, str):
        return float(check_percentage(value, name)) / 100.0 * largest
    return check_range(value, name, 0)


class _Weights:
    """W and M of `MFSMFR`, and the minimisation over both; ``products`` are ``I + redundancy G + smoothness L``."""

    def __init__(self, products: FloatArray, relevance: FloatArray, alpha: float, beta: float, sharing: float) -> None:
        self._products, self._relevance = products, relevance
        self._alpha, self._beta, self._sharing = alpha, beta, sharing
        self.both = np.zeros((2, *relevance.shape))
        self.gap = np.inf

    def _smooth(self, both: FloatArray, image: FloatArray) -> tuple[float, FloatArray]:
        """Return what has a gradient, and the gradient; ``image`` are the products times W + M."""
        overlap, rest = both[0].T @ both[1], image - self._relevance
        value = np.square(self._relevance).sum() + (both.sum(axis=0) * (rest - self._relevance)).sum()
        value += self._sharing * np.square(overlap).sum()
        common = self._sharing * np.stack([both[1] @ overlap.T, both[0] @ overlap])
        return float(value) / 2.0, rest + common

    def _penalty(self, both: FloatArray) -> float:
        return float(self._alpha * np.abs(both[0]).sum() + self._beta * np.linalg.norm(both[1], axis=1).sum())

    def _shrunk(self, both: FloatArray, steepness: float) -> FloatArray:
        """Return the minimum of the penalty plus half the steepness times the squared distance."""
        entries = np.maximum(np.abs(both[0]) - self._alpha / steepness, 0.0)
        norms = np.linalg.norm(both[1], axis=1)[:, np.newaxis]
        rows = np.maximum(norms - self._beta / steepness, 0.0)
        return np.stack([np.copysign(entries, both[0]), quotient(rows, norms) * both[1]])

    def minimise(self, tol: float, max_iter: int) -> list[float]:
        """Minimise until the gap is ``tol``; return the objective after each iteration."""
        steepness = 2.0 * float(np.linalg.norm(self._products, 2))
        largest = float(self._relevance.max()) or 1.0
        image, momentum = np.zeros_like(self._relevance), 1.0
        ahead, ahead_image = self.both, image
        history: list[float] = []
        value = self._smooth(self.both, image)[0]
        while len(history) < max_iter and self.gap > tol:
            smooth, slopes = self._smooth(ahead, ahead_image)
            moved = self._shrunk(ahead - slopes / steepness, steepness)
            moved_image, change = self._products @ moved.sum(axis=0), moved - ahead
            reached, their_slopes = self._smooth(moved, moved_image)
            bound = smooth + (slopes * change).sum() + 0.5 * steepness * np.square(change).sum()
            if reached > bound + _ROUNDING * abs(
                smooth
            ):  # of sharing, whose term has no bound on its second derivative
                steepness *= 2.0
                continue
            reached += self._penalty(moved)
            if reached > value and momentum > 1.0:  # too far ahead
                ahead, ahead_image, momentum = self.both, image, 1.0
                continue
            following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
            share, momentum = (momentum - 1.0) / following, following
            ahead = moved + share * (moved - self.both)
            ahead_image = moved_image + share * (moved_image - image)
            self.both, image, value = moved, moved_image, min(reached, value)
            # What is zero of the slopes at a minimum: those plus a slope of the penalty at the same place.
            self.gap = float(np.abs(their_slopes - slopes - steepness * change).max()) / largest
            history.append(value)
        return history
