"""Files that are written completely or not at all, and archives of arrays."""

from __future__ import annotations

import errno
import hashlib
import math
import os
import platform
import sys
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.npyio import NpzFile

from mlreduce.exceptions import DataError, StorageError
from mlreduce.guards import RATIO, allowed_bytes, open_regular

if sys.platform != "win32":
    import fcntl

# Of a full disk, a used-up quota and a limit on the size of files: making room helps.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
# Raised for damaged archives: RuntimeError for encrypted ones, OverflowError for impossible shapes.
_DAMAGED = (OSError, ValueError, KeyError, EOFError, RuntimeError, OverflowError, zipfile.BadZipFile, zlib.error)
# Of what the workflow wrote.
_REMEDY = "delete it and run again"


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def made_of(values: Mapping[str, Any]) -> str:
    """Return ``made of`` and a digest of plain values by name, as the log of a job ends.

    The order of the names does not count; that of the keys of a value does.
    """
    return f"made of {hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()[:16]}"


def arrays_sha256(path: str | Path, what: str) -> str:
    """Return the SHA-256 of the arrays of an ``.npz`` file, see `read_arrays`: names, types, shapes and bytes.

    That of the file depends on what wrote and compressed it: Python 3.11.2 and 3.11.7 write other headers.
    """
    digest = hashlib.sha256()
    for name, array in sorted(read_arrays(path, what).items()):
        digest.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


@contextmanager
def opened_arrays(path: str | Path, what: str, remedy: str = _REMEDY) -> Iterator[Any]:
    """Open an ``.npz`` file, without pickles, whose arrays are read at first use.

    ``what`` the file should be, as "prepared data set", and the ``remedy`` are for messages. Raises DataError if the
    file exists but is incomplete, now or when an array is read.
    """
    with named_damage(path, what, remedy), open_regular(path) as file, _GuardedArrays(file) as stored:
        yield stored


@contextmanager
def named_damage(path: str | Path, what: str, remedy: str = _REMEDY) -> Iterator[None]:
    """Raise what a damaged archive raises as a `DataError`."""
    try:
        yield
    except (FileNotFoundError, DataError):
        raise
    except _DAMAGED as error:
        raise DataError(f"{path}: not a complete {what} ({error}); {remedy}") from error


def read_arrays(path: str | Path, what: str, required: tuple[str, ...] = (), remedy: str = _REMEDY) -> dict[str, Any]:
    """Read every array of an ``.npz`` file, see `opened_arrays`; those of the names ``required`` must be in it."""
    with opened_arrays(path, what, remedy) as stored:
        arrays = {name: stored[name] for name in stored.files}
    missing = [name for name in required if name not in arrays]
    if missing:
        raise DataError(f"{path}: not a complete {what} ({missing[0]!r} is missing); {remedy}")
    return arrays


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of ``path`` to write to, and move it into place when the block succeeds.

    A process that is killed, a full disk, or two processes that write the same file at once never leave a broken file
    under the name. The temporary name keeps the suffix, by which writers know the format. Raises StorageError if the
    file cannot be written; what was there before is untouched.
    """
    path = Path(path)
    temporary = path.with_name(f".partial-{os.getpid()}-{path.name}")
    try:
        make_folder(path.parent, path)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if not is_full(error) and str(error.filename) not in (str(temporary), str(path.parent)):
            raise  # about something that the block read
        raise not_written(path, error) from error
    finally:
        with suppress(OSError):  # already moved or deleted, or in a folder that is read-only by now
            temporary.unlink()


def write_text(path: str | Path, text: str) -> None:
    """Write a text as UTF-8; by `replacing`, whose errors it raises."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def make_folder(folder: Path, path: Path) -> None:
    """Make a folder, and those above it, in which ``path`` will be written; a `StorageError` where it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(path, error) from error


def is_full(error: OSError) -> bool:
    """Whether the reason is a full disk, a used-up quota or a limit on the size of files."""
    return error.errno in _NO_ROOM


def not_written(path: Path, error: OSError) -> StorageError:
    """Return the error of a file or folder that could not be written."""
    remedy = "; make room and run again" if is_full(error) else ""
    cause = error.filename if error.filename and Path(os.fsdecode(error.filename)) in path.parents else None
    return StorageError(f"{path} could not be written: {error.strerror}{f': {cause}' if cause else ''}{remedy}")


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Hold a lock of the operating system; a process that waits for it logs which process holds it.

    The lock of a killed process is released.

    The file serves only the lock and names its holder; it is created and not deleted. On a file system without locks no
    process waits.
    """
    with Path(path).open("ab+", buffering=0) as file:
        if sys.platform != "win32":
            try:
                _lock(file, path)
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    raise
            with suppress(OSError):  # a full disk
                file.truncate(0)
                since = time.strftime("%Y-%m-%d %H:%M:%S")
                file.write(f"process {os.getpid()} on {platform.node()} since {since}".encode())
        yield


def _lock(file: Any, path: str | Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = ascii(file.read(200).decode("utf-8", "replace"))[1:-1] or "another process"
        print(f"mlreduce: waiting for {holder}, which holds {path}", file=sys.stderr, flush=True)
        fcntl.flock(file, fcntl.LOCK_EX)


class _GuardedArrays(NpzFile):
    """An ``.npz`` file opened without pickles whose arrays take no more memory than its size allows.

    Raises ValueError if the unpacked size exceeds the limits of `check_memory`, two members share a name, or, when an
    array is read, its header does not match the size of its member. `zipfile` and `numpy.lib.format` raise other errors
    for damaged files.
    """

    def __init__(self, file: BinaryIO) -> None:
        size = file.seek(0, 2)
        super().__init__(file)
        assert self.zip is not None  # only closing sets it to None
        self._archive: zipfile.ZipFile = self.zip
        members = self._archive.infolist()
        if len({member.filename.removesuffix(".npy") for member in members}) < len(members):
            raise ValueError("it holds two arrays of one name")
        unpacked = sum(member.file_size for member in members)
        if unpacked > allowed_bytes(size):
            raise ValueError(f"{size} bytes that unpack to {unpacked}, more than {RATIO} times as much")

    def __getitem__(self, key: str) -> Any:
        self.shape(key)
        return super().__getitem__(key)

    def shape(self, key: str) -> tuple[int, ...]:
        """Return the shape of an array without reading it.

        `numpy.load` allocates the size in the header, so the header is compared with the member's size first.
        """
        member = self._archive.getinfo(f"{key}.npy")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # others unpack without a limit
            raise ValueError(f"{key!r} has a compression that NumPy does not write")
        with self._archive.open(member) as file:
            try:
                major, _ = np.lib.format.read_magic(file)
                read_header = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}[major]
                shape, _, dtype = read_header(file, max_header_size=1000)
            except Exception as error:  # the header is evaluated as a Python literal, which can fail in many ways
                raise ValueError(f"{key!r} is not an array: {error}") from error
            size = dtype.itemsize * math.prod(shape)
            if dtype.kind in "biufU" and dtype.itemsize and size == member.file_size - file.tell():
                return shape
        raise ValueError(f"{key!r} is not an array of numbers or texts of the size in its header")
