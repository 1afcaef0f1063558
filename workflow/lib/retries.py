"""Cells that failed and tables that are damaged, and jobs that are run again because of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from snakemake.io import ancient
from snakemake.logging import logger

from mlreduce.experiments.results import failed_files, read_failures
from outputs import Outputs
from plan import Plan

# Kinds of tables of jobs in which cells may fail. What is missing for jobs that go on is in theirs.
_LAST = ("scores", "times", "costs", "images")
_KINDS = ("choices", "details", *_LAST)


def failures_in(plan: Plan, outputs: Outputs) -> pd.DataFrame:
    """Failed cells of all studies of a run: with `mlreduce.experiments.failures.FAILURE_COLUMNS`."""
    tables = [outputs.gathered_from(study) for study in plan.studies.values()]
    files = [file for own in tables for kind in _LAST for file in own[kind] if Path(file).exists()]
    return read_failures(failed_files(files))


def retry_flag(plan: Plan, main: bool) -> Callable[[str], Any]:
    """Return a function from a job's table to an input that makes the job run again if cells failed in it.

    A job whose table is damaged at its end is run again too, and a line of the log names the table.

    The input is one file for all jobs, ``retry``, of which only jobs with failed cells mind the date: it is written at
    the start of a run that finds some, unless the configuration says ``retry_failed: false``.

    Parameters
    ----------
    plan : Plan
    main : bool
        Whether this process is the run, and not one of its jobs.
    """
    flag = Path(plan.base) / "retry"
    damaged: set[str] = set()
    failed: set[str] = set()
    if main and plan.config["retry_failed"]:
        folders = [Path(plan.base) / study / kind for study in plan.studies for kind in _KINDS]
        files = (file for folder in folders for file in folder.rglob("*.parquet"))
        failed = {str(path) for path in failed_files(files, lambda path: damaged.add(str(path)))}
    if main and (failed or damaged or not flag.exists()):
        flag.parent.mkdir(parents=True, exist_ok=True)
        flag.write_text(f"{time.time_ns()}\n")  # Snakemake takes a newer file with the same content for the same

    def input_of(table: str) -> Any:
        if table in damaged:
            logger.warning(f"{table}: not a whole table; its job runs again")
        return str(flag) if table in failed | damaged else ancient(str(flag))

    return input_of
