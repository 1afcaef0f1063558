"""MRDM: multi-label feature selection by manifold regularisation and dependence maximisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.registry import register
from mlreduce.selection.row_sparse import Regression, RowSparseSelector, completed_by_means, graph_laplacian
from mlreduce.spectral.graphs.proximity import ProximityLike
from mlreduce.validation import FloatArray, Size, check_range

# Singular value, relative to the largest, that counts as zero; if squares have such values, they are too inexact.
_RANK = 1e-10

# Of the steps in which V is minimised over: the share of what all have gained at which a step is the last one, what
# is always too little, for each column of V, and their largest number.
_SHARE, _LEAST, _STEPS = 0.03, 1e-13, 300


@register("mrdm")
class MRDM(RowSparseSelector):
    """Manifold regularisation and dependence maximisation (MRDM): a regression on orthonormal latent labels.

    It minimises

        ||X W - V||^2 + smoothness tr(V'LV) - dependence tr(V'H Y Y'H V) + sparsity sum_j ||w_j||
        subject to    V'V = I

    over W, one row per feature, and the latent labels V, with as many columns as labels. L is the Laplacian of a graph
    of the instances and H centres: the third term is the dependence of V on the labels, by the Hilbert-Schmidt
    independence criterion with linear kernels.

    Labels may be unknown, NaN in ``y``: each counts as the mean of the known ones of that label, and so for nothing in
    the dependence.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    smoothness : float, default=1.0
        Weight of the manifold term, >= 0.
    dependence : float, default=1.0
        Weight of the dependence on the labels, > 0.
    sparsity : float, str or None, default=None
        Weight of the norms of the rows of W: a number > 0; a percentage of ``sparsity_max_``, such as "5%"; or None:
        the largest of 38 from 70 % of it down to 1e-6 of it with which k rows, or as many as instances, are not zero.
    proximity : Proximity, dict of its parameters, or None, default=None
        Graph of the instances; None is ``Proximity()``: Gaussian weights, ten nearest neighbours. The authors' program
        joins all pairs, ``{"n_neighbors": None, "tau": 2.0}``.
    max_iter : int, default=1000
        Largest number of iterations, >= 1.
    tol : float, default=1e-8
        Largest ``gap_`` at which to stop, of "reweighted" relative decrease of the objective, >= 0; 0 for no stop.
    solver : {"coordinate-descent", "reweighted"}, default="coordinate-descent"
        "reweighted" is what the papers print, with a number for sparsity: in each iteration a ridge regression with
        ``||w_j||^2 / (2 s_j)`` in place of ``||w_j||``, s_j the last norm, at first 1/2. Rows of W do not reach zero.
        "reweighted" alternates as "coordinate-descent" does; the authors' program minimises
        over W and V together, by the eigenvectors of a matrix of all instances.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_columns)
        W.
    latent_labels_ : ndarray of shape (n_samples, n_columns)
        V. As many columns as the rank of the centred labels: fewer than labels where some are constant or given by
        others.
    objective_ : ndarray of shape (n_iter,)
        Objective after each iteration, plus ``dependence ||HY||^2``, so that it is not negative: the third term is then
        ``dependence ||H Y - V V'H Y||^2``. It does not increase.
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of W, equal of columns that are equal or one the negative of the other. Features with rows of
        zeros are ranked by how steep the loss is by these rows.
    n_iter_ : int
        Number of iterations.
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
    Cost: O(n d min(n, d) + r (min(n, d)^3 + n d q + t n q^2)) for r iterations with t steps for V each, and the search
    for neighbours of n instances. No matrix of all pairs of instances is made, but of a graph that joins all.

    V starts as the left singular vectors of HY, all of them, so that equal singular values leave no choice, and is
    minimised over by polar factors of ``(c - smoothness L) V + dependence H Y Y'H V + X W`` with a bound c of the
    eigenvalues of smoothness L, extended as in Nesterov's method. The objective does not change if one matrix rotates V
    and W, nor do the scores. The problem is not convex: the result is a point at which neither can be improved alone.

    There is no intercept, as in the paper's program: centre the features.

    References
    ----------
    Huang and Wu, "Multi-label feature selection via manifold regularization and dependence maximization", Pattern
    Recognition 120, 2021; the equations are those of the first author's program.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MRDM(k=10).fit_transform(data.X - data.X.mean(axis=0), data.Y).shape
    (1797, 10)
    """

    _centred = False

    complexity = Complexity("n s + 100 n d q", "s + m^2 + n q + d q")

    def __init__(
        self,
        k: Size = 0.5,
        smoothness: float = 1.0,
        dependence: float = 1.0,
        sparsity: float | str | None = None,
        proximity: ProximityLike = None,
        max_iter: int = 1000,
        tol: float = 1e-8,
        solver: Literal["coordinate-descent", "reweighted"] = "coordinate-descent",
    ) -> None:
        super().__init__(k, sparsity, max_iter, tol, solver)
        self.smoothness = smoothness
        self.dependence = dependence
        self.proximity = proximity

    def _loss(self, X: Any, labels: FloatArray) -> _Dependent:
        smoothness = check_range(self.smoothness, "smoothness", 0)
        dependence = check_range(self.dependence, "dependence", 0, open_ends=True)
        return _Dependent(X, labels, dependence, smoothness * graph_laplacian(self.proximity, X))

    def _learned(self, loss: _Dependent, spread: Callable[[FloatArray], FloatArray]) -> None:
        self.latent_labels_ = loss.targets


class _Dependent(Regression):
    """The loss of `MRDM`; its targets are V."""

    alternating = True

    def __init__(self, X: Any, labels: FloatArray, dependence: float, laplacian: Any) -> None:
        completed, _ = completed_by_means(labels)
        self._centred = completed - completed.mean(axis=0)
        self._beta, self._laplacian = dependence, laplacian
        self._bound = 2.0 * float(laplacian.diagonal().max())
        left, values, _ = np.linalg.svd(self._centred, full_matrices=False)
        super().__init__(X, left[:, values > _RANK * values.max()], intercept=False)
        self.targets = self._turned(np.zeros_like(self.targets))

    def _image(self, columns: FloatArray) -> FloatArray:
        """Return ``(smoothness L - dependence H Y Y'H) V``."""
        image: FloatArray = self._laplacian @ columns
        image -= self._centred @ (self._beta * (self._centred.T @ columns))
        return image

    def update(self, coefficients: FloatArray) -> float:
        fitted = self.fitted(coefficients)
        if coefficients.any():  # or V is what it has begun with
            self.targets = self._turned(fitted)
        latent = self.targets
        smoothness = (latent * (self._laplacian @ latent)).sum()
        errors = np.square(self._centred - latent @ (latent.T @ self._centred)).sum()
        return float(np.square(fitted - latent).sum() + smoothness + self._beta * errors)

    def _turned(self, fitted: FloatArray) -> FloatArray:
        """Return a better V: ``tr(V'AV) - 2 tr(V'XW)`` lies below its tangent plus c times the squared distance."""

        def value_of(columns: FloatArray, image: FloatArray) -> float:
            return float((columns * (image - 2.0 * fitted)).sum())

        latent, momentum = self.targets, 1.0
        image = self._image(latent)
        ahead, ahead_image = latent, image
        value = first = value_of(latent, image)
        for _ in range(_STEPS):
            turned = _polar(self._bound * ahead - ahead_image + fitted)
            turned_image = self._image(turned)
            gain = value - value_of(turned, turned_image)
            if gain < 0.0 and momentum > 1.0:  # too far ahead
                ahead, ahead_image, momentum = latent, image, 1.0
                continue
            if gain <= _LEAST * latent.shape[1] + _SHARE * (first - value):
                return turned if gain > 0.0 else latent
            value -= gain
            following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
            share, momentum = (momentum - 1.0) / following, following
            ahead, ahead_image = turned + share * (turned - latent), turned_image + share * (turned_image - image)
            latent, image = turned, turned_image
        return latent


def _polar(columns: FloatArray) -> FloatArray:
    """Return the nearest matrix with orthonormal columns."""
    values, vectors = np.linalg.eigh(columns.T @ columns)
    nearest: FloatArray
    if values.size and values[0] <= _RANK * values[-1]:  # the squares are too inexact
        left, _, right = np.linalg.svd(columns, full_matrices=False)
        nearest = left @ right
    else:
        nearest = columns @ ((vectors / np.sqrt(values)) @ vectors.T)
    return nearest
