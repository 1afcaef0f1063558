"""What is compared, after all checks: its jobs, and their run without limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.compared import Method, user_sources
from mlreduce.evaluation.jobs import Common, Job, factorise, run_all
from mlreduce.evaluation.store import Store, digest, digest_of_data


class Request(NamedTuple):
    """What is compared, after all checks."""

    data: MultiLabelData
    methods: Sequence[Method]
    #: Training rows and test rows of each.
    splits: Sequence[Sequence[Sequence[int]]]
    #: Registry names and import paths of methods and predictors.
    names: Sequence[str]
    #: Settings that the scores depend on.
    decisive: Mapping[str, Any]

    def jobs(self) -> list[Job]:
        """Return the jobs, fold by fold, with keys that hold all that their scores depend on."""
        shared = digest(digest_of_data(self.data), self.decisive, user_sources(self.names))
        return [
            Job(method, fold, digest(shared, method, fold, of_rows))
            for fold, of_rows in enumerate(map(digest, self.splits))
            for method in self.methods
        ]

    def common(self) -> Common:
        """Return what the jobs have in common."""
        return Common.collect(self.data, {**self.decisive, "rule": {"rows": self.splits}}, self.names)

    def run(
        self, cache: Store, n_jobs: int | None, deadline: float, progress: bool
    ) -> tuple[list[Job], dict[str, Any]]:
        """Run the jobs whose results the store lacks; return all jobs, and the results by their keys."""
        jobs = self.jobs()
        results = stored_results(cache, jobs)
        left = to_run(jobs, results)
        coded = any(job.method.family == "labelspace" for job in left)
        common = replace(self.common(), design=factorise(self.data, self.decisive["scaling"]) if coded else None)
        for key, result in run_all(left, common, n_jobs, deadline, progress):
            cache.write(key, result)
            results[key] = result
        return jobs, results


def stored_results(cache: Store, jobs: Iterable[Job]) -> dict[str, Any]:
    """Return the results that are stored, by the keys of the jobs."""
    return {job.key: stored for job in jobs if (stored := cache.read(job.key)) is not None}


def to_run(jobs: Iterable[Job], results: Mapping[str, Any]) -> list[Job]:
    """Return the jobs without a result, and those that failed, since the cause may no longer exist."""
    return [job for job in jobs if job.key not in results or results[job.key]["failures"]]
