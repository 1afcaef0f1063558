"""Successive halving over candidates: all on a part of the rows, the better half on more, the best on all folds."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlreduce.auto import trials
from mlreduce.auto.candidates import (
    GIVEN,
    NEIGHBOURS,
    NONE,
    RIDGE,
    Candidate,
    build_first,
    build_reduced,
    build_scaled,
)
from mlreduce.auto.costs import estimated_seconds, grown_seconds
from mlreduce.auto.explanation import SLOW
from mlreduce.auto.trials import DIGITS, FINISHED, TIME, Problem, Trial, cross_calibrated, curves_of, run_trial
from mlreduce.evaluation.jobs import progress_bar
from mlreduce.exceptions import DataError
from mlreduce.methods.shapes import Shape
from mlreduce.model_selection import MultilabelStratifiedKFold, iterative_stratification
from mlreduce.predictors.calibration import Calibration
from mlreduce.stats.posterior import posterior
from mlreduce.validation import FloatArray

#: What else can be the status of a candidate, in addition to how its last trial ended.
WAITING, DROPPED, CUT, EXCLUDED = "waiting", "dropped", "cut", "excluded"
# Folds; how many candidates are on all of them; held-out cells of a fold.
_FOLDS, _FINALISTS, _CELLS = 5, 8, 2_000_000
# The rows of the first round, as a share, at least and at most; how many times as many the next one may have.
_FIRST_SHARE, _FIRST_ROWS, _STEP = 0.25, (250, 2000), 8
# The shares of the time left that the first trials of candidates may take: ridge, ML-kNN, and each of the others; and
# the share of the time after which no others are begun.
_SHARES, _SHARE, _BEGUN = (1.0, 0.3), 0.1, 0.5
# The share of the time left that a fit to all rows may be expected to take after the first trial.
_REFIT = 0.7
# Rows of a fit that loads what the first one needs.
_LOADED = 20
# By how much slower this machine is than that of the estimates, at least and at most.
_SLOWER = (1.0, 10.0)


@dataclass(eq=False)
class Record:
    """What is known of a candidate.

    Attributes
    ----------
    values, held, seconds : dict
        By round: the measure (the larger the better), held-out scores, and seconds of the trial. The measure is that of
        calibrated scores: by curves of the other half of the rows, and in the end by those of the other folds.
    calibrated : list of ndarray
        The held-out scores of the last rounds, calibrated; empty before the end.
    rows : int
        Of the training rows of the last trial.
    """

    candidate: Candidate
    place: int
    values: dict[int, float] = field(default_factory=dict)
    held: dict[int, FloatArray] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    calibrated: list[FloatArray] = field(default_factory=list)
    rows: int = 0
    features: int = 0
    megabytes: float = np.nan
    milliseconds: float = np.nan
    status: str = WAITING
    reason: str = ""

    @property
    def unreduced(self) -> bool:
        """Whether the candidate reduces nothing."""
        return self.candidate.reduction == NONE

    def mean(self, rounds: Sequence[int]) -> float:
        """Return the mean of the measure, without its last bits."""
        return round(float(np.mean([self.values[number] for number in rounds])), DIGITS)


@dataclass(frozen=True)
class Limits:
    """What the search and the model may take.

    Attributes
    ----------
    began, budget : float
        When, as of ``trials.now``, and how many seconds there are.
    memory : float or None
        Gigabytes of a fit.
    max_features : int or None
    max_predict_ms : float or None
    n_jobs : int
    """

    began: float
    budget: float
    memory: float | None = None
    max_features: int | None = None
    max_predict_ms: float | None = None
    n_jobs: int = 1

    @property
    def left(self) -> float:
        """Seconds until the time is over."""
        return self.began + self.budget - trials.now()


class _Over(Exception):
    """The time is over."""


class Search:
    """The search over the candidates of a problem.

    Parameters
    ----------
    problem : Problem
    shape : Shape
        Of its data.
    limits : Limits
    seed : int

    Attributes
    ----------
    records : list of Record
        In the order of the candidates.
    counted : list of int
        Rounds in which all that were left were tried: those up to 0 on a part of the first fold, 1 on all of it, others
        on the other folds.
    folds : dict of int to (ndarray, ndarray)
        By round: training and test rows.
    interrupted : bool
    """

    def __init__(self, problem: Problem, shape: Shape, limits: Limits, seed: int) -> None:
        self._problem, self._shape, self._limits, self._seed = problem, shape, limits, seed
        self.records: list[Record] = []
        self.counted: list[int] = []
        self.interrupted = False
        self._bar: Any = None
        self.folds = self._split()

    def _split(self) -> dict[int, tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return training and test rows of the rounds, of which the first have parts of the rows of the first fold."""
        labels, n_samples = self._problem.labels, self._problem.labels.shape[0]
        if n_samples < 4:
            raise DataError(f"n_samples={n_samples} is too few: AutoReducer needs 4 at least, to train and to test on")
        most = max(100, _CELLS // self._problem.n_labels)
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # labels too rare for every fold
            folds = MultilabelStratifiedKFold(min(_FOLDS, n_samples // 2), random_state=self._seed)
            splits = {
                number: (train, _spread(test, most))
                for number, (train, test) in enumerate(folds.split(labels, labels), 1)
            }
            train, test = splits[1]
            first = int(np.clip(_FIRST_SHARE * len(train), *_FIRST_ROWS))
            sizes = [first] if len(train) <= _STEP * first else [round((first * len(train)) ** 0.5), first]
            for number, size in enumerate(sizes):
                if size < 0.8 * len(train):
                    train = train[self._sample(labels[train], size)]
                    splits[-number] = train, test
        return splits

    def _sample(self, labels: Any, size: int) -> NDArray[np.bool_]:
        """Return which rows are in a stratified sample."""
        sizes = [size, labels.shape[0] - size]
        return iterative_stratification(labels, sizes, random_state=self._seed, rest=True) == 0

    @property
    def test_share(self) -> float:
        """The share of the rows in a test part."""
        return 1.0 / max(self.folds)

    def run(self, given: Sequence[Candidate], automatic: bool) -> None:
        """Try the candidates that always are, those that are built, perhaps, and those given, in time."""
        try:
            with progress_bar(0, True, "auto") as bar:
                self._bar = bar
                self._run(given, automatic)
        except _Over:
            pass
        except KeyboardInterrupt as interruption:
            # The command line raises others of this kind for signals that end it.
            if type(interruption) is not KeyboardInterrupt or not any(record.values for record in self.records):
                raise
            self.interrupted = True
        finally:
            self._bar = None
        for record in self.records:
            if record.status == WAITING:
                self._end(record, CUT, "interrupted" if self.interrupted else "the time was over")
        self._calibrate()

    def _calibrate(self) -> None:
        """Measure what is compared in the end by scores that are calibrated on the other folds."""
        for record in self._ranked(self.rounds, usable=False):
            for number, scores in zip(self.rounds, self.calibrated(record), strict=True):
                labels = self._problem.labels_of(self.folds[number][1])
                record.values[number] = self._problem.value(labels, scores)

    def calibrated(self, record: Record) -> list[FloatArray]:
        """Return the held-out scores of the rounds that the score of a candidate is the mean of, calibrated."""
        if not record.calibrated:
            rounds = self.last_rounds(record)
            labels = [self._problem.labels_of(self.folds[number][1]) for number in rounds]
            record.calibrated = cross_calibrated(labels, [record.held[number] for number in rounds])
        return record.calibrated

    def curves(self, record: Record) -> Calibration:
        """Return the calibration of a candidate by all of its held-out scores."""
        rounds = self.last_rounds(record)
        labels = self._problem.labels_of(self.rows_of(rounds))
        return curves_of(labels, np.concatenate([record.held[number] for number in rounds]))

    def _run(self, given: Sequence[Candidate], automatic: bool) -> None:
        begin = min(self.folds)
        self._load(begin)
        self._try(self._add(build_first()), begin)
        others = list(given)
        if automatic:
            self._try(self._add(build_scaled(self._shape)), begin)
            scalings = {predictor: self._best_scaling(predictor, begin) for predictor in (RIDGE, NEIGHBOURS)}
            built = build_reduced(self._shape, self._problem.measure.name, scalings, self._limits.max_features)
            others = [*others, *built]  # those given are tried, if the time suffices for few
        self._try(self._add(others), begin)
        for number in range(begin + 1, 2):  # the better half on more rows
            self._try(self._promote(number - 1), number)
        finalists = self._promote(1, final=True)
        for number in range(2, max(self.folds) + 1):
            self._try([one for one in finalists if one.status in (FINISHED, EXCLUDED, SLOW)], number)

    def _load(self, number: int) -> None:
        """Fit to a few rows, so that what is imported and compiled first is no part of the seconds of a candidate."""
        train, test = self.folds[number]
        limits = {"wall_seconds": max(self._limits.left, 1e-3)}
        run_trial(build_first()[0].make(self._seed), self._problem, train[:_LOADED], test[:_LOADED], limits, False)

    def _add(self, candidates: Iterable[Candidate]) -> list[Record]:
        new = [Record(one, len(self.records) + place) for place, one in enumerate(candidates)]
        self.records += new
        return new

    def _best_scaling(self, predictor: str, number: int) -> str:
        """Return the scaling of all features that is best for a predictor; none where nothing finished."""
        tried = [one for one in self.records if one.candidate.predictor == predictor and number in one.values]
        best = max(tried, key=lambda one: (one.mean([number]), -one.place), default=None)
        return NONE if best is None else best.candidate.scaling

    def _ranked(self, rounds: Sequence[int], usable: bool = True) -> list[Record]:
        """Return the records with values of some rounds, the best first; without those that may not be chosen."""
        statuses = (FINISHED,) if usable else (FINISHED, EXCLUDED, SLOW)
        among = [
            one for one in self.records if one.status in statuses and all(number in one.values for number in rounds)
        ]
        return sorted(among, key=lambda one: (-one.mean(rounds), one.place))

    def _promote(self, number: int, *, final: bool = False) -> list[Record]:
        """Return the best of a round, the best that reduces nothing, and the first candidate; drop the others.

        The better half go on to more rows; to the other folds those, a few at most, that they and fits to all rows are
        expected to leave time for.
        """
        ranked, rows = self._distinct(self._ranked([number]), [number]), len(self.folds[number][0])
        first = [one for one in ranked[1:] if one is self.records[0]]
        if final:
            chosen: list[Record] = []
            left = self._limits.left * self._limits.n_jobs
            for record in [*ranked[:1], *first, *(one for one in ranked[1:] if one not in first)]:
                needed = (max(self.folds) - 1) * self.expected(record, rows) + self.expected(record)
                if not chosen or (len(chosen) < _FINALISTS and needed < left):
                    left -= needed
                    chosen.append(record)
        else:
            chosen = ranked[: max(-(-len(ranked) // 2), _FINALISTS)]
            chosen += [one for one in first if one not in chosen]
        if not any(one.unreduced for one in chosen):
            chosen += [one for one in self._ranked([number], usable=False) if one.unreduced][:1]
        for place, record in enumerate(ranked, 1):
            if not any(record is one for one in chosen):
                rank, cut = f"rank {place} of {len(ranked)} on {rows} rows", final and place <= _FINALISTS
                self._end(record, CUT if cut else DROPPED, f"{rank}, too slow for all folds" if cut else rank)
        return chosen

    def _distinct(self, ranked: Sequence[Record], rounds: Sequence[int]) -> list[Record]:
        """Return records without those of a method that has fewer directions than were requested, which are one."""
        first: dict[tuple[Any, ...], Record] = {}
        for record in ranked:
            one = record.candidate
            key = (one.reduction, one.scaling, one.predictor, record.features, record.mean(rounds))
            same = first.setdefault((record.place,) if one.reduction in (NONE, GIVEN) else key, record)
            if same is not record:
                self._end(record, DROPPED, f"the same as {same.candidate.name}")
        return list(first.values())

    def _try(self, records: Sequence[Record], number: int) -> None:
        """Try candidates in a round, the first first; raise where the time is over before all were tried."""
        train, _ = self.folds[number]
        waiting = [record for record in records if not self._too_large(record)]
        if self._bar is not None:
            self._bar.total += len(waiting)
        size = max(1, self._limits.n_jobs)
        for start in range(0, len(waiting), size):
            batch = self._affordable(waiting[start : start + size], number, waiting[0])
            for record, trial in zip(batch, self._trials(batch, number), strict=True):
                self._note(record, trial, number, len(train))
        if number not in self.counted:
            self.counted.append(number)

    def _trials(self, batch: Sequence[Record], number: int) -> Iterator[Trial]:
        """Yield what comes of candidates, each of which is ended by its limits."""
        train, test = self.folds[number]
        tasks = []
        for record in batch:
            limits = {"wall_seconds": self._allowed(record)}
            if self._limits.memory is not None:
                limits["gigabytes"] = self._limits.memory
            one_row = self._limits.max_predict_ms is not None
            tasks.append((record.candidate.make(self._seed), self._problem, train, test, limits, one_row))
        if self._limits.n_jobs == 1:
            yield from (run_trial(*task) for task in tasks)
        elif tasks:
            yield from joblib.Parallel(self._limits.n_jobs)(joblib.delayed(run_trial)(*task) for task in tasks)

    def _affordable(self, batch: Sequence[Record], number: int, leader: Record) -> list[Record]:
        """Return those that are expected to be finished in time; raise where the time is over, or the first is not."""
        made, rows = [], len(self.folds[number][0])
        for record in batch:
            left, allowed = self._limits.left, self._allowed(record)
            if allowed <= 0:
                raise _Over
            expected = self.expected(record, rows)
            if record.values and expected + self.expected(record) > left and record is leader:
                raise _Over
            if record.values and expected + self.expected(record) > left:
                self._end(record, CUT, f"expected to take {in_seconds(expected)} on {rows} rows, and a refit")
            elif not record.values and record.place >= len(_SHARES) and left < (1 - _BEGUN) * self._limits.budget:
                self._end(record, CUT, f"{_BEGUN:.0%} of the time was over")
            elif not record.values and record.place >= len(_SHARES) and expected > allowed:
                self._end(record, CUT, f"expected to take {in_seconds(expected)} on {rows} rows")
            else:
                made.append(record)
        return made

    def _allowed(self, record: Record) -> float:
        """Return the seconds of a trial: the refit of the best so far must be possible afterwards."""
        left = self._limits.left - sum(map(self.expected, self.ranked()[:1]))
        return left if record.values else left * [*_SHARES, _SHARE][min(record.place, len(_SHARES))]

    def expected(self, record: Record, rows: int | None = None) -> float:
        """Return the expected seconds of a fit to so many rows, all by default; 0 where nothing is known."""
        rows = rows or self._problem.labels.shape[0]
        if record.seconds:
            last = list(record.seconds.values())[-1]
            return grown_seconds(record.candidate, self._shape, last, record.rows, rows, self._slower)
        return self._slower * (estimated_seconds(record.candidate, self._shape, rows) or 0.0)

    @property
    def _slower(self) -> float:
        """How many times as long as estimated fits take on this machine, by the trial that is the nearest to it."""
        ratios = [
            list(one.seconds.values())[-1] / estimate
            for one in self.records
            if one.seconds and (estimate := estimated_seconds(one.candidate, self._shape, one.rows))
        ]
        return float(np.clip(min(ratios, default=_SLOWER[0]), *_SLOWER))

    def _note(self, record: Record, trial: Trial, number: int, n_train: int) -> None:
        """Record what came of a trial."""
        if self._bar is not None:
            self._bar.set_postfix_str(f"{record.candidate.name}, {n_train} rows")
            self._bar.update()
        if trial.status == TIME and record.values:  # the other rounds count
            raise _Over
        if trial.status != FINISHED:
            self._end(record, trial.status, trial.reason)
            return
        more = n_train > record.rows
        record.values[number], record.seconds[number], record.rows = trial.value, trial.seconds, n_train
        record.features, record.megabytes, record.milliseconds = trial.features, trial.megabytes, trial.milliseconds
        if trial.scores is not None:
            record.held[number] = trial.scores
        most_features, most_ms = self._limits.max_features, self._limits.max_predict_ms
        record.status = FINISHED
        if most_features is not None and trial.features > most_features:
            self._end(record, EXCLUDED, f"takes {trial.features} features, more than max_features={most_features}")
        elif most_ms is not None and trial.milliseconds > most_ms:
            self._end(record, EXCLUDED, f"takes {trial.milliseconds:.2g} ms for a row, more than {most_ms:g}")
        elif more and self.expected(record) > self._limits.left * (_REFIT if len(record.values) == 1 else 1.0):
            rows = self._problem.labels.shape[0]
            self._end(record, SLOW, f"a fit to all {rows} rows is expected to take {in_seconds(self.expected(record))}")

    def _too_large(self, record: Record) -> bool:
        """Exclude a candidate that is known to take too many features; those that reduce nothing are measured first."""
        most, size = self._limits.max_features, self._problem.X.shape[1]
        if (
            most is None
            or size <= most
            or record.values
            or record.candidate.scaling == record.candidate.reduction == NONE
        ):
            return False
        if record.unreduced:
            self._end(record, EXCLUDED, f"takes {size} features, more than max_features={most}")
        return record.unreduced

    def _end(self, record: Record, status: str, reason: str) -> None:
        record.status, record.reason = status, reason
        if status not in (EXCLUDED, SLOW):  # which are compared, if not chosen
            record.held.clear()

    @property
    def rounds(self) -> list[int]:
        """The rounds by which candidates are compared: those on all rows of a fold, or else the last."""
        full = [number for number in self.counted if number > 0]
        return full or self.counted[-1:] or [min(self.folds)]

    def ranked(self) -> list[Record]:
        """Return the records that are compared in the end, the best first."""
        return self._ranked(self.rounds)

    def preferred(self) -> list[Record]:
        """Return the records that are compared in the end, as they are taken: the first candidate, or the best first.

        Ridge regression on all features, the first candidate, is taken unless the best is better by more than the
        standard error of their difference: the best of many on few rows is often so by chance.
        """
        ranked, plain = self.ranked(), self.records[0]
        if len(self.rounds) < 2 or plain not in ranked[1:]:
            return ranked
        gains = [ranked[0].values[number] - plain.values[number] for number in self.rounds]
        # Of folds, whose training rows overlap (Nadeau and Bengio 2003, "Inference for the generalization error").
        error = np.std(gains, ddof=1) * (1 / len(gains) + self.test_share / (1 - self.test_share)) ** 0.5
        if round(float(np.mean(gains)), DIGITS) > round(float(error), DIGITS):
            return ranked
        return [plain, *(one for one in ranked if one is not plain)]

    def best_unreduced(self) -> Record | None:
        """Return the best of those that reduce nothing, in the same rounds."""
        return next((one for one in self._ranked(self.rounds, usable=False) if one.unreduced), None)

    def rows_of(self, rounds: Sequence[int]) -> NDArray[np.intp]:
        """Return the test rows of rounds."""
        return np.concatenate([self.folds[number][1] for number in rounds])

    def leaderboard(self) -> pd.DataFrame:
        """Return a row per candidate, those that are compared in the end first; see `mlreduce.AutoReducer`."""
        final = [id(one) for one in self.ranked()]
        rows = sorted(self.records, key=lambda one: self._order(one, final))
        return pd.DataFrame([self._row(one, id(one) in final) for one in rows]).astype(
            {"size": "Int64", "features": "Int64"}
        )

    def _order(self, record: Record, final: Sequence[int]) -> tuple[float, ...]:
        last = self.last_rounds(record)
        place = final.index(id(record)) if id(record) in final else len(final)
        return place, -len(last), -record.rows, -record.mean(last) if last else 0.0, record.place

    def last_rounds(self, record: Record) -> list[int]:
        """Return the rounds that the score of a candidate is the mean of: those of all, or the last that it was in."""
        if all(number in record.values for number in self.rounds):
            return self.rounds
        return [max(record.values)] if record.values else []

    def _row(self, record: Record, final: bool) -> dict[str, Any]:
        one, rounds = record.candidate, self.last_rounds(record)
        sign = 1.0 if self._problem.measure.higher_is_better else -1.0
        low, high = mean_interval([sign * record.values[number] for number in rounds], self.test_share)
        return {
            "candidate": one.name,
            "reduction": one.reduction,
            "size": one.size,
            "scaling": one.scaling,
            "predictor": one.predictor,
            "features": record.features or pd.NA,
            "score": sign * record.mean(rounds) if rounds else np.nan,
            "low": low,
            "high": high,
            "folds": len(rounds),
            "seconds": record.seconds[rounds[-1]] if rounds else np.nan,
            "megabytes": record.megabytes,
            "milliseconds": record.milliseconds,
            "rows": record.rows,
            "status": record.status,
            "reason": record.reason,
        }


def in_seconds(value: float) -> str:
    """Return seconds with two digits, or without decimals."""
    return f"{value:.2g} s" if value < 100 else f"{value:.0f} s"


def mean_interval(values: Any, test_share: float) -> tuple[float, float]:
    """Return the 95 % interval of a mean over folds, whose training rows overlap; NaN for one fold."""
    if len(values) < 2:
        return np.nan, np.nan
    low, high = posterior(np.asarray(values), test_share).interval()
    return round(low, DIGITS), round(high, DIGITS)


def _spread(rows: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return rows, or so many of them at equal distances."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]
