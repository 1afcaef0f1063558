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
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.checksums import check_comment
from mlreduce.datasets.readers.attributes import NUMBER, Attribute, Table, encoding_named
from mlreduce.exceptions import DataError
from mlreduce.guards import opened

# Possessive quantifiers never backtrack: matching takes linear time.
_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_DECLARATION = re.compile(rf"""@attribute\s++({_QUOTED}|[^\s{{}},%'"][^\s{{}},%]*+)\s*+(.*+)""", re.IGNORECASE)
# What precedes a comment, or a quote that does not end.
_CODE = re.compile(rf"""(?:{_QUOTED}|[^%'"])*+""")
_RANGE = re.compile(r"\s*+(?:\[[^\[\]]*+\]\s*+)?")
# A value up to its comma or the end; without quotes it may have spaces inside.
_VALUE = re.compile(rf"""\s*+({_QUOTED}|[^,'"{{}}]*+)\s*+(,|\Z)""")
# A value where blanks separate, not commas.
_WORD = re.compile(rf"""\s*+({_QUOTED}|[^\s,'"{{}}]++)""")
_ENTRY = re.compile(rf"""\s*+([0-9]++)\s++({_QUOTED}|[^\s,'"{{}}]++)\s*+(,|\Z)""")
# A plain sparse row, parsed at commas and spaces.
_PLAIN_ENTRY = r"""[0-9]++\s++[^\s,'"{}]++\s*+"""
_PLAIN_ROW = re.compile(rf"\{{\s*+(?:{_PLAIN_ENTRY}(?:,\s*+{_PLAIN_ENTRY})*+)?\}}")
_ESCAPED = re.compile(r"""\\(['"%\\nrt])""")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}

_NUMERIC, _TEXT = ("numeric", "real", "integer"), ("string", "date")
_MISSING = ("?", "")
# What KEEL writes for a missing value.
_KEEL_MISSING = "<null>"
# Lines by which KEEL declares which attributes are features and labels.
_KEEL = ("@input", "@inputs", "@output", "@outputs")
# Rows that are collected as lists of numbers before they become an array.
_ROWS_AT_ONCE = 200

_Line: TypeAlias = tuple[int, str]


def read_table(
    path: str | Path, encoding: str | None = None, texts: dict[str, dict[str, float]] | None = None
) -> Table:
    """Read an ARFF file, dense or sparse.

    Names and values may be quoted, single or double, inside of which a backslash precedes a quote, a percent sign or
    itself. A comment begins with a percent sign outside of quotes. The values of a row are separated by commas, or all
    by blanks. ``?``, ``nan`` and, in a dense row, nothing at all are a missing value. Numbers are finite. A number in
    braces at the end of a row is its weight. Attributes are numeric, nominal, strings or dates; no relations. ``texts``
    has the places of the values of strings and dates by attribute, and is extended by those of this file: for parts of
    one set. Raises DataError if the file deviates from this; the sentence names file and line, and what would be right.
    """
    return _Reading(Path(path), encoding, {} if texts is None else texts).table()


