"""What every rule script needs: the library on the path, and errors as one sentence in the log and on the screen."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def library(scriptdir: str) -> None:
    """Put src on the path where the library is not installed (rules in conda environments of their own)."""
    source = Path(scriptdir).resolve().parents[1] / "src"
    if source.is_dir() and str(source) not in sys.path:
        sys.path.append(str(source))


@contextmanager
def station(snakemake: Any) -> Iterator[None]:
    """Run a script's work; a mistake in the data or the configuration ends it with one sentence and exit code 1.

    Warnings go into the log: there is one for each training set, and a screen is no place for hundreds.
    """
    library(snakemake.scriptdir)
    from mlreduce.exceptions import MLReduceError

    log = Path(snakemake.log[0])
    try:
        with warnings.catch_warnings(record=True) as caught:
            yield
    except MLReduceError as error:
        log.write_text(f"{error}\n", encoding="utf-8")
        print(f"mlreduce: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except BaseException:
        log.write_text(traceback.format_exc(), encoding="utf-8")
        raise
    said = dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught)
    log.write_text("\n".join([*said, "done", ""]), encoding="utf-8")
