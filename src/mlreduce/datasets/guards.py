"""What files of others may ask for: memory in proportion to their size, names that can be shown, no archives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mlreduce.exceptions import DataError

__all__ = ["FREE_BYTES", "LONGEST_NAME", "RATIO", "check_memory", "check_names", "opened"]

#: Arrays up to this size may come out of a file of any size.
FREE_BYTES = 256 * 2**20
#: Larger ones may be so many times as large as the files that they come from.
RATIO = 100
#: Characters of a name of a feature or a label.
LONGEST_NAME = 1000

# Control characters, and what else ends a line or cannot be written as UTF-8.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

# How archives and compressed files begin; a tar's mark stands further on.
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

    A few bytes can stand for a matrix of any size: rows that are empty, a category for each row, long runs of one
    value. What is refused has to be refused before it is made.

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
    """Refuse names that cannot be told apart or shown on a line.

    Parameters
    ----------
    names : sequence of str
    what, where : str
        Of what they are the names, and in which data set or file, for the message: "label", "emotions".

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
        raise DataError(f"{where}: the name of a {what} holds a character that cannot be shown: {name[:40]!a}")
