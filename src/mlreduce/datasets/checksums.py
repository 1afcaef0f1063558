"""Checksums of texts, in a comment."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import BinaryIO

from mlreduce.exceptions import DataError

_COMMENT = re.compile(rb"^[%#] mlreduce: (\d+) rows, CRC-32 of the other lines ([0-9a-f]{8})\r?\n", re.MULTILINE)
# Bytes in which the comment begins, and bytes that are read at once.
_HEAD, _BLOCK = 2**14, 2**22


def checksum_comment(sign: str, n_rows: int, crc: int) -> bytes:
    """Return the comment, of the same length for every checksum; ``sign`` begins a comment in the format."""
    return f"{sign} mlreduce: {n_rows} rows, CRC-32 of the other lines {crc:08x}\n".encode()


def check_comment(file: BinaryIO, path: Path) -> None:
    """Compare a text with the checksum in its comment, where it has one, and go back to its begin.

    Line ends may have changed since, as by git. Raises DataError if the text and its checksum differ.
    """
    head = file.read(_HEAD)
    comment = _COMMENT.search(head)
    if comment is not None:
        crc = zlib.crc32(head[: comment.start()].replace(b"\r\n", b"\n"))
        file.seek(comment.end())
        while block := file.read(_BLOCK):
            crc = zlib.crc32((block + file.readline()).replace(b"\r\n", b"\n"), crc)
        if crc != int(comment[2], 16):
            line = head.count(b"\n", 0, comment.start()) + 1
            raise DataError(
                f"{path}, line {line}: the file was saved with {int(comment[1])} rows and a checksum that it no longer "
                "has, so that it is damaged or cut off; save it again, or remove this line if you changed the file"
            )
    file.seek(0)
