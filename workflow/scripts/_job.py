"""Shared set-up of the scripts of rules: the library on the path, a log, and errors as one sentence."""

from __future__ import annotations

import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def job(snakemake: Any) -> Iterator[None]:
    """Run the body of a script; an error ends it, with one sentence in the log where a user can correct it.

    Warnings are written to the log, since there may be one for each training set. After success the last line of the
    log identifies the inputs of the results, by which a later plan detects changes.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a traceback
    source = Path(snakemake.scriptdir).resolve().parents[1] / "src"
    if source.is_dir() and str(source) not in sys.path:
        sys.path.append(str(source))  # where the library is not installed: rules in conda separate environments
    from mlreduce.exceptions import MLReduceError
    from mlreduce.files import made_of

    Path(snakemake.log[0]).unlink(missing_ok=True)
    try:
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
    _log(snakemake, *messages, "done", made_of(dict(snakemake.params.items())))


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
