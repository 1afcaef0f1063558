"""Resources that a job requests from a cluster: bounds on memory and time, by the size of its data set and its step.

The numbers are bounds on what the jobs of full runs used. The largest of these are in tests/planning/measured_jobs.csv,
and docs/cluster.md explains them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mlreduce import registry
from mlreduce.exceptions import DataError
from mlreduce.files import opened_arrays
from mlreduce_studies.planning.jobs import ALL, Jobs
from mlreduce_studies.planning.plan import Plan

# A job on little data: two Snakemake processes (Slurm starts one, which starts the other), and a script.
_LEAST_MB = 2000
_LEAST_MINUTES = 10
# A task in a pack starts within a Snakemake that its job has started.
_LEAST_MINUTES_PACKED = 3

# How many numbers are held at once for each one that a row has.
_HELD = 4

# Seconds a fit, for each row and each row or column. Other predictors, such as a user's, may be slow.
_SEARCHING = 4e-6
_SLOW = 2e-6
_QUICK = 1e-7
_SECONDS = {
    **dict.fromkeys(["choose"], _SEARCHING),
    **dict.fromkeys(["factorise", "fit-labels", "linear", "ridge", "kernel-ridge", "br-knn"], _QUICK),
}


class Size(NamedTuple):
    """Size of a prepared data set."""

    rows: int
    columns: int
    labels: int
    #: Number of stored values of the features: all of dense features, the non-zero ones of sparse features.
    stored: int


def size_of(path: str | Path) -> Size:
    """Return the size of a prepared data set, by the heads of its arrays: features are not read.

    Raises FileNotFoundError if the file does not exist, and DataError if it is incomplete or no data set.
    """
    # The error of os.stat names the path as it was given, by which Snakemake knows an input that is yet to be made.
    return _size_of(str(path), os.stat(path).st_mtime_ns)  # noqa: PTH116


@cache
def _size_of(path: str, changed: int) -> Size:
    with opened_arrays(path, "prepared data set") as arrays:
        rows, labels = arrays.shape("Y")
        if "X" in arrays.files:
            _, columns = arrays.shape("X")
            return Size(rows, columns, labels, rows * columns)
        _, columns = map(int, arrays["X_shape"].ravel())
        (stored,) = arrays.shape("X_data")
        return Size(rows, columns, labels, stored)


def rows_of(rule: Mapping[str, Any], rows: int) -> int:
    """Return how many of a data set's rows a protocol uses: see `mlreduce_studies.study.Study.rule_of`."""
    if "train_rows" not in rule:
        return rows
    used: int = rule["train_rows"] + math.ceil(float(rule["test"]) * rows)
    return min(rows, used)


@dataclass(frozen=True)
class Job:
    """A job, as far as its memory and time go."""

    #: Of its data set.
    size: Size
    #: How many of the rows it uses.
    rows: int
    #: How many numbers it has for a row: the features, or relations to the other rows, or both.
    width: int
    #: Methods times splits.
    fits: int = 1
    #: Whether each fit leaves matrices from labels to labels.
    codes: bool = False

    @property
    def megabytes(self) -> int:
        """A bound on the memory, that of the Snakemake around the job included."""
        numbers = _HELD * self.rows * self.width + 2 * self.size.stored
        numbers += self.fits * self.size.labels * self.size.labels if self.codes else 0
        return _LEAST_MB + math.ceil(8e-6 * numbers)

    def minutes(self, work: str, least: int = _LEAST_MINUTES) -> int:
        """Return a bound on the time, with some minutes to start.

        ``work`` is what it does: "choose", "factorise", "fit-labels", or the name of a predictor; anything else is
        slow.
        """
        seconds = _SECONDS.get(work, _SLOW) * self.fits * self.rows * (self.rows + self.width)
        return least + math.ceil(seconds / 60)


def growing(amount: int) -> Callable[..., int]:
    """A resource that doubles with each attempt."""
    return lambda wildcards, attempt: amount * int(2 ** (attempt - 1))


def memory_of(plan: Plan, jobs: Jobs) -> Callable[..., int]:
    """Memory of a job in MB by the size of its data set, the first of its inputs."""

    def megabytes(wildcards: Any, input: Any, attempt: int) -> int:
        return max(job.megabytes for job, _ in _tasks(plan, jobs, wildcards, input)) * int(2 ** (attempt - 1))

    return megabytes


def minutes_of(plan: Plan, jobs: Jobs, step: str, packed: bool = False) -> Callable[..., int]:
    """Time of a job in minutes, for a step or the predictors that it trains."""

    def minutes(wildcards: Any, input: Any, attempt: int) -> int:
        total, least = 0, _LEAST_MINUTES_PACKED if packed else _LEAST_MINUTES
        for job, predictors in _tasks(plan, jobs, wildcards, input):
            coding = step == "fit" and job.codes
            works = predictors if step == "predict" else ["fit-labels" if coding else step]
            total += sum(job.minutes(work, least) for work in works)
        return total * int(2 ** (attempt - 1))

    return minutes


def _tasks(plan: Plan, jobs: Jobs, wildcards: Any, input: Any) -> list[tuple[Job, list[str]]]:
    """The tasks of a job as far as memory and time go, with the registry names of their predictors."""
    try:
        size = size_of(input[0])
    except DataError:
        size = Size(0, 0, 0, 0)  # incomplete; the job will report it
    names = wildcards.keys()
    if "study" not in names:
        return [(Job(size, size.rows, size.columns), [])]
    study, dataset = plan.studies[wildcards.study], wildcards.dataset
    related = study.space_of(dataset)["relation"]
    if "unit" not in names:
        rows = rows_of(study.rule_of(next(iter(study.protocols)), dataset), size.rows)
        groups = study.groups if wildcards.group == ALL else [wildcards.group]
        fits = sum(len(study.groups[name].methods) for name in groups) * study.timed_on(dataset)
        return [(Job(size, rows, rows if related else size.columns, fits=fits), [])]
    found = []
    for protocol, name, (first, last) in jobs.tasks(study, dataset, wildcards.unit, wildcards.batch):
        rows, group = rows_of(study.rule_of(protocol, dataset), size.rows), study.groups[name]
        width = (rows if related else size.columns) + (rows if group.choice else 0)
        fits = len(jobs.methods(study, dataset, protocol, name, wildcards.unit)) * (last - first + 1)
        chosen = wildcards.get("predictor", ALL)
        predictors = [label for label in study.predictors_of(dataset, protocol, name) if chosen in (ALL, label)]
        trained = [registry.entry_name(label, study.predictors[label]) for label in predictors]
        found.append((Job(size, rows, width, fits=fits, codes=study.family == "labelspace"), trained))
    return found
