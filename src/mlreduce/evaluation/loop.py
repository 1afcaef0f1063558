"""The experiment loop: choose, fit and predict for tasks, with a strategy per family of methods.

A task is the methods of one group under one protocol on some splits of one data set. A job has one task, or several
that are small; its settings are plain values, which the workflow passes as JSON:

``family``
    "labelspace", "projection" or "selection".
``space``
    ``scaling`` and ``relation``: see `mlreduce.evaluation.view.View`.
``tasks``
    List of dict with ``protocol``, ``group``, ``rule`` (see `mlreduce.evaluation.splitting.take_splits`), ``splits``
    (first and last number), ``methods`` (label to entry of the study file), ``others`` (those of which only the chosen
    parameters are used, in the same form; may be missing); for choices ``candidates`` or ``search``,
    and ``once`` where the choice on the first split stands for all; for predictions ``predictors`` (label to entry) and
    ``dimensions``.
``measured``
    For predictions: ``sizes``, ``energies``, ``every_size`` and ``measures`` of the study.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.entries import strategy_module
from mlreduce.evaluation.failures import Failures, failures_before, sorted_failures
from mlreduce.evaluation.fitted_arrays import Arrays
from mlreduce.evaluation.scores import as_table
from mlreduce.evaluation.splitting import Split, take_splits
from mlreduce.evaluation.strategy import Key, Settings, Strategy, Work

__all__ = ["Experiment", "joined"]


class Experiment:
    """Tasks of one study on one data set.

    Parameters
    ----------
    study : str
    data : MultiLabelData
    settings : dict
        See the module.
    seed : int
        Of the study; data sets, methods and splits derive their own.
    design : path or None, default=None
        Factorised design of the data set, for methods that reduce the label space.
    threads : int, default=1
        Of predictors that train in threads.
    """

    def __init__(
        self,
        study: str,
        data: MultiLabelData,
        settings: Settings,
        seed: int,
        design: str | Path | None = None,
        threads: int = 1,
    ) -> None:
        self._study, self._data, self._settings, self._seed = study, data, settings, seed
        strategy = import_module(strategy_module(settings["family"])).STRATEGY
        self._strategy: Strategy = strategy(data, settings, seed, design, threads)

    def choose(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Choose parameters of predictors or methods on training parts.

        Returns
        -------
        choices, failures : DataFrame
            Candidates with their scores and which were chosen, with the columns protocol, dataset and group.
        """
        parts, failed = [], []
        for task in self._settings["tasks"]:
            failures = Failures("choose")
            table = self._strategy.choose(Work(task, self._splits(task), None, failures))
            parts.append(table.assign(protocol=task["protocol"], dataset=self._data.name, group=task["group"]))
            failed.append(self._failed(failures, task))
        return _together(parts), sorted_failures(failed)

    def fit(self, choices: pd.DataFrame | None, before: pd.DataFrame) -> Iterator[_Fit]:
        """Fit the methods of each task on the training part of every split.

        Parameters
        ----------
        choices : DataFrame or None
            From `choose`; None where nothing was chosen.
        before : DataFrame
            What failed there.

        Yields
        ------
        object
            Per task, with ``arrays`` to iterate over first, then ``details`` and ``failures``.
        """
        for task in self._settings["tasks"]:
            splits = self._splits(task)
            own = _of(before, task)
            own = own[own["method"].isin(list(task["methods"]))]  # choices are those of the whole group
            earlier = failures_before(own, splits, task.get("once", False))
            failures = Failures(self._strategy.step, before=earlier)
            fitted = self._strategy.fit(Work(task, splits, _of(choices, task), failures))
            yield _Fit(self, task, fitted, failures)

    def predict(
        self, fitted: Mapping[Key, Arrays], choices: pd.DataFrame | None, before: pd.DataFrame
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Train the predictors of each task on what was fitted and measure them on the test parts.

        Returns
        -------
        scores, failures : DataFrame
            With the columns study and protocol and `mlreduce.evaluation.scores.SCORE_COLUMNS`.
        """
        parts, failed = [], []
        for task in self._settings["tasks"]:
            splits, key = self._splits(task), (task["protocol"], task["group"])
            own = _Part(fitted, key)
            for predictor in task["predictors"].items():
                failures = Failures("predict", predictor[0], _of(before, task))
                work = Work(task, splits, _of(choices, task), failures)
                scores = self._strategy.score(work, own, predictor)
                scores.insert(0, "protocol", task["protocol"])
                scores.insert(0, "study", self._study)
                parts.append(scores)
                failed.append(self._failed(failures, task))
        return _together(parts), sorted_failures(failed)

    def _splits(self, task: Settings) -> dict[int, Split]:
        first, last = task["splits"]
        return take_splits(self._data.Y, task["rule"], range(first, last + 1), self._seed, self._data.name)

    def _failed(self, failures: Failures, task: Settings) -> pd.DataFrame:
        return failures.table(
            study=self._study, protocol=task["protocol"], dataset=self._data.name, group=task["group"]
        )


class _Fit:
    """Fitted methods of a task, one at a time, and what is kept of them for tables."""

    def __init__(
        self, experiment: Experiment, task: Settings, fitted: Iterable[tuple[Key, Arrays]], failures: Failures
    ) -> None:
        self._experiment, self._task, self._fitted, self._failures = experiment, task, fitted, failures
        self._rows: list[pd.DataFrame] = []

    @property
    def arrays(self) -> Iterator[tuple[Key, Arrays]]:
        """Yield key (protocol, group, split, label) and fitted arrays."""
        key = self._task["protocol"], self._task["group"]
        place = (self._experiment._study, self._task["protocol"], self._experiment._data.name)
        for (split, label), arrays in self._fitted:
            rows = self._experiment._strategy.details(int(split), label, arrays)
            if rows is not None:
                for name, value in zip(("dataset", "protocol", "study"), reversed(place), strict=True):
                    rows.insert(0, name, value)
                self._rows.append(rows)
            yield (*key, split, label), arrays

    @property
    def details(self) -> pd.DataFrame:
        """Eigenvalues of the first split, or rankings of the features of all."""
        return _together(self._rows) if self._rows else as_table([], self._experiment._strategy.detail_columns)

    @property
    def failures(self) -> pd.DataFrame:
        """What failed, with what had failed before."""
        return self._experiment._failed(self._failures, self._task)


class _Part(Mapping[Key, Arrays]):
    """The fitted arrays of one task, by split and label."""

    def __init__(self, fitted: Mapping[Key, Arrays], key: Key) -> None:
        self._fitted, self._key = fitted, key

    def __getitem__(self, key: Key) -> Arrays:
        return self._fitted[(*self._key, *key)]

    def __iter__(self) -> Iterator[Key]:
        return (key[2:] for key in self._fitted if key[:2] == self._key)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def joined(parts: Iterable[tuple[pd.DataFrame, pd.DataFrame]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return tables of several tasks and their failures, each as one."""
    tables, failures = zip(*parts, strict=True)
    return _together(list(tables)), sorted_failures(failures)


def _together(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return tables as one; empty ones, whose columns have no types, only where all are."""
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def _of(table: Any, task: Settings) -> Any:
    """Return the rows of a table that belong to a task."""
    if table is None:
        return None
    return table[(table["protocol"] == task["protocol"]) & (table["group"] == task["group"])]
