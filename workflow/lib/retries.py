"""Cells that failed and tables that are damaged, and jobs that are run again because of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakemake.io import ancient
from snakemake.logging import logger

from mlreduce.files import write_text
from outputs import Outputs
from plan import Plan

if TYPE_CHECKING:
    import pandas as pd

# Kinds of tables of jobs in which cells may fail. What is missing for jobs that go on is in theirs.
_LAST = ("scores", "times", "costs", "images")
_KINDS = ("choices", "details", *_LAST)


def failures_in(plan: Plan, outputs: Outputs) -> pd.DataFrame:
    """Failed cells of all studies of a run: with `mlreduce.evaluation.failures.FAILURE_COLUMNS`."""
    from mlreduce_studies.gathering.job_tables import failed_files, read_failures

    tables = [outputs.gathered_from(study) for study in plan.studies.values()]
    files = [file for own in tables for kind in _LAST for file in own[kind] if Path(file).exists()]
    return read_failures(failed_files(files))


def retries(plan: Plan, main: bool, runs: Callable[[], bool]) -> Callable[[str], Any]:
    """Return a function from a job's table to an input that makes the job run again if cells failed in it.

    A job whose table is damaged at its end is run again too, and a line of the log names the table.

    The input is one file for all jobs, that of the run's record, of which only jobs with failed cells mind the date. A
    run writes it before its jobs are chosen: where it is missing or holds something else, and anew where cells failed,
    unless the configuration says ``retry_failed: false``.

    Parameters
    ----------
    plan : Plan
    main : bool
        Whether this process is the one that a user started, and not one of its jobs.
    runs : callable
        Says whether it runs jobs, once this is known; a dry run writes nothing.
    """
    damaged: set[str] = set()
    failed: set[str] = set()
    folders = [Path(plan.base) / study / kind for study in plan.studies for kind in _KINDS]
    files = [file for folder in folders for file in folder.rglob("*.parquet")]
    if main and plan.config["retry_failed"] and files:
        from mlreduce_studies.gathering.job_tables import failed_files  # slow to import, and a first run has no tables

        failed = {str(path) for path in failed_files(files, lambda path: damaged.add(str(path)))}
    file = Path(plan.run_file)

    @cache
    def recorded() -> bool:
        # Snakemake takes a newer file with the same content for the same.
        again = {"retry": time.time_ns()} if failed or damaged else {}
        text = json.dumps({**plan.record, **again}, indent=1, sort_keys=True)
        if runs() and not (file.is_file() and file.read_text(encoding="utf-8") == text):
            write_text(file, text)
        return file.is_file()

    def input_of(table: str) -> Any:
        if table in damaged:
            logger.warning(f"{table}: not a whole table; its job runs again")
        if not recorded():  # a dry run of what was never run
            return []
        if table not in failed | damaged:
            return ancient(str(file))
        return str(file) if runs() else [str(file), str(plan.project / "Snakefile")]  # other inputs, for a dry run

    return input_of
