"""Decisions: which labels are predicted from scores, by thresholds that held-out scores choose."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold

from mlreduce.exceptions import DataError, unknown_name
from mlreduce.linalg.utilities import above_half
from mlreduce.metrics.measures import find_measure
from mlreduce.metrics.outcome import Outcome
from mlreduce.validation import FloatArray, as_dense

__all__ = ["DECISIONS", "Decision", "check_decision", "fit_left_out", "fold_predictions"]

DECISIONS = ("half", "one-threshold", "per-label", "cardinality", "top-k")

# Inner folds where leave-one-out predictions are not cheap.
_FOLDS = 3

# Decimals of scores: what is below is rounding error, which must not decide.
_DIGITS = 9

# Beyond this scores count as equal, so that the middle of two is finite.
_LARGEST = 1e100

# Values of a measure that differ by less, relatively, are equal.
_SAME = 1e-12

# Positives below which a label takes the common threshold: on held-out rows its own would fit chance.
_FEW = 10

# Thresholds that are tried where a measure has no formula here.
_TRIED = 100

#: Numerator and denominator by hits, predicted and true.
_RATES = {
    "f1": lambda h, p, t: (2 * h, p + t),
    "precision": lambda h, p, t: (h, p),
    "recall": lambda h, p, t: (h, t),
    "accuracy": lambda h, p, t: (h, p + t - h),
}


class Decision(NamedTuple):
    """Which labels are predicted from scores.

    A label is predicted whose score is above its threshold and among the k best of the row.

    Attributes
    ----------
    rule : {"half", "one-threshold", "per-label", "cardinality", "top-k"}
    thresholds : ndarray of shape (n_labels,)
        Minus infinity for "top-k".
    k : int
        The number of labels, but for "top-k".
    """

    rule: str
    thresholds: FloatArray
    k: int

    @classmethod
    def half(cls, n_labels: int) -> Self:
        """Return the decision that takes no held-out scores."""
        return cls("half", np.full(n_labels, 0.5), n_labels)

    @classmethod
    def of(
        cls,
        rule: str,
        measure: str,
        scores: FloatArray,
        labels: NDArray[Any],
        known: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Choose thresholds on held-out scores.

        Scores are rounded to nine decimals, and thresholds are midway between two of them; of equally good ones the
        nearest to one half is taken.

        Parameters
        ----------
        rule, measure : str
            As of `check_decision`.
        scores, labels : ndarray of shape (n_samples, n_labels)
            Scores by a model that was not trained on the row; labels in {0, 1}.
        known : ndarray of bool of the same shape or None, default=None
            Which labels are known; None for all. The others count nowhere.
        """
        n_labels = scores.shape[1]
        if rule == "half":
            return cls.half(n_labels)
        scores, present = _rounded(scores), as_dense(labels).astype(bool)
        if known is not None and known.all():
            known = None
        if rule == "top-k":
            cut = _one_threshold(measure, -_ranks(scores), present, known)
            return cls(rule, np.full(n_labels, -np.inf), min(int(np.ceil(-cut)), n_labels))
        if rule == "cardinality":
            ordered = np.sort((scores if known is None else scores[known]).ravel())[::-1]
            wanted = np.count_nonzero(present if known is None else present & known)
            common = _best(ordered, -np.abs(np.arange(len(ordered) + 1.0) - wanted))
        else:
            common = _one_threshold(measure, scores, present, known)
        thresholds = np.full(n_labels, common)
        if rule == "per-label":
            columns = [slice(None) if known is None else np.flatnonzero(known[:, label]) for label in range(n_labels)]
            cells = [(scores[rows, label], present[rows, label]) for label, rows in enumerate(columns)]
            _refine(measure, cells, thresholds)
        return cls(rule, thresholds, n_labels)

    def apply(self, scores: Any) -> NDArray[np.int8]:
        """Return the predicted labels in {0, 1}, shape (n_samples, n_labels)."""
        if self.rule == "half":
            return above_half(scores)
        scores = _rounded(scores)
        present: NDArray[np.bool_] = scores > self.thresholds
        if self.k < scores.shape[1]:
            present &= _ranks(scores) < self.k
        return present.astype(np.int8)


def check_decision(rule: Any, measure: Any) -> None:
    """Refuse an unknown rule, or a measure that a decision cannot maximise.

    Parameters
    ----------
    rule : {"half", "one-threshold", "per-label", "cardinality", "top-k"}
    measure : str
        Of `mlreduce.metrics.MEASURES`, one of predicted labels; losses are minimised.

    Raises
    ------
    ConfigurationError
        If there is no such measure.
    DataError
        If there is no such rule, or the measure needs scores or codes.
    """
    if rule not in DECISIONS:
        raise DataError(unknown_name("decision", rule, DECISIONS))
    if find_measure(measure).needs != "labels":
        raise DataError(f"a decision does not change {measure}, which needs no predicted labels; take micro-f1")


