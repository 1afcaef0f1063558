"""Selectors by the coefficients of a ridge regression of the labels on the features: MFS-MCDM and PMFS."""

from __future__ import annotations

import warnings
from bisect import bisect_right
from typing import Any, Literal

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.special import entr

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import row_blocks, to_grid
from mlreduce.linalg.features import Features, column_scatter, shifted
from mlreduce.linalg.utilities import quotient, scaled
from mlreduce.registry import register
from mlreduce.selection.base import Selector, varying_labels
from mlreduce.selection.row_sparse import Copies
from mlreduce.validation import FloatArray, Size, check_option, check_range

WEIGHTS = ("entropy", "equal")
SCALES = ("std", None)

# Coefficients, relative to the largest, and scores are rounded to multiples of this, so that ties are exact.
_UNIT = 2.0**-32


class RidgeCoefficientSelector(Selector):
    """Base of the selectors by the coefficients of a ridge regression.

    ``D = (X'X + alpha I)^-1 X'Y`` minimises ``||X D - Y||^2 + alpha ||D||^2``, without an intercept. Labels that all or
    no instances have are left out.
    """

    by_feature: tuple[str, ...] = ("coef_",)

    def __init__(self, k: Size = 0.5, alpha: float = 10.0, scale: Literal["std"] | None = "std") -> None:
        self.k = k
        self.alpha = alpha
        self.scale = scale

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        labels = varying_labels(labels)
        self.coef_ = self._coefficients(X, labels)
        largest = float(np.abs(self.coef_).max(initial=0.0))
        # Of a size that all scores are independent of.
        return self._score_coefficients(np.rint(self.coef_ / ((largest or 1.0) * _UNIT)) * _UNIT, labels)

    def _score_coefficients(self, coefficients: FloatArray, labels: FloatArray) -> FloatArray:
        """Return the scores from the coefficients over the largest of them."""
        raise NotImplementedError  # abstract: a method is this choice

    def _coefficients(self, X: Any, labels: FloatArray) -> FloatArray:
        alpha = check_range(self.alpha, "alpha", 0, open_ends=True)
        if check_option(self.scale, "scale", SCALES) == "std":
            X = scaled(X, columns=quotient(np.sqrt(X.shape[0]), np.sqrt(column_scatter(shifted(X)))))
        copies = Copies(X, centred=False)
        features = Features(copies.merge(X), centred=False)
        by_feature = features.shape[1] <= features.shape[0]
        system = features.scatter if by_feature else features.gram
        moments = features.transposed_dot(labels) if by_feature else labels
        system.flat[:: len(system) + 1] += alpha
        scale = 1.0 / np.sqrt(system.diagonal())[:, np.newaxis]
        system *= scale
        system *= scale.T
        with warnings.catch_warnings():
            warnings.simplefilter("error", scipy.linalg.LinAlgWarning)
            try:
                solved = scale * scipy.linalg.solve(system, scale * moments, assume_a="pos", overwrite_a=True)
            except (scipy.linalg.LinAlgError, scipy.linalg.LinAlgWarning):
                raise DataError(
                    f"the regression cannot be solved: alpha={alpha:g} is rounded away by the squares of the features; "
                    "scale these to the order of one, or take a larger alpha"
                ) from None
        return copies.share(solved if by_feature else features.transposed_dot(solved))


@register("mfs-mcdm")
class MFSMCDM(RidgeCoefficientSelector):
    """Multi-label feature selection by multi-criteria decision making (MFS-MCDM): TOPSIS on ridge coefficients.

    Labels are criteria, and features the alternatives, which have the values ``V_jl = a_l D_jl`` with the coefficients
    D of a ridge regression of the labels. The ideal feature has the largest value of each label, and the opposite the
    smallest. Of the Euclidean distances to them the score is ``d- / (d+ + d-)``: 1 for the ideal, 0 for the opposite.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    alpha : float, default=10.0
        Weight of the coefficients' squares, > 0.
    scale : {"std"} or None, default="std"
        What features are divided by: their standard deviations. With None rankings depend on units, and features of
        small numbers have large coefficients.
    weights : {"entropy", "equal"}, default="entropy"
        Weights a of the labels: their entropies over the sum of these, or all the same.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        In [0, 1].
    coef_ : ndarray of shape (n_features, n_varying_labels)
        D, of features as they are scaled, a column for each label that varies.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Coefficients keep their sign: a feature that is evidence against a label ranks behind one without information.

    Cost: O(n d min(n, d) + min(n, d)^3 + n d q).

    The authors' program computes the weights by entropies, but overwrites what they multiply, and takes features as
    they are: it is the method with ``weights="equal", scale=None``.

    References
    ----------
    Hashemi, Dowlatshahi and Nezamabadi-pour, "MFS-MCDM: Multi-label feature selection using multi-criteria decision
    making", Knowledge-Based Systems 206, 2020.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MFSMCDM(k=5).fit(data.X, data.Y)
    >>> method.transform(data.X).shape
    (300, 5)
    """

    complexity = Complexity("s m + m^3 + s q + n m q + d q", "m^2 + d q")

    def __init__(
        self,
        k: Size = 0.5,
        alpha: float = 10.0,
        scale: Literal["std"] | None = "std",
        weights: Literal["entropy", "equal"] = "entropy",
    ) -> None:
        super().__init__(k, alpha, scale)
        self.weights = weights

    def _score_coefficients(self, coefficients: FloatArray, labels: FloatArray) -> FloatArray:
        if check_option(self.weights, "weights", WEIGHTS) == "entropy":
            shares = labels.mean(axis=0)
            coefficients = coefficients * (entr(shares) + entr(1.0 - shares))
        to_ideal = np.linalg.norm(coefficients - coefficients.max(axis=0), axis=1)
        to_opposite = np.linalg.norm(coefficients - coefficients.min(axis=0), axis=1)
        return to_grid(quotient(to_opposite, to_ideal + to_opposite), _UNIT)


