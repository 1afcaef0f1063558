"""Short tasks of a study, packed into jobs of a cluster of about so many minutes each.

A task, which is what a job is on one machine, keeps its rule and its files. A pack is a group of Snakemake: one
submission, whose tasks run one after another. Packs are of one data set: one that cannot be fetched holds up no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from mlreduce_studies.planning.expected import Expected
from mlreduce_studies.planning.jobs import Jobs, parts_of
from mlreduce_studies.planning.plan import Plan
from mlreduce_studies.study import Study

__all__ = ["PACKS", "Packing"]

#: What packs are called together: their `--group-components`.
PACKS = "packs"
_NAMES = ("study", "dataset", "unit", "predictor", "batch", "group")
# Seconds to start the Python of a task, which the committed seconds do not have.
_START = 1.5

Task = tuple[str, ...]


class Packing:
    """Which tasks are in one job; all tasks of a pack where it is ``remote``, a process that runs the pack."""

    def __init__(self, plan: Plan, jobs: Jobs, remote: bool = False) -> None:
        self._plan, self._jobs, self._remote = plan, jobs, remote

    @property
    def minutes(self) -> int:
        """Expected minutes of a pack; 0 where each task is a job."""
        return int(self._plan.config.get("minutes_per_job", 0))

    def pack_of(self, rule: str, wildcards: Mapping[str, Any]) -> str | None:
        """Return the name of the pack of a task; None where each task is a job."""
        if not self.minutes:
            return None
        return PACKS if self._remote else self.packs[_task(rule, wildcards)]

    @cached_property
    def packs(self) -> dict[Task, str]:
        """The pack of each task."""
        expected = Expected(self._plan.project)
        found: dict[Task, str] = {}
        for dataset in dict.fromkeys(name for study in self._plan.studies.values() for name in study.datasets):
            for kind, pieces in (("", self._pieces), ("timed-", self._timed)):
                number, filled = 1, 0.0
                for study in self._plan.studies.values():
                    for piece in pieces(study, dataset) if dataset in study.datasets else ():
                        seconds = sum(expected.seconds(task[0], _wildcards(task)) + _START for task in piece)
                        if filled and filled + seconds > 60 * self.minutes:
                            number, filled = number + 1, 0.0
                        filled += seconds
                        found |= dict.fromkeys(piece, f"{kind}{dataset}-{number}")
        return found

    def _pieces(self, study: Study, dataset: str) -> Iterator[list[Task]]:
        """Yield the tasks of each batch of splits, each after those that it depends on."""
        jobs = self._jobs
        units: dict[str, list[str]] = {}
        for unit in jobs.units(study, dataset):
            units.setdefault(".".join(filter(None, parts_of(unit)[:2])) or unit, []).append(unit)
        for place, members in units.items():
            batches = jobs.batches(study, dataset, place)
            choices = dict.fromkeys(jobs.batches(study, dataset, place, choosing=True))
            for batch in batches:
                chosen = [name for name in choices if name == batch or name not in batches]
                for name in chosen:
                    del choices[name]
                yield [
                    *(("choose", study.name, dataset, place, "", name, "") for name in chosen),
                    *(("fit", study.name, dataset, unit, "", batch, "") for unit in members),
                    *(
                        ("predict", study.name, dataset, unit, predictor, batch, "")
                        for unit in members
                        for predictor in jobs.predictors(study, dataset, unit)
                    ),
                ]

    def _timed(self, study: Study, dataset: str) -> Iterator[list[Task]]:
        """Yield the tasks that time fits."""
        for path in self._jobs.timed(study):
            *_, place, name = path.removesuffix(".parquet").split("/")
            if place == dataset:
                yield [("time", study.name, dataset, "", "", "", name)]


def _wildcards(task: Task) -> dict[str, str]:
    return {name: value for name, value in zip(_NAMES, task[1:], strict=True) if value}


def _task(rule: str, wildcards: Mapping[str, Any]) -> Task:
    return (rule, *(str(wildcards.get(name, "")) for name in _NAMES))
