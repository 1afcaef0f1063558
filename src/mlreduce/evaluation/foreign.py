"""Estimators of other packages in studies and comparisons, named by their import path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_regressor

from mlreduce import registry
from mlreduce.evaluation.ratings import ratings
from mlreduce.evaluation.view import View
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.predictors.threshold import label_scores
from mlreduce.selection.base import Selector
from mlreduce.validation import FloatArray, as_dense, check_labels, is_sparse


class Guess(NamedTuple):
    """Predicted labels, and what ranks the labels of an instance."""

    #: Of shape (n_samples, n_labels).
    labels: NDArray[np.int8]
    #: None where a classifier has neither ``predict_proba`` nor ``decision_function``.
    scores: FloatArray | None


def is_foreign(label: str, entry: Mapping[str, Any], estimator: Any, *bases: type) -> bool:
    """Whether an estimator is no class of the library or derived from one: by an import path, or from a script.

    Label and entry, as in a study file, are those that it is made of. A class that derives from one of ``bases`` is
    used as the library's are.
    """
    named_by_class = "class" in entry or registry.entry_name(label, entry) in registry.registered()
    return named_by_class and not isinstance(estimator, bases)


def _check_verb(estimator: Any, label: str, verb: str, role: str) -> None:
    """Raise ConfigurationError if an estimator does not have the method that its place in a study requires."""
    if not callable(getattr(estimator, verb, None)):
        name = f"{type(estimator).__module__}.{type(estimator).__name__}"
        raise ConfigurationError(f"{label}: {name} cannot be {role}: it has no {verb}")


class ForeignReduction:
    """A transformer in the place of a projection.

    It is fitted to the training rows whose labels are known; a fit is saved as its embedding of these and of the test
    rows. All its columns are used at every size, since the first columns of many transformers are not what they would
    find with fewer. Raises ConfigurationError, with the label, if the estimator has no ``transform``.
    """

    def __init__(self, estimator: Any, label: str) -> None:
        _check_verb(estimator, label, "transform", "a method that reduces features")
        self.estimator = estimator

    def get_params(self) -> dict[str, Any]:
        """Return the parameters of the transformer."""
        return self.estimator.get_params()

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters of the transformer."""
        self.estimator.set_params(**parameters)
        return self

    def embed(self, view: View) -> FloatArray:
        """Fit, and return the embedding of the training rows whose labels are known, then of the test rows."""
        train = view.known(view.train)
        tags = getattr(self.estimator, "__sklearn_tags__", None)
        if view.unknown and tags is not None and not tags().target_tags.required:
            given: tuple[Any, ...] = (train,)
        else:
            given = (train, _class_labels(self.estimator, view.labels))
        if isinstance(self.estimator, Selector):  # of ours, which may override any of these
            embedding = self.estimator.fit_transform(*given)
        else:
            self.estimator.fit(*given)
            embedding = self.estimator.transform(train)
        parts = [(embedding, train), (self.estimator.transform(view.test), view.test)]
        return np.vstack([_as_rows(part, rows.shape[0]) for part, rows in parts])


def _as_rows(embedding: Any, n_rows: int) -> FloatArray:
    dense: FloatArray = np.asarray(as_dense(embedding) if is_sparse(embedding) else embedding, dtype=np.float64)
    if dense.ndim != 2 or len(dense) != n_rows or not np.isfinite(dense).all():
        raise DataError(f"transform returned {dense.shape} for {n_rows} rows, or numbers that are not finite")
    return dense


def _class_labels(estimator: Any, labels: Any) -> Any:
    """Return labels as integers; as they are, NaN where not known, for a class of ours that takes single such."""
    if getattr(estimator, "takes_unknown_cells", False):
        return labels
    return check_labels(labels).astype(np.int64)


class ForeignSelector(Selector):
    """An estimator that rates features in the place of a selector: by scores, importances, coefficients or ranks.

    When fitted it has ``scores_``, ``feature_importances_``, ``coef_`` (the sum of absolute values over the labels) or
    ``ranking_``. Parameter ``k`` and attributes are those of `Selector`.
    """

    def __init__(self, estimator: Any, k: int | float | str | None = None) -> None:
        self.estimator = estimator
        self.k = k

    def _scores(self, X: Any, Y: Any) -> FloatArray:
        self.estimator.fit(X, np.asarray(Y, dtype=np.int64))
        # Univariate scores of features that do not vary are NaN.
        return np.nan_to_num(ratings(self.estimator, X.shape[1]), nan=-np.inf)


class ForeignClassifier(BaseEstimator):
    """A multi-label classifier of another package, with labels and scores as dense arrays.

    The estimator is fitted to a label matrix in {0, 1}, as scikit-learn's multi-label classifiers and
    scikit-multilearn's problem transformations are. If it ``decides``, the labels that it predicts are measured,
    whatever the decision of the study.
    """

    def __init__(self, estimator: Any, decides: bool = False) -> None:
        self.estimator = estimator
        self.decides = decides

    def fit(self, X: FloatArray, y: FloatArray) -> Self:
        """Fit to labels in {0, 1}."""
        self._n_labels = y.shape[1]
        self.estimator.fit(X, _class_labels(self.estimator, y))
        return self

    def predict(self, X: FloatArray) -> Guess:
        """Return labels and scores."""
        labels = as_dense(self.estimator.predict(X))  # which scikit-multilearn has sparse
        if labels.shape != (len(X), self._n_labels):
            raise DataError(
                f"{type(self.estimator).__name__} predicted {labels.shape} for {len(X)} rows and {self._n_labels} "
                "labels: it is no multi-label classifier; sklearn.multioutput.MultiOutputClassifier makes it one"
            )
        return Guess((labels > 0.5).astype(np.int8), self._scores(X))

    def _scores(self, X: FloatArray) -> FloatArray | None:
        outputs = label_scores(self.estimator, X, self._n_labels)
        return None if outputs is None else outputs[0]


def as_predictor(estimator: Any, label: str) -> Any:
    """Return an estimator as what a loop trains: a regressor as it is, a classifier as `ForeignClassifier`.

    Raises ConfigurationError if it does not predict.
    """
    _check_verb(estimator, label, "predict", "a predictor")
    return estimator if is_regressor(estimator) else ForeignClassifier(estimator)
