"""Data sets as tables, CSV or Parquet: one of features and one of labels, or one of both."""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.arff_syntax import NUMBER, Attribute, Table, encoding_named
from mlreduce.datasets.readers.columns import Columns, Labels, chosen_labels, encoded
from mlreduce.exceptions import ConfigurationError, DataError, from_extra
from mlreduce.guards import check_memory, check_names, opened, stem, uncompressed

__all__ = ["read_tables"]

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ","}
_PARQUET = (".parquet", ".pq")
# What R, pandas and spreadsheets write for a missing value, in lower case.
_MISSING = {"", "?", "na", "n/a", "nan", "-nan", "null", "none", "<na>", "#n/a", "#na"}
_INFINITE = {"inf", "-inf", "+inf", "infinity", "-infinity", "+infinity"}


def read_tables(
    features: str | Path,
    labels: Labels,
    name: str = "",
    *,
    encoding: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    **columns: Any,
) -> MultiLabelData:
    """Read features and labels from two tables with the same rows in the same order, or from one.

    Features are numeric columns; false and true, no and yes count as 0 and 1, empty cells as NaN. A first column
    without a name that counts the rows is left out. Arguments are those of `mlreduce.datasets.read`.

    Raises
    ------
    DataError
        If a table cannot be read, a column is not numeric or has another's name, a number is infinite, a label is not
        0/1, the numbers of rows differ, or there is no such column; the sentence names the argument that helps.
    ConfigurationError
        If separators are not as `mlreduce.datasets.read` has them.
    """
    if (sep is not None and (len(sep) != 1 or sep in '\r\n"')) or decimal not in (None, ".", ","):
        raise ConfigurationError(f"sep is one character, decimal is '.' or ','; got sep={sep!r}, decimal={decimal!r}")
    how = Columns(**columns)
    read = partial(_read, encoding=encoding, sep=sep, decimal=decimal or ".")
    X, notes = read(Path(features))
    where = str(features)
    chosen: tuple[Table, str] | list[str]
    if isinstance(labels, (str, Path)):
        Y, _ = read(Path(labels))
        if len(Y.values) != len(X.values):
            raise DataError(
                f"{features} has {len(X.values)} rows, {labels} has {len(Y.values)}; they must be the same instances"
            )
        chosen = Y, str(labels)
    else:
        remaining = [attribute.name for attribute in X.attributes if attribute.name not in how.drop]
        chosen = chosen_labels(labels, remaining, features)
    return encoded(X, chosen, name or stem(features), where, partial(check_memory, paths=[where]), how, notes)


def _read(path: Path, encoding: str | None, sep: str | None, decimal: str) -> tuple[Table, list[str]]:
    """Read a table with unique column names, without its index; return it and what was left out."""
    suffix = uncompressed(path).suffix.lower()
    with opened(path) as file:
        parquet = suffix in _PARQUET or file.read(4) == b"PAR1"
        if not parquet and suffix not in _SEPARATORS and sep is None:
            raise DataError(
                f"{path}: a table is .csv, .tsv or .parquet; got {suffix or 'no suffix'}. sep= reads any text so"
            )
        file.seek(0)
        if parquet:
            return _read_parquet(file, path), []
        try:
            with encoding_named(path, encoding) as codec:
                text = io.TextIOWrapper(file, encoding=codec, newline="")
                try:
                    return _read_csv(text, path, sep or _SEPARATORS[suffix], decimal, guessed=sep is None)
                finally:
                    text.detach()
        except csv.Error as error:
            raise DataError(f"{path}: cannot be read as a table: {error}") from error


def _read_csv(text: io.TextIOWrapper, path: Path, sep: str, decimal: str, guessed: bool) -> tuple[Table, list[str]]:
    if sep == decimal:
        raise DataError(f"{path}: decimal={decimal!r} separates the cells too; say sep=, as in sep=';'")

    def rows() -> Iterator[tuple[int, list[str]]]:
        text.seek(0)
        reader = csv.reader(text, delimiter=sep)
        yield from ((reader.line_num, row) for row in reader if row)

    lines = rows()
    _, names = next(lines, (0, []))
    if not names:
        raise DataError(f"{path}: cannot be read as a table: it is empty")
    other = next((other for other in ";\t|" if other in names[0]), None) if guessed and len(names) == 1 else None
    if other is not None:
        raise DataError(
            f"{path}: its first line has no {sep!r}; are the cells separated by {other!r}? Say sep={other!r}, and "
            "decimal=',' where numbers have decimal commas"
        )
    check_names(names, "column", str(path))
    if "" in names[1:]:
        raise DataError(f"{path}: column {names.index('', 1) + 1} has no name")
    numbers: array[float] = array("d")
    texts: set[int] = set()
    for line, row in lines:
        if len(row) != len(names):
            raise DataError(
                f"{path}, line {line}: {len(row)} cells under {len(names)} names of columns; is the row cut off, "
                "or a column without a name?"
            )
        if decimal != ".":
            row = [cell.replace(decimal, ".") for cell in row]
        try:
            numbers.extend(_plain_numbers(row))
        except ValueError:
            numbers.extend(_number(cell.strip(), path, names, column, texts) for column, cell in enumerate(row))
    if not numbers:
        raise DataError(f"{path}: no rows")
    values = np.frombuffer(numbers).reshape(-1, len(names))
    places: dict[int, dict[str, float]] = {column: {"": 0.0} for column in sorted(texts)}
    if texts:
        lines = rows()
        next(lines)
        for number, (_, row) in enumerate(lines):
            for column, known in places.items():
                cell = row[column].strip()
                missing = cell.lower() in _MISSING
                values[number, column] = math.nan if missing else known.setdefault(cell, float(len(known)))
    attributes = [Attribute(name, places.get(column), column in places) for column, name in enumerate(names)]
    return _without_index(Table(attributes, values), path)


