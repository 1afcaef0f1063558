"""What every rule script needs: the library on the path, a log, and errors as one sentence."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


@contextmanager
def job(snakemake: Any) -> Iterator[None]:
    """Run a script's work; an error that a user can mend ends it with one sentence, in the log and on the screen.

    Warnings go into the log: there may be one for each training set.
    """
    source = Path(snakemake.scriptdir).resolve().parents[1] / "src"
    if source.is_dir() and str(source) not in sys.path:
        sys.path.append(str(source))  # where the library is not installed: rules in conda environments of their own
    from mlreduce.exceptions import MLReduceError

    try:
        with warnings.catch_warnings(record=True) as caught:
            yield
    except (MLReduceError, MemoryError) as error:
        sentence = _out_of_memory(snakemake, error) if isinstance(error, MemoryError) else str(error)
        print(f"mlreduce: {sentence}", file=sys.stderr)
        _log(snakemake, f"mlreduce: {sentence}")
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BaseException:
        _log(snakemake, traceback.format_exc())
        raise
    said = dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught)
    _log(snakemake, *said, "done")


def _out_of_memory(snakemake: Any, error: MemoryError) -> str:
    given = snakemake.resources.get("mem_mb", 0)
    return (
        f"{snakemake.rule} ran out of memory ({error or 'no more can be had'}). Let fewer jobs run at once (--cores 1), "
        f"or give this one more where memory is dealt out: --set-resources {snakemake.rule}:mem_mb={2 * given}"
    )


def _log(snakemake: Any, *lines: str) -> None:
    """Write the log; on a full disk the sentence on the screen must do."""
    with suppress(OSError):
        Path(snakemake.log[0]).write_text("\n".join([*lines, ""]), encoding="utf-8")
