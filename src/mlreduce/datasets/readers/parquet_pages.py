"""Sizes that the pages of a Parquet file declare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

# Types of Thrift's compact protocol, in which the metadata and the header of each page are written.
_STOP, _TRUE, _FALSE, _BYTE, _INTEGERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = 0, 1, 2, 3, (4, 5, 6), 7, 8, (9, 10), 12
_DEEPEST = 12
# Fields of the metadata, of a group of rows, of one of its columns, and of the header of a page.
_GROUPS, _COLUMNS, _ROWS, _CHUNK, _UNPACKED_SIZE, _PACKED_SIZE, _DATA, _DICTIONARY = 4, 1, 3, 3, 6, 7, 9, 11
_UNPACKED, _PACKED, _PAGES_OF_DATA, _VALUES = 2, 3, (5, 8), 1


def declared_sizes(file: BinaryIO) -> tuple[int, int, int]:
    """Return the declared number of rows of a file, and the bytes and values to which its pages unpack.

    Arrow allocates them. A page may have many values in few bytes where a column is nested. Arrow's objects for the
    metadata end the process where some of these are damaged. The metadata declare the bytes too, and may declare fewer
    than the pages. Raises ValueError if the metadata are not as the format has them.
    """
    size = file.seek(0, 2)
    file.seek(max(0, size - 8))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(0, size - 8 - length))
    try:
        groups = _struct(file.read(length), 0, 0)[0][_GROUPS]
        rows = sum(group[_ROWS] for group in groups)
        total = values = 0
        for chunk in (column[_CHUNK] for group in groups for column in group[_COLUMNS]):
            start = min(chunk[_DATA], chunk.get(_DICTIONARY, 0) or chunk[_DATA])
            file.seek(max(0, start))
            pages = list(_page_sizes(file.read(max(0, chunk[_PACKED_SIZE]))))
            total += max(sum(size for size, _ in pages), chunk[_UNPACKED_SIZE])
            values += sum(number for _, number in pages)
    except (IndexError, KeyError, TypeError, AttributeError) as error:
        raise ValueError("its metadata are damaged") from error
    return rows, total, values


def _page_sizes(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield the unpacked size of each page and its number of values, up to what is no page."""
    place = 0
    while place < len(content):
        try:
            fields, place = _struct(content, place, 0)
            place += fields[_PACKED]
            values = sum(max(fields[kind][_VALUES], 0) for kind in _PAGES_OF_DATA if kind in fields)
            yield max(fields[_UNPACKED], 0), values
        except (IndexError, KeyError, TypeError):
            return


def _number(content: bytes, place: int) -> tuple[int, int]:
    """Return a number of variable length, and where it ends."""
    value = shift = 0
    while shift < 64:
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place
    raise IndexError(place)


def _struct(content: bytes, place: int, depth: int) -> tuple[dict[int, Any], int]:
    """Return the values of a structure by their fields, and where it ends; IndexError where it does not."""
    fields: dict[int, Any] = {}
    field = 0
    while content[place] != _STOP:
        kind, step = content[place] & 0x0F, content[place] >> 4
        place += 1
        if step:
            field += step
        else:
            field, place = _number(content, place)
            field = field >> 1 ^ -(field & 1)
        fields[field], place = _value(content, place, kind, depth)
    return fields, place + 1


def _value(content: bytes, place: int, kind: int, depth: int) -> tuple[Any, int]:
    """Return an integer, structure or list, None for other values, and where it ends."""
    if kind in _INTEGERS:
        value, place = _number(content, place)
        return value >> 1 ^ -(value & 1), place
    if kind in (_TRUE, _FALSE):
        return None, place
    if kind in (_BYTE, _DOUBLE):
        return None, place + (1 if kind == _BYTE else 8)
    if kind == _BINARY:
        size, place = _number(content, place)
        return None, place + size
    if kind == _STRUCT and depth < _DEEPEST:
        return _struct(content, place, depth + 1)
    if kind in _LISTS and depth < _DEEPEST:
        head = content[place]
        size, place = (head >> 4, place + 1) if head >> 4 < 15 else _number(content, place + 1)
        element = _BYTE if head & 0x0F in (_TRUE, _FALSE) else head & 0x0F
        values = []
        for _ in range(size):
            content[place]  # which is there
            value, place = _value(content, place, element, depth + 1)
            values.append(value)
        return values, place
    raise IndexError(kind)
