"""Label powerset and random k-labelsets: sets of labels as classes of any classifier."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import warn
from mlreduce.linalg.utilities import distinct_rows
from mlreduce.predictors._base import LabelClassifier, ProbableClassifier, seeded
from mlreduce.predictors._set_trees import Forest, Levels, divide, grow
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


class _SetModels:
    """A model of each of some tables of labels: classifiers, or trees where ``estimator`` is None."""

    def __init__(self, estimator: Any, features: Any, tables: Iterable[Any], random: Any, n_jobs: int | None) -> None:
        parallel = joblib.Parallel(n_jobs, require="sharedmem")
        self._forest: Forest | None = None
        if estimator is None:
            levels = divide(features)
            grown = parallel(joblib.delayed(_grow_tree)(levels, labels) for labels in tables)
            self.sets, self.estimators = [sets for sets, _ in grown], None
            self._forest = Forest.of([tree for _, tree in grown])
        else:
            models = [_SetModel(estimator, labels, random) for labels in tables]
            fitted = parallel(joblib.delayed(model.fit)(features) for model in models)
            self.sets, self.estimators = [model.sets for model in fitted], [model.estimator for model in fitted]

    def predict(self, features: Any) -> list[Any]:
        """Return the labels of the predicted class of each row by each model, CSR where they were."""
        if self._forest is not None:
            classes = list(self._forest.predict(features).T)
        else:
            none = np.zeros(features.shape[0], dtype=np.intp)
            classes = [none if own is None else own.predict(features) for own in self.estimators or ()]
        return [sets[chosen] for sets, chosen in zip(self.sets, classes, strict=True)]


def _grow_tree(levels: Levels, labels: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the different sets of labels, and a tree whose classes they are."""
    first, classes = distinct_rows(labels)
    return labels[first].astype(np.int8), grow(levels, labels, classes)


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
        The fitted one; None where there is one set only, and of a tree.
    classes_ : ndarray of shape (n_labels, 2)
        0 and 1, for every label; of shape (2,) where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    The default tree divides the values of a feature into at most 64 intervals, takes splits of the smallest Gini
    impurity summed over the labels, and is not pruned: its leaves have one set each, or rows that no feature tells
    apart, of which it takes the most frequent set.

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

    complexity = Complexity("s + d q + n q", "s + d q + n q", least_bytes=1.0)

    def __init__(self, estimator: Any = None, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _fit(self, features: Any, labels: Any) -> None:
        random = check_random_state(self.random_state)
        self._models = _SetModels(self.estimator, features, [labels], random, None)
        (self.labelsets_,) = self._models.sets
        self.estimator_ = None if self._models.estimators is None else self._models.estimators[0]

    def _predicted(self, X: Any) -> Any:
        check_is_fitted(self, "labelsets_")
        return self._models.predict(check_features(self, X, reset=False))[0]


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
        The fitted ones, None for a set whose labels are the same in all training instances. None of trees.
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

    Notes
    -----
    The default tree divides the values of a feature into at most 64 intervals, takes splits of the smallest Gini
    impurity summed over the labels of its set, and is not pruned: its leaves have one set each, or rows that no feature
    tells apart, of which it takes the most frequent set.

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

    complexity = Complexity("s q + d q", "s + d + n q", least_bytes=1.0)

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
        self._models = _SetModels(self.estimator, features, tables, random, self.n_jobs)
        self.estimators_ = self._models.estimators
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
        votes = np.zeros((features.shape[0], len(self._n_votes)))
        for predicted, labels in zip(self._models.predict(features), self.labelsets_, strict=True):
            votes[:, labels] += predicted
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
