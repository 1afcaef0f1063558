"""Archives of arrays as read back: plain numbers and texts only, and never more than the archive really holds."""

from __future__ import annotations

import math
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Self

import numpy as np

from mlreduce.datasets.guards import FREE_BYTES, RATIO

__all__ = ["ArrayArchive"]

# What NumPy writes before an array: Booleans, integers, floats or texts, and a shape.
_SHAPE = rb"(?:[0-9]{1,18}(?:,(?=\))|(?:, [0-9]{1,18})++))?+"
_HEADER = re.compile(
    rb"\{'descr': '([<>|](?:b1|[iu][1248]|f[248]|U[0-9]{1,6}))', 'fortran_order': (?:True|False), "
    rb"'shape': \((" + _SHAPE + rb")\), \} *+\n"
)
_MAGIC = re.compile(rb"\x93NUMPY([\x01\x02])\x00")
_LONGEST_HEADER = 1000


class ArrayArchive:
    """An ``.npz`` file that is read array by array; nothing is written anywhere, whatever its members are called.

    `numpy.load` believes what an array says of its shape, and reserves the memory for it.

    Parameters
    ----------
    file : binary file
        Open for reading; stays open.

    Attributes
    ----------
    files : list of str
        Names of the arrays.

    Raises
    ------
    ValueError
        If it is no whole archive of arrays, now or when one is read; if it unpacks to more than its size can account
        for (`mlreduce.datasets.guards.RATIO`); or if an array is of Python objects, whose reading would run code.
    """

    def __init__(self, file: BinaryIO) -> None:
        size = file.seek(0, 2)
        with _as_value_errors():
            self._archive = zipfile.ZipFile(file)
        members = self._archive.infolist()
        self.files = [member.filename.removesuffix(".npy") for member in members]
        if len(set(self.files)) < len(self.files):
            raise ValueError("it holds two arrays of one name")
        unpacked = sum(member.file_size for member in members)
        if unpacked > max(FREE_BYTES, RATIO * size):
            raise ValueError(f"{size} bytes that unpack to {unpacked}, more than {RATIO} times as much")

    def __getitem__(self, name: str) -> Any:
        with _as_value_errors():
            member, _ = self._checked(name)
            with self._archive.open(member) as file:
                return np.lib.format.read_array(file, allow_pickle=False)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array, without reading it."""
        with _as_value_errors():
            return self._checked(name)[1]

    def _checked(self, name: str) -> tuple[zipfile.ZipInfo, tuple[int, ...]]:
        member = self._archive.getinfo(f"{name}.npy")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{name!r} is compressed in a way that NumPy does not write")
        with self._archive.open(member) as file:
            return member, _checked_shape(file.read(_LONGEST_HEADER), member.file_size, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()


@contextmanager
def _as_value_errors() -> Iterator[None]:
    """Say what zip files raise when they are damaged, encrypted or packed in an unusual way, as a ValueError."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, OSError, KeyError) as error:
        raise ValueError(str(error)) from error


def _checked_shape(start: bytes, size: int, name: str) -> tuple[int, ...]:
    """Return the shape of an array; refuse one whose shape and type are not those of its bytes."""
    magic = _MAGIC.match(start)
    if magic:
        width = 2 if magic[1] == b"\x01" else 4
        length = int.from_bytes(start[8 : 8 + width], "little")
        header = _HEADER.fullmatch(start, 8 + width, 8 + width + length)
        if header:
            shape = tuple(int(extent) for extent in header[2].replace(b",", b" ").split())
            dtype = np.dtype(header[1].decode())
            if dtype.itemsize and math.prod(shape) * dtype.itemsize == size - header.end():
                return shape
    raise ValueError(f"{name!r} is no array of numbers or texts, or not as large as it says")
