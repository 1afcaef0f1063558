"""What the families of methods have in common for the experiment loop: a strategy chooses, fits and scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import Failures
from mlreduce.evaluation.fitted_arrays import Arrays
from mlreduce.evaluation.scores import SPECTRUM_COLUMNS
from mlreduce.evaluation.search import Evaluator, Search, chosen_entries, search_on_splits
from mlreduce.evaluation.splitting import Split
from mlreduce.exceptions import ConfigurationError

__all__ = ["Key", "Settings", "Strategy", "Work"]

Key: TypeAlias = tuple[str, ...]
Settings: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Work:
    """A task with its splits, what was chosen for it, and the record of what fails."""

    task: Settings
    splits: Mapping[int, Split]
    choices: pd.DataFrame | None
    failures: Failures


class Strategy:
    """How methods of a family are chosen for, fitted and scored."""

    step = "reduce"
    detail_columns: tuple[str, ...] = SPECTRUM_COLUMNS

    def __init__(
        self, data: MultiLabelData, settings: Settings, seed: int, design: str | Path | None, threads: int
    ) -> None:
        self._data, self._seed, self._threads, self._design_file = data, seed, threads, design
        self._space, self._measured = settings["space"], settings.get("measured", {})

    def evaluator(self, search: Search, failures: Failures) -> Evaluator:
        """Return how a candidate of a search is fitted and measured on a part of the training rows."""
        raise NotImplementedError

    def choose(self, work: Work) -> pd.DataFrame:
        """Search the parameters of the methods of a task; return candidates with scores and which were chosen."""
        if "search" not in work.task:
            raise ConfigurationError(f"{work.task['group']}: nothing is chosen for methods of this family")
        search = Search(**work.task["search"])
        evaluator = self.evaluator(search, work.failures)
        methods = work.task["methods"]
        return search_on_splits(self._data, work.splits, methods, evaluator, search, self._seed, work.failures)

    def entries(self, work: Work) -> Iterator[tuple[dict[str, dict[str, Any]], Mapping[int, Split]]]:
        """Yield the entries of a task's methods, with what was found by a search, and the splits that have them."""
        methods = {**work.task.get("others", {}), **work.task["methods"]}
        # Choices may be of a predictor's parameters.
        choices = work.choices if any("search" in entry for entry in methods.values()) else None

        def with_choices(rows: pd.DataFrame | None) -> dict[str, dict[str, Any]]:
            entries = chosen_entries(methods, rows)
            return {label: entries[label] for label in work.task["methods"]}

        if choices is None or work.task["once"]:
            yield with_choices(choices), work.splits
            return
        for number, split in work.splits.items():
            yield with_choices(choices[choices["split"] == number]), {number: split}

    def fit(self, work: Work) -> Iterable[tuple[Key, Arrays]]:
        """Yield split and label of each fitted method, and its arrays."""
        raise NotImplementedError

    def details(self, split: int, label: str, arrays: Arrays) -> pd.DataFrame | None:
        """Positive eigenvalues of the first split, numbered from 1."""
        if split != 0 or "eigenvalues_" not in arrays:
            return None
        positive = arrays["eigenvalues_"][arrays["eigenvalues_"] > 0]
        index = np.arange(1, len(positive) + 1)
        return pd.DataFrame({"method": label, "split": 0, "index": index, "eigenvalue": positive})

    def score(self, work: Work, fitted: Mapping[Key, Arrays], predictor: tuple[str, Any]) -> pd.DataFrame:
        """Return the scores of a predictor on what was fitted."""
        raise NotImplementedError
