"""Data sets as tables, CSV or Parquet: one of features and one of labels, or one of both."""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mlreduce.datasets.arrays import numbered
from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.attributes import (
    INFINITE,
    MISSING,
    NUMBER,
    PARQUET_KEY,
    Attribute,
    Table,
    encoding_named,
    is_index_name,
    is_missing_cell,
    is_number_cell,
    table_checksum,
)
from mlreduce.datasets.readers.columns import Columns, Labels, chosen_labels, encoded
from mlreduce.datasets.readers.label_lists import class_names, listed_labels
from mlreduce.datasets.readers.parquet_pages import declared_sizes
from mlreduce.exceptions import ConfigurationError, DataError, from_extra
from mlreduce.guards import check_memory, check_names, opened, stem, uncompressed

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ","}
_PARQUET = (".parquet", ".pq")
_TRUTH = {"true", "false", "yes", "no"}
# A number of thousands, or with three decimals after a comma.
_AMBIGUOUS = re.compile("[-+]?[1-9][0-9]{0,2},[0-9]{3}")
# Bytes of memory per value of a list, in arrays of Arrow and of numbers, as measured.
_BYTES_OF_A_LABEL = 96
_SWAPPED = str.maketrans(",.", ".,")


class _Format(NamedTuple):
    """How a text is written, by the arguments of `mlreduce.datasets.read`."""

    encoding: str | None = None
    sep: str | None = None
    decimal: str = "."
    thousands: str | None = None
    header: bool | None = None

    def point(self, cell: str) -> str:
        """Return a cell with a decimal point and without marks of thousands where it is a number in this format."""
        if self.thousands is not None and self.thousands in cell:
            mark, decimal = re.escape(self.thousands), re.escape(self.decimal)
            if re.fullmatch(rf"[-+]?[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+(?:{decimal}[0-9]*)?", cell):
                cell = cell.replace(self.thousands, "")
        # A point that separates no decimals makes a text of the cell.
        return cell if self.decimal == "." else cell.translate(_SWAPPED)


class _Content(NamedTuple):
    """A table that was read."""

    table: Table
    #: What was left out or assumed.
    notes: list[str]
    #: Behind how many rows each empty line between rows was.
    gaps: list[int]
    #: Names or numbers of the rows, where an index was left out.
    row_names: list[Any] | None = None


def read_tables(
    features: str | Path,
    labels: Labels,
    name: str = "",
    *,
    encoding: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | None = None,
    **columns: Any,
) -> MultiLabelData:
    """Read features and labels from two tables with the same rows in the same order, or from one.

    Features are numeric columns; false and true, no and yes count as 0 and 1, empty cells as NaN. A first column
    without a name that counts the rows is left out. Arguments are those of `mlreduce.datasets.read`.

    Raises DataError if a table cannot be read, a column is not numeric or has another's name, a number is infinite, a
    label is not 0/1, the rows of two tables differ, there is no such column, or the first line may be a row; the
    sentence names the argument that helps. Raises ConfigurationError if separators are not as `mlreduce.datasets.read`
    has them.
    """
    if (sep is not None and (len(sep) != 1 or sep in '\r\n"')) or decimal not in (None, ".", ","):
        raise ConfigurationError(f"sep is one character, decimal is '.' or ','; got sep={sep!r}, decimal={decimal!r}")
    if thousands is not None and (thousands not in (",", ".", "'", " ", "\xa0", "_") or thousands == (decimal or ".")):
        raise ConfigurationError(
            f"thousands is ',', '.', ' ', '_' or an apostrophe, and not decimal; got {thousands!r}"
        )
    if header not in (None, True, False):
        raise ConfigurationError(f"header is True, False or None; got {header!r}")
    how = Columns(**columns)
    layout = _Format(encoding, sep, decimal or ".", thousands, header)
    named = labels if not isinstance(labels, (str, Path, int, Mapping)) and labels else ()
    X, notes, gaps, row_names = _read(Path(features), layout, named, how.drop)
    where = str(features)
    chosen: tuple[Table, str] | list[str]
    if isinstance(labels, (str, Path)):
        Y = _read(Path(labels), layout)
        if len(Y.table.values) != len(X.values):
            raise DataError(
                f"{features} has {len(X.values)} rows, {labels} has {len(Y.table.values)}; they must be the same "
                "instances"
            )
        if gaps != Y.gaps:
            raise DataError(
                f"{features} and {labels} have empty lines at different places, so that it is unknown which rows are "
                "the same instance; remove the lines, or write NA into the cells of a missing row"
            )
        if None not in (row_names, Y.row_names) and row_names != Y.row_names:
            raise DataError(f"{features} and {labels}: their first columns number or name the rows differently")
        notes = list(dict.fromkeys([*notes, *Y.notes]))
        chosen = Y.table, str(labels)
    else:
        remaining = [attribute.name for attribute in X.attributes if attribute.name not in how.drop]
        chosen = chosen_labels(labels, remaining, features)
    return encoded(X, chosen, name or stem(features), where, partial(check_memory, paths=[where]), how, notes)


