"""Tables with named columns, of pandas, polars or pyarrow, by narwhals."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from mlreduce.exceptions import DataError


def as_frame(table: Any) -> nw.DataFrame[Any] | None:
    """Return a table of any package as a narwhals DataFrame; None for arrays, sparse matrices and lists.

    Raises DataError if it is lazy.
    """
    if isinstance(table, np.ndarray | list | tuple) or sp.issparse(table):
        return None
    frame = nw.from_native(table, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise DataError(f"{type(table).__name__} is lazy, and holds no values yet: collect it first")
    return frame if isinstance(frame, nw.DataFrame) else None


def column_names(table: Any) -> list[str] | None:
    """Return the column names of a table as strings, None for anything else."""
    if hasattr(table, "iloc"):  # pandas may have two columns of one name
        return [str(column) for column in table.columns] if hasattr(table, "columns") else None
    frame = as_frame(table)
    return None if frame is None else list(frame.columns)


def as_pandas(table: Any) -> Any:
    """Return a table of another package as a DataFrame of pandas; anything else as it is."""
    frame = None if hasattr(table, "iloc") else as_frame(table)
    if frame is None:
        return table
    import pandas as pd  # slow to import, and loaded only where there is a table

    return pd.DataFrame({name: frame[name].to_numpy() for name in frame.columns})
