"""Cells that failed, and jobs that are run again because of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from snakemake.io import ancient

from jobs import Jobs
from mlreduce.experiments.results import failed_files, read_failures
from plan import Plan

# Folders of a study with tables of jobs in which cells may fail. What is missing for jobs that go on is in theirs.
_LAST = ("scores", "times", "costs", "images")
_KINDS = ("choices", "details", *_LAST)


def _failed(plan: Plan, kinds: Iterable[str]) -> list[Path]:
    folders = [Path(plan.base) / study / kind for study in plan.studies for kind in kinds]
    return failed_files(file for folder in folders for file in folder.rglob("*.parquet"))


def failures_in(plan: Plan) -> pd.DataFrame:
    """Failed cells of all studies of a run: with `mlreduce.experiments.failures.FAILURE_COLUMNS`."""
    return read_failures(_failed(plan, _LAST))


def retry_flag(plan: Plan, jobs: Jobs, main: bool) -> Callable[[str], Any]:
    """Return a function from a job's table to an input that makes the job run again if cells failed in it.

    The input is one file for all jobs, ``retry``, of which only jobs with failed cells mind the date: it is written at
    the start of a run that finds some, unless the configuration says ``retry_failed: false``.

    Parameters
    ----------
    plan : Plan
    jobs : Jobs
    main : bool
        Whether this process is the run, and not one of its jobs.
    """
    flag = Path(plan.base) / "retry"
    failed = {str(path) for path in _failed(plan, _KINDS)} if main and plan.config["retry_failed"] else set()
    if main and (failed or not flag.exists()):
        flag.parent.mkdir(parents=True, exist_ok=True)
        flag.write_text(f"{time.time_ns()}\n")  # Snakemake takes a newer file with the same content for the same
    return lambda table: str(flag) if table in failed else ancient(str(flag))
