"""Limits on untrusted files: memory in proportion to their size, printable names, no archives, no pickles."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.npyio import NpzFile

from mlreduce.exceptions import DataError

__all__ = ["FREE_BYTES", "LONGEST_NAME", "RATIO", "GuardedArrays", "check_memory", "check_names", "opened"]

#: Bytes of arrays allowed from a file of any size.
FREE_BYTES = 256 * 2**20
#: Allowed ratio of larger arrays to the size of their files.
RATIO = 100
#: Largest length of a name of a feature or a label.
LONGEST_NAME = 1000

# Control characters, line separators, and surrogates, which UTF-8 cannot encode.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

# First bytes of archives and compressed files; the mark of a tar file has an offset.
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x1f\x8b": "compressed by gzip",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ\x00": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
}
_TAR, _TAR_PLACE = b"ustar", 257


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """Open a data file to read its bytes.

    Raises
    ------
    DataError
        If it cannot be read, or is an archive or compressed: none is ever unpacked.
    """
    try:
        with Path(path).open("rb") as file:
            head = file.read(_TAR_PLACE + len(_TAR))
            file.seek(0)
            kind = next((kind for mark, kind in _ARCHIVES.items() if head.startswith(mark)), "")
            if kind or head[_TAR_PLACE:] == _TAR:
                raise DataError(f"{path}: is {kind or 'a tar archive'}; unpack it and name the file that was in it")
            yield file
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error


def check_memory(needed: int, paths: Iterable[str | Path], what: str) -> None:
    """Refuse arrays that are out of proportion to the files that describe them.

    A few bytes can describe a matrix of any size: empty rows, one category per row, long runs of one
    value. Call before the arrays are allocated.

    Parameters
    ----------
    needed : int
        Bytes of the arrays.
    paths : iterable of path
        The files that they come from; the first one is named.
    what : str
        The arrays, for the message: "3 labels of 4 rows".

    Raises
    ------
    DataError
        If they need more than `FREE_BYTES`, and more than `RATIO` times as much as the files.
    """
    files = [Path(path) for path in paths]
    size = sum(file.stat().st_size for file in files)
    if needed > max(FREE_BYTES, RATIO * size):
        raise DataError(
            f"{files[0]}: {what} would need {needed / 2**20:,.0f} MB, out of proportion to {size / 2**20:.2f} MB of "
            f"files; of a small file at most {FREE_BYTES // 2**20} MB are made, of a large one {RATIO} times its size"
        )


def check_names(names: Sequence[str], what: str, where: str) -> None:
    """Refuse duplicate and unprintable names.

    Parameters
    ----------
    names : sequence of str
    what, where : str
        Kind of the names, and data set or file, for the message: "label", "emotions".

    Raises
    ------
    DataError
        If a name is there twice, has a control character or half of a surrogate pair, or is longer than
        `LONGEST_NAME`.
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{where}: two {what}s are called {name[:40]!r}; names must differ")
        seen.add(name)
    longest = max(names, key=len, default="")
    if len(longest) > LONGEST_NAME:
        raise DataError(f"{where}: the name {longest[:40]!r}... of a {what} is longer than {LONGEST_NAME} characters")
    if _UNPRINTABLE.search("".join(names)):
        name = next(name for name in names if _UNPRINTABLE.search(name))
        raise DataError(f"{where}: the name of a {what} contains an unprintable character: {name[:40]!a}")


class GuardedArrays(NpzFile):
    """An ``.npz`` file opened without pickles whose arrays take no more memory than its size allows.

    Parameters
    ----------
    file : binary file
        Open for reading; stays open.

    Raises
    ------
    ValueError
        If the unpacked size exceeds the limits of `check_memory`, two members share a name, or, when an array is
        read, its header does not match the size of its member. `zipfile` and `numpy.lib.format` raise other errors
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
        if unpacked > max(FREE_BYTES, RATIO * size):
            raise ValueError(f"{size} bytes that unpack to {unpacked}, more than {RATIO} times as much")

    def __getitem__(self, key: str) -> Any:
        self.shape(key)
        return super().__getitem__(key)

    def shape(self, key: str) -> tuple[int, ...]:
        """Return the shape of an array without reading it.

        `numpy.load` allocates what the header asks for, so the header is compared with the member's size first.
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
            needed = dtype.itemsize * math.prod(shape)
            if dtype.kind in "biufU" and dtype.itemsize and needed == member.file_size - file.tell():
                return shape
        raise ValueError(f"{key!r} is not an array of numbers or texts of the size in its header")
