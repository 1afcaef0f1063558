"""One trial: a candidate is fitted to some rows within limits, and its scores of other rows are measured."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import above_half
from mlreduce.metrics.measures import Measure
from mlreduce.metrics.outcome import Outcome
from mlreduce.plot.figure import short
from mlreduce.predictors._base import LabelClassifier, Regressor
from mlreduce.predictors.calibration import Calibration
from mlreduce.predictors.decision import Decision
from mlreduce.predictors.threshold import label_scores
from mlreduce.validation import FloatArray, is_sparse, split_known, taken_memory
from mlreduce.validation.limits import MemoryLimitError, TimeLimitError, within_limits

#: How a trial can end.
FINISHED, FAILED, TIME, SPACE = "finished", "failed", "time limit", "memory limit"
# Predictions of one row of which the median time is taken, and characters of a reason.
_REPEATS, _LENGTH = 20, 160

#: Decimals of scores: what is below is rounding error, which must not decide.
DIGITS = 9

#: Seconds; tests replace it.
now = time.monotonic


@dataclass(frozen=True)
class Problem:
    """What is to be learned.

    Attributes
    ----------
    X : ndarray, csr_array or DataFrame of shape (n_samples, n_features)
    labels : ndarray or csr_array of shape (n_samples, n_labels)
        In {0, 1}, NaN where not known.
    measure : Measure
    decision_measure : str
        What a threshold maximises.
    """

    X: Any
    labels: Any
    measure: Measure
    decision_measure: str

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.labels.shape[1])

    def labels_of(self, rows: NDArray[np.intp]) -> Any:
        """Return the labels of rows as a dense array."""
        part = self.labels[rows]
        return part.toarray() if is_sparse(part) else part

    def value(self, labels: Any, scores: FloatArray) -> float:
        """Return the measure of calibrated scores; the larger the better, so that errors are negative.

        For a measure of predicted labels the threshold of each half of the rows is that of the other half.
        """
        if self.measure.needs == "labels":
            predicted = np.empty(scores.shape, dtype=np.int8)
            halves = [np.arange(len(scores)) % 2 == part for part in (0, 1)]
            for rows, others in (halves, halves[::-1]):
                predicted[rows] = self.decide(scores[others], labels[others]).apply(scores[rows])
        else:
            predicted = above_half(scores)
        outcome = Outcome.over_known(labels, predicted, scores, None, "expected")
        return (1.0 if self.measure.higher_is_better else -1.0) * float(self.measure(outcome))

    def decide(self, scores: FloatArray, labels: Any) -> Decision:
        """Return the best threshold of held-out scores."""
        return Decision.from_scores("one-threshold", self.decision_measure, scores, *split_known(labels))


class Trial(NamedTuple):
    """What came of a trial.

    Attributes
    ----------
    status, reason : str
        How it ended; the reason is empty where it finished.
    value : float
        Of the measure, the larger the better.
    scores : ndarray of shape (n_test, n_labels) or None
    seconds : float
        Of the fit and the predictions.
    megabytes : float
        By which the memory of the process grew in the fit; NaN where the system does not report it.
    features : int
        How many the predictor gets.
    milliseconds : float
        For one row; NaN where it is not measured.
    """

    status: str
    reason: str
    value: float = np.nan
    scores: FloatArray | None = None
    seconds: float = np.nan
    megabytes: float = np.nan
    features: int = 0
    milliseconds: float = np.nan


def run_trial(
    estimator: Any,
    problem: Problem,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    limits: Mapping[str, float],
    one_row: bool,
) -> Trial:
    """Fit an estimator to some rows within limits, and measure its scores of others; errors are returned as reasons."""
    began, before = now(), taken_memory()[1]
    try:
        with warnings.catch_warnings(action="ignore"), within_limits(limits):
            estimator.fit(_safe_indexing(problem.X, train), labels_for(estimator, problem.labels[train]))
            grown = (taken_memory()[1] - before) / 1e6 if before else np.nan
            scores = scores_of(estimator, _safe_indexing(problem.X, test), problem.n_labels)
            labels = problem.labels_of(test)
            value = problem.value(labels, *cross_calibrated([labels], [scores]))
            seconds = now() - began
            spent = milliseconds_of(estimator, problem, test[:1]) if one_row else np.nan
    except TimeLimitError:
        return Trial(TIME, f"took more than {limits['wall_seconds']:.2g} s on {len(train)} rows")
    except (MemoryError, MemoryLimitError) as error:
        return Trial(SPACE, short(str(error).partition(", the limit of")[0] or "memory ran out", _LENGTH))
    except Exception as error:  # noqa: BLE001 - a row of the leaderboard
        first = (str(error).strip().splitlines() or [""])[0]
        return Trial(FAILED, short(f"{type(error).__name__}: {first}", _LENGTH))
    features = features_of(estimator, problem.X.shape[1])
    return Trial(FINISHED, "", value, scores, seconds, max(grown, 0.0), features, spent)


def cross_calibrated(labels: Sequence[Any], scores: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the scores of folds, calibrated by the curves of the other folds; of the other half where there is one."""
    if len(scores) == 1:
        halves = [np.arange(len(scores[0])) % 2 == part for part in (0, 1)]
        made = np.empty(scores[0].shape)
        for rows, others in (halves, halves[::-1]):
            made[rows] = curves_of(labels[0][others], scores[0][others]).apply(scores[0][rows])
        return [made]
    return [
        curves_of(*(np.concatenate([*part[:fold], *part[fold + 1 :]]) for part in (labels, scores))).apply(own)
        for fold, own in enumerate(scores)
    ]


def curves_of(labels: Any, scores: FloatArray) -> Calibration:
    """Return the calibration of held-out scores."""
    return Calibration.from_scores(scores, *split_known(labels))


def labels_for(estimator: Any, labels: Any) -> Any:
    """Return labels as an estimator takes them: those of other packages dense, as integers where all are known."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    if is_sparse(labels):
        return labels if isinstance(last, LabelClassifier | Regressor) else labels.toarray().astype(np.int64)
    return labels if np.isnan(labels).any() else labels.astype(np.int64)


def scores_of(estimator: Any, X: Any, n_labels: int) -> FloatArray:
    """Return the scores of labels by a fitted estimator, near one half where a label is as likely as not.

    Raises
    ------
    DataError
        If they are not finite, or not a number per label.
    """
    made = label_scores(estimator, X, n_labels)
    if made is None:
        labels = estimator.predict(X)
        labels = labels.toarray() if is_sparse(labels) else np.asarray(labels, dtype=np.float64)
        scores = labels.reshape(X.shape[0], -1).astype(np.float64)
    else:
        scores = made[0] + (0.5 - made[1])
    if scores.shape != (X.shape[0], n_labels):
        raise DataError(f"no number for each of {n_labels} labels: it is no multi-label predictor")
    if not np.isfinite(scores).all():
        raise DataError("scores are not finite")
    return scores


def features_of(estimator: Any, total: int) -> int:
    """Return how many features the predictor of a fitted candidate gets."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    return int(getattr(last, "n_features_in_", total))


def milliseconds_of(estimator: Any, problem: Problem, row: NDArray[np.intp]) -> float:
    """Return the median of the milliseconds that a fitted estimator takes for one row."""
    one, spent = _safe_indexing(problem.X, row), []
    for _ in range(_REPEATS):
        began = now()
        scores_of(estimator, one, problem.n_labels)
        spent.append(1e3 * (now() - began))
    return median(spent)
