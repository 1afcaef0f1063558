"""Decisions: which labels are predicted from scores, by thresholds that held-out scores choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold

from mlreduce.exceptions import DataError, check_known_name
from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.utilities import above_half
from mlreduce.metrics.measures import DECISIONS as _DECISIONS
from mlreduce.metrics.measures import find_measure
from mlreduce.metrics.outcome import Outcome
from mlreduce.registry import has_shortcut
from mlreduce.validation import FloatArray, as_dense, check_memory

#: Yields blocks of rows, as slices or indices, with their held-out scores of shape (n_rows, n_labels); may be called
#: again.
Blocks: TypeAlias = Callable[[], Iterable[tuple[Any, FloatArray]]]

DECISIONS = tuple(_DECISIONS)

# Inner folds where leave-one-out predictions are not cheap.
_FOLDS = 3

# Decimals of scores: what is below is rounding error, which must not decide.
_DIGITS = 9

# Beyond this scores count as equal, so that the middle of two is finite.
_LARGEST = 1e100

# Values of a measure that differ by less, relatively, are equal.
_SAME = 1e-12

# Positives below which a label takes the common threshold: a threshold of its scores on held-out rows would fit chance.
_FEW = 10

# Labels of a row whose held-out scores are stored where labels are sparse: at least so many, and so many times as many
# as the row with the most labels has.
_STORED, _TIMES = 32, 4

# Thresholds that are tried where a measure has no formula here.
_TRIED = 100

# Measures that are best where the fewest assignments are wrong.
_ERRORS = ("hamming-loss", "rmse")

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
    """

    #: One of "half", "one-threshold", "per-label", "cardinality", "top-k".
    rule: str
    #: Of shape (n_labels,). Minus infinity for "top-k".
    thresholds: FloatArray
    #: The number of labels, but for "top-k".
    k: int

    @classmethod
    def half(cls, n_labels: int) -> Self:
        """Return the decision that takes no held-out scores."""
        return cls("half", np.full(n_labels, 0.5), n_labels)

    @classmethod
    def from_scores(
        cls,
        rule: str,
        measure: str,
        scores: FloatArray,
        labels: NDArray[Any],
        known: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Choose thresholds by a rule and a measure, as of `check_decision`, on held-out scores.

        Scores are rounded to nine decimals, and thresholds are midway between two of them; of equally good ones the
        nearest to one half is taken. They are those of a model that was not trained on the row. Labels are in {0, 1};
        those that are not ``known`` count nowhere.
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
            common = _as_many(ordered, int(np.count_nonzero(present if known is None else present & known)))
        else:
            common = _one_threshold(measure, scores, present, known)
        thresholds = np.full(n_labels, common)
        if rule == "per-label":
            columns = [slice(None) if known is None else np.flatnonzero(known[:, label]) for label in range(n_labels)]
            cells = [(scores[rows, label], present[rows, label]) for label, rows in enumerate(columns)]
            _refine(measure, [_Column(*cell, int(np.count_nonzero(cell[1]))) for cell in cells], thresholds)
        return cls(rule, thresholds, n_labels)

    @classmethod
    def from_blocks(cls, rule: str, measure: str, blocks: Blocks, labels: Any) -> Self:
        """Choose thresholds for sparse labels by blocks of held-out scores, storing only the best scores of each row.

        The scores of true labels are stored too, so that for any threshold the hits are known, and the number of
        predicted labels, or a bound of it. The threshold is that of `from_scores` where none below the dropped scores
        can be as good; otherwise twice as many are stored. With "per-label" the thresholds are the best for predictions
        among the stored labels of a row, and ``k`` is their number. Raises DataError if the measure is none of this
        package.
        """
        n_labels = labels.shape[1]
        if rule == "half":
            return cls.half(n_labels)
        if rule != "cardinality" and not _has_formula(measure):
            raise DataError(
                f"the best threshold for {measure} is tried on a dense matrix of labels; fit to labels.toarray(), or "
                "take micro-f1"
            )
        n_best = min(n_labels, max(_STORED, _TIMES * int(np.diff(labels.indptr).max(initial=0))))
        while True:
            check_memory(
                64.0 * labels.shape[0] * n_best,
                f"choosing {rule!r} among the {n_best} best labels of each of {labels.shape[0]} rows",
                "take decision='half', or fewer rows",
            )
            cells = _Cells.best(blocks(), labels, n_best, by_rank=rule == "top-k")
            if rule == "cardinality":
                cut = _as_many(np.sort(cells.scores)[::-1], labels.nnz, cells.dropped)
            else:
                cut = _common(measure, cells)
            if not np.isnan(cut):
                break
            n_best = min(2 * n_best, n_labels)
        if rule == "top-k":
            return cls(rule, np.full(n_labels, -np.inf), min(int(np.ceil(-cut)), n_labels))
        thresholds = np.full(n_labels, cut)
        if rule == "per-label":
            _refine(measure, cells.by_label(), thresholds)
            return cls(rule, thresholds, n_best)
        return cls(rule, thresholds, n_labels)

    def apply(self, scores: Any) -> NDArray[np.int8]:
        """Return the predicted labels in {0, 1}, shape (n_samples, n_labels)."""
        if self.rule == "half":
            return above_half(scores)
        scores = _rounded(scores)
        present: NDArray[np.bool_] = scores > self.thresholds
        if self.k < scores.shape[1]:
            present &= _among_best(scores, self.k)
        return present.astype(np.int8)


def check_decision(rule: Any, measure: Any) -> None:
    """Refuse an unknown rule, or a measure of `mlreduce.metrics.MEASURES` that a decision cannot maximise.

    Losses are minimised. Raises ConfigurationError if there is no such measure, and DataError if there is no such rule,
    or the measure needs scores or codes.
    """
    check_known_name("decision", rule, DECISIONS, error=DataError)
    if find_measure(measure).needs != "labels":
        raise DataError(f"a decision does not change {measure}, which needs no predicted labels; take micro-f1")


def fold_predictions(model: Any, X: Any, targets: FloatArray, predict: Callable[[Any, Any], FloatArray]) -> FloatArray:
    """Return what clones of a model, trained on the other of three folds, predict of each row.

    The model is not fitted itself. ``predict`` takes a fitted model and rows, and returns an array of shape (n_rows,
    n_targets) or (n_rows,). Raises DataError if there is one row only.
    """
    predicted = np.empty((X.shape[0], 1 if targets.ndim == 1 else targets.shape[1]))
    for train, test in _folds(X.shape[0]):
        fitted = clone(model).fit(X[train], targets[train])
        predicted[test] = np.asarray(predict(fitted, X[test])).reshape(len(test), -1)
    return predicted


def fold_blocks(
    model: Any, X: Any, targets: Any, predict: Callable[[Any, Any], FloatArray]
) -> Iterator[tuple[NDArray[np.intp], FloatArray]]:
    """Yield the predictions of `fold_predictions` of sparse targets in blocks of rows, as indices and an array."""
    for train, test in _folds(X.shape[0]):
        fitted = clone(model).fit(X[train], targets[train])
        for block in row_blocks(len(test), targets.shape[1]):
            rows = test[block]
            yield rows, np.asarray(predict(fitted, X[rows])).reshape(len(rows), -1)


def _folds(n_samples: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    if n_samples < 2:
        raise DataError(
            "thresholds are chosen on held-out rows, of which n_samples=1 leaves none; take decision='half'"
        )
    folds = KFold(min(_FOLDS, n_samples), shuffle=True, random_state=0).split(np.empty(n_samples))
    yield from folds


def fit_left_out(regressor: Any, X: Any, targets: FloatArray) -> FloatArray:
    """Fit a regressor, and return its leave-one-out predictions where they are cheap, else those of inner folds."""
    shortcut = regressor._fit_left_out if has_shortcut(regressor, "_fit_left_out", "fit", "predict") else None
    if shortcut is None:
        regressor.fit(X, targets)
    predicted = None if shortcut is None else shortcut(X, targets)
    if predicted is None:
        predicted = fold_predictions(regressor, X, targets, lambda fitted, rows: fitted.predict(rows))
    return predicted


def fit_left_out_blocks(regressor: Any, X: Any, targets: Any) -> Blocks:
    """Fit a regressor to sparse targets, and return what yields the predictions of `fit_left_out` in blocks of rows."""
    shared = has_shortcut(regressor, "_fit_left_out_blocks", "fit", "predict")
    shortcut = regressor._fit_left_out_blocks if shared else None
    if shortcut is None:
        regressor.fit(X, targets)
    blocks: Blocks | None = None if shortcut is None else shortcut(X, targets)
    return blocks or (lambda: fold_blocks(regressor, X, targets, lambda fitted, rows: fitted.predict(rows)))


def _rounded(scores: FloatArray) -> FloatArray:
    clipped = np.clip(np.asarray(scores, dtype=np.float64), -_LARGEST, _LARGEST)
    return np.round(clipped, _DIGITS)


def _ranks(scores: FloatArray) -> NDArray[np.int64]:
    """Return the rank of each label in its row, from 0; of equal scores the first label is the better."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(scores.shape[1])[np.newaxis], axis=1)
    return ranks


def _among_best(scores: FloatArray, k: int) -> NDArray[np.bool_]:
    """Return which labels are the k best of their row, k below their number; of equal scores the first."""
    least = np.partition(scores, -k, axis=1)[:, -k, np.newaxis] if k else np.full((len(scores), 1), np.inf)
    best: NDArray[np.bool_] = scores >= least
    many = np.flatnonzero(np.count_nonzero(best, axis=1) > k)
    ties = scores[many] == least[many]
    above = best[many] & ~ties
    free = k - np.count_nonzero(above, axis=1)
    best[many] = above | (ties & (np.cumsum(ties, axis=1) <= free[:, np.newaxis]))
    return best


def best_labels(scores: FloatArray, k: int) -> sp.csr_array:
    """Return the scores of the k best labels of each row, or of all; of those equal to nine decimals the first.

    The csr_array stores k scores in each row, zeros too, in the order of the labels.
    """
    n_rows, n_labels = scores.shape
    k = min(k, n_labels)
    labels = np.nonzero(_among_best(_rounded(scores), k) if k < n_labels else np.ones(scores.shape, dtype=bool))[1]
    values = np.take_along_axis(scores, labels.reshape(n_rows, k), axis=1).ravel()
    return sp.csr_array((values, labels, np.arange(n_rows + 1) * k), shape=scores.shape)


class _Cells(NamedTuple):
    """Cells of a table of scores: all, or of each row the best and those of true labels."""

    #: Of shape (n_cells,). Rounded scores, and whether the row has the label.
    scores: NDArray[Any]
    present: NDArray[np.bool_]
    #: Of shape (n_cells,). Numbers of the cells in the table.
    places: NDArray[Any] | None
    #: Of the table.
    shape: tuple[int, int]
    #: Cells with larger scores are all here.
    dropped: float = -np.inf
    #: Of shape (n_cells,). Whether a label is among the best of its row; empty where all cells are here.
    among: NDArray[np.bool_] = np.ones(0, dtype=bool)

    @classmethod
    def best(cls, blocks: Iterable[tuple[Any, FloatArray]], labels: Any, n_best: int, *, by_rank: bool) -> Self:
        """Return the best cells of each row, and those of true labels; with ``by_rank`` scores are minus the ranks.

        Of true labels that are not among the best the ranks are not known: they get the best that they can have.
        """
        n_labels, numbers = labels.shape[1], np.arange(labels.shape[0])
        parts, dropped = [], -np.inf
        for rows, raw in blocks:
            scores, true_cells = _rounded(raw), labels[rows].tocoo()
            best = best_labels(scores, n_best)
            values, n_rows = best.data.reshape(len(scores), -1), len(scores)
            true = true_cells.row.astype(np.intp) * n_labels + true_cells.col
            places = np.repeat(np.arange(n_rows) * n_labels, n_best) + best.indices
            missed = np.setdiff1d(true, places, assume_unique=True)
            if by_rank:
                values = -_ranks(values)
                more = np.full(len(missed), -n_best)
            else:
                more = scores.ravel()[missed]
            if n_best < n_labels:
                dropped = max(dropped, float(values.min(axis=1).max()))
            present = np.append(np.isin(places, true, assume_unique=True), np.ones(len(missed), dtype=bool))
            among = np.arange(len(present)) < len(places)
            places = np.append(places, missed)
            places = numbers[rows][places // n_labels] * n_labels + places % n_labels
            parts.append((np.append(values.ravel(), more), present, places, among))
        scores, present, places, among = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cls(scores, present, places, labels.shape, dropped, among)

    def by_label(self) -> list[_Column]:
        """Return the cells of each label that are among the best of their rows."""
        label, n_labels = self.group(1), self.shape[1]
        n_true = np.bincount(label[self.present], minlength=n_labels).tolist()
        order = np.flatnonzero(self.among)
        order = order[np.argsort(label[order], kind="stable")]
        ends = np.cumsum(np.bincount(label[order], minlength=n_labels))[:-1]
        columns = zip(np.split(self.scores[order], ends), np.split(self.present[order], ends), n_true, strict=True)
        return [_Column(*column) for column in columns]

    def group(self, axis: int) -> NDArray[np.intp]:
        """Return the row (0) or the label (1) of each cell."""
        places = np.arange(len(self.scores)) if self.places is None else self.places
        return np.unravel_index(places, self.shape)[axis]


class _Column(NamedTuple):
    """The cells of one label."""

    #: Of shape (n_cells,).
    scores: NDArray[Any]
    present: NDArray[np.bool_]
    #: Rows that have the label, those of no cell too.
    n_true: int

    def cut(self, value: Callable[[Any, Any, Any], FloatArray]) -> float:
        """Return the threshold of the largest value of hits, predicted and true."""
        return _cut_of_all(self.scores, self.present, value, self.n_true)

    def counts(self, cut: float) -> tuple[int, int, int]:
        """Return the hits, the predicted and the true at a threshold."""
        predicted = self.scores > cut
        return int(np.count_nonzero(self.present & predicted)), int(np.count_nonzero(predicted)), self.n_true


def _refine(measure: str, cells: Sequence[_Column], thresholds: FloatArray) -> None:
    """Replace the common threshold by that of each label with enough positives, in place.

    That of a label maximises the same rate of its cells, or how many are right. The micro-averaged F1 is that of all
    labels together: its largest value F is that of the thresholds which maximise, label by label, twice the hits less F
    times the predicted (Dinkelbach 1967, "On nonlinear fractional programming").
    """
    rate = measure.rpartition("-")[2]
    alone = f"micro-{rate}" if rate in _RATES and measure != "subset-accuracy" else "hamming-loss"
    adjusted = [label for label, column in enumerate(cells) if column.n_true >= _FEW and len(column.scores)]
    if measure != "micro-f1":
        for label in adjusted:
            thresholds[label] = cells[label].cut(partial(_value, alone))
        return
    reached, value = -1.0, 0.0
    while value > reached + _SAME:
        reached = value
        for label in adjusted:
            thresholds[label] = cells[label].cut(partial(_surplus, reached))
        counts = [column.counts(cut) for column, cut in zip(cells, thresholds, strict=True)]
        value = float(_value(measure, *map(sum, zip(*counts, strict=True))))


def _surplus(rate: float, hits: Any, predicted: Any, true: Any) -> FloatArray:
    return 2.0 * hits - rate * predicted


def _cut_of_all(
    scores: NDArray[Any],
    present: NDArray[np.bool_],
    value: Callable[[Any, Any, Any], FloatArray],
    n_true: int | None = None,
    dropped: float = -np.inf,
) -> float:
    """Return the best threshold of cells that are counted together, by hits, predicted and true."""
    ascending, true = np.sort(scores, axis=None), np.sort(scores[present])
    n_cells = len(ascending)
    hits = np.cumsum(np.bincount(n_cells - np.searchsorted(ascending, true), minlength=n_cells + 1))
    values = value(hits, np.arange(n_cells + 1), len(true) if n_true is None else n_true)
    return _best(ascending[::-1], values, dropped)


def _has_formula(measure: str) -> bool:
    """Whether the best threshold for a measure is computed exactly."""
    kind, _, rate = measure.partition("-")
    return measure in (*_ERRORS, "subset-accuracy") or (kind in _GROUPS and rate in _RATES)


def _one_threshold(
    measure: str, scores: NDArray[Any], present: NDArray[np.bool_], known: NDArray[np.bool_] | None
) -> float:
    """Return the threshold of the best value, exactly for the measures of this package."""
    if not _has_formula(measure):
        return _tried(measure, scores, present, known)
    if known is None:
        return _common(measure, _Cells(scores.ravel(), present.ravel(), None, scores.shape))
    return _common(measure, _Cells(scores[known], present[known], np.flatnonzero(known).astype(np.intp), scores.shape))


def _common(measure: str, cells: _Cells) -> float:
    """Return the best threshold for all cells; NaN where one below the scores that were dropped may be as good."""
    axis = _GROUPS.get(measure.partition("-")[0], 0 if measure == "subset-accuracy" else None)
    if axis is None:
        return _cut_of_all(cells.scores, cells.present, partial(_value, measure), dropped=cells.dropped)
    order = np.argsort(-cells.scores)
    values = _sums(measure, cells.present[order], cells.group(axis)[order], cells.shape[axis])
    return _best(cells.scores[order], values, cells.dropped)


def _as_many(ordered: NDArray[Any], wanted: int, dropped: float = -np.inf) -> float:
    """Return the threshold that as many of the descending scores are above as wanted; NaN if too few are stored."""
    if np.isfinite(dropped) and np.count_nonzero(ordered > dropped) < wanted:
        return np.nan
    return _best(ordered, -np.abs(np.arange(len(ordered) + 1.0) - wanted), dropped)


#: What a measure is the mean over: rows, labels, or one group of all cells.
_GROUPS = {"instance": 0, "macro": 1, "micro": None}


def _value(measure: str, hits: Any, predicted: Any, true: Any) -> FloatArray:
    """Return the value of a measure for a group of cells by its counts; the larger the better."""
    kind, _, rate = measure.partition("-")
    if measure in _ERRORS:
        return np.asarray(2.0 * hits - predicted)
    if measure == "subset-accuracy":
        return np.asarray((hits == predicted) & (hits == true), dtype=np.float64)
    numerator, denominator = _RATES[rate](hits, predicted, true)
    neither = (predicted + true == 0) if kind == "instance" else 0
    return (numerator + neither) / np.maximum(denominator, 1)


def _sums(measure: str, true: NDArray[np.bool_], groups: NDArray[np.intp], n_groups: int) -> FloatArray:
    """Return the sum over groups of the value after each cell, the best first: a cell changes that of its group."""
    order = np.argsort(groups, kind="stable")
    ordered, group = true[order], groups[order]
    starts = np.searchsorted(group, np.arange(n_groups))
    totals = np.bincount(groups, true, n_groups)
    counted = np.append(0, np.cumsum(ordered))
    predicted = np.arange(len(ordered)) - starts[group] + 1
    hits = counted[1:] - counted[starts[group]]
    after = _value(measure, hits, predicted, totals[group])
    before = _value(measure, hits - ordered, predicted - 1, totals[group])
    changes = np.empty(len(ordered))
    changes[order] = after - before
    nothing = np.zeros(n_groups)
    start = _value(measure, nothing, nothing, totals).sum()
    return np.cumsum(np.append(start, changes))


def _best(ordered: NDArray[Any], values: FloatArray, dropped: float = -np.inf) -> float:
    """Return the threshold of the largest value; NaN where one below ``dropped`` may be as good.

    Scores are descending. Values, of shape (n_cells + 1,), are those of predicting so many of the cells, the best
    first; equal scores are predicted together. After the cells above ``dropped``, the best of the scores that are
    missing, or of one that is as good, a value is the most that it can be, since cells are missing.
    """
    if not len(ordered):
        return 0.5
    counts = np.concatenate([[0], np.flatnonzero(ordered[:-1] > ordered[1:]) + 1, [len(ordered)]])
    value = values[counts]
    good = value >= value.max() - _SAME * max(1.0, abs(value.max()))
    if (good & (counts > np.count_nonzero(ordered > dropped))).any():
        return np.nan
    best = counts[good]
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
    places = np.append(np.minimum(places, len(middles) - 1), 0)  # the first predicts every label
    candidates = np.unique(middles[places])[::-1]
    truth = (present & seen).astype(np.int8)
    values = [declared(Outcome(truth, ((scores > cut) & seen).astype(np.int8))) for cut in candidates]
    better = np.array(values) if declared.higher_is_better else -np.array(values)
    best = candidates[better >= better.max() - _SAME]
    return float(best[np.argmin(np.abs(best - 0.5))])
