"""Label powerset and random k-labelsets: sets of labels as classes of any classifier."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import warn
from mlreduce.linalg.utilities import distinct_rows
from mlreduce.predictors._base import LabelClassifier, ProbableClassifier, seeded
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, check_count, check_features, is_sparse


class _SetModel:
    """A classifier whose classes are the different rows of some labels."""

    def __init__(self, estimator: Any, labels: Any, random: Any) -> None:
        first, self._classes = distinct_rows(labels)
        self.sets = labels[first].astype(np.int8)
        # One class is no problem for a classifier, and most refuse it.
        self.estimator = seeded(estimator, random) if self.sets.shape[0] > 1 else None

    def fit(self, features: Any) -> _SetModel:
        """Fit the classifier."""
        if self.estimator is not None:
            self.estimator.fit(features, self._classes)
        del self._classes
        return self

    def predict(self, features: Any) -> Any:
        """Return the labels of the predicted class of each row, CSR where they were."""
        if self.estimator is None:
            return self.sets[np.zeros(features.shape[0], dtype=np.intp)]
        return self.sets[self.estimator.predict(features)]


class _TreeModel(_SetModel):
    """The same with a decision tree, for features that `_Scale` has scaled."""

    def __init__(self, labels: Any, random: Any) -> None:
        super().__init__(DecisionTreeClassifier(), labels, random)

    def fit(self, features: Any) -> _TreeModel:
        """Grow the tree."""
        super().fit(features)
        if self.estimator is not None:
            self._class_of_node = self.estimator.tree_.value[:, 0].argmax(axis=1)
        return self

    def predict(self, features: Any) -> Any:
        """Return the labels of the predicted class of each row, without scikit-learn's checks."""
        if self.estimator is None:
            return super().predict(features)
        return self.sets[self._class_of_node[self.estimator.tree_.apply(features)]]


class _Scale:
    """Scales features for trees, which store 32 bits, so that they may be beyond 1e38.

    Within the range of the training rows nothing changes.
    """

    def __init__(self, features: Any) -> None:
        self.scaler = MaxAbsScaler().fit(features)

    def __call__(self, features: Any) -> Any:
        scale = self.scaler.scale_
        if not is_sparse(features):
            return _clipped(features / scale).astype(np.float32)
        values = features.data * (1.0 / scale[features.indices])
        return _clipped(sp.csr_array((values, features.indices, features.indptr), shape=features.shape)).astype(
            np.float32
        )

    def before(self, tree: Any) -> Any:
        """Return a classifier of features that are not scaled."""
        if tree is None:
            return None
        return make_pipeline(self.scaler, FunctionTransformer(_clipped, accept_sparse=True), tree)


def _clipped(features: Any) -> Any:
    """Clip to [-1, 1]."""
    if not is_sparse(features):
        return np.clip(features, -1, 1)
    clipped = features.copy()
    clipped.data = np.clip(clipped.data, -1, 1)
    return clipped


def _fit_models(estimator: Any, features: Any, tables: Iterable[Any], random: Any, n_jobs: int | None = None) -> Any:
    """Fit a model of each table of labels, and return the models, their classifiers and the scale of trees, if any."""
    if estimator is not None:
        scale, scaled = None, features
        models = [_SetModel(estimator, labels, random) for labels in tables]
    else:
        scale = _Scale(features)
        scaled = sp.csc_array(scale(features)) if is_sparse(features) else scale(features)
        models = [_TreeModel(labels, random) for labels in tables]
    fitted = joblib.Parallel(n_jobs, require="sharedmem")(joblib.delayed(model.fit)(scaled) for model in models)
    estimators = [model.estimator if scale is None else scale.before(model.estimator) for model in fitted]
    return fitted, estimators, scale


