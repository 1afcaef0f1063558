"""MLNB: Gaussian naive Bayes for each label."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.linalg.compiled import compiled
from mlreduce.linalg.utilities import scores_of_rows
from mlreduce.predictors._base import NestedClassifier, ProbableClassifier
from mlreduce.predictors._choice import best_candidate
from mlreduce.registry import register
from mlreduce.validation import (
    FloatArray,
    as_dense,
    check_features,
    check_memory,
    check_range,
    is_sparse,
    split_known,
)

#: Shares and weights that "cv" compares; of equally good ones it takes the first.
FLOORS = (0.1, 0.01, 1e-3, 0.3, 1.0)
WEIGHTS = (1.0, 0.3, 0.1, 0.03, 0.01)


# Deviation of a feature, relative to its mean, that is nothing but rounding.
_ROUNDING = 1e-14

# Log odds of a label that is known nowhere.
_NEVER = np.log(np.finfo(float).tiny)


@dataclass(frozen=True)
class _Gaussians:
    """Normal distributions per label, class (absent, present) and feature, in the feature's units."""

    #: Of shape (n_features,). Mean and standard deviation of the features.
    centre: FloatArray
    unit: FloatArray
    #: Of shape (n_labels,). Log odds of each label.
    prior: FloatArray
    #: Of shape (2, n_labels, n_features). Means of the features in these units.
    means: FloatArray
    variances: FloatArray
    #: What the features' part of the log odds is multiplied by.
    weight: float = 1.0

    @classmethod
    def of(cls, X: Any, labels: Any, pseudocount: float, floor: float) -> Self:
        labels, known = split_known(labels)
        sizes, totals = _sums(labels, known)
        centre, unit, first, second = (_sparse_moments if is_sparse(X) else _moments)(X, sizes, totals)
        with np.errstate(divide="ignore"):  # minus infinity for an empty class
            logs = np.log(pseudocount + sizes)
        divisor = np.maximum(sizes, 1.0)[:, :, np.newaxis]
        means = first / divisor
        variances = np.maximum(second / divisor - np.square(means), floor)
        # An empty class gets the other's distributions, so that the prior alone decides.
        for side in range(2):
            empty = sizes[side] == 0
            means[side, empty], variances[side, empty] = means[1 - side, empty], variances[1 - side, empty]
        prior = logs[1] - logs[0]
        if known is not None:
            prior[~known.any(axis=0)] = _NEVER
        return cls(centre, unit, prior, means, variances)

    @cached_property
    def precisions(self) -> FloatArray:
        """Halves of the inverse variances, shape (2, n_labels, n_features)."""
        return 0.5 / self.variances

    @cached_property
    def heights(self) -> FloatArray:
        """Log odds at the means but for the prior, shape (n_labels, n_features)."""
        return np.asarray(0.5 * (np.log(self.variances[0]) - np.log(self.variances[1])))

    @cached_property
    def polynomial(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The log odds of a row in powers of its features: of the row of zeros, and the coefficients of the others.

        Of shape (n_labels,), (n_labels, n_features) and (n_labels, n_features), but for the prior.
        """
        absent, present = self.precisions
        zero = -self.centre / self.unit
        far, near = zero - self.means
        constant = (self.heights + absent * np.square(far) - present * np.square(near)).sum(axis=1)
        return constant, 2.0 * (absent * far - present * near) / self.unit, (absent - present) / np.square(self.unit)

    def log_odds(self, X: Any, sizes: Sequence[int]) -> FloatArray:
        """Return the log odds of each label by the first features, shape (n_sizes, n_samples, n_labels)."""
        return self.prior + self.weight * self.evidence(X, sizes)

    def evidence(self, X: Any, sizes: Sequence[int]) -> FloatArray:
        """Return the log odds without prior and weight; of sparse rows by all features, which is the only size."""
        if is_sparse(X):
            constant, linear, quadratic = self.polynomial
            squares = sp.csr_array((np.square(X.data), X.indices, X.indptr), shape=X.shape)
            odds = constant + scores_of_rows(X, linear) + scores_of_rows(squares, quadratic)
            return np.asarray(odds[np.newaxis])
        rows = np.ascontiguousarray((X - self.centre) / self.unit)
        return np.asarray(_log_odds(rows, self.means, self.precisions, self.heights, np.asarray(sizes, dtype=np.int64)))


def _moments(X: FloatArray, sizes: FloatArray, totals: Any) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return mean and deviation of each feature, and the sums of each class over the standardised ones and squares."""
    centre = X.mean(axis=0)
    centred = X - centre
    unit = np.sqrt(np.square(centred).mean(axis=0))
    unit[unit <= _ROUNDING * np.abs(centre)] = 1.0
    centred /= unit
    first = totals(centred)
    return centre, unit, first, totals(np.square(centred, out=centred))


def _sparse_moments(X: Any, sizes: FloatArray, totals: Any) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the same of a CSR matrix, by its stored values alone."""
    (n_samples, n_features), places = X.shape, X.indices
    centre = np.asarray(X.mean(axis=0)).ravel()

    def stored(values: FloatArray) -> Any:
        return sp.csr_array((values, places, X.indptr), shape=X.shape)

    centred = X.data - centre[places]
    missing = n_samples - np.bincount(places, minlength=n_features)
    squares = np.bincount(places, np.square(centred), minlength=n_features) + missing * np.square(centre)
    unit = np.sqrt(squares / n_samples)
    unit[unit <= _ROUNDING * np.abs(centre)] = 1.0
    centred /= unit[places]
    zero = -centre / unit
    missing = sizes[:, :, np.newaxis] - totals(stored(np.ones(len(centred))))
    first = totals(stored(centred)) + missing * zero
    return centre, unit, first, totals(stored(np.square(centred))) + missing * np.square(zero)


def _sums(labels: Any, known: Any) -> tuple[FloatArray, Callable[[Any], FloatArray]]:
    """Return the sizes of each label's classes, absent and present, and a function of the sums of a table over them."""
    if is_sparse(labels):
        present = np.asarray(labels.sum(axis=0))

        def totals(table: Any) -> FloatArray:
            present_sums = as_dense(labels.T @ table)
            return np.stack([np.asarray(table.sum(axis=0)) - present_sums, present_sums])

        return np.stack([labels.shape[0] - present, present]), totals
    sides = np.stack([(1.0 if known is None else known) - labels, labels])
    by_label = sides.transpose(0, 2, 1)

    def sums(table: Any) -> FloatArray:
        return np.stack([side @ table for side in by_label]) if is_sparse(table) else by_label @ table

    return sides.sum(axis=1), sums


@register("mlnb")
class MLNB(NestedClassifier, ProbableClassifier):
    """Multi-label naive Bayes (MLNB): Gaussian naive Bayes for each label.

    Parameters
    ----------
    pseudocount : float, default=1.0
        Added to the counts of a label's presence and absence, >= 0: additive smoothing.
    variance_floor : float or "cv", default="cv"
        Least variance of a feature where a label is present or absent, as a share of the feature's total variance;
        > 0. "cv" chooses 0.001, 0.01, 0.1, 0.3 or 1 by the average precision in three folds of at most 3000 rows.
        With small ones a feature that varies little among the few instances of a label outweighs all others.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.
    feature_weight : float or "cv", default="cv"
        What the features' sum in the log odds is multiplied by, in [0, 1]. With 1, as in the paper, features that are
        correlated given the label are counted several times, and labels are ranked worse than by their frequencies
        where that is much. "cv" chooses 1, 0.3, 0.1, 0.03 or 0.01 together with the least variance.

    Attributes
    ----------
    prior_ : ndarray of shape (n_labels,)
        Probability of each label.
    means_, variances_ : ndarray of shape (2, n_labels, n_features)
        Of each feature where the label is absent, and where it is present; variances are sums of squares over counts.
    variance_floor_, feature_weight_ : float
        The share and the weight themselves, whatever ``variance_floor`` and ``feature_weight`` are.
    edge_ : {"lowest"} or None
        Whether the least of the weights compared was chosen.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    A label that all training rows have, or none, is decided by its prior. Where a label is not known, a row counts in
    the features' total variance, and not in the label's prior, means and variances. Sparse features stay sparse.

    References
    ----------
    Zhang, Pena and Robles, "Feature selection for multi-label naive Bayes classification", Information Sciences
    179(19), 2009: the classifier, without the paper's projection and genetic search.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.MLNB().fit(data.X[:200], data.Y[:200])
    >>> model.means_.shape
    (2, 12, 30)
    >>> float((model.predict(data.X[200:]) == data.Y[200:])[:, :8].mean().round(1))  # of the learnable labels
    0.8
    """

    complexity = Complexity("s q + d q", "s + 6 d q")
    takes_unknown_cells = True

    def __init__(
        self,
        pseudocount: float = 1.0,
        variance_floor: float | str = "cv",
        decision: str = "half",
        measure: str = "micro-f1",
        feature_weight: float | str = "cv",
    ) -> None:
        self.pseudocount = pseudocount
        self.feature_weight = feature_weight
        self.variance_floor = variance_floor
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any) -> None:
        check_memory(
            32.0 * features.shape[1] * labels.shape[1],
            f"means and variances of {features.shape[1]} features for {labels.shape[1]} labels",
            "take fewer features or labels",
        )
        self._gaussians = self._estimate(features, labels)
        self.prior_ = expit(self._gaussians.prior)
        self.means_ = self._gaussians.centre + self._gaussians.unit * self._gaussians.means
        self.variances_ = np.square(self._gaussians.unit) * self._gaussians.variances

    def _estimate(self, features: Any, labels: Any) -> _Gaussians:
        pseudocount = check_range(self.pseudocount, "pseudocount", 0)
        floors, weights = self._candidates("variance_floor", FLOORS), self._candidates("feature_weight", WEIGHTS)
        pairs = [(floor, weight) for floor in floors for weight in weights]
        best = 0 if len(pairs) == 1 else self._best_pair(features, labels, pseudocount, floors, weights)
        self.variance_floor_, self.feature_weight_ = pairs[best]
        self.edge_ = "lowest" if len(weights) > 1 and self.feature_weight_ == min(weights) else None
        gaussians = _Gaussians.of(features, labels, pseudocount, self.variance_floor_)
        return replace(gaussians, weight=self.feature_weight_)

    def _candidates(self, name: str, chosen: tuple[float, ...]) -> tuple[float, ...]:
        """Return the values of a parameter that are compared: one where it is a number."""
        value = getattr(self, name)
        if isinstance(value, str) and value == "cv":
            return chosen
        floor = name == "variance_floor"
        return (check_range(value, f"{name}, if not 'cv',", 0, np.inf if floor else 1.0, open_ends=floor),)

    def _best_pair(
        self, features: Any, labels: Any, pseudocount: float, floors: Sequence[float], weights: Sequence[float]
    ) -> int:
        """Return the number of the best pair of a floor and a weight."""

        def scores(train: NDArray[np.intp], held_out: NDArray[np.intp]) -> Iterator[FloatArray]:
            for floor in floors:
                gaussians = _Gaussians.of(features[train], labels[train], pseudocount, floor)
                summed = gaussians.evidence(features[held_out], [features.shape[1]])[0]
                for weight in weights:
                    yield gaussians.prior + weight * summed

        return best_candidate(scores, features, *split_known(labels))

    def _log_odds(self, X: Any) -> FloatArray:
        check_is_fitted(self, "classes_")
        features = check_features(self, X, reset=False)
        return self._gaussians.log_odds(features, [features.shape[1]])[0]

    def _shares(self, X: Any) -> FloatArray:
        return expit(self._log_odds(X))

    def _scores(self, X: Any) -> FloatArray:
        """Return the log odds plus one half: they have the order of the probabilities, which may round to 0 or 1."""
        return self._log_odds(X) + 0.5

    def _nested(self, train: Any, labels: FloatArray, test: Any, sizes: Sequence[int]) -> Iterator[NDArray[Any]]:
        # What is chosen is chosen for each size.
        for part in [[size] for size in sizes] if "cv" in (self.variance_floor, self.feature_weight) else [list(sizes)]:
            gaussians = self._estimate(train[:, : max(part)], labels)
            yield from gaussians.log_odds(test[:, : max(part)], part) + 0.5


@compiled
def _log_odds(
    X: FloatArray, means: FloatArray, precisions: FloatArray, heights: FloatArray, sizes: NDArray[np.int64]
) -> FloatArray:
    """Return the log odds after each size; squared differences are not expanded, for accuracy."""
    odds = np.empty((len(sizes), len(X), len(heights)))
    for row in range(len(X)):
        for label in range(len(heights)):
            total = 0.0
            start = 0
            for place in range(len(sizes)):
                for feature in range(start, sizes[place]):
                    absent = X[row, feature] - means[0, label, feature]
                    present = X[row, feature] - means[1, label, feature]
                    far = precisions[0, label, feature] * absent * absent
                    near = precisions[1, label, feature] * present * present
                    total += heights[label, feature] + far - near
                start = sizes[place]
                odds[place, row, label] = total
    return odds
