"""Processor seconds and memory of fitting methods one by one, with nothing shared between methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NotRequired, TypedDict

import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.entries import Methods
from mlreduce.evaluation.failures import RAISE, Failures
from mlreduce.evaluation.scores import as_table
from mlreduce.evaluation.splitting import Split
from mlreduce.evaluation.strategy import find_strategy
from mlreduce.validation.limits import Waiting
from mlreduce_studies.experiments.memory import allocate_in_one_arena, begin_peak, process_bytes


class TimingSettings(TypedDict):
    """What a job times, in plain values, which the workflow passes as JSON."""

    #: One of "labelspace", "projection", "selection".
    family: str
    methods: Methods
    #: ``scaling`` and ``relation``: see `mlreduce.evaluation.view.View`.
    space: Mapping[str, Any]
    #: Label to scaling. Of selectors that get features on another scale than that of ``space``.
    scalings: NotRequired[Mapping[str, str]]


def time_fits(
    data: MultiLabelData,
    splits: Mapping[int, Split],
    settings: TimingSettings,
    seed: int = 0,
    failures: Failures = RAISE,
) -> pd.DataFrame:
    """Measure fitting each method on each training part, with all directions or features.

    Every method is fitted once before it is measured: what is imported, compiled or allocated first is no part of a
    fit. Seconds are the processor's, which other work on the machine does not lengthen, and those of the wall of what
    runs in a process of an entry of the leaderboard; megabytes are the most that the process has beyond what it had
    before, with the data. Selectors get scaled features, label coders features and labels as they are.

    Columns are dataset, method, split, seconds, megabytes; no row for a fit that failed, which ``failures`` takes.
    Without megabytes (NaN) where the system does not say.
    """
    allocate_in_one_arena()
    strategy = find_strategy(settings["family"])(data, settings["space"], seed)
    rows = []
    for number, split in splits.items():
        ready = strategy.ready(number, split, settings.get("scalings", {}))
        for label, entry in settings["methods"].items():
            # The first of the two is not measured.
            cost = failures.attempt(number, label, _cost, ready(label, entry), ready(label, entry))
            if cost is not None:
                rows.append((data.name, label, number, *cost))
    return as_table(rows, ["dataset", "method", "split", "seconds", "megabytes"])


def _cost(first: Callable[[], Any], second: Callable[[], Any]) -> tuple[float, float]:
    first()
    begin_peak()
    held = process_bytes("VmRSS")
    start = time.process_time() + Waiting.seconds
    second()
    return time.process_time() + Waiting.seconds - start, (process_bytes("VmHWM") - held) / 1e6
