"""The experiment loop: choose, fit and predict for tasks, with a strategy per family of methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.caching import ResultCache, ScoreCache
from mlreduce.evaluation.entries import Entry, Methods, chosen_entries
from mlreduce.evaluation.failures import Failures, failures_before, sorted_failures
from mlreduce.evaluation.fitted_arrays import WARNED, Arrays
from mlreduce.evaluation.scores import as_table, joined_scores
from mlreduce.evaluation.splitting import Split, take_splits
from mlreduce.evaluation.strategy import Key, Measured, find_strategy

if TYPE_CHECKING:
    from mlreduce.linalg.least_squares import Design

# Bytes of the fits that are cached for other tasks of a job.
_KEPT_BYTES = 1e9


class Task(TypedDict):
    """The methods of one group under one protocol on some splits of a data set."""

    protocol: str
    group: str
    #: How the protocol splits: see `mlreduce.evaluation.splitting.take_splits`.
    rule: Mapping[str, Any]
    #: First and last number.
    splits: Sequence[int]
    #: Label to entry of a study file.
    methods: Methods
    #: Label to entry. Methods of which only the chosen parameters are used.
    others: NotRequired[Methods]
    #: Whether the choice on the first split holds for all.
    once: NotRequired[bool]
    #: To choose: those of `mlreduce.evaluation.kernel_choice.choose_kernel`, or the arguments of
    #: `mlreduce.evaluation.search.Search`.
    candidates: NotRequired[Mapping[str, Any]]
    search: NotRequired[Mapping[str, Any]]
    #: Label to entry. To predict.
    predictors: NotRequired[Methods]
    #: To predict: see `mlreduce.evaluation.strategy.Measured`.
    dimensions: NotRequired[Sequence[int]]
    #: To predict: those that go by the search of the task's methods; by default those of the settings.
    measures: NotRequired[Sequence[str]]


class Settings(TypedDict):
    """Settings of a job, in plain values, which the workflow passes as JSON."""

    #: One of "labelspace", "projection", "selection".
    family: str
    #: ``scaling`` and ``relation``: see `mlreduce.evaluation.view.View`.
    space: Mapping[str, Any]
    #: One, or several that are small.
    tasks: Sequence[Task]
    #: To predict: the arguments of `mlreduce.evaluation.strategy.Measured` that hold for all tasks.
    measured: NotRequired[Mapping[str, Any]]
    #: Of a call of an estimator: see `mlreduce.validation.limits.within_limits`.
    limits: NotRequired[Mapping[str, float]]
    #: To fit and to predict: whether warnings are recorded, in a column of the scores, instead of shown.
    record_warnings: NotRequired[bool]
    #: One of "standard", "expected". To choose and to predict: see `mlreduce.evaluation.strategy.Strategy`.
    ties: NotRequired[str]


class Experiment:
    """Tasks of one study on one data set.

    The seed is that of the study, from which those of data sets, methods and splits are derived. ``design`` is the
    factorised design of the data set, or its file, for methods that reduce the label space; ``threads`` are those of
    predictors that train in threads.
    """

    def __init__(
        self,
        study: str,
        data: MultiLabelData,
        settings: Settings,
        seed: int,
        design: Design | str | Path | None = None,
        threads: int = 1,
    ) -> None:
        self._study, self._data, self._settings, self._seed = study, data, settings, seed
        self._strategy = find_strategy(settings["family"])(
            data, settings["space"], seed, design, threads, ties=settings.get("ties", "standard")
        )
        self._limits = settings.get("limits", {})
        self._strategy.record_warnings = settings.get("record_warnings", False)
        labels = [(task["protocol"], label) for task in settings["tasks"] for label in task["methods"]]
        if len(set(labels)) < len(labels):  # methods of several tasks
            self._strategy.results, self._strategy.tried_scores = ResultCache(_KEPT_BYTES), ScoreCache(shares=True)

    def choose(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Choose parameters of predictors or methods on training parts; return the choices, and what failed.

        Choices are candidates with their scores and which were chosen, with the columns protocol, dataset and group.
        """
        parts, failed = [], []
        for task in self._settings["tasks"]:
            failures = Failures("choose", limits=self._limits)
            table = self._strategy.choose(task, self._splits(task), failures)
            parts.append(table.assign(protocol=task["protocol"], dataset=self._data.name, group=task["group"]))
            failed.append(self._failed(failures, task))
        return _concatenate(parts), sorted_failures(failed)

    def fit(
        self, choices: pd.DataFrame | None, before: pd.DataFrame, keep: Callable[[Key, Arrays], None]
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Fit the methods of each task on the training part of every split.

        ``choices`` and ``before``, what failed there, are from `choose`; None where nothing was chosen. ``keep`` takes
        each fit as it ends: key (protocol, group, split, label) and fitted arrays. Returns details, which are
        eigenvalues of the first split, or rankings of the features of all; and what failed, with what had failed
        before.
        """
        parts, failed = [], []
        for task in self._settings["tasks"]:
            splits, chosen = self._splits(task), _rows_of_task(choices, task)
            failed_before = _rows_of_task(before, task)
            # Choices are those of the group, of which a task may have a part.
            failed_before = failed_before[failed_before["method"].isin(list(task["methods"]))]
            before_it = failures_before(failed_before, splits, task.get("once", False))
            failures = Failures(self._strategy.step, before=before_it, limits=self._limits)
            parameters = self._strategy.chosen(chosen, splits, task.get("once", False))
            place = {"study": self._study, "protocol": task["protocol"], "dataset": self._data.name}
            for entries, part in _task_entries(task, splits, chosen):
                for (split, label), arrays in self._strategy.fit(part, entries, failures, parameters):
                    keep((task["protocol"], task["group"], split, label), arrays)
                    rows = self._strategy.details(int(split), label, _without_warnings(arrays))
                    if rows is not None:
                        parts.append(_add_columns(rows, place))
            failed.append(self._failed(failures, task))
        return _concatenate(parts or [as_table([], self._strategy.detail_columns)]), sorted_failures(failed)

    def predict(
        self, fitted: Mapping[Key, Arrays], choices: pd.DataFrame | None, before: pd.DataFrame
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Train the predictors of each task on what was fitted and measure them on the test parts.

        Returns scores, with the columns study and protocol and `mlreduce.evaluation.scores.SCORE_COLUMNS`, and
        failures. Where warnings are recorded, ``warnings`` has the names of the classes of those of the fit and the
        prediction, and ``at_edge`` the parameters whose chosen value is the smallest or largest of those tried.
        """
        parts, failed = [], []
        for task in self._settings["tasks"]:
            splits, chosen = self._splits(task), _rows_of_task(choices, task)
            parameters = self._strategy.chosen(chosen, splits, task.get("once", False))
            options = {**self._settings["measured"], **({"measures": task["measures"]} if "measures" in task else {})}
            measured = Measured(**options, dimensions=task["dimensions"])
            task_fits = _Part(fitted, (task["protocol"], task["group"]))
            for predictor in task["predictors"].items():
                failures = Failures(
                    *("predict", predictor[0], _rows_of_task(before, task), self._limits),
                    record_warnings=self._strategy.record_warnings,
                )
                scores = joined_scores(
                    self._strategy.score(part, task_fits, entries, predictor, measured, failures, parameters)
                    for entries, part in _task_entries(task, splits, chosen)
                )
                if self._strategy.record_warnings:
                    scores = _add_warnings(scores, task_fits, failures, _edges(chosen, splits))
                parts.append(_add_columns(scores, {"study": self._study, "protocol": task["protocol"]}))
                failed.append(self._failed(failures, task))
        return _concatenate(parts), sorted_failures(failed)

    def _splits(self, task: Task) -> dict[int, Split]:
        first, last = task["splits"]
        numbers, data = range(first, last + 1), self._data
        return take_splits(data.Y, task["rule"], numbers, self._seed, data.name, data.X)

    def _failed(self, failures: Failures, task: Task) -> pd.DataFrame:
        return failures.table(
            study=self._study, protocol=task["protocol"], dataset=self._data.name, group=task["group"]
        )


def _task_entries(
    task: Task, splits: Mapping[int, Split], choices: pd.DataFrame | None
) -> Iterator[tuple[dict[str, Entry], Mapping[int, Split]]]:
    """Yield the entries of a task's methods, with the parameters that a search chose, and the splits that have them."""
    methods = {**task.get("others", {}), **task["methods"]}
    if choices is None or not any("search" in entry for entry in methods.values()):  # or of a predictor's parameters
        parts: list[tuple[pd.DataFrame | None, Mapping[int, Split]]] = [(None, splits)]
    elif task["once"]:
        parts = [(choices, splits)]
    else:
        parts = [(choices[choices["split"] == number], {number: split}) for number, split in splits.items()]
    for rows, part in parts:
        entries = chosen_entries(methods, rows)
        yield {label: entries[label] for label in task["methods"]}, part


class _Part(Mapping[Key, Arrays]):
    """The fitted arrays of one task, by split and label."""

    def __init__(self, fitted: Mapping[Key, Arrays], key: Key) -> None:
        self._fitted, self._key = fitted, key

    def __getitem__(self, key: Key) -> Arrays:
        return _without_warnings(self._fitted[(*self._key, *key)])

    def warned(self, split: int, label: str) -> tuple[set[str], str]:
        """Return the names of the classes of the warnings of a fit, and the end at which it chose a parameter or ""."""
        arrays = self._fitted[(*self._key, str(split), label)]
        return set(arrays.get(WARNED, ())), str(arrays.get("edge_", ""))

    def __iter__(self) -> Iterator[Key]:
        return (key[2:] for key in self._fitted if key[:2] == self._key)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _without_warnings(arrays: Arrays) -> Arrays:
    """Return fitted arrays without the names of warnings."""
    return {name: array for name, array in arrays.items() if name != WARNED} if WARNED in arrays else arrays


def _edges(choices: pd.DataFrame | None, splits: Mapping[int, Split]) -> dict[tuple[int, str], str]:
    """Return by split and method which parameters a search chose at an end of what it tried."""
    if choices is None or "at_end" not in choices:
        return {}
    chosen = choices[choices["chosen"]]
    rows = zip(chosen["split"], chosen["method"], chosen["at_end"], strict=True)
    edges = {(int(split), str(method)): str(ends) for split, method, ends in rows}
    once = {method: ends for (_, method), ends in edges.items()}
    return {(split, method): edges.get((split, method), once[method]) for split in splits for method in once}


def _add_warnings(
    scores: pd.DataFrame, fits: _Part, failures: Failures, edges: Mapping[tuple[int, str], str]
) -> pd.DataFrame:
    """Return scores with the columns ``warnings`` and ``at_edge``."""
    texts, ends = {}, {}
    for split, label in dict.fromkeys(zip(scores["split"], scores["method"], strict=True)):
        names, end = fits.warned(split, label)
        texts[split, label] = ", ".join(sorted(names | failures.warned.get((split, label), set())))
        ends[split, label] = ", ".join(filter(None, [edges.get((split, label), ""), end]))
    cells = pd.Series(list(zip(scores["split"], scores["method"], strict=True)), index=scores.index, dtype=object)
    return scores.assign(warnings=cells.map(texts).astype(str), at_edge=cells.map(ends).astype(str))


def _add_columns(table: pd.DataFrame, place: Mapping[str, str]) -> pd.DataFrame:
    """Put columns that identify rows before the others."""
    for name, value in reversed([*place.items()]):
        table.insert(0, name, value)
    return table


def _concatenate(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return tables as one; empty ones, whose columns have no types, only where all are."""
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def _rows_of_task(table: Any, task: Task) -> Any:
    """Return the rows of a table that belong to a task."""
    if table is None:
        return None
    return table[(table["protocol"] == task["protocol"]) & (table["group"] == task["group"])]
