"""How long jobs are expected to take: as those of the last full run did, or as others of their rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pandas as pd

__all__ = ["Expected"]

#: The committed seconds of jobs, from the root of the project.
_JOBS = "results/reference"
#: What a job is looked up by, the most specific first. Batches of other sizes have another number of splits.
_KEYS = (
    ("study", "rule", "dataset", "protocol", "group", "predictor", "batch"),
    ("study", "rule", "dataset", "protocol", "group", "predictor"),
    ("study", "rule", "dataset"),
    ("rule", "dataset"),
)
#: Seconds of a job on data that no full run had, most often embedded ones: a Python process, and little work.
_UNKNOWN = 3.0
# Rules that a full run has no seconds of: they gather and write.
_WRITING = {"tables": 1.5, "figures": 4.0, "gather": 2.0, "audit": 2.0, "manifest": 2.0, "site": 4.0, "crate": 2.0}


class Expected:
    """The expected seconds of the jobs of a project.

    Examples
    --------
    >>> from mlreduce_studies.planning.expected import Expected
    >>> Expected("/nowhere").seconds("fit", {"study": "mvmd-2016", "dataset": "digits"})
    3.0
    """

    def __init__(self, project: str | Path) -> None:
        self._project = Path(project)
        self._means: Mapping[tuple[str, ...], float] | None = None

    def _read(self) -> Mapping[tuple[str, ...], float]:
        seconds: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for path in sorted((self._project / _JOBS).glob("*/jobs.csv")):
            jobs = pd.read_csv(path, dtype=str, keep_default_na=False).assign(study=path.parent.name)
            jobs = jobs.assign(seconds=pd.to_numeric(jobs["seconds"], errors="coerce")).dropna(subset=["seconds"])
            for row in jobs.to_dict("records"):
                for number, keys in enumerate(_KEYS):
                    seconds[(str(number), *(row[key] for key in keys))].append(float(row["seconds"]))
        return {key: fmean(values) for key, values in seconds.items()}

    def seconds(self, rule: str, wildcards: Mapping[str, Any]) -> float:
        """Return the expected seconds of a job by its rule and wildcards."""
        if self._means is None:
            self._means = self._read()
        step = rule.partition("_")[0]
        if step in _WRITING:
            return _WRITING[step]
        protocol, _, group = str(wildcards.get("unit", "")).partition(".")
        if not group:
            protocol, group = "", protocol
        given = {"protocol": protocol, "group": group, **{key: str(value) for key, value in wildcards.items()}}
        for number, keys in enumerate(_KEYS):
            found = self._means.get((str(number), *({"rule": rule, **given}.get(key, "") for key in keys)))
            if found is not None:
                return max(found, 1.0)
        return _UNKNOWN

    def of_jobs(self, jobs: Iterable[Any]) -> dict[int, tuple[str, float]]:
        """Return the rules and expected seconds of Snakemake's jobs by their numbers, without targets."""
        made = [job for job in jobs if list(job.output)]
        return {job.jobid: (job.rule.name, self.seconds(job.rule.name, dict(job.wildcards_dict))) for job in made}
