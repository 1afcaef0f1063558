"""Sizes that the pages of a Parquet file declare, and a checksum of its table."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from mlreduce.datasets.readers.arff_syntax import Table

__all__ = ["PARQUET_KEY", "table_checksum", "unpacked_bytes"]

#: Key of the checksum in the metadata of the file.
PARQUET_KEY = b"mlreduce.crc32"

# Thrift's compact protocol, in which the header of a page is written: types of fields.
_STOP, _TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = 0, 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 12
_UNPACKED, _PACKED = 2, 3


def table_checksum(table: Table) -> bytes:
    """Return the checksum of the names and values of a table, which does not depend on how its file is laid out."""
    crc = 0
    for place, attribute in enumerate(table.attributes):
        column = table.values[:, place]
        if attribute.places is not None:
            sums = np.array([zlib.crc32(text.encode()) for text in attribute.places], dtype=np.float64)
            column = np.where(np.isnan(column), np.nan, sums[np.nan_to_num(column).astype(np.int64)])
        crc = zlib.crc32(f"{attribute.name}\0".encode(), crc)
        crc = zlib.crc32(np.where(np.isnan(column), np.nan, column).tobytes(), crc)
    return f"{crc:08x}".encode()


def unpacked_bytes(file: BinaryIO, metadata: Any) -> int:
    """Return how many bytes the pages say that they unpack to, which is what Arrow allocates for them.

    The metadata at the end of the file say it too, and may say less.
    """
    total = 0
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(place)
            starts = [chunk.data_page_offset, chunk.dictionary_page_offset if chunk.has_dictionary_page else None]
            file.seek(max(0, min(start for start in starts if start is not None)))
            pages = sum(_page_sizes(file.read(max(0, chunk.total_compressed_size))))
            total += max(pages, chunk.total_uncompressed_size)
    return total


def _page_sizes(content: bytes) -> Iterator[int]:
    """Yield the unpacked size of each page, up to what is no page."""
    place = 0
    while place < len(content):
        try:
            fields, place = _struct(content, place, 0)
            place += fields[_PACKED]
            yield max(fields[_UNPACKED], 0)
        except (IndexError, KeyError):
            return


def _number(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 or shift > 63:
            return value, place


def _struct(content: bytes, place: int, depth: int) -> tuple[dict[int, int], int]:
    """Return the whole numbers of a structure by their fields, and where it ends."""
    fields: dict[int, int] = {}
    field = 0
    while content[place] != _STOP:
        kind, step = content[place] & 0x0F, content[place] >> 4
        place += 1
        if step:
            field += step
        else:
            field, place = _number(content, place)
            field = field >> 1 ^ -(field & 1)
        value, place = _value(content, place, kind, depth)
        fields[field] = value
    return fields, place + 1


def _value(content: bytes, place: int, kind: int, depth: int) -> tuple[int, int]:
    """Return a whole number, 0 for other values, and where it ends; IndexError for what is none."""
    if kind in (_TRUE, _FALSE):
        return 0, place
    if kind == _BYTE:
        return content[place], place + 1
    if kind in _INTEGERS:
        value, place = _number(content, place)
        return value >> 1 ^ -(value & 1), place
    if kind == _DOUBLE:
        return 0, place + 8
    if kind == _BINARY:
        size, place = _number(content, place)
        return 0, place + size
    if depth < 8 and kind == _STRUCT:
        return 0, _struct(content, place, depth + 1)[1]
    if depth < 8 and kind in _LISTS:
        head = content[place]
        size, place = (head >> 4, place + 1) if head >> 4 < 15 else _number(content, place + 1)
        for _ in range(size):
            element = _BYTE if head & 0x0F in (_TRUE, _FALSE) else head & 0x0F
            _, place = _value(content, place, element, depth + 1)
        return 0, place
    raise IndexError(kind)