@register("label-powerset")
class LabelPowerset(LabelClassifier):
    """Label powerset (LP): each set of labels that a training instance has is a class of one classifier.

    Sets that no training instance has are never predicted.

    Parameters
    ----------
    estimator : classifier of scikit-learn or None, default=None
        Predicts the classes; it is copied. None is a decision tree.
    random_state : int, RandomState instance or None, default=None
        Seed of an estimator without one.

    Attributes
    ----------
    labelsets_ : ndarray or csr_array of shape (n_sets, n_labels), in {0, 1}
        The sets, in the order of the classes.
    estimator_ : classifier or None
        The fitted one; None where there is one set only.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Tsoumakas and Katakis, "Multi-label classification: an overview", International Journal of Data Warehousing and
    Mining 3(3), 2007.

    Examples
    --------
    >>> import mlreduce
    >>> from sklearn.linear_model import LogisticRegression
    >>> data = mlreduce.load_dataset("digits-300")
    >>> model = mlreduce.LabelPowerset(LogisticRegression(max_iter=1000)).fit(data.X[:200], data.Y[:200])
    >>> model.labelsets_.shape  # the labels are properties of ten digits
    (10, 8)
    >>> model.predict(data.X[200:]).shape
    (100, 8)
    """

    complexity = Complexity("n s + 500 n d", "n^2 + p", least_bytes=0.25)

    def __init__(self, estimator: Any = None, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _fit(self, features: Any, labels: Any) -> None:
        random = check_random_state(self.random_state)
        (self._model,), (self.estimator_,), self._scale = _fit_models(self.estimator, features, [labels], random)
        self.labelsets_ = self._model.sets

    def _predicted(self, X: Any) -> Any:
        check_is_fitted(self, "labelsets_")
        features = check_features(self, X, reset=False)
        return self._model.predict(features if self._scale is None else self._scale(features))


@register("rakel")
class RAkEL(ProbableClassifier):
    """Random k-labelsets (RAkEL): a label powerset on each of many small random sets of labels, which vote.

    Parameters
    ----------
    estimator : classifier of scikit-learn or None, default=None
        Predicts the classes of each set; it is copied. None is a decision tree.
    labelset_size : int, default=3
        Labels in each set, at least 1; where there are fewer labels, all.
    n_estimators : int or None, default=None
        Number of overlapping sets, which differ from each other; None is twice the number of labels, or as many as
        there are.
    overlapping : bool, default=True
        Whether sets may share labels (RAkEL-o), which then vote. Otherwise each label is in one set (RAkEL-d), and the
        last one has the labels that are left.
    random_state : int, RandomState instance or None, default=None
        Seed of the sets, and of estimators without one.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.

    n_jobs : int or None, default=None
        Number of threads that fit the sets, as of joblib; results are the same for all.

    Attributes
    ----------
    labelsets_ : list of ndarray of int
        Columns of the labels in each set.
    estimators_ : list of classifier or None
        The fitted ones; None for a set whose labels are the same in all training instances.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Warns
    -----
    UserWarning
        If a label is in none of the overlapping sets, so that it is never predicted.

    References
    ----------
    Tsoumakas, Katakis and Vlahavas, "Random k-labelsets for multilabel classification", IEEE Transactions on Knowledge
    and Data Engineering 23(7), 2011.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits-300")
    >>> model = mlreduce.RAkEL(random_state=0).fit(data.X[:200], data.Y[:200])
    >>> len(model.labelsets_), model.predict_proba(data.X[200:]).shape
    (16, (100, 8))
    >>> apart = mlreduce.RAkEL(overlapping=False, random_state=0).fit(data.X[:200], data.Y[:200])
    >>> sorted(map(len, apart.labelsets_))
    [2, 3, 3]
    """

    complexity = Complexity("2 n s q", "p")

    def __init__(
        self,
        estimator: Any = None,
        labelset_size: int = 3,
        n_estimators: int | None = None,
        overlapping: bool = True,
        random_state: Any = None,
        decision: str = "half",
        measure: str = "micro-f1",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.labelset_size = labelset_size
        self.n_estimators = n_estimators
        self.overlapping = overlapping
        self.random_state = random_state
        self.decision = decision
        self.measure = measure
        self.n_jobs = n_jobs

    def _fit(self, features: Any, labels: Any) -> None:
        random, n_labels = check_random_state(self.random_state), labels.shape[1]
        size = min(check_count(self.labelset_size, "labelset_size"), n_labels)
        if self.overlapping:
            n_estimators = 2 * n_labels if self.n_estimators is None else check_count(self.n_estimators, "n_estimators")
            self.labelsets_ = _different_sets(n_labels, size, n_estimators, random)
        else:
            order = random.permutation(n_labels)
            self.labelsets_ = [np.sort(order[start : start + size]) for start in range(0, n_labels, size)]
        columns = labels.tocsc() if is_sparse(labels) else labels
        tables = (as_dense(columns[:, chosen]) for chosen in self.labelsets_)
        self._models, self.estimators_, self._scale = _fit_models(self.estimator, features, tables, random, self.n_jobs)
        self._n_votes = np.bincount(np.concatenate(self.labelsets_), minlength=n_labels)
        if not self._n_votes.all():
            left_out = np.flatnonzero(self._n_votes == 0)
            warn(
                f"{len(left_out)} of {n_labels} labels are in none of the {len(self.labelsets_)} sets and never "
                f"predicted, among them column {left_out[0]}: raise n_estimators",
                UserWarning,
            )

    def _shares(self, X: Any) -> FloatArray:
        """Return the share of the sets with a label that predict it."""
        check_is_fitted(self, "labelsets_")
        features = check_features(self, X, reset=False)
        features = features if self._scale is None else self._scale(features)
        votes = np.zeros((features.shape[0], len(self._n_votes)))
        for model, labels in zip(self._models, self.labelsets_, strict=True):
            votes[:, labels] += model.predict(features)
        return votes / np.maximum(self._n_votes, 1)


def _different_sets(n_labels: int, size: int, number: int, random: Any) -> list[NDArray[np.int64]]:
    """Draw different sets of labels; all possible sets, if they are not more than requested."""
    if math.comb(n_labels, size) <= 2 * number:  # drawing would often meet known ones
        every = list(combinations(range(n_labels), size))
        chosen = [every[place] for place in random.permutation(len(every))[:number]]
    else:
        drawn: dict[tuple[int, ...], None] = {}
        while len(drawn) < number:
            drawn[tuple(sorted(random.permutation(n_labels)[:size].tolist()))] = None
        chosen = list(drawn)
    return [np.array(labels) for labels in chosen]
