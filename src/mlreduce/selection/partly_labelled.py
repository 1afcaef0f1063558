"""Selectors that take labels of which some are not known: CSFS and MDFS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.label_graph import label_laplacian
from mlreduce.selection.row_sparse import Regression, RowSparseSelector, graph_laplacian, solve_positive
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, check_known_labels, check_option, check_range, join_known, one_hot

#: Graphs of the labels of `MDFS`.
LABEL_GRAPHS = ("complete", "cosine")


class PartlyLabelledSelector(RowSparseSelector):
    """Base of the selectors that learn soft labels F of all instances, from labels of which some are not known.

    Unknown labels are NaN in ``y``; at least one must be known.
    """

    def _check_labels(self, y: Any, n_samples: int) -> FloatArray:
        return join_known(*check_known_labels(one_hot(y)[0], n_samples))

    def _learned(self, loss: Any, spread: Callable[[FloatArray], FloatArray]) -> None:
        self.soft_labels_ = loss.targets


@register("csfs")
class CSFS(PartlyLabelledSelector):
    """Convex semi-supervised feature selection (CSFS): regression on labels, the unknown ones anywhere from 0 to 1.

    It minimises

        ||X W + 1 b' - F||^2 + sparsity sum_j ||w_j||    subject to    F = Y where known, 0 <= F <= 1 elsewhere

    over W, one row per feature, b, and the unknown part of F. Unknown labels are NaN in ``y``: single cells, or the
    rows of unlabelled instances.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
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
    soft_labels_ : ndarray of shape (n_samples, n_labels)
        F.
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
    Cost: O(n d min(n, d) + r (min(n, d)^3 + n d q)) for r iterations; with fewer instances than features O(r n^2 d)
    instead of the first.

    In the paper all cells of labelled instances are known, and instances have weights: here all weigh 1. F is updated
    exactly: b and W by the other variables, and F by clipping ``X W + 1 b'``. The problem is convex.

    References
    ----------
    Chang, Nie, Yang and Huang, "A convex formulation for semi-supervised multi-label feature selection", AAAI 2014.

    Examples
    --------
    >>> import numpy as np
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> labels = data.Y.astype(float)
    >>> labels[100:] = np.nan  # not labelled
    >>> mlreduce.CSFS(k=10).fit(data.X, labels).transform(data.X).shape
    (1797, 10)
    """

    complexity = Complexity("s m + m^3 + s q", "s + m^2 + n q + d q")

    def _loss(self, X: Any, labels: FloatArray) -> Regression:
        return _Clipped(X, labels)


class _Clipped(Regression):
    """The loss of `CSFS`; its targets are F."""

    def _best_targets(self, fitted: FloatArray) -> FloatArray:
        return fitted.clip(0.0, 1.0)


@register("mdfs")
class MDFS(PartlyLabelledSelector):
    """Manifold regularised discriminative feature selection (MDFS): regression on labels smoothed by two graphs.

    It minimises

        tr(F'LF) + ||X W + 1 b' - F||^2 + label_error ||F - Y||^2 + label_smoothness tr(F L_0 F') + sparsity sum_j
        ||w_j||

    over W, one row per feature, b, and the soft labels F. L is the Laplacian of a graph of the instances, ``L_0`` that
    of a graph of the labels. Errors ``F - Y`` count where a label is known; the others are NaN in ``y``.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    label_error : float, default=1.0
        Weight of the soft labels' errors, > 0.
    label_smoothness : float, default=1.0
        Weight of the labels' similarity, >= 0.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows of W: a number > 0; a percentage of ``sparsity_max_``, such as "5%"; or None:
        the largest of 38 from 70 % of it down to 1e-6 of it with which k rows, or as many as instances, are not zero.
    proximity : Proximity, dict of its parameters, or None, default=None
        Graph of the instances; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    label_graph : {"complete", "cosine"}, default="complete"
        Weights of the pairs of labels that occur: 1, as in the program of the first author, or the cosine of the two.
        With "complete" the fourth term is ``label_smoothness q`` times the squares of the soft labels around their mean
        of the instance.
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
    soft_labels_ : ndarray of shape (n_samples, n_labels)
        F.
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
    Cost: O(n d min(n, d) + r (min(n, d)^3 + n d q)) for r iterations; with fewer instances than features O(r n^2 d)
    instead of the first. The search for neighbours of n instances comes first.

    F solves a Sylvester equation, by conjugate gradients, which also solve it where cells are unknown. The program
    multiplies the second term by ``label_error``, too, takes labels -1 and 1, and joins an instance with as many
    neighbours as there are other labels. It joins a label with as many nearest ones as there are others: with all. The
    problem is convex.

    References
    ----------
    Zhang, Luo, Li, Zhou and Li, "Manifold regularized discriminative feature selection for multi-label learning",
    Pattern Recognition 95, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> labels = data.Y.astype(float)
    >>> labels[::2, 0] = np.nan  # not known
    >>> mlreduce.MDFS(k=10).fit(data.X, labels).transform(data.X).shape
    (1797, 10)
    """

    complexity = Complexity("n s + m^3 + n q^2", "s + m^2 + n q + d q + q^2")

    def __init__(
        self,
        k: Size = 0.5,
        label_error: float = 1.0,
        label_smoothness: float = 1.0,
        sparsity: float | str | None = None,
        proximity: ProximityLike = None,
        label_graph: Literal["complete", "cosine"] = "complete",
        max_iter: int = 1000,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol, solver)
        self.label_error = label_error
        self.label_smoothness = label_smoothness
        self.proximity = proximity
        self.label_graph = label_graph

    def _loss(self, X: Any, labels: FloatArray) -> Regression:
        label_error = check_range(self.label_error, "label_error", 0, open_ends=True)
        label_smoothness = check_range(self.label_smoothness, "label_smoothness", 0)
        check_option(self.label_graph, "label_graph", LABEL_GRAPHS)
        return Smoothed(X, labels, label_error, label_smoothness, graph_laplacian(self.proximity, X), self.label_graph)


class Smoothed(Regression):
    """The loss of `MDFS`; its targets are F. Further parameters are those of `Regression`."""

    alternating = True

    def __init__(
        self,
        X: Any,
        labels: FloatArray,
        label_error: float,
        label_smoothness: float,
        laplacian: Any,
        label_graph: str = "cosine",
        **regression: Any,
    ) -> None:
        super().__init__(X, labels, **regression)
        known = ~np.isnan(labels)
        self._weights, self._laplacian = label_error * known, laplacian
        self._labels = np.where(known, labels, 0.0)
        self._between = label_smoothness * label_laplacian(self._labels, label_graph)
        self._diagonal = 1.0 + self._weights + laplacian.diagonal()[:, np.newaxis] + self._between.diagonal()

    def _smoothed(self, soft: FloatArray) -> FloatArray:
        return (1.0 + self._weights) * soft + self._laplacian @ soft + soft @ self._between

    def update(self, coefficients: FloatArray) -> float:
        """Minimise over the soft labels; return the loss."""
        fitted = self.fitted(coefficients)
        moments = fitted + self._weights * self._labels
        self.targets = solve_positive(self._smoothed, self._diagonal, moments, self.targets)
        smoothness = (self.targets * (self._laplacian @ self.targets + self.targets @ self._between)).sum()
        errors = (self._weights * np.square(self.targets - self._labels)).sum()
        value = float(smoothness + np.square(fitted - self.targets).sum() + errors)
        return value + self._curved_value(coefficients)
