"""Failed cells, damaged tables, and jobs that run again because of them or of changes."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from snakemake.io import IOFile, ancient
from snakemake.logging import logger

from mlreduce.files import made_of, write_text
from mlreduce_studies.planning.outputs import Outputs
from mlreduce_studies.planning.plan import Plan

if TYPE_CHECKING:
    import pandas as pd

# Kinds of tables of jobs in which cells may fail. Failures of earlier steps are repeated in the tables of later jobs.
_LAST = ("scores", "times", "costs", "images")
_KINDS = ("choices", "details", *_LAST)


def failures_in(plan: Plan, outputs: Outputs) -> pd.DataFrame:
    """Failed cells of all studies of a run: with `mlreduce.evaluation.failures.FAILURE_COLUMNS`."""
    from mlreduce_studies.gathering.job_tables import failed_files, read_failures

    tables = [outputs.gathered_from(study) for study in plan.studies.values()]
    files = [file for table in tables for kind in _LAST for file in table[kind] if Path(file).exists()]
    return read_failures(failed_files(files))


def retries(plan: Plan, workflow: Any, runs: Callable[[], bool]) -> Callable[[Any, Any], Any]:
    """Return a function from a rule and wildcards to an input that makes the job run again where it has to.

    A job runs again if cells failed in it (unless ``retry_failed`` is false), if its table is damaged at the end, which
    is logged, or if Snakemake has no record of it and the inputs in its log are not those of the plan.

    The input is one file for all jobs; only the jobs that run again depend on its date. A run writes this file and the
    record of the run before its jobs are selected. ``runs`` returns whether the workflow runs jobs, once this is known;
    a dry run writes nothing.
    """
    main: bool = workflow.is_main_process
    damaged: set[str] = set()
    failed: set[str] = set()
    folders = [Path(plan.base) / study / kind for study in plan.studies for kind in _KINDS]
    files = [file for folder in folders for file in folder.rglob("*.parquet")]
    if main and plan.config["retry_failed"] and files:
        from mlreduce_studies.gathering.job_tables import failed_files  # slow to import, and a first run has no tables

        failed = {str(path) for path in failed_files(files, lambda path: damaged.add(str(path)))}
    file, record = Path(plan.rerun_file), Path(plan.run_file)

    @cache
    def recorded() -> bool:
        if runs():
            text = json.dumps(plan.record, indent=1, sort_keys=True)
            if not (record.is_file() and record.read_text(encoding="utf-8") == text):
                write_text(record, text)
            if not file.is_file():
                write_text(file, _now())
        return file.is_file()

    @cache
    def renewed() -> str:
        """Path of a file that is newer than all results and has new content."""
        if not runs():
            return str(_newer().name)
        write_text(file, _now())
        return str(file)

    def input_of(rule: Any, wildcards: Any) -> Any:
        there = recorded()
        if main:
            names = dict(wildcards.items())
            made = [str(path).format(**names) for path in rule.output]
            for path in damaged.intersection(made):
                logger.warning(f"{path}: incomplete table; its job runs again")
            again = not (failed | damaged).isdisjoint(made)
            if again or _is_changed(workflow.persistence, rule, wildcards, made, str(rule.log[0]).format(**names)):
                return renewed()
        return ancient(str(file)) if there else []  # a dry run of what was never run

    return input_of


def _now() -> str:
    return f"{time.time_ns()}\n"


@cache
def _newer() -> Any:
    """Return an empty file, which is deleted when the process ends."""
    return tempfile.NamedTemporaryFile(prefix="mlreduce-")


def _is_changed(persistence: Any, rule: Any, wildcards: Any, made: list[str], log: str) -> bool:
    """Return whether results were made from other inputs than planned; a record of Snakemake is trusted."""
    if not any(Path(path).exists() for path in made):
        return False
    job = SimpleNamespace(output=[IOFile(path, rule=rule.rule) for path in made])
    if persistence.has_metadata(job) and not persistence.has_outdated_metadata(job):
        return False
    params = {name: value(wildcards) if callable(value) else value for name, value in rule.params.items()}
    try:
        written = Path(log).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return True
    return made_of(params) not in written[-1:]
