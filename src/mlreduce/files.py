"""Files that are there whole or not at all."""

from __future__ import annotations

import glob
import hashlib
import os
import platform
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mlreduce.exceptions import DataError

__all__ = ["file_sha256", "opened_arrays", "read_arrays", "replacing"]


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def opened_arrays(path: str | Path, what: str) -> Iterator[Any]:
    """Open an ``.npz`` file, without pickles, whose arrays are read as they are asked for.

    Parameters
    ----------
    path : path
    what : str
        What the file should be, for the message: "prepared data set".

    Raises
    ------
    DataError
        If the file is there but not whole, now or when an array is read.
    """
    try:
        # Opened here: np.load leaves a broken file open.
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            yield stored
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: not a whole {what} ({error}); delete it and run again") from error


def read_arrays(path: str | Path, what: str, required: tuple[str, ...] = ()) -> dict[str, Any]:
    """Read every array of an ``.npz`` file.

    Parameters
    ----------
    path, what
        As for `opened_arrays`.
    required : tuple of str, default=()
        Names that must be in it.

    Raises
    ------
    DataError
        If the file is there but not whole.
    """
    with opened_arrays(path, what) as stored:
        arrays = {name: stored[name] for name in stored.files}
    missing = [name for name in required if name not in arrays]
    if missing:
        raise DataError(f"{path}: not a whole {what} ({missing[0]!r} is missing); delete it and run again")
    return arrays


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside ``path`` to write to, and move it into place when the block succeeds.

    A process that is killed half-way, or two that write the same file at once, never leave a broken file under the
    name. The temporary name keeps the suffix, by which writers know the format.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _clear_leftovers(path)
    temporary = path.with_name(f".partial-{platform.node()}-{os.getpid()}-{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _clear_leftovers(path: Path) -> None:
    """Remove what processes of this machine that were killed left of a file."""
    for leftover in path.parent.glob(f".partial-{glob.escape(platform.node())}-*-{glob.escape(path.name)}"):
        process = leftover.name.removeprefix(f".partial-{platform.node()}-").partition("-")[0]
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            leftover.unlink(missing_ok=True)
        except (PermissionError, ValueError):
            continue  # alive and another user's, or another file whose name ends like this one
