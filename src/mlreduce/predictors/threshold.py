"""A classifier from anything that scores labels, with a decision."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError
from mlreduce.predictors._base import DecidingClassifier, LabelClassifier, Regressor, ScoringClassifier, fit_half
from mlreduce.predictors.calibration import Calibration
from mlreduce.predictors.decision import (
    Blocks,
    Decision,
    check_decision,
    fit_left_out,
    fit_left_out_blocks,
    fold_blocks,
)
from mlreduce.predictors.ridge import RidgeRegressor
from mlreduce.registry import has_shortcut
from mlreduce.validation import FloatArray, as_dense, check_features, check_memory, is_sparse, split_known


class ThresholdClassifier(DecidingClassifier):
    """Multi-label classifier that predicts the labels whose scores by an estimator are above thresholds.

    Parameters
    ----------
    estimator : estimator or None, default=None
        A regressor, whose predictions of labels in {0, 1} are scores, or a multi-label classifier with
        ``predict_scores``, ``predict_proba`` or ``decision_function``, of this package or another; None is
        `mlreduce.RidgeRegressor`.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="one-threshold"
        Which labels are predicted. ``"half"``: those whose score is above one half. The others choose from scores of
        the training rows by models that were not trained on them: ``"one-threshold"`` that of all labels which
        maximises ``measure``; ``"per-label"`` one for each label, by the same measure of the label alone; a label with
        fewer than ten positive rows takes that of all labels. ``"cardinality"`` predicts as many labels as the training
        rows have; ``"top-k"`` the k labels of a row with the highest scores, where k maximises ``measure``.
        ``"half"`` is where probabilities are one half, or decisions zero.
    measure : str, default="micro-f1"
        Of `mlreduce.metrics.MEASURES`, of predicted labels; losses are minimised. The best threshold is exact
        for measures of this package, and the best of a hundred values for measures that a script declares.
    calibrate : bool, default=False
        Whether scores become probabilities, by a logistic curve for each label of held-out scores, which is drawn to
        the curve of all labels (`mlreduce.predictors.calibration.Calibration`). It makes the scores of different labels
        comparable, as rankings of the labels of a row need; held-out scores are a table of all rows and labels.

    Attributes
    ----------
    estimator_ : fitted clone
    calibration_ : Calibration or None
        ``slopes`` and ``intercepts`` of the curves; None without ``calibrate``.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted: n_labels, but with ``"top-k"``, and with ``"per-label"`` of sparse labels:
        then thresholds are the best for predictions among the ``k_`` best labels of a row.
    classes_ : ndarray of shape (n_labels,)
        The numbers of the labels; 0 and 1 where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    The held-out scores are those of leaving out each row for ridge and kernel ridge regression, nearest neighbours and
    ML-KNN of this package; otherwise the estimator is fitted three times more, on two thirds of the rows.

    Examples
    --------
    >>> import mlreduce
    >>> from sklearn.linear_model import Ridge
    >>> data = mlreduce.load_dataset("digits")
    >>> model = mlreduce.ThresholdClassifier(Ridge(), decision="per-label").fit(data.X[:1200], data.Y[:1200])
    >>> model.thresholds_.shape, model.predict(data.X[1200:]).shape
    ((8,), (597, 8))
    """

    calibration_: Calibration | None

    def __init__(
        self,
        estimator: Any = None,
        decision: str = "one-threshold",
        measure: str = "micro-f1",
        calibrate: bool = False,
    ) -> None:
        self.estimator = estimator
        self.decision = decision
        self.measure = measure
        self.calibrate = calibrate

    @property
    def takes_unknown_cells(self) -> bool:  # type: ignore[override]
        """Whether single labels may be unknown: where the estimator takes such labels or targets."""
        return self.estimator is None or bool(getattr(self.estimator, "takes_unknown_cells", False))

    def _decide(self, features: Any, labels: Any) -> None:
        if not self.calibrate:
            super()._decide(features, labels)
            return
        check_decision(self.decision, self.measure)
        scores = self._held_out(features, labels)
        self._set(Decision.from_scores(self.decision, self.measure, scores, *split_known(as_dense(labels))))

    def _held_out(self, features: Any, labels: Any) -> FloatArray:
        scores = super()._held_out(features, labels)
        if self.calibrate:
            self.calibration_ = Calibration.from_scores(scores, *split_known(as_dense(labels)))
            scores = self.calibration_.apply(scores)
        return scores

    def _undecided(self) -> Self:
        return super()._undecided().set_params(calibrate=False)

    def _fit(self, features: Any, labels: Any) -> None:
        self._make().fit(features, self._targets(labels))

    def _fit_left_out(self, features: Any, labels: FloatArray) -> FloatArray | None:
        model = self._make()
        if isinstance(model, ScoringClassifier):
            return fit_half(model, features, labels)
        if is_regressor(model):
            return fit_left_out(model, features, self._targets(labels))
        model.fit(features, self._targets(labels))
        return None

    def _fit_held_out_blocks(self, features: Any, labels: Any) -> Blocks:
        model = self._make()
        calibrates = getattr(model, "calibrate", False)  # by a table of all held-out scores
        shares = isinstance(model, ScoringClassifier) and has_shortcut(model, "_fit_half", "fit", "predict_scores")
        if shares and not calibrates:
            checked = model._checked(features, labels)
            blocks = model._fit_held_out_blocks(*checked)
            model._set(Decision.half(labels.shape[1]))
            return blocks
        if is_regressor(model) and self._keeps_sparse:
            return fit_left_out_blocks(model, features, labels)
        model.fit(features, self._targets(labels))
        copy = self._undecided()
        return lambda: fold_blocks(copy, features, labels, type(self).predict_scores)

    @property
    def _keeps_sparse(self) -> bool:
        """Whether the estimator takes sparse labels: those of this package do."""
        return isinstance(self.estimator_, Regressor | LabelClassifier)

    def _make(self) -> Any:
        model = self.estimator
        if model is not None and (isinstance(model, type) or not hasattr(model, "fit") or not _scores_labels(model)):
            raise DataError(
                "estimator must be a regressor, or a classifier with predict_scores, predict_proba or "
                f"decision_function, or None; got {model!r}"
            )
        self.estimator_ = clone(model) if model is not None else RidgeRegressor()
        self.calibration_ = None
        if isinstance(self.estimator_, ScoringClassifier):
            self.estimator_.set_params(decision="half")
        return self.estimator_

    def _targets(self, labels: Any) -> Any:
        if is_sparse(labels):
            if self._keeps_sparse:
                return labels
            check_memory(
                16.0 * np.prod(labels.shape),
                f"a dense matrix of the labels, which {type(self.estimator_).__name__} takes,",
                "take an estimator of mlreduce, which keeps labels sparse, or fewer labels",
            )
            labels = labels.toarray()
        as_they_are = is_regressor(self.estimator_) or np.isnan(labels).any()
        targets = labels if as_they_are else labels.astype(np.int64)
        return targets[:, 0] if self._one_dimension and self._n_labels == 1 else targets

    def _scores(self, X: Any) -> FloatArray:
        check_is_fitted(self, "estimator_")
        features = check_features(self, X, reset=False)
        n_labels = self._n_labels
        scores_and_level = label_scores(self.estimator_, features, n_labels)
        if scores_and_level is None:
            raise DataError(
                f"{type(self.estimator_).__name__} gives no score for each of {n_labels} labels: it is no multi-label "
                "classifier; sklearn.multioutput.MultiOutputClassifier makes it one"
            )
        scores, level = scores_and_level
        scores = scores + (0.5 - level)
        return scores if self.calibration_ is None else self.calibration_.apply(scores)


_VERBS = {"predict_scores": 0.5, "predict_proba": 0.5, "decision_function": 0.0}


def _overrides(estimator: ScoringClassifier, verb: str) -> bool:
    inner = {"predict_scores": "_scores", "predict_proba": "_shares", "decision_function": "_margins"}[verb]
    return hasattr(estimator, verb) and not has_shortcut(estimator, inner, verb)


def _scores_labels(model: Any) -> bool:
    return is_regressor(model) or any(hasattr(model, verb) for verb in _VERBS)


def label_scores(estimator: Any, X: Any, n_labels: int) -> tuple[FloatArray, float] | None:
    """Return scores of labels by a fitted estimator of any package, and the score that is neither present nor absent.

    The estimator is fitted to labels in {0, 1}. Returns None where it gives no number for each label.
    """
    n_samples = X.shape[0]
    if is_regressor(estimator):
        return np.asarray(estimator.predict(X), dtype=np.float64).reshape(n_samples, -1), 0.5
    overridden = isinstance(estimator, ScoringClassifier) and [*filter(partial(_overrides, estimator), _VERBS)]
    for verb in overridden or _VERBS:
        level = _VERBS[verb]
        try:
            answers = getattr(estimator, verb)(X)
        except (AttributeError, NotImplementedError):  # of a classifier inside too, when it is called
            continue
        if isinstance(answers, list):
            scores = _positive_probabilities(answers, estimator.classes_)
        else:  # scikit-multilearn has sparse matrices
            scores = np.asarray(answers.toarray() if hasattr(answers, "toarray") else answers, dtype=np.float64)
        if n_labels == 1:
            scores = scores[:, -1:] if scores.ndim == 2 else scores[:, np.newaxis]
        if scores.shape == (n_samples, n_labels):
            return scores, level
    return None


def _positive_probabilities(probabilities: list[FloatArray], classes: Any) -> FloatArray:
    """Return the probabilities of 1 from an array per label, which has one column where training had one class."""
    columns = [
        one[:, -1] if one.shape[1] == 2 else np.full(len(one), float(np.ravel(known)[0]))
        for one, known in zip(probabilities, classes, strict=True)
    ]
    return np.column_stack(columns)
