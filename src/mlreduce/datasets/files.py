"""Files that are there whole or not at all, and that say so when they are no longer what was written."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import platform
import sys
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mlreduce.datasets.guards import GuardedArrays
from mlreduce.exceptions import DataError, StorageError

if sys.platform != "win32":
    import fcntl

__all__ = [
    "arrays_sha256",
    "check_files",
    "checksum_path",
    "file_sha256",
    "locked",
    "not_of_the_future",
    "opened_arrays",
    "read_arrays",
    "replacing",
]

# Of a full disk, a used-up quota and a limit on the size of files: making room helps.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
# Raised for damaged archives: RuntimeError for encrypted ones, OverflowError for impossible shapes.
_DAMAGED = (OSError, ValueError, KeyError, EOFError, RuntimeError, OverflowError, zipfile.BadZipFile, zlib.error)


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def arrays_sha256(path: str | Path, what: str) -> str:
    """Return the SHA-256 of the arrays of an ``.npz`` file: names, types, shapes and bytes.

    The file's own depends on what wrote and compressed it: Python 3.11.2 and 3.11.7 write other headers.

    Parameters
    ----------
    path, what
        As for `opened_arrays`.

    Raises
    ------
    DataError
        If the file is not whole.
    """
    digest = hashlib.sha256()
    for name, array in sorted(read_arrays(path, what).items()):
        digest.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


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
        with Path(path).open("rb") as file, GuardedArrays(file) as stored:
            yield stored
    except FileNotFoundError:
        raise
    except _DAMAGED as error:
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

    A process that is killed half-way, a disk that is full, or two processes that write the same file at once never
    leave a broken file under the name. The temporary name keeps the suffix, by which writers know the format. Beside
    the file its checksum is left, by which `check_files` knows it again.

    Raises
    ------
    StorageError
        If the file cannot be written; what was there before is untouched.
    """
    path = Path(path)
    temporary = path.with_name(f".partial-{platform.node()}-{os.getpid()}-{path.name}")
    checksum = temporary.with_name(f"{temporary.name}.sha256")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _clear_leftovers(path)
        yield temporary
        checksum.write_text(f"{file_sha256(temporary)}  {path.name}\n", encoding="utf-8")
        # Some file systems say only when they are asked to keep a file that they are full.
        for written in (temporary, checksum):
            with written.open("rb") as file:
                os.fsync(file.fileno())
        checksum.replace(checksum_path(path))
        temporary.replace(path)
    except OSError as error:
        about = {str(temporary), str(checksum), str(path.parent)}
        if error.errno not in _NO_ROOM and str(error.filename) not in about:
            raise  # of something that the block read
        remedy = "; make room and run again" if error.errno in _NO_ROOM else ""
        raise StorageError(f"{path} could not be written: {error.strerror}{remedy}") from error
    finally:
        for leftover in (temporary, checksum):
            with suppress(OSError):  # gone, in its place, or in a folder that is read-only by now
                leftover.unlink()


def _clear_leftovers(path: Path) -> None:
    """Remove what processes of this machine that were killed left of a file."""
    for leftover in path.parent.glob(f".partial-{glob.escape(platform.node())}-*-{glob.escape(path.name)}*"):
        process = leftover.name.removeprefix(f".partial-{platform.node()}-").partition("-")[0]
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            leftover.unlink(missing_ok=True)
        except (PermissionError, ValueError):
            continue  # alive and another user's, or another file whose name ends like this one


def checksum_path(path: str | Path) -> Path:
    """Return where `replacing` leaves the checksum of a file, in the form that sha256sum reads."""
    path = Path(path)
    return path.with_name(f".{path.name}.sha256")


def check_files(paths: Iterable[str | Path]) -> None:
    """Check that files are what `replacing` wrote: a bit that flipped, a half or an empty file is never used.

    Files that have no checksum beside them are not ours and are passed over.

    Parameters
    ----------
    paths : iterable of paths
        Of a folder, every file in it that has a checksum is checked.

    Raises
    ------
    DataError
        If some are not; the sentence names each and says what to do.
    """
    damaged: dict[Path, Path] = {}
    for path in map(Path, paths):
        sums = path.glob(".*.sha256") if path.is_dir() else [checksum_path(path)]
        files = [own.with_name(own.name[1:].removesuffix(".sha256")) for own in sums]
        damaged |= {file: path for file in sorted(files) if not _is_as_written(file)}
    if damaged:
        raise DataError(
            f"{', '.join(map(str, damaged))}: not what was written, by the checksum beside it; "
            f"delete {', '.join(map(str, dict.fromkeys(damaged.values())))} and run again"
        )


def _is_as_written(path: Path) -> bool:
    try:
        expected = checksum_path(path).read_bytes()
    except FileNotFoundError:
        return True
    return path.is_file() and expected == f"{file_sha256(path)}  {path.name}\n".encode()


@contextmanager
def locked(path: str | Path, *, shared: bool = False) -> Iterator[None]:
    """Hold a lock of the operating system: others that ask for it wait. One whose holder was killed is free.

    Where a file system knows no locks, nobody waits.

    Parameters
    ----------
    path : path
        Of a file for the lock alone; it is made, and stays.
    shared : bool, default=False
        Let others hold the lock too who want it shared.

    Raises
    ------
    OSError
        If the file cannot be made.
    """
    with Path(path).open("a") as file:
        if sys.platform != "win32":
            try:
                fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    raise
        yield


def not_of_the_future(folders: Iterable[str | Path]) -> None:
    """Date the files in folders that a clock which was ahead dated in the future to now, in the order that they have.

    What goes by dates would make them and what depends on them again and again, until that time has come.

    Parameters
    ----------
    folders : iterable of paths
        Those that are not there, and files that cannot be dated, are passed over.
    """
    now = time.time_ns()
    files = (Path(place, name) for folder in folders for place, _, names in os.walk(folder) for name in names)
    ahead = sorted((date, file) for file in files if (date := _modified(file)) > now)
    for position, (_, file) in enumerate(ahead):
        with suppress(OSError):
            os.utime(file, ns=(now + 1000 * position,) * 2, follow_symlinks=False)


def _modified(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return 0
