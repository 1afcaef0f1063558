"""Shared set-up of the scripts of rules: the library on the path, a log, and errors as one sentence."""

from __future__ import annotations

import signal
import sys
import traceback
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def job(snakemake: Any, *, travels: bool = False) -> Iterator[None]:
    """Run the body of a script; an error ends it, with one sentence in the log where a user can correct it.

    Warnings are written to the log, since there may be one for each training set. After success the last line of the
    log identifies the inputs of the results, by which a later plan detects changes.

    A job that ``travels`` is taken from the folder of finished jobs where it is there, which ends the script, or is
    written to it.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
    source = Path(snakemake.scriptdir).resolve().parents[1] / "src"
    if source.is_dir() and str(source) not in sys.path:
        sys.path.append(str(source))  # where the library is not installed: rules in conda separate environments
    from mlreduce.exceptions import MLReduceError
    from mlreduce.files import made_of

    Path(snakemake.log[0]).unlink(missing_ok=True)
    end = ("done", made_of(dict(snakemake.params.items())))
    try:
        finished, notes = _taken(snakemake, end) if travels else (None, [])
        with warnings.catch_warnings(record=True) as caught:
            yield
    except (MLReduceError, MemoryError) as error:
        sentence = _out_of_memory(snakemake, error) if isinstance(error, MemoryError) else " ".join(str(error).split())
        _log(snakemake, f"mlreduce: {sentence}")
        raise SystemExit(1) from None
    except Exception:  # noqa: BLE001 - every error has to be in the log
        _log(snakemake, traceback.format_exc())
        raise SystemExit(1) from None
    messages = dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught)
    if finished is not None:
        notes += _put(snakemake, finished)
    _log(snakemake, *messages, *notes, *end)


def _taken(snakemake: Any, end: Sequence[str]) -> tuple[Any, list[str]]:
    """End the script where the job is in the folder of finished jobs; otherwise return its place there, and why not."""
    if snakemake.config.get("finished") is None:
        return None, []
    from mlreduce.exceptions import DataError
    from mlreduce.files import replacing
    from mlreduce_studies.provenance.finished import finished_job, sentence_on

    finished = finished_job(snakemake)
    try:
        if not finished.take():
            return finished, []
    except DataError as error:
        return finished, _noted(f"{error}. The job is run")
    for output in snakemake.output:
        if output.endswith(".npz"):  # without arrays, by which predict sees that it has to fit again
            with replacing(output) as path:
                zipfile.ZipFile(path, "w").close()
    _log(snakemake, sentence_on(finished), *end)
    raise SystemExit(0)


def _put(snakemake: Any, finished: Any) -> list[str]:
    """Write a job to the folder of finished jobs, unless cells failed in it; return a note where it cannot be."""
    from mlreduce_studies.gathering.job_tables import failed_files

    try:
        if not failed_files(path for path in snakemake.output if path.endswith(".parquet")):
            finished.put()
    except OSError as error:
        return _noted(f"{finished.path} could not be written: {error.strerror or error}")
    return []


def _noted(sentence: str) -> list[str]:
    print(f"mlreduce: {sentence}", file=sys.stderr)
    return [sentence]


def _out_of_memory(snakemake: Any, error: MemoryError) -> str:
    more = f"--set-resources {snakemake.rule}:mem_mb={2 * snakemake.resources.get('mem_mb', 0)}"
    return (
        f"{snakemake.rule} ran out of memory ({error or 'no more is available'}). Run fewer jobs at once "
        f"(--cores 1), or request more memory for this rule where memory is allocated: {more}"
    )


def _log(snakemake: Any, *lines: str) -> None:
    """Write the log; where the disk is full, print the last line."""
    try:
        Path(snakemake.log[0]).write_text("\n".join([*lines, ""]), encoding="utf-8")
    except OSError:
        print(lines[-1], file=sys.stderr)
