"""Parser of ARFF files: attributes and rows as numbers, in linear time.

The package liac-arff reads the same files, and the tests compare the two. It does not do here: a list of values that
does not end takes it twice as long with each value, thirty of them minutes.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.guards import opened
from mlreduce.exceptions import DataError

__all__ = ["Attribute", "Table", "read_table"]

# Possessive quantifiers never backtrack: matching takes linear time.
_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_DECLARATION = re.compile(rf"""@attribute\s++({_QUOTED}|[^\s{{}},%'"][^\s{{}},%]*+)\s++(.*+)""", re.IGNORECASE)
# A value up to its comma or the end; without quotes it may have spaces inside.
_VALUE = re.compile(rf"""\s*+({_QUOTED}|[^,'"{{}}]*+)\s*+(,|\Z)""")
_ENTRY = re.compile(rf"""\s*+([0-9]++)\s++({_QUOTED}|[^\s,'"{{}}]++)\s*+(,|\Z)""")
# A plain sparse row, parsed at commas and spaces.
_PLAIN_ENTRY = r"""[0-9]++\s++[^\s,'"{}]++\s*+"""
_PLAIN_ROW = re.compile(rf"\{{\s*+(?:{_PLAIN_ENTRY}(?:,\s*+{_PLAIN_ENTRY})*+)?\}}")
_ESCAPED = re.compile(r"""\\(['"%\\])""")
# Python's other notations of numbers, such as 1_000, are refused.
_NUMBER = re.compile(r"[-+]?(?:(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?|nan)", re.IGNORECASE)

_NUMERIC = ("numeric", "real", "integer")
_MISSING = ("?", "")
# Rows that are kept as lists of numbers before they become an array.
_ROWS_AT_ONCE = 200

_Line: TypeAlias = tuple[int, str]


class Attribute(NamedTuple):
    """A declared attribute.

    Attributes
    ----------
    name : str
    places : dict of str to float, or None
        The values of a nominal attribute, each with its place in the list; None for a numeric attribute.
    """

    name: str
    places: dict[str, float] | None


class Table(NamedTuple):
    """A file's attributes and rows: nominal values as positions in their lists, missing values as NaN.

    Attributes
    ----------
    attributes : list of Attribute
    values : ndarray or csr_array of shape (n_rows, n_attributes), float64
    relation : str
        The rest of its line @RELATION.
    """

    attributes: list[Attribute]
    values: Any
    relation: str = ""


def read_table(path: str | Path) -> Table:
    """Read an ARFF file, dense or sparse.

    Names and nominal values may be quoted, single or double, inside of which a backslash precedes a quote, a
    percent sign or itself. ``?``, ``nan`` and, in a dense row, nothing at all are a missing value. Numbers are finite.
    Attributes are numeric or nominal: no strings, dates or relations.

    Raises
    ------
    DataError
        If the file deviates from this; the sentence names file and line, and what would be right.
    """
    return _Reading(Path(path)).table()


class _Reading:
    """One pass over the lines of a file."""

    def __init__(self, path: Path) -> None:
        self.path, self.relation = path, ""
        self.attributes: list[Attribute] = []
        self.convert: list[Callable[[str], float]] = []
        self.line = 1

    def wrong(self, line: int, sentence: str) -> DataError:
        return DataError(f"{self.path}, line {line}: {sentence}")

    def table(self) -> Table:
        with opened(self.path) as file:
            content = file.read()
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise DataError(f"{self.path}: not UTF-8 text (byte {error.start})") from error
        lines = self._lines(text)
        self._read_header(lines)
        self.convert = [float if places is None else places.__getitem__ for _, places in self.attributes]
        first = next(lines, None)
        if first is None:
            raise self.wrong(self.line, "no rows of data after @DATA; is the file truncated?")
        rows = chain([first], lines)
        chunks = iter(lambda: list(islice(rows, _ROWS_AT_ONCE)), [])
        if first[1].startswith("{"):
            return Table(
                self.attributes, sp.vstack([self._sparse(chunk) for chunk in chunks], format="csr"), self.relation
            )
        return Table(self.attributes, np.concatenate([self._dense(chunk) for chunk in chunks]), self.relation)

    def _lines(self, text: str) -> Iterator[_Line]:
        """Yield the lines that are not empty or comments, with their numbers."""
        for self.line, line in enumerate(io.StringIO(text, newline=None), start=1):
            stripped = line.strip()
            if stripped and not stripped.startswith("%"):
                yield self.line, stripped

    def _read_header(self, lines: Iterator[_Line]) -> None:
        declared: dict[str, int] = {}
        named = False
        for number, line in lines:
            word = line.split(maxsplit=1)[0].lower()
            if word == "@relation" and not named:
                named, self.relation = True, line.partition(" ")[2]
            elif word == "@attribute" and named:
                attribute = self._attribute(number, line)
                if attribute.name in declared:
                    first = declared[attribute.name]
                    raise self.wrong(number, f"the attribute {attribute.name[:40]!r} stands in line {first} already")
                declared[attribute.name] = number
                self.attributes.append(attribute)
            elif word == "@data" and self.attributes:
                return
            else:
                expected = "@ATTRIBUTE or @DATA" if self.attributes else "@ATTRIBUTE" if named else "@RELATION"
                raise self.wrong(
                    number, f"the file is cut off or not laid out as ARFF: expected {expected}, got {line[:60]!r}"
                )
        raise self.wrong(self.line, "the file is cut off or not laid out as ARFF: it ends before @DATA")

    def _attribute(self, number: int, line: str) -> Attribute:
        found = _DECLARATION.fullmatch(line)
        if found is None:
            raise self.wrong(
                number, f"an attribute is '@attribute name type', a name with spaces in quotes; got {line[:60]!r}"
            )
        name, kind = _unquoted(found[1]), found[2]
        if kind.lower() in _NUMERIC:
            return Attribute(name, None)
        about = f"the attribute {name[:40]!r}"
        if not (kind.startswith("{") and kind.endswith("}")):
            raise self.wrong(
                number, f"{about} is of the type {kind[:40]!r}; attributes are numeric, or list their values in braces"
            )
        values = _split(kind[1:-1])
        if values is None:
            raise self.wrong(number, f"{about} has a quote or brace out of place among its values")
        if any(missing in values for missing in _MISSING):
            raise self.wrong(number, f"{about} lists ? or nothing as one of its values")
        places = {value: float(place) for place, value in enumerate(values)}
        if len(places) < len(values):
            raise self.wrong(number, f"{about} lists a value twice")
        return Attribute(name, places)

    def _dense(self, chunk: list[_Line]) -> NDArray[np.float64]:
        block = np.array([self._dense_row(*line) for line in chunk])
        return block if np.isfinite(block).all() else np.array([self._checked_row(*line) for line in chunk])

    def _dense_row(self, number: int, line: str) -> list[float]:
        if _is_plain(line):
            texts = line.replace(", ", ",").split(",")
            if len(texts) == len(self.convert):
                try:
                    return [convert(text) for convert, text in zip(self.convert, texts, strict=True)]
                except (ValueError, KeyError):
                    pass
        return self._checked_row(number, line)

    def _checked_row(self, number: int, line: str) -> list[float]:
        """Parse a dense row in any layout, or raise an error that says what is wrong."""
        texts = _split(line)
        if texts is None:
            raise self.wrong(number, f"a quote or brace is out of place, or the row is cut off: {line[:60]!r}")
        if len(texts) != len(self.attributes):
            raise self.wrong(
                number,
                f"the row has the wrong number of values or is cut off: {len(texts)} instead of "
                f"{len(self.attributes)}: {line[:60]!r}",
            )
        return [self._value(number, *pair) for pair in zip(texts, self.attributes, strict=True)]

    def _sparse(self, chunk: list[_Line]) -> sp.csr_array:
        rows = [self._sparse_row(*line) for line in chunk]
        values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
        if not np.isfinite(values).all():
            rows = [self._checked_entries(*line) for line in chunk]
        columns = np.array([key for row in rows for key in row], dtype=np.int64)
        stops = np.cumsum([0, *map(len, rows)])
        matrix = sp.csr_array((values, columns, stops), shape=(len(rows), len(self.attributes)))
        matrix.sort_indices()
        return matrix

    def _sparse_row(self, number: int, line: str) -> dict[int, float]:
        if _is_plain(line) and _PLAIN_ROW.fullmatch(line):
            pieces = line[1:-1].replace(",", " ").split()
            try:
                row = {
                    int(key): self.convert[int(key)](text) for key, text in zip(pieces[::2], pieces[1::2], strict=True)
                }
            except (ValueError, KeyError, IndexError):
                return self._checked_entries(number, line)
            if 2 * len(row) == len(pieces):
                return row
        return self._checked_entries(number, line)

    def _checked_entries(self, number: int, line: str) -> dict[int, float]:
        """Parse a sparse row in any layout, or raise an error that says what is wrong."""
        if not (line.startswith("{") and line.endswith("}")):
            raise self.wrong(number, f"a sparse row stands in braces; this one is cut off, or dense: {line[:60]!r}")
        row: dict[int, float] = {}
        inside = line[1:-1].strip()
        position = 0
        more = bool(inside)
        while more:
            found = _ENTRY.match(inside, position)
            if found is None:
                shown = inside[position : position + 40]
                raise self.wrong(number, f"expected the place of an attribute and its value, got {shown!r}")
            # int() refuses thousands of digits; no file has that many attributes.
            key = int(found[1]) if len(found[1]) < 10 else len(self.attributes)
            if key >= len(self.attributes):
                raise self.wrong(
                    number, f"there is no attribute {found[1][:40]}: the file has {len(self.attributes)}, from 0 on"
                )
            if key in row:
                raise self.wrong(number, f"attribute {key} has two values")
            row[key] = self._value(number, _unquoted(found[2]), self.attributes[key])
            position, more = found.end(), bool(found[3])
        return row

    def _value(self, number: int, text: str, attribute: Attribute) -> float:
        if text in _MISSING:
            return math.nan
        name, places = attribute
        if places is not None:
            if text not in places:
                raise self.wrong(number, f"the value {text[:40]!r} is not in the list of attribute {name[:40]!r}")
            return places[text]
        if not _NUMBER.fullmatch(text):
            raise self.wrong(
                number, f"{text[:40]!r} is not a number, nor ? for a missing one; attribute {name[:40]!r} is numeric"
            )
        value = float(text)
        if math.isinf(value):
            raise self.wrong(number, f"the number {text[:40]} of attribute {name[:40]!r} is too large")
        return value


def _is_plain(line: str) -> bool:
    """Whether a row has no quotes and no Python-only numbers."""
    return "'" not in line and '"' not in line and "_" not in line and line.isascii()


def _unquoted(text: str) -> str:
    return _ESCAPED.sub(r"\1", text[1:-1]) if text[:1] in ("'", '"') else text


def _split(text: str) -> list[str] | None:
    """Split a row at commas and remove quotes; None where quotes or braces are misplaced."""
    values = []
    position = 0
    while found := _VALUE.match(text, position):
        values.append(_unquoted(found[1].strip()))
        position = found.end()
        if not found[2]:
            return values
    return None
