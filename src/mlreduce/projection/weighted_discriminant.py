"""Weighted multi-label linear discriminant analysis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mlreduce.exceptions import DataError
from mlreduce.linalg.features import Features
from mlreduce.linalg.utilities import quotient
from mlreduce.projection.discriminant import WeightedDiscriminant, cosine_weights
from mlreduce.projection.ridge import Ridge
from mlreduce.registry import register
from mlreduce.spectral import TrainingSet
from mlreduce.validation import FloatArray, Size, as_dense, check_option

# Relative change of the fuzzy criterion at convergence, and the most iterations of either kind.
_CONVERGED = 1e-12
_MOST_ITERATIONS = 1000

# Squared distance from a mean, relative to the largest squared norm, below which an instance is at the mean; and gain
# of the dependence, relative to the largest product of instances, below which there is none.
_ROUNDING = 1e-13


def _binary(data: TrainingSet) -> Any:
    """Return Y itself."""
    return data.labels


def _entropy(data: TrainingSet) -> FloatArray:
    """Return the labels of an instance with equal weights that sum to one."""
    return as_dense(data.labels) * quotient(1.0, data.label_counts)[:, np.newaxis]


def _fuzzy(data: TrainingSet) -> FloatArray:
    """Alternate means and memberships of fuzzy c-means, of the labels that an instance has."""
    features, present = data.centred, as_dense(data.labels)
    weights, least, before = _entropy(data), _ROUNDING * features.squared_norms.max(), np.inf
    for _ in range(_MOST_ITERATIONS):
        squared = np.maximum(_squared_distances(features, np.square(weights)), least or 1.0)
        closeness = present / squared
        weights = closeness * quotient(1.0, closeness.sum(axis=1))[:, np.newaxis]
        cost = float(np.sum(np.square(weights) * squared))
        if before - cost <= _CONVERGED * cost:
            break
        before = cost
    return weights


def _squared_distances(features: Features, weights: FloatArray) -> FloatArray:
    """Return the squared distances of the instances from the weighted means, shape (n_samples, n_labels)."""
    means = features.transposed_dot(weights) * quotient(1.0, weights.sum(axis=0))
    return features.squared_norms[:, np.newaxis] - 2 * features.dot(means) + np.square(means).sum(axis=0)


def _dependence(data: TrainingSet) -> FloatArray:
    """Maximise ``tr(W'Xc Xc'W)`` over weights of the labels that an instance has, rows summing to one.

    The criterion is convex in W: a maximum is at a corner, where an instance is counted for one of its labels. Steps to
    the corner that is best by the gradient bring all instances to one at once and cannot lower a convex criterion. Then
    blocks follow, the weights of one instance each: the block with the largest gain first, so that the order of the
    instances has no effect.
    """
    features, present = data.centred, as_dense(data.labels) > 0
    weights, some = _entropy(data), present.any(axis=1)
    for _ in range(_MOST_ITERATIONS):
        gradient = np.where(present, features.dot(features.transposed_dot(weights)), -np.inf)
        corner = np.zeros_like(weights)
        corner[some, gradient[some].argmax(axis=1)] = 1.0
        if (corner == weights).all():
            break
        weights = corner
    norms = features.squared_norms[:, np.newaxis]
    products = features.dot(features.transposed_dot(weights))
    while True:  # ends: each step raises the criterion by more than rounding
        others = products - norms * weights  # of the weights of an instance with those of all others
        now = np.einsum("ij,ij->i", others, weights)
        gains = np.where(present, others, -np.inf).max(axis=1) - now
        row = int(gains.argmax())
        if gains[row] <= _ROUNDING * norms.max() * len(norms):
            return weights
        best, left = int(np.where(present[row], others[row], -np.inf).argmax()), int(weights[row].argmax())
        unit = np.zeros(len(norms))
        unit[row] = 1.0
        moved = features.dot(features.transposed_dot(unit))
        products[:, best] += moved
        products[:, left] -= moved
        weights[row, left], weights[row, best] = 0.0, 1.0


_WEIGHTS: Mapping[str, Callable[[TrainingSet], Any]] = {
    "binary": _binary,
    "correlation": cosine_weights,
    "entropy": _entropy,
    "fuzzy": _fuzzy,
    "dependence": _dependence,
}


@register("wmlda")
class WMLDA(WeightedDiscriminant):
    """Weighted multi-label linear discriminant analysis (wMLDA): five ways to weigh an instance in its classes.

    ``max tr(P'S_bP)`` subject to ``P'(S_w + ridge I)P = I`` with the scatter of the class means and that about them, as
    of `LDACopy`, with the weights W of the instances in the classes instead of Y.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the within-class scatter, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels.
    weights : {"binary", "correlation", "entropy", "fuzzy", "dependence"}, default="entropy"
        ``"binary"``: W = Y, which is `LDACopy`. ``"correlation"``: from the cosines between labels, which is `MLDA`.
        The rows of the others sum to one over the labels that an instance has. ``"entropy"``: equal weights.
        ``"fuzzy"``: memberships of fuzzy c-means with the exponent 2, so that a label whose mean is close weighs more.
        ``"dependence"``: those that depend most on the features by the Hilbert-Schmidt independence criterion with
        linear kernels, ``tr(W'Xc Xc'W)``; this counts every instance for one label.

    Attributes
    ----------
    ridge_, edge_ : float, {"lowest", "highest"} or None
        The ridge, and which end of those compared a chosen one is, if any.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Raises
    ------
    DataError
        If ``weights`` is unknown, no instance has a label, or only one label occurs.

    Notes
    -----
    ``"fuzzy"`` and ``"dependence"`` result from iteration from ``"entropy"``: a local optimum, the same whatever the
    order of instances and labels.

    Cost: O(n d² + d³) as of `LDACopy`; ``"fuzzy"`` and ``"dependence"`` add O(n d q) per iteration.

    References
    ----------
    Xu (2018), "A weighted linear discriminant analysis framework for multi-label feature extraction", Neurocomputing
    275. Entropy: Chen, Yan, Zhang, Chen and Yang (2007), "Document transformation for multi-label feature selection in
    text categorization". Fuzzy: Lin and Chen (2010), "Mr. KNN: soft relevance for multi-label classification".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.WMLDA(n_components=3, weights="dependence").fit_transform(data.X, data.Y).shape
    (1797, 3)
    """

    def __init__(self, n_components: Size = None, ridge: Ridge = None, weights: str = "entropy") -> None:
        super().__init__(n_components, ridge)
        self.weights = weights

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_option(self.weights, "weights", _WEIGHTS)

    @property
    def _key(self) -> str:
        return f"{super()._key} {self.weights}"

    def _weights(self, data: TrainingSet) -> Any:
        if data.weights is not None and self.weights in ("fuzzy", "dependence"):
            raise DataError(f"WMLDA takes sample_weight with weights='entropy', not with weights={self.weights!r}")
        return _WEIGHTS[self.weights](data)
