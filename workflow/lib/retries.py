"""Cells that failed, and jobs that are run again because of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from snakemake.io import ancient

from jobs import Jobs
from mlreduce.experiments.results import failed_files, read_failures
from plan import Plan

# Folders of a study with tables of jobs in which cells may fail.
_KINDS = ("choices", "details", "scores", "times", "costs", "images")


def _failed(plan: Plan) -> list[Path]:
    folders = [Path(plan.base) / study / kind for study in plan.studies for kind in _KINDS]
    return failed_files(file for folder in folders for file in folder.rglob("*.parquet"))


def failures_in(plan: Plan) -> pd.DataFrame:
    """Failed cells of all studies of a run: with `mlreduce.experiments.failures.FAILURE_COLUMNS`."""
    return read_failures(_failed(plan))


def retry_flag(plan: Plan, jobs: Jobs, main: bool) -> Callable[[str], Any]:
    """Return a function from a job's table to an input that makes the job run again if cells failed in it.

    The input is one file for all jobs, ``retry``, of which only jobs with failed cells mind the date: it is touched at
    the start of a run that finds some, unless the configuration says ``retry_failed: false``.

    Parameters
    ----------
    plan : Plan
    jobs : Jobs
    main : bool
        Whether this process is the run, and not one of its jobs.
    """
    flag = Path(plan.base) / "retry"
    failed = {str(path) for path in _failed(plan)} if main and plan.config["retry_failed"] else set()
    if main and (failed or not flag.exists()):
        flag.parent.mkdir(parents=True, exist_ok=True)
        flag.touch()
    return lambda table: str(flag) if table in failed else ancient(str(flag))
