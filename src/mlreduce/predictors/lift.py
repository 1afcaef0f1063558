"""Features of each label, distances to clusters of instances with and without it, and a classifier of each label."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple, Self

import numpy as np
import threadpoolctl
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.distances import row_blocks, squared_norms
from mlreduce.linalg.kernels import squared_distances
from mlreduce.linalg.utilities import scores_of_rows
from mlreduce.predictors._base import ProbableClassifier, narrow, seeded
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, check_features, check_memory, check_range, is_sparse

# Clusters of all instances for a label that all of them have, or none.
_OF_ALL = 50

# Squared distance, relative to the squared norms, below which differences are taken in place of products.
_NEAR = 1e-5


@register("lift")
class LIFT(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ProbableClassifier):
    """Multi-label learning with label-specific features (LIFT): distances to clusters, others for each label.

    For each label, k-means divides the instances with the label, and those without, into ``ceil(ratio m)`` clusters
    each, m the smaller number of instances. The features of the label are the distances of an instance to the centres
    of these clusters; a classifier of the label learns from them.

    Parameters
    ----------
    ratio : float, default=0.1
        In (0, 1]: clusters, as a share of the instances with or without the label, whichever are fewer.
    estimator : classifier of scikit-learn with ``predict_proba``, or None, default=None
        Predicts one label from its features; it is copied. None is a logistic regression on standardised distances.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means, the same for each label, and of an estimator without one.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.

    Attributes
    ----------
    centres_ : ndarray of shape (n_columns, n_features)
        Centres of the clusters, label by label; of each label first those of the instances with it.
    label_of_column_ : ndarray of int, shape (n_columns,)
        The label whose feature each column of `transform` is.
    estimators_ : list of classifier or None
        The fitted ones; None for a label that all instances have, or none.
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
    A label that all instances have, or none, has the distances to 50 clusters of all instances as its features, and is
    predicted as it is. Where a label is not known, NaN in ``y``, an instance is left out for it. The paper takes a
    linear support vector machine.

    References
    ----------
    Zhang and Wu (2015), "LIFT: multi-label learning with label-specific features", IEEE TPAMI 37(1).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits-300")
    >>> model = mlreduce.LIFT(random_state=0).fit(data.X[:200], data.Y[:200])
    >>> model.predict(data.X[200:]).shape
    (100, 8)
    >>> model.transform(data.X[200:])[:, model.label_of_column_ == 3].shape  # features of the fourth label
    (100, 18)
    """

    complexity = Complexity("s p", "d q")
    takes_unknown_cells = True

    def __init__(
        self,
        ratio: float = 0.1,
        estimator: Any = None,
        random_state: Any = None,
        decision: str = "half",
        measure: str = "micro-f1",
    ) -> None:
        self.ratio = ratio
        self.estimator = estimator
        self.random_state = random_state
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any) -> None:
        ratio = check_range(self.ratio, "ratio", 0, 1)
        if not ratio:
            raise DataError(f"ratio must be a number above 0; got {self.ratio!r}")
        random = check_random_state(self.random_state)
        base = (
            make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky"))
            if self.estimator is None
            else self.estimator
        )
        base = seeded(base, random)
        if not hasattr(base, "predict_proba"):
            raise DataError(f"estimator must have predict_proba, as LogisticRegression() has; got {self.estimator!r}")
        seed, columns = random.randint(2**31 - 1), labels.tocsc() if is_sparse(labels) else labels
        parts = [_Part.of(as_dense(columns[:, [label]])[:, 0], ratio) for label in range(labels.shape[1])]
        ends = np.cumsum([0, *(len(part.sides) * part.n_clusters for part in parts)])
        self._starts, self.label_of_column_ = ends[:-1], np.repeat(np.arange(len(parts)), np.diff(ends))
        check_memory(
            16.0 * ends[-1] * features.shape[1],
            f"centres of {ends[-1]} clusters for {len(parts)} labels and {features.shape[1]} features",
            "lower ratio, or take fewer features or labels",
        )
        self.centres_ = np.empty((ends[-1], features.shape[1]))
        self.estimators_: list[Any] = []
        with warnings.catch_warnings(), threadpoolctl.threadpool_limits(1):  # sums would depend on their number
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different instances than clusters
            for part, start, end in zip(parts, ends[:-1], ends[1:], strict=True):
                rows, centres = features if part.known.all() else features[part.known], self.centres_[start:end]
                part.find_centres(rows, seed, centres)
                self.estimators_.append(
                    seeded(base, random).fit(_distances(rows, centres), part.present) if part.several else None
                )
        self._constant = np.array([float(part.present[0]) for part in parts])
        self._n_features_out = len(self.centres_)
        self._origin = 0.0 if is_sparse(features) else self.centres_.mean(axis=0)
        self._moved = self.centres_ if is_sparse(features) else self.centres_ - self._origin
        self._norms, self._moved_norms = squared_norms(self.centres_), squared_norms(self._moved)
        self._lines = _Lines.of(self.estimators_, ends) if self.estimator is None else None

    def transform(self, X: Any) -> FloatArray:
        """Return the features of all labels, side by side.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            Distances to ``centres_``; ``label_of_column_`` gives the label of each.
        """
        check_is_fitted(self, "centres_")
        features = check_features(self, X, reset=False)
        n_rows, n_columns = features.shape[0], len(self.centres_)
        advice = "take fewer rows at once"
        check_memory(16.0 * n_rows * n_columns, f"distances of {n_rows} rows to {n_columns} centres", advice)
        return self._to_centres(features)

    def _to_centres(self, features: Any) -> FloatArray:
        """Return the distances of instances to all centres."""
        if is_sparse(features):
            squares, norms = np.empty((features.shape[0], len(self.centres_))), self._norms
            for block in row_blocks(*self.centres_.shape):  # products with sparse rows copy the centres
                squares[:, block] = scores_of_rows(features, self.centres_[block])
        else:
            features = features - self._origin
            squares, norms = features @ self._moved.T, self._moved_norms
        squares *= -2.0
        lengths = squared_norms(features)[:, np.newaxis] + norms
        squares += lengths
        for row, column in np.argwhere(squares < _NEAR * lengths):  # products would leave rounding errors alone
            difference = as_dense(features[[row]])[0] - (self.centres_ if is_sparse(features) else self._moved)[column]
            squares[row, column] = difference @ difference
        return np.sqrt(np.maximum(squares, 0.0, out=squares), out=squares)

    def _shares(self, X: Any) -> FloatArray:
        """Return the probability of each label."""
        check_is_fitted(self, "centres_")
        features = check_features(self, X, reset=False)
        blocks = row_blocks(features.shape[0], len(self.centres_))
        if len(blocks) == 1:
            return self._block_shares(features)
        return np.concatenate([self._block_shares(features[block]) for block in blocks])

    def _block_shares(self, features: Any) -> FloatArray:
        distances = self._to_centres(features)
        several = [label for label, model in enumerate(self.estimators_) if model is not None]
        shares = np.tile(self._constant, (len(distances), 1))
        if self._lines is not None:
            shares[:, several] = self._lines.shares(distances, self._starts)[:, several]
            return shares
        for label in several:
            columns = slice(self._starts[label], self._starts[label + 1] if label + 1 < len(self._starts) else None)
            shares[:, label] = self.estimators_[label].predict_proba(distances[:, columns])[:, 1]
        return shares


class _Part(NamedTuple):
    """The instances of one label, and the clusters that they are divided into.

    Attributes
    ----------
    known : ndarray of shape (n_samples,), bool
        The instances of which the label is known; all where it is known nowhere, and predicted as absent.
    present : ndarray of shape (n_known,), bool
    sides : list of ndarray of int
        Which of these have the label and which have it not; all of them where one side is empty.
    n_clusters : int
        Of each side.
    """

    known: NDArray[np.bool_]
    present: NDArray[np.bool_]
    sides: list[NDArray[np.intp]]
    n_clusters: int

    @classmethod
    def of(cls, column: FloatArray, ratio: float) -> Self:
        known = ~np.isnan(column)
        if not known.any():
            known[:] = True
        present = column[known] > 0
        sides = [np.flatnonzero(present), np.flatnonzero(~present)]
        number = math.ceil(ratio * min(map(len, sides)))
        if not number:
            sides, number = [np.arange(len(present))], min(_OF_ALL, len(present))
        return cls(known, present, sides, number)

    @property
    def several(self) -> bool:
        """Whether the label is present in some instances and absent in others."""
        return bool(self.present.any() and not self.present.all())

    def find_centres(self, features: Any, seed: int, centres: FloatArray) -> None:
        """Write the centres of the clusters of each side."""
        for number, rows in enumerate(self.sides):
            means = KMeans(self.n_clusters, n_init=1, random_state=seed).fit(narrow(features[rows])).cluster_centers_
            centres[number * self.n_clusters : (number + 1) * self.n_clusters] = means


class _Lines(NamedTuple):
    """Logistic regressions on standardised distances of all labels: of each column of them, and of each label.

    Attributes
    ----------
    means, scales, slopes : ndarray of shape (n_columns,)
    intercepts : ndarray of shape (n_labels,)
    """

    means: FloatArray
    scales: FloatArray
    slopes: FloatArray
    intercepts: FloatArray

    @classmethod
    def of(cls, models: list[Any], ends: NDArray[np.intp]) -> Self:
        lines = cls(np.zeros(ends[-1]), np.ones(ends[-1]), np.zeros(ends[-1]), np.zeros(len(models)))
        for label, model in enumerate(models):
            if model is not None:
                (_, scaler), (_, line) = model.steps
                columns = slice(ends[label], ends[label + 1])
                lines.means[columns], lines.scales[columns] = scaler.mean_, scaler.scale_
                lines.slopes[columns], lines.intercepts[label] = line.coef_[0], line.intercept_[0]
        return lines

    def shares(self, distances: FloatArray, starts: NDArray[np.intp]) -> FloatArray:
        """Return the probabilities of the labels, by the columns from each start on."""
        terms = (distances - self.means) / self.scales * self.slopes
        return expit(np.add.reduceat(terms, starts, axis=1) + self.intercepts)


def _distances(features: Any, centres: FloatArray) -> FloatArray:
    """Return the distances of instances to centres; sparse features stay sparse."""
    if is_sparse(features):
        return euclidean_distances(narrow(features), centres)
    return np.sqrt(squared_distances(features, centres))
