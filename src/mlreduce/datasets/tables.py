"""A data set as two tables, CSV or Parquet: one of features, one of labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import DataError
from mlreduce.validation import check_labels

__all__ = ["read_tables"]


def _read(path: Path) -> pd.DataFrame:
    try:
        if path.suffix.lower() in {".parquet", ".pq"}:
            return pd.read_parquet(path)
        if path.suffix.lower() in {".csv", ".tsv", ".txt"}:
            return pd.read_csv(path, sep="\t" if path.suffix.lower() == ".tsv" else ",")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (ValueError, OSError) as error:
        raise DataError(f"{path}: cannot be read as a table: {error}") from error
    raise DataError(f"{path}: a table is .csv, .tsv or .parquet; got {path.suffix or 'no suffix'}")


def read_tables(features: str | Path, labels: str | Path, name: str = "") -> MultiLabelData:
    """Read features and labels from two tables with the same rows in the same order.

    Parameters
    ----------
    features : path
        Numeric columns; Booleans count as 0 and 1, empty cells as NaN.
    labels : path
        Columns in {0, 1} or {-1, 1}.
    name : str, default=""
        What to call the data set.

    Raises
    ------
    DataError
        If a table cannot be read, a feature is not numeric, a label is not 0/1, or the numbers of rows differ.
    """
    X, Y = _read(Path(features)), _read(Path(labels))
    if len(X) == 0:
        raise DataError(f"{features}: no rows")
    for column in X.columns:
        if not (pd.api.types.is_numeric_dtype(X[column]) or pd.api.types.is_bool_dtype(X[column])):
            raise DataError(f"{features}: the column {column!r} is not numeric; encode it as numbers first")
    if len(X) != len(Y):
        raise DataError(f"{features} has {len(X)} rows, {labels} has {len(Y)}; they must be the same instances")
    try:
        values = check_labels(Y)
    except DataError as error:
        raise DataError(f"{labels}: {error}") from error
    return MultiLabelData(
        X.to_numpy(dtype=np.float64, na_value=np.nan),
        values.astype(np.int8),
        [str(column) for column in X.columns],
        [str(column) for column in Y.columns],
        name or Path(features).stem,
    )