def fold_predictions(model: Any, X: Any, targets: FloatArray, predict: Callable[[Any, Any], FloatArray]) -> FloatArray:
    """Return what clones of a model, trained on the other of three folds, predict of each row.

    Parameters
    ----------
    model : estimator
        Not fitted itself.
    X : ndarray or csr_array of shape (n_samples, n_features)
        Training rows.
    targets : ndarray of shape (n_samples, n_targets)
        Of these.
    predict : callable
        Of a fitted model and rows; returns an array of shape (n_rows, n_targets) or (n_rows,).

    Raises
    ------
    DataError
        If there is one row only.
    """
    n_samples = X.shape[0]
    if n_samples < 2:
        raise DataError(
            "thresholds are chosen on held-out rows, of which n_samples=1 leaves none; take decision='half'"
        )
    predicted = np.empty((n_samples, 1 if targets.ndim == 1 else targets.shape[1]))
    for train, test in KFold(min(_FOLDS, n_samples), shuffle=True, random_state=0).split(targets):
        fitted = clone(model).fit(X[train], targets[train])
        predicted[test] = np.asarray(predict(fitted, X[test])).reshape(len(test), -1)
    return predicted


def fit_left_out(regressor: Any, X: Any, targets: FloatArray) -> FloatArray:
    """Fit a regressor, and return its leave-one-out predictions where they are cheap, else those of inner folds.

    Parameters
    ----------
    regressor : estimator
        Of this package or another.
    X, targets
        As of `fold_predictions`.
    """
    own = getattr(regressor, "_fit_left_out", None)
    if own is None:
        regressor.fit(X, targets)
    predicted = None if own is None else own(X, targets)
    if predicted is None:
        predicted = fold_predictions(regressor, X, targets, lambda fitted, rows: fitted.predict(rows))
    found: FloatArray = predicted
    return found


def _rounded(scores: FloatArray) -> FloatArray:
    clipped = np.clip(np.asarray(scores, dtype=np.float64), -_LARGEST, _LARGEST)
    rounded: FloatArray = np.round(clipped, _DIGITS)
    return rounded


