"""Data sets as tables, CSV or Parquet: one of features and one of labels, or one of both."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.guards import check_memory, check_names, opened
from mlreduce.datasets.readers.arff import chosen_labels
from mlreduce.exceptions import DataError, from_extra
from mlreduce.validation import check_labels

__all__ = ["read_tables"]

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ","}
_PARQUET = (".parquet", ".pq")


def read_tables(
    features: str | Path, labels: str | Path | Mapping[str, int] | Sequence[str], name: str = ""
) -> MultiLabelData:
    """Read features and labels from two tables with the same rows in the same order, or from one.

    Parameters
    ----------
    features : path
        Numeric columns; Booleans count as 0 and 1, empty cells as NaN.
    labels : path, dict or sequence of str
        The table of labels; or which columns of the one table are labels: ``{"first": n}``, ``{"last": n}`` or their
        names. Values are in {0, 1} or {-1, 1}.
    name : str, default=""
        Name of the data set.

    Raises
    ------
    DataError
        If a table cannot be read, a column is not numeric or has another's name, a number is infinite, a label is not
        0/1, the numbers of rows differ, or there is no such column.
    """
    X = _read(Path(features))
    if isinstance(labels, (str, Path)):
        Y, where = _read(Path(labels)), str(labels)
    else:
        where = str(features)
        chosen = chosen_labels(labels, list(X.columns), features)
        X, Y = X.drop(columns=chosen), X[chosen]
        if X.shape[1] == 0:
            raise DataError(f"{features}: no column is left as a feature")
    if len(X) != len(Y):
        raise DataError(f"{features} has {len(X)} rows, {labels} has {len(Y)}; they must be the same instances")
    try:
        values = check_labels(Y)
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    matrix = X.to_numpy(dtype=np.float64, na_value=np.nan)
    return MultiLabelData(matrix, values.astype(np.int8), list(X.columns), list(Y.columns), name or Path(features).stem)


def _read(path: Path) -> pd.DataFrame:
    """Read a table of numbers with unique column names."""
    suffix = path.suffix.lower()
    with opened(path) as file:
        parquet = suffix in _PARQUET or file.read(4) == b"PAR1"
        if not parquet and suffix not in _SEPARATORS:
            raise DataError(f"{path}: a table is .csv, .tsv or .parquet; got {path.suffix or 'no suffix'}")
        file.seek(0)
        table = _read_parquet(file, path) if parquet else _read_csv(file, path, _SEPARATORS[suffix])
    if len(table) == 0:
        raise DataError(f"{path}: no rows")
    table.columns = table.columns.map(str)
    for column, kind in zip(table.columns, table.dtypes, strict=True):
        if not pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_complex_dtype(kind):
            raise _not_numeric(path, column)
        if pd.api.types.is_float_dtype(kind) and np.isinf(table[column]).any():
            raise DataError(f"{path}: the column {column[:40]!r} holds a number that is infinite or too large")
    return table


def _not_numeric(path: Path, column: str) -> DataError:
    remedy = "encode it as numbers first: labels as 0 and 1, a category as a column of 0 and 1 for each of its values"
    if ";" in column and path.suffix == ".csv":
        remedy = "are the columns separated by semicolons? Save the table with commas"
    return DataError(f"{path}: the column {column[:40]!r} is not numeric; {remedy}")


def _read_csv(file: BinaryIO, path: Path, separator: str) -> pd.DataFrame:
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    rows = csv.reader(text, delimiter=separator)
    try:
        # pandas gives the second column of a name another one, fills up a row that is cut off, and takes what stands
        # before the named columns as names of the rows.
        names, first = (next((row for row in rows if row), []) for _ in range(2))
        check_names(names, "column", str(path))
        file.seek(0)
        table = pd.read_csv(file, sep=separator, encoding="utf-8")
        if len(first) != len(names) or table.iloc[:, -1].hasnans:
            text.seek(0)
            _check_widths(csv.reader(text, delimiter=separator), path)
    except DataError:
        raise
    except (ValueError, OverflowError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read as a table: {error}") from error
    finally:
        text.detach()
    return table


def _check_widths(rows: Any, path: Path) -> None:
    width = 0
    for row in rows:
        width = width or len(row)
        if row and len(row) != width:
            raise DataError(
                f"{path}, line {rows.line_num}: {len(row)} cells under {width} names of columns; is the row cut off, "
                "or a column without a name?"
            )


def _read_parquet(file: BinaryIO, path: Path) -> pd.DataFrame:
    with from_extra("data", "Parquet files"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        parquet = pq.ParquetFile(file)
        schema = parquet.schema_arrow
        columns = [column for column in schema.names if column not in _row_names(schema)]
        check_names(columns, "column", str(path))
        for column in columns:
            kind = schema.field(column).type
            if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
                raise _not_numeric(path, column)
        rows = parquet.metadata.num_rows
        check_memory(8 * rows * len(columns), [path], f"{len(columns)} columns of {rows} rows")
        # Ignore pandas metadata, which names types to construct.
        table: pd.DataFrame = parquet.read(columns=columns).replace_schema_metadata(None).to_pandas()
    except DataError:
        raise
    except (pa.ArrowException, ValueError, OSError) as error:
        raise DataError(f"{path}: cannot be read as a table: {error}") from error
    return table


def _row_names(schema: Any) -> Sequence[str]:
    """Return the columns that pandas wrote for the index of a table."""
    noted = schema.pandas_metadata
    columns = noted.get("index_columns") if isinstance(noted, dict) else None
    return [column for column in columns if isinstance(column, str)] if isinstance(columns, list) else []