def _plain_numbers(row: list[str]) -> list[float]:
    """Return a row of finite numbers; ValueError where a cell is anything else, or in a notation of Python's."""
    line = "".join(row)
    if "_" in line or not line.isascii():
        raise ValueError
    values = list(map(float, row))
    if not all(map(math.isfinite, values)):
        raise ValueError
    return values


def _number(cell: str, path: Path, names: Sequence[str], column: int, texts: set[int]) -> float:
    """Return a cell as a number, NaN where it is missing or a text, whose column is added to `texts`."""
    if cell.lower() in _MISSING:
        return math.nan
    value = float(cell) if NUMBER.fullmatch(cell) else math.inf if cell.lower() in _INFINITE else None
    if value is None:
        texts.add(column)
        return math.nan
    if math.isinf(value):
        raise DataError(f"{path}: the column {names[column][:40]!r} holds a number that is infinite or too large")
    return value


def _without_index(table: Table, path: Path) -> tuple[Table, list[str]]:
    """Leave a first column without a name out, which pandas and R write as the names of the rows."""
    first = table.attributes[0]
    if first.name and not re.fullmatch("Unnamed: [0-9]+", first.name):
        return table, []
    column = table.values[:, 0]
    if len(np.unique(column)) < len(column) or not (first.text or (np.floor(column) == column).all()):
        if first.name:
            return table, []
        raise DataError(f"{path}: column 1 has no name, and its values do not number the rows")
    if len(table.attributes) == 1:
        raise DataError(f"{path}: no column has a name")
    note = (
        f"{path}: the first column, {first.name or 'which has no name'}, numbers or names the rows and was left out; "
        "give it a name to keep it"
    )
    return Table(table.attributes[1:], table.values[:, 1:]), [note]


def _read_parquet(file: BinaryIO, path: Path) -> Table:
    with from_extra("data", "Parquet files"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        parquet = pq.ParquetFile(file)
        schema = parquet.schema_arrow
        columns = [column for column in schema.names if column not in _row_names(schema)]
        check_names(columns, "column", str(path))
        rows = parquet.metadata.num_rows
        if not rows or not columns:
            raise DataError(f"{path}: no rows")
        check_memory(8 * rows * len(columns), [path], f"{len(columns)} columns of {rows} rows")
        # Ignore pandas metadata, which names types to construct.
        table = parquet.read(columns=columns)
        values, attributes = np.empty((rows, len(columns))), []
        for place, name in enumerate(columns):
            column, known = table.column(name), None
            if pa.types.is_dictionary(column.type):
                column = column.cast(column.type.value_type)
            kind = column.type
            if pa.types.is_string(kind) or pa.types.is_large_string(kind):
                known = {"": 0.0}
                for number, text in enumerate(column.to_pylist()):
                    missing = text is None or text.strip().lower() in _MISSING
                    values[number, place] = math.nan if missing else known.setdefault(text, float(len(known)))
            elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
                values[:, place] = column.cast(pa.float64(), safe=False).to_numpy()
            else:
                raise DataError(
                    f"{path}: the column {name[:40]!r} is not numeric, it is of the type {kind}; leave it out of the "
                    "file, or make numbers or texts of it"
                )
            if np.isinf(values[:, place]).any():
                raise DataError(f"{path}: the column {name[:40]!r} holds a number that is infinite or too large")
            attributes.append(Attribute(name, known, known is not None))
    except DataError:
        raise
    except (pa.ArrowException, ValueError, OSError) as error:
        raise DataError(f"{path}: cannot be read as a table: {error}") from error
    return Table(attributes, values)


def _row_names(schema: Any) -> Sequence[str]:
    """Return the columns that pandas wrote for the index of a table."""
    noted = schema.pandas_metadata
    columns = noted.get("index_columns") if isinstance(noted, dict) else None
    return [column for column in columns if isinstance(column, str)] if isinstance(columns, list) else []