def _ranks(scores: FloatArray) -> NDArray[np.int64]:
    """Return the rank of each label in its row, from 0; of equal scores the first label is the better."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(scores.shape[1])[np.newaxis], axis=1)
    return ranks


def _refine(measure: str, cells: list[tuple[FloatArray, NDArray[np.bool_]]], thresholds: FloatArray) -> None:
    """Replace the common threshold by that of each label with enough positives, in place.

    That of a label maximises the same rate of its cells, or how many are right. The micro-averaged F1 is that of all
    labels together: its largest value F is that of the thresholds which maximise, label by label, twice the hits less F
    times the predicted (Dinkelbach 1967, "On nonlinear fractional programming").
    """
    rate = measure.rpartition("-")[2]
    alone = f"micro-{rate}" if rate in _RATES and measure != "subset-accuracy" else "hamming-loss"
    own = [label for label, (_, present) in enumerate(cells) if np.count_nonzero(present) >= _FEW]
    if measure != "micro-f1":
        for label in own:
            thresholds[label] = _cut_of_all(*cells[label], partial(_value, alone))
        return
    reached, value = -1.0, 0.0
    while value > reached + _SAME:
        reached = value
        for label in own:
            thresholds[label] = _cut_of_all(*cells[label], partial(_surplus, reached))
        parts = [
            (present & (scores > cut), scores > cut, present)
            for (scores, present), cut in zip(cells, thresholds, strict=True)
        ]
        value = float(_value(measure, *(sum(map(np.count_nonzero, part)) for part in zip(*parts, strict=True))))


def _surplus(rate: float, hits: Any, predicted: Any, true: Any) -> FloatArray:
    surplus: FloatArray = 2.0 * hits - rate * predicted
    return surplus


def _cut_of_all(
    scores: NDArray[Any], present: NDArray[np.bool_], value: Callable[[Any, Any, Any], FloatArray]
) -> float:
    """Return the best threshold of cells that are counted together, by hits, predicted and true."""
    ascending, true = np.sort(scores, axis=None), np.sort(scores[present])
    n_cells = len(ascending)
    hits = np.cumsum(np.bincount(n_cells - np.searchsorted(ascending, true), minlength=n_cells + 1))
    return _best(ascending[::-1], value(hits, np.arange(n_cells + 1), len(true)))


def _one_threshold(
    measure: str, scores: NDArray[Any], present: NDArray[np.bool_], known: NDArray[np.bool_] | None
) -> float:
    """Return the threshold of the best value, exactly for the measures of this package."""
    kind, _, rate = measure.partition("-")
    if not (measure in ("hamming-loss", "subset-accuracy") or (kind in _GROUPS and rate in _RATES)):
        return _tried(measure, scores, present, known)
    axis = _GROUPS.get(kind, 0 if measure == "subset-accuracy" else None)
    if axis is None:
        cells = (scores, present) if known is None else (scores[known], present[known])
        return _cut_of_all(*cells, partial(_value, measure))
    places = np.flatnonzero(np.ones(scores.shape, dtype=bool) if known is None else known)
    places = places[np.argsort(-scores.ravel()[places])]
    groups = np.unravel_index(places, scores.shape)[axis]
    return _best(scores.ravel()[places], _sums(measure, present.ravel()[places], groups, scores.shape[axis]))


#: What a measure is the mean over: rows, labels, or one group of all cells.
_GROUPS = {"instance": 0, "macro": 1, "micro": None}


def _value(measure: str, hits: Any, predicted: Any, true: Any) -> FloatArray:
    """Return the value of a measure for a group of cells by its counts; the larger the better."""
    kind, _, rate = measure.partition("-")
    if measure == "hamming-loss":
        return np.asarray(2.0 * hits - predicted)
    if measure == "subset-accuracy":
        return np.asarray((hits == predicted) & (hits == true), dtype=np.float64)
    numerator, denominator = _RATES[rate](hits, predicted, true)
    neither = (predicted + true == 0) if kind == "instance" else 0
    value: FloatArray = (numerator + neither) / np.maximum(denominator, 1)
    return value


def _sums(measure: str, true: NDArray[np.bool_], groups: NDArray[np.intp], n_groups: int) -> FloatArray:
    """Return the sum over groups of the value after each cell, the best first: a cell changes that of its group."""
    order = np.argsort(groups, kind="stable")
    own, group = true[order], groups[order]
    starts = np.searchsorted(group, np.arange(n_groups))
    totals = np.bincount(groups, true, n_groups)
    counted = np.append(0, np.cumsum(own))
    predicted = np.arange(len(own)) - starts[group] + 1
    hits = counted[1:] - counted[starts[group]]
    after = _value(measure, hits, predicted, totals[group])
    before = _value(measure, hits - own, predicted - 1, totals[group])
    changes = np.empty(len(own))
    changes[order] = after - before
    nothing = np.zeros(n_groups)
    start = _value(measure, nothing, nothing, totals).sum()
    return np.cumsum(np.append(start, changes))


def _best(ordered: NDArray[Any], values: FloatArray) -> float:
    """Return the threshold of the largest value.

    Parameters
    ----------
    ordered : ndarray of shape (n_cells,)
        Scores, descending.
    values : ndarray of shape (n_cells + 1,)
        Of predicting so many of the cells, the best first; equal scores are predicted together.
    """
    if not len(ordered):
        return 0.5
    counts = np.concatenate([[0], np.flatnonzero(ordered[:-1] > ordered[1:]) + 1, [len(ordered)]])
    value = values[counts]
    best = counts[value >= value.max() - _SAME * max(1.0, abs(value.max()))]
    ends = np.append(ordered.astype(np.float64), _below(ordered[-1]))
    thresholds = (ends[np.maximum(best - 1, 0)] + ends[best]) / 2
    return float(thresholds[np.argmin(np.abs(thresholds - 0.5))])


def _below(score: Any) -> float:
    """Return a threshold that all of the scores are above, the smallest of which is given."""
    return float(score - max(1.0, abs(score)))


def _tried(measure: str, scores: NDArray[Any], present: NDArray[np.bool_], known: NDArray[np.bool_] | None) -> float:
    """Return the best of some thresholds, midway between scores at equal shares of the cells, and near one half."""
    declared, seen = find_measure(measure), np.ones(scores.shape, dtype=bool) if known is None else known
    distinct = np.unique(scores[seen])
    middles = np.concatenate([[_below(distinct[0])], (distinct[:-1] + distinct[1:]) / 2, distinct[-1:]])
    places = np.searchsorted(middles, np.append(np.quantile(scores[seen], np.linspace(0, 1, _TRIED)), 0.5))
    candidates = np.unique(middles[np.minimum(places, len(middles) - 1)])[::-1]
    truth = (present & seen).astype(np.int8)
    values = [declared(Outcome(truth, ((scores > cut) & seen).astype(np.int8))) for cut in candidates]
    better = np.array(values) if declared.higher_is_better else -np.array(values)
    best = candidates[better >= better.max() - _SAME]
    return float(best[np.argmin(np.abs(best - 0.5))])
