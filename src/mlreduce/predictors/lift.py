"""Features of each label, distances to clusters of instances with and without it, and a classifier of each label."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import threadpoolctl
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
from mlreduce.linalg.kernels import squared_distances
from mlreduce.predictors._base import ProbableClassifier, narrow, seeded
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, check_features, check_memory, check_range, is_sparse

# Clusters of all instances for a label that all of them have, or none.
_OF_ALL = 50


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
        centres, self.estimators_, self._constant = [], [], []
        with warnings.catch_warnings(), threadpoolctl.threadpool_limits(1):  # sums would depend on their number
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different instances than clusters
            for label in range(labels.shape[1]):
                column = as_dense(columns[:, [label]])[:, 0]
                known = ~np.isnan(column)
                if not known.any():  # predicted as absent
                    known[:] = True
                present, rows = column[known] > 0, features if known.all() else features[known]
                label_centres = self._centres(rows, present, ratio, seed)
                several = present.any() and not present.all()
                centres.append(label_centres)
                self.estimators_.append(
                    seeded(base, random).fit(_distances(rows, label_centres), present) if several else None
                )
                self._constant.append(float(present[0]))
        sizes = [len(part) for part in centres]
        self._n_features_out = sum(sizes)
        self.label_of_column_ = np.repeat(np.arange(len(centres)), sizes)
        self.centres_ = np.empty((self._n_features_out, features.shape[1]))
        for end in np.cumsum(sizes)[::-1]:  # each is freed as soon as it is copied: together they are large
            part = centres.pop()
            self.centres_[end - len(part) : end] = part

    def _centres(self, features: Any, present: Any, ratio: float, seed: int) -> FloatArray:
        """Return the centres of the clusters of one label."""
        parts = [np.flatnonzero(present), np.flatnonzero(~present)]
        number = math.ceil(ratio * min(map(len, parts)))
        if not number:
            parts, number = [np.arange(len(present))], min(_OF_ALL, len(present))
        parts_of_centres = [
            KMeans(number, n_init=1, random_state=seed).fit(narrow(features[rows])).cluster_centers_ for rows in parts
        ]
        return np.vstack(parts_of_centres)

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
        return _distances(features, self.centres_)

    def _shares(self, X: Any) -> FloatArray:
        """Return the probability of each label."""
        check_is_fitted(self, "centres_")
        features = check_features(self, X, reset=False)
        shares = np.tile(self._constant, (features.shape[0], 1))
        ends = np.searchsorted(self.label_of_column_, np.arange(len(self.estimators_) + 1))
        for label, model in enumerate(self.estimators_):
            if model is not None:
                distances = _distances(features, self.centres_[ends[label] : ends[label + 1]])
                shares[:, label] = model.predict_proba(distances)[:, 1]
        return shares


def _distances(features: Any, centres: FloatArray) -> FloatArray:
    """Return the distances of instances to centres; sparse features stay sparse."""
    if is_sparse(features):
        return euclidean_distances(narrow(features), centres)
    return np.sqrt(squared_distances(features, centres))