def _read(path: Path, layout: _Format, named: Sequence[str] = (), drop: Sequence[str] = ()) -> _Content:
    """Read a table with unique column names, without its index; the caller names some, and drops some."""
    suffix = uncompressed(path).suffix.lower()
    with opened(path) as file:
        parquet = suffix in _PARQUET or file.read(4) == b"PAR1"
        if not parquet and suffix not in _SEPARATORS and layout.sep is None:
            raise DataError(
                f"{path}: a table is .csv, .tsv or .parquet; got {suffix or 'no suffix'}. sep= reads any text so"
            )
        file.seek(0)
        if parquet:
            return _read_parquet(file, path, drop)
        with encoding_named(path, layout.encoding) as codec:
            text = io.TextIOWrapper(file, encoding=codec, newline="")
            try:
                return _read_csv(text, path, layout._replace(sep=layout.sep or _SEPARATORS[suffix]), layout.sep, named)
            finally:
                text.detach()


def _rows(text: io.TextIOWrapper, path: Path, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the line in which a row begins, and its cells; none of an empty line."""
    text.seek(0)
    line, reader = 1, csv.reader(text, delimiter=sep, strict=True)
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"{path}, line {line}: cannot be read as a table: {error}. A cell that begins with a quote ends with one, "
            "and a quote within it is written twice"
        ) from error


def _read_csv(
    text: io.TextIOWrapper, path: Path, layout: _Format, given_sep: str | None, named: Sequence[str]
) -> _Content:
    sep = str(layout.sep)
    if sep == layout.decimal and given_sep is None:
        raise DataError(
            f"{path}: decimal={sep!r} separates the cells too; give sep=, as in sep=';', or sep={sep!r} where the "
            "numbers are in quotes"
        )
    lines = _rows(text, path, sep)
    first_line, first = next(((line, row) for line, row in lines if row), (0, []))
    if not first:
        raise DataError(f"{path}: cannot be read as a table: it is empty")
    if given_sep is None and len(first) == 1 and (other := next((sign for sign in ";\t|" if sign in first[0]), None)):
        raise DataError(
            f"{path}: its first line has no {sep!r}; are the cells separated by {other!r}? Give sep={other!r}, and "
            "decimal=',' where numbers have decimal commas"
        )
    names, notes = _names(first, path, layout, named)
    if layout.header is False:
        lines = _rows(text, path, sep)
    gaps: list[int] = []
    numbers = _Numbers(path, names, layout)
    for row in _complete_rows(lines, path, len(names), gaps):
        numbers.add(row)
    values = numbers.values()
    # Texts are read a second time: a column may turn out to be one in its last row.
    places: dict[int, dict[str, float]] = {column: {"": 0.0} for column in sorted(numbers.texts)}
    if places:
        cells = (row for line, row in _rows(text, path, sep) if row and (line > first_line or layout.header is False))
        for number, row in enumerate(cells):
            for column, known in places.items():
                cell = row[column].strip()
                missing = cell.lower() in MISSING
                values[number, column] = math.nan if missing else known.setdefault(cell, float(len(known)))
    attributes = [Attribute(name, places.get(column), column in places) for column, name in enumerate(names)]
    table, index, left_out = _without_index(Table(attributes, values), path)
    return _Content(table, notes + left_out, gaps, index)


def _complete_rows(
    lines: Iterator[tuple[int, list[str]]], path: Path, n_columns: int, gaps: list[int]
) -> Iterator[list[str]]:
    """Yield rows with a cell for each column; add to ``gaps`` behind how many rows each empty line between them is."""
    n_rows = 0
    empty: list[int] = []
    for line, row in lines:
        if not row:
            empty.append(line)
            continue
        if empty and n_columns == 1:  # where a row with a missing cell looks the same
            raise DataError(
                f"{path}, line {empty[0]}: the line is empty; write NA where a cell is missing, or remove the line"
            )
        gaps += [n_rows] * len(empty)
        empty.clear()
        if len(row) != n_columns:
            raise DataError(
                f"{path}, line {line}: {len(row)} cells under {n_columns} names of columns; is the row cut off, "
                "or a column without a name?"
            )
        n_rows += 1
        yield row


class _Numbers:
    """The numbers of a table, row by row, and which columns are texts."""

    def __init__(self, path: Path, names: Sequence[str], layout: _Format) -> None:
        self.path, self.names, self.layout = path, names, layout
        self.texts: set[int] = set()
        self._numbers: array[float] = array("d")
        # Columns with decimal commas: a cell that may be thousands, and columns with one that may not.
        self._ambiguous: dict[int, str] = {}
        self._clear: set[int] = set()

    def add(self, row: list[str]) -> None:
        if self.layout.decimal == "." and self.layout.thousands is None:
            try:
                self._numbers.extend(_plain_numbers(row))
                return
            except ValueError:
                pass
        for column, cell in enumerate(map(str.strip, row)):
            if self.layout.decimal == "," and self.layout.thousands is None and "," in cell:
                if _AMBIGUOUS.fullmatch(cell):
                    self._ambiguous.setdefault(column, cell)
                else:
                    self._clear.add(column)
            self._numbers.append(self._number(self.layout.point(cell), column))

    def values(self) -> NDArray[np.float64]:
        """Return the numbers as a matrix, unless they may mean others."""
        if not self._numbers:
            raise DataError(f"{self.path}: no rows")
        for column in self._ambiguous.keys() - self._clear - self.texts:
            cell, name = self._ambiguous[column], self.names[column][:40]
            raise DataError(
                f"{self.path}: numbers such as {cell!r} in the column {name!r} may have three decimals or be "
                f"thousands; decimal=',' with thousands='.' reads {cell.replace(',', '.')}, thousands=',' without "
                f"decimal= reads {cell.replace(',', '')}"
            )
        return np.frombuffer(self._numbers).reshape(-1, len(self.names))

    def _number(self, cell: str, column: int) -> float:
        """Return a cell as a number; NaN where it is missing or makes a text of its column."""
        if cell.lower() in MISSING:
            return math.nan
        if NUMBER.fullmatch(cell):
            value = float(cell)
        elif cell.lower() in INFINITE:
            value = math.inf
        else:
            self.texts.add(column)
            return math.nan
        if math.isinf(value):
            name = self.names[column][:40]
            raise DataError(f"{self.path}: the column {name!r} holds a number that is infinite or too large")
        return value


def _names(first: list[str], path: Path, layout: _Format, named: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of the columns, which the first line has or is refused to have, and what is assumed."""
    if layout.header is False:
        return numbered(len(first)), []
    notes = []
    if layout.header is None and not (named and set(named) <= set(first)):
        cells = [layout.point(cell.strip()) for cell in first]
        if all(is_number_cell(cell) or cell.lower() in _TRUTH for cell in cells):
            raise DataError(
                f"{path}: its first line has numbers, {', '.join(first)[:60]!a}, and no names of columns; "
                "header=False reads it as a row, header=True as names"
            )
        numbers = [cell for cell in cells if NUMBER.fullmatch(cell)]
        if numbers:
            notes = [
                f"{path}: the first line was taken for names of columns, though it has the number {numbers[0][:40]}; "
                "header=False reads it as a row"
            ]
    check_names(first, "column", str(path))
    if "" in first[1:]:
        raise DataError(f"{path}: column {first.index('', 1) + 1} has no name")
    return first, notes


def _plain_numbers(row: list[str]) -> list[float]:
    """Return a row of finite numbers; ValueError where a cell is anything else, or in a notation of Python's."""
    line = "".join(row)
    if "_" in line or not line.isascii():
        raise ValueError
    values = list(map(float, row))
    if not all(map(math.isfinite, values)):
        raise ValueError
    return values


def _without_index(table: Table, path: Path) -> tuple[Table, list[Any] | None, list[str]]:
    """Leave a first column without a name out, which pandas and R write as the names of the rows."""
    first = table.attributes[0]
    if not is_index_name(first.name):
        return table, None, []
    column = table.values[:, 0]
    if len(np.unique(column)) < len(column) or not (first.text or (np.floor(column) == column).all()):
        if first.name:
            return table, None, []
        raise DataError(f"{path}: column 1 has no name, and its values do not number the rows")
    if len(table.attributes) == 1:
        raise DataError(f"{path}: no column has a name")
    note = (
        f"{path}: the first column, {first.name or 'which has no name'}, numbers or names the rows and was left out; "
        "give it a name to keep it"
    )
    texts = list(first.places or ())
    index = [texts[int(place)] for place in column] if first.text else column.tolist()
    return Table(table.attributes[1:], table.values[:, 1:]), index, [note]


def _read_parquet(file: BinaryIO, path: Path, drop: Sequence[str]) -> _Content:
    with from_extra("data", "Parquet files"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        parquet = pq.ParquetFile(file, page_checksum_verification=True)
        schema = parquet.schema_arrow
        columns, notes = _without_row_names(schema, path)
        check_names(columns, "column", str(path))
        rows, unpacked, n_values = declared_sizes(file)
        if not rows or not columns:
            raise DataError(f"{path}: no rows")
        kinds = {name: _read_as(schema.field(name).type) for name in columns}
        kinds = {name: kind for name, kind in kinds.items() if name not in drop or kind not in ("", "list")}
        if other := next((name for name, kind in kinds.items() if not kind), None):
            raise DataError(
                f"{path}: the column {other[:40]!r} is not numeric, it is of the type {schema.field(other).type}; "
                f"leave it out with drop=[{other!r}], or make numbers or texts of it"
            )
        check_memory(8 * rows * len(columns), [path], f"{len(columns)} columns of {rows} rows")
        check_memory(unpacked, [path], "its pages, unpacked,")
        if "list" in kinds.values():
            check_memory(_BYTES_OF_A_LABEL * n_values, [path], f"lists with {n_values} values")
        # Texts as places in a list of them: a few bytes may repeat a long one in all rows.
        leaves = [parquet.schema.column(place).path for place in range(len(parquet.schema))]
        texts = [leaf for leaf in leaves if kinds.get(leaf) == "text" or kinds.get(leaf.split(".")[0]) == "list"]
        file.seek(0)
        parquet = pq.ParquetFile(file, page_checksum_verification=True, read_dictionary=texts)
        # Ignore pandas metadata, which names types to construct.
        arrow = parquet.read(columns=list(kinds), use_threads=False)
        lists: dict[str, Table] = {}
        table = Table([], np.full((rows, len(columns)), np.nan), lists=lists)
        class_names_of = class_names(schema.metadata)
        for place, name in enumerate(columns):
            column: Any = arrow.column(name) if name in kinds else None
            kind, known = kinds.get(name), None
            if kind == "text":
                known = {"": 0.0}
                table.values[:, place] = np.concatenate([_places(chunk, known) for chunk in column.chunks])
            elif kind == "number":
                table.values[:, place] = column.cast(pa.float64(), safe=False).to_numpy()
            elif kind == "list":
                lists[name], added = listed_labels(column, name, class_names_of.get(name), str(path))
                notes += added
            if np.isinf(table.values[:, place]).any():
                raise DataError(f"{path}: the column {name[:40]!r} holds a number that is infinite or too large")
            table.attributes.append(Attribute(name, known, known is not None))
        checksum = (schema.metadata or {}).get(PARQUET_KEY)
        if checksum is not None and checksum != table_checksum(table):
            raise DataError(
                f"{path}: the file was saved with a checksum that it no longer has, so that it is damaged; save it "
                "again"
            )
    except DataError:
        raise
    except (pa.ArrowException, ValueError, OSError) as error:
        raise DataError(f"{path}: cannot be read as a table: {error}") from error
    return _Content(table, notes, [])


def _read_as(kind: Any) -> str:
    """Return what columns of a type of Arrow are read as: "number", "text", "list"; nothing where they are not."""
    from pyarrow import types

    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return "list" if _read_as(kind.value_type) in ("number", "text") else ""
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_string(kind) or types.is_large_string(kind):
        return "text"
    return "number" if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) else ""


def _places(chunk: Any, known: dict[str, float]) -> NDArray[np.float64]:
    """Return the places of texts in those known so far, NaN where one is missing."""
    codes = chunk.indices.to_numpy(zero_copy_only=False).astype(np.float64)  # NaN where null
    texts = chunk.dictionary.to_pylist()
    place_of = np.full(len(texts) + 1, np.nan)
    used = np.unique(codes[~np.isnan(codes)]).astype(np.int64)
    for code in used.tolist():
        if texts[code] is not None and not is_missing_cell(texts[code]):
            place_of[code] = known.setdefault(texts[code], float(len(known)))
    return place_of[np.where(np.isnan(codes), len(texts), codes).astype(np.int64)]


def _without_row_names(schema: Any, path: Path) -> tuple[list[str], list[str]]:
    """Return the columns but those of the index of a table of pandas, and notes on what is left out."""
    noted = schema.pandas_metadata
    indices = noted.get("index_columns") if isinstance(noted, dict) else None
    indices = indices if isinstance(indices, list) else []
    left_out = [index for index in indices if isinstance(index, str)]
    for index in indices:
        if isinstance(index, dict):
            name, start, step = index.get("name"), index.get("start", 0), index.get("step", 1)
            if (name, start, step) != (None, 0, 1):  # one that counts from 0 holds nothing
                left_out.append(str(name))
    notes = [
        f"{path}: {ascii(name)[:40]} is the index of the table, numbers or names the rows and was left out; "
        "reset_index() of pandas makes a column of it before the table is written"
        for name in left_out
    ]
    return [name for name in schema.names if name not in left_out or name not in indices], notes