class _Reading:
    """One pass over the lines of a file."""

    def __init__(self, path: Path, encoding: str | None, texts: dict[str, dict[str, float]]) -> None:
        self.path, self.encoding, self.texts, self.relation = path, encoding, texts, ""
        self.attributes: list[Attribute] = []
        self.convert: list[Callable[[str], float]] = []
        self.weights: dict[int, float] = {}
        self.keel: dict[str, list[str]] = {}
        self.row = -1
        self.line = 1

    def wrong(self, line: int, sentence: str) -> DataError:
        return DataError(f"{self.path}, line {line}: {sentence}")

    def table(self) -> Table:
        with opened(self.path) as file:
            check_comment(file, self.path)
            content = file.read()
        with encoding_named(self.path, self.encoding) as encoding:
            lines = self._lines(content.decode(encoding))
        self._read_header(lines)
        self.convert = [
            float if places is None else _code_of(places) if text else places.__getitem__
            for _, places, text in self.attributes
        ]
        first = next(lines, None)
        if first is None:
            raise self.wrong(self.line, "no rows of data after @DATA; is the file truncated?")
        rows = (self._without_weight(*line) for line in chain([first], lines))
        chunks = iter(lambda: list(islice(rows, _ROWS_AT_ONCE)), [])
        if first[1].startswith("{"):
            values: Any = sp.vstack([self._sparse(chunk) for chunk in chunks], format="csr")
        else:
            values = np.concatenate([self._dense(chunk) for chunk in chunks])
        weights = None
        if self.weights:
            weights = np.ones(values.shape[0])
            weights[list(self.weights)] = list(self.weights.values())
        return Table(self.attributes, values, self.relation, weights, outputs=self.keel.get("outputs", []))

    def _lines(self, text: str) -> Iterator[_Line]:
        """Yield the lines that are not empty or comments, with their numbers."""
        for self.line, line in enumerate(io.StringIO(text, newline=None), start=1):
            stripped = line.strip()
            if "%" in stripped:
                code = _CODE.match(stripped)
                if code is not None and stripped[code.end() : code.end() + 1] == "%":
                    stripped = code.group().rstrip()
            if stripped:
                yield self.line, stripped

    def _without_weight(self, number: int, line: str) -> _Line:
        """Return a row without the weight in braces at its end, which is stored."""
        self.row += 1
        if line.endswith("}"):
            row, _, weight = line[:-1].rpartition("{")
            row, weight = row.rstrip(", \t"), weight.strip()
            if row and (line[0] != "{" or row.endswith("}")) and NUMBER.fullmatch(weight):
                value = float(weight)
                if not 0 <= value < math.inf:
                    raise self.wrong(number, f"the weight {weight[:40]} of the row is not a finite number >= 0")
                self.weights[self.row] = value
                return number, row
        return number, line

    def _read_header(self, lines: Iterator[_Line]) -> None:
        declared: dict[str, int] = {}
        named = False
        for number, line in lines:
            word = line.split(maxsplit=1)[0].lower()
            if word == "@relation" and not named:
                named, self.relation = True, line[len(word) :].strip()
            elif word == "@attribute" and named:
                attribute = self._attribute(number, line)
                if attribute.name in declared:
                    first = declared[attribute.name]
                    raise self.wrong(
                        number, f"the attribute {attribute.name[:40]!r} is already declared in line {first}"
                    )
                declared[attribute.name] = number
                self.attributes.append(attribute)
            elif word in _KEEL and self.attributes:
                self._read_names(number, word.strip("@").removesuffix("s") + "s", line[len(word) :])
            elif word == "@data" and self.attributes:
                return
            else:
                expected = "@ATTRIBUTE or @DATA" if self.attributes else "@ATTRIBUTE" if named else "@RELATION"
                raise self.wrong(
                    number, f"the file is cut off or not laid out as ARFF: expected {expected}, got {line[:60]!r}"
                )
        raise self.wrong(self.line, "the file is cut off or not laid out as ARFF: it ends before @DATA")

    def _read_names(self, number: int, role: str, text: str) -> None:
        """Read which attributes are features or labels, as KEEL declares it."""
        names = _split(text) or []
        known = {attribute.name for attribute in self.attributes}
        if not set(names) <= known or not names:
            wrong = next((name for name in names if name not in known), text.strip())
            raise self.wrong(number, f"@{role} are names of attributes, separated by commas; got {wrong[:40]!r}")
        self.keel[role] = names
        if len(self.keel) == 2 and (others := known - {name for part in self.keel.values() for name in part}):
            raise self.wrong(
                number, f"the attribute {min(others)[:40]!r} is in neither @inputs nor @outputs; add it to one of them"
            )

    def _attribute(self, number: int, line: str) -> Attribute:
        declaration = _DECLARATION.fullmatch(line)
        if declaration is None:
            raise self.wrong(
                number, f"an attribute is '@attribute name type', a name with spaces in quotes; got {line[:60]!r}"
            )
        name, kind = _unquoted(declaration[1]), declaration[2]
        word = re.split(r"[\s\[{]", kind, maxsplit=1)[0].lower()
        if word in _NUMERIC and _RANGE.fullmatch(kind, len(word)):
            return Attribute(name, None)
        if word in _TEXT:
            return Attribute(name, self.texts.setdefault(name, {"": 0.0}), True)
        about = f"the attribute {name[:40]!r}"
        if not (kind.startswith("{") and kind.endswith("}")):
            raise self.wrong(
                number,
                f"{about} is of the type {kind[:40]!r}; attributes are numeric, string, date, or list their values in "
                "braces",
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
        """Parse a dense row in any layout, or raise an error that names the problem."""
        texts = _split(line, len(self.attributes))
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
        """Parse a sparse row in any layout, or raise an error that names the problem."""
        if not (line.startswith("{") and line.endswith("}")):
            raise self.wrong(number, f"a sparse row is in braces; this one is cut off, or dense: {line[:60]!r}")
        row: dict[int, float] = {}
        inside = line[1:-1].strip()
        position = 0
        more = bool(inside)
        while more:
            entry = _ENTRY.match(inside, position)
            if entry is None:
                shown = inside[position : position + 40]
                raise self.wrong(number, f"expected the place of an attribute and its value, got {shown!r}")
            # int() refuses thousands of digits; no file has that many attributes.
            key = int(entry[1]) if len(entry[1]) < 10 else len(self.attributes)
            if key >= len(self.attributes):
                raise self.wrong(
                    number, f"there is no attribute {entry[1][:40]}: the file has {len(self.attributes)}, from 0 on"
                )
            if key in row:
                raise self.wrong(number, f"attribute {key} has two values")
            row[key] = self._value(number, _unquoted(entry[2]), self.attributes[key])
            position, more = entry.end(), bool(entry[3])
        return row

    def _value(self, number: int, text: str, attribute: Attribute) -> float:
        name, places, is_text = attribute
        if text in _MISSING or (text == _KEEL_MISSING and text not in (places or ())):
            return math.nan
        if places is not None:
            if is_text:
                return places.setdefault(text, float(len(places)))
            if text not in places:
                raise self.wrong(number, f"the value {text[:40]!r} is not in the list of attribute {name[:40]!r}")
            return places[text]
        if not NUMBER.fullmatch(text):
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
    if text[:1] not in ("'", '"'):
        return text
    return _ESCAPED.sub(lambda escaped: _CONTROLS.get(escaped[1], escaped[1]), text[1:-1])


def _code_of(places: dict[str, float]) -> Callable[[str], float]:
    """Return a function from a text to its place, which is made for a new one; KeyError where it is missing."""

    def code(text: str) -> float:
        text = text.strip()
        if text in _MISSING:
            raise KeyError(text)
        return places.setdefault(text, float(len(places)))

    return code


def _split(text: str, size: int | None = None) -> list[str] | None:
    """Split a row at commas, or at blanks where there are no commas and `size` values; remove quotes.

    None where quotes or braces are misplaced.
    """
    values = []
    position = 0
    while value := _VALUE.match(text, position):
        values.append(_unquoted(value[1].strip()))
        position = value.end()
        if not value[2]:
            break
    else:
        values = []
    if len(values) == 1 != size or not values:
        words, position = [], 0
        while word := _WORD.match(text, position):
            words.append(_unquoted(word[1]))
            position = word.end()
        if position == len(text.rstrip()) and (len(words) == size or (size is None and len(words) > 1)):
            return words
    return values or None