@register("pmfs")
class PMFS(RidgeCoefficientSelector):
    """Pareto-based multi-label feature selection (PMFS): fronts of the largest and of the most different coefficients.

    With the coefficients D of a ridge regression of the labels a feature has two values, of which more is better:

        relevance    max_l D_jl
        difference   sum_i ||D_i - D_j||

    The first front are the features that no other one dominates, by one value that is larger and none that is smaller;
    the second front those that only the first dominates, and so on. Within a front the features rank by the crowding
    distance: the sum over both values of the difference of the feature's neighbours in the front, relative to the
    range of the front; infinite at its ends.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    alpha : float, default=10.0
        Weight of the coefficients' squares, > 0.
    scale : {"std"} or None, default="std"
        What features are divided by: their standard deviations. With None rankings depend on units, and features of
        small numbers have large coefficients.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        ``-(front + 1 / (1 + crowding distance))``, with fronts from 1 on.
    coef_ : ndarray of shape (n_features, n_varying_labels)
        D, of features as they are scaled, a column for each label that varies.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Features with equal values are one member of a front, and have the same score: copies neither crowd nor separate
    others. In the authors' program they have different crowding distances by their order, of which some are undefined.
    It takes features as they are, as ``scale=None``, and adds a column of fronts to a row of crowding distances, which
    makes a matrix: its ranking is that of the fronts alone.

    Cost: O(n d min(n, d) + min(n, d)^3 + n d q + d^2 q).

    References
    ----------
    Hashemi, Dowlatshahi and Nezamabadi-pour, "An efficient Pareto-based feature selection algorithm for multi-label
    classification", Information Sciences 581, 2021. Fronts and crowding distances: Deb, Pratap, Agarwal and Meyarivan,
    "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE Transactions on Evolutionary Computation 6(2),
    2002.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.PMFS(k=5).fit(data.X, data.Y)
    >>> float(method.scores_.max())  # an end of the first front
    -1.0
    """

    complexity = Complexity("s m + m^3 + s q + d^2 q", "m^2 + d q")

    def _score_coefficients(self, coefficients: FloatArray, labels: FloatArray) -> FloatArray:
        difference = np.empty(len(coefficients))
        for rows in row_blocks(len(coefficients), len(coefficients)):
            difference[rows] = cdist(coefficients[rows], coefficients).sum(axis=1)
        values = np.column_stack([coefficients.max(axis=1), to_grid(difference, _UNIT * len(coefficients))])
        points, which = np.unique(-values, axis=0, return_inverse=True)
        fronts = _fronts(points[:, 1])
        return -to_grid(fronts + 1.0 / (1.0 + _crowding(points, fronts)), _UNIT)[which.reshape(-1)]


def _fronts(second: FloatArray) -> NDArray[np.intp]:
    """Return the fronts, from 1 on, of different points with two values of which less is better.

    They are in ascending order of the first value, of equal ones of the second, which is given. A point is in the first
    front whose last member so far has a larger second value: that member has the smallest of its front.
    """
    fronts, lasts = np.empty(len(second), dtype=np.intp), list[float]()
    for place, value in enumerate(second.tolist()):
        front = bisect_right(lasts, value)
        lasts[front : front + 1] = [value]
        fronts[place] = front + 1
    return fronts


def _crowding(points: FloatArray, fronts: NDArray[np.intp]) -> FloatArray:
    """Return the crowding distances of different points, which are in ascending order of the first value.

    Within a front the order of one value is the reverse of that of the other.
    """
    order = np.argsort(fronts, kind="stable")
    chain, of_chain = points[order], fronts[order]
    starts = np.flatnonzero(np.diff(of_chain, prepend=0))
    sizes = np.diff(starts, append=len(chain))
    ranges = np.repeat(np.abs(chain[starts + sizes - 1] - chain[starts]), sizes, axis=0)
    crowding = np.full(len(chain), np.inf)
    inner = np.setdiff1d(np.arange(len(chain)), np.r_[starts, starts + sizes - 1])
    crowding[inner] = (np.abs(chain[inner + 1] - chain[inner - 1]) / ranges[inner]).sum(axis=1)
    crowding[order] = crowding.copy()
    return crowding
