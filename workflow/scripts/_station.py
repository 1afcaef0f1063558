"""What every rule script needs: the library on the path, and errors as one sentence in the log and on the screen."""

from __future__ import annotations

import importlib
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

# Held by every job, for as long as it lives; a run that was killed leaves jobs behind that work on.
JOBS = Path(".snakemake") / "jobs.lock"


class Deferred(ModuleType):
    """Stands for a module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def defer(module: str) -> None:
    """Let a module be imported no earlier than something of it is used."""
    sys.modules.setdefault(module, Deferred(module))


def library(scriptdir: str) -> None:
    """Put src on the path where the library is not installed (rules in conda environments of their own)."""
    source = Path(scriptdir).resolve().parents[1] / "src"
    if source.is_dir() and str(source) not in sys.path:
        sys.path.append(str(source))


@contextmanager
def station(snakemake: Any) -> Iterator[None]:
    """Run a script's work on files that are what was written; what a user can mend ends it with one sentence.

    Warnings go into the log: there is one for each training set, and a screen is no place for hundreds.
    """
    library(snakemake.scriptdir)
    defer("scipy.stats")  # a third of the seconds in which a job starts: scikit-learn imports it, few jobs use it
    from mlreduce.datasets.files import check_files, locked
    from mlreduce.exceptions import MLReduceError

    try:
        with ExitStack() as held, warnings.catch_warnings(record=True) as caught:
            with suppress(OSError):
                held.enter_context(locked(JOBS, shared=True))
            check_files(snakemake.input)
            yield
    except (MLReduceError, MemoryError) as error:
        said = str(error)
        if isinstance(error, MemoryError):
            given = snakemake.resources.get("mem_mb", 0)
            said = (
                f"{snakemake.rule} ran out of memory ({error or 'no more can be had'}). Let fewer jobs run at once "
                f"(--cores 1), or give this one more where memory is dealt out: "
                f"--set-resources {snakemake.rule}:mem_mb={2 * given}"
            )
        print(f"mlreduce: {said}", file=sys.stderr)
        _log(snakemake, said)
        raise SystemExit(1) from None
    except BaseException:
        _log(snakemake, traceback.format_exc())
        raise
    said = dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught)
    _log(snakemake, *said, "done")


def _log(snakemake: Any, *lines: str) -> None:
    """Write the log; on a disk that is full what was said on the screen must do."""
    with suppress(OSError):
        Path(snakemake.log[0]).write_text("\n".join([*lines, ""]), encoding="utf-8")
