"""Limits on untrusted files: memory in proportion to their size, printable names, no archives, no pickles."""

from __future__ import annotations

import bz2
import gzip
import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

from mlreduce.exceptions import ConfigurationError, DataError

#: Bytes of arrays allowed from a file of any size.
FREE_BYTES = 256 * 2**20
#: Allowed ratio of larger arrays to the size of their files.
RATIO = 100
#: Largest length of a name of a feature or a label.
LONGEST_NAME = 1000
# A number of two characters becomes eight bytes, so that compressed text may have a quarter of the bytes of arrays.
_BYTES_PER_CHARACTER = 4
# What the caller allows instead, in bytes.
_limit: ContextVar[int | None] = ContextVar("limit", default=None)

# Control characters, line separators, and surrogates, which UTF-8 cannot encode.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

# First bytes of archives and compressed files; the mark of a tar file has an offset.
_ARCHIVES = {
    b"PK\x03\x04": "a zip archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\xfd7zXZ\x00": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
}
# Spreadsheets: zip archives with such members, and files of Excel before 2007.
_WORKBOOK = re.compile(rb"xl/|mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet")
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_TAR, _TAR_PLACE = b"ustar", 257
_COMPRESSED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open}


@contextmanager
def limited(max_bytes: int | None) -> Iterator[None]:
    """Within the block, allow arrays of this many bytes from a file of any size; None keeps the limits."""
    if max_bytes is not None and (not isinstance(max_bytes, int) or isinstance(max_bytes, bool) or max_bytes < 1):
        raise ConfigurationError(f"max_bytes must be an integer of bytes from 1 on; got {max_bytes!r}")
    token = _limit.set(_limit.get() if max_bytes is None else max_bytes)
    try:
        yield
    finally:
        _limit.reset(token)


def allowed_bytes(size: int) -> int:
    """Return how many bytes of arrays may come from files of this size."""
    limit = _limit.get()
    return max(FREE_BYTES, RATIO * size) if limit is None else limit


def uncompressed(path: str | Path) -> Path:
    """Return a path without the suffix of a compressed file."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in (".gz", ".bz2") else path


def stem(path: str | Path) -> str:
    """Return the name of a file without its suffixes of compression and format."""
    return uncompressed(path).stem


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """Open a data file to read its bytes, which are unpacked in memory where gzip or bzip2 compressed them.

    Raises DataError if it cannot be read, is no regular file, is an archive or a spreadsheet, or unpacks to more than a
    quarter of `allowed_bytes`.
    """
    try:
        with open_regular(path) as file:
            head = _head(file)
            unpacker = next((kind for mark, kind in _COMPRESSED.items() if head.startswith(mark)), None)
            source: BinaryIO = file
            if unpacker is not None:
                source = _unpacked(unpacker(file), Path(path))
                head = _head(source)
            marks = {**_ARCHIVES, **dict.fromkeys(_COMPRESSED, "compressed twice")}
            kind = next((kind for mark, kind in marks.items() if head.startswith(mark)), "")
            if head.startswith(_OLD_EXCEL) or (head.startswith(b"PK") and _is_workbook(source)):
                copy = str(Path(path).with_name(f"{stem(path)}-sheet.csv"))
                raise DataError(
                    f"{path}: is a spreadsheet of Excel or OpenDocument; save its sheet as CSV (UTF-8) in the program "
                    "that wrote it, or in Python, with the package openpyxl (.xlsx), xlrd (.xls) or odfpy (.ods):\n"
                    f"import pandas\npandas.read_excel({str(path)!r}).to_csv({copy!r}, index=False)"
                )
            if kind or head[_TAR_PLACE:] == _TAR:
                raise DataError(f"{path}: is {kind or 'a tar archive'}; unpack it and name the file that was in it")
            yield source
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from error


def open_regular(path: str | Path) -> BinaryIO:
    """Open a file for reading its bytes; a pipe would wait for its writer, and a device may have no end.

    Raises DataError if the path is neither a regular file nor a folder, which the operating system refuses.
    """
    mode = Path(path).stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise DataError(f"{path}: is a pipe or a device, not a file on a disk; write its contents to a file first")
    return Path(path).open("rb")


def _is_workbook(archive: BinaryIO) -> bool:
    """Whether a zip archive has the members of a spreadsheet."""
    try:
        with zipfile.ZipFile(archive) as members:
            names = " ".join(members.namelist()).encode("utf-8", "replace")
    except (zipfile.BadZipFile, ValueError, OSError):
        return False
    archive.seek(0)
    return _WORKBOOK.search(names + archive.read(200)) is not None


def _head(file: BinaryIO) -> bytes:
    head = file.read(_TAR_PLACE + len(_TAR))
    file.seek(0)
    return head


def _unpacked(stream: Any, path: Path) -> BinaryIO:
    limit = allowed_bytes(path.stat().st_size) // _BYTES_PER_CHARACTER
    try:
        content = stream.read(limit + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(f"{path}: the compressed file is damaged or cut off: {error}") from error
    if len(content) > limit:
        raise DataError(
            f"{path}: unpacks to more than {limit / 2**20:,.0f} MB, out of proportion to its size; unpack it and name "
            "the file that was in it, or raise the limit with max_bytes= (four times the unpacked size)"
        )
    return io.BytesIO(content)


def check_memory(needed: int, paths: Iterable[str | Path], what: str) -> None:
    """Refuse arrays that are out of proportion to the files that describe them.

    A few bytes can describe a matrix of any size: empty rows, one category per row, long runs of one value. Call before
    the arrays are allocated, with the bytes that they need, the files that they come from, and what they are: "3 labels
    of 4 rows". Raises DataError if they need more than `allowed_bytes`: `FREE_BYTES`, or `RATIO` times as much as the
    files, whichever is more.
    """
    files = [Path(path) for path in paths]
    size = sum(file.stat().st_size for file in files)
    if needed > allowed_bytes(size):
        raise DataError(
            f"{files[0]}: {what} would need {needed / 2**20:,.0f} MB, out of proportion to {size / 2**20:.2f} MB of "
            f"files; at most {allowed_bytes(size) // 2**20} MB are made of it. If it is right, allow more with "
            f"max_bytes={needed}"
        )


def check_names(names: Sequence[str], what: str, where: str) -> None:
    """Refuse duplicate and unprintable names; ``what`` they are, and ``where``, are for messages: "label", "emotions".

    Raises DataError if a name is there twice, has a control character or half of a surrogate pair, or is longer than
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
