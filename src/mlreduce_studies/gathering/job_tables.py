"""Tables that jobs pass on: tidy rows, and a row for each cell that failed, in one Parquet file with a checksum."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce.evaluation.failures import FAILURE_COLUMNS, sorted_failures
from mlreduce.exceptions import DataError, from_extra

with from_extra("workflow", "tables of a study"):
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

# Columns of a failed cell in addition to those that identify it.
_REASONS = {"step": "step", "error": "error", "message": "reason", "where": "where"}


def write_table(path: str | Path, table: pd.DataFrame, failures: pd.DataFrame | None = None) -> None:
    """Write a table with the cells that failed, each as a row without values.

    The file has a column ``status``, "ok" or "failed", and where cells failed ``step``, ``error``, ``reason`` and
    ``where``. The SHA-256 of all other bytes stands before Parquet's footer, where other readers skip it.
    """
    parts = [_with_status(pa.Table.from_pandas(table, preserve_index=False), "ok")]
    if failures is not None and len(failures):
        failed = pa.Table.from_pandas(failures.rename(columns=_REASONS), preserve_index=False)
        parts.append(_with_status(failed, "failed"))
    merged = pa.concat_tables([part.replace_schema_metadata() for part in parts], promote_options="permissive")
    sink = pa.BufferOutputStream()
    pq.write_table(merged, sink)
    content = memoryview(sink.getvalue())
    footer = _footer(content)
    with Path(path).open("wb") as file:
        for part in (content[:footer], hashlib.sha256(content).digest(), content[footer:]):
            file.write(part)


def _footer(content: memoryview) -> int:
    """Return where Parquet's footer begins, by the length near the end of the file."""
    return max(len(content) - 8 - int.from_bytes(content[-8:-4], "little"), 0)


def _whole(content: bytes) -> Any:
    """Return what was read from a file, or raise an error if a byte of it has changed."""
    view = memoryview(content)
    footer = _footer(view)
    stored = max(footer - hashlib.sha256().digest_size, 0)
    digest = hashlib.sha256(view[:stored])
    digest.update(view[footer:])
    if digest.digest() != view[stored:footer]:
        raise pa.ArrowInvalid("its SHA-256 differs")
    return pa.BufferReader(content)


def _with_status(table: Any, status: str) -> Any:
    return table.append_column("status", pa.array([status] * table.num_rows, pa.string()))


@contextmanager
def _sentence(path: str | Path) -> Iterator[None]:
    """Say of a file that is damaged or cut off which one it is."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: not a whole table ({reason}); delete it and run again") from error


def _read(path: str | Path, status: str) -> Any:
    with _sentence(path):
        table = pq.read_table(_whole(Path(path).read_bytes()))
    if "status" not in table.column_names:
        return table
    return table.filter(pc.equal(table["status"], status)).drop_columns("status")


def read_table(path: str | Path) -> pd.DataFrame:
    """Read what `write_table` wrote, without the rows of failed cells; raise DataError if the file is not whole."""
    table = _read(path, "ok")
    # Columns that only failed cells have.
    empty = [
        name
        for name in table.column_names
        if name in {*FAILURE_COLUMNS, *_REASONS.values()} and table.num_rows and table[name].null_count == len(table)
    ]
    return table.drop_columns(empty).to_pandas()


def read_tables(paths: Sequence[str | Path]) -> pd.DataFrame:
    """Read tables of several jobs as one; those without rows, which have no types, only where all are."""
    parts = [read_table(path) for path in paths]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def read_failures(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read the failed cells of several jobs, sorted, each once; raise DataError if a file is not whole."""
    parts = []
    for path in paths:
        failed = _read(path, "failed") if any_failed(path) else None
        if failed is not None:
            frame = failed.to_pandas().rename(columns={new: old for old, new in _REASONS.items()})
            parts.append(frame.reindex(columns=list(FAILURE_COLUMNS)))
    return sorted_failures(parts)


def any_failed(path: str | Path) -> bool:
    """Say whether a job's table has failed cells, by the statistics at the end of its file.

    Raises DataError if the file is not whole.
    """
    with _sentence(path):
        metadata = pq.read_metadata(path)
    names = metadata.schema.names
    if "status" not in names:
        return False
    place = names.index("status")
    columns = (metadata.row_group(number).column(place) for number in range(metadata.num_row_groups))
    return any(
        column.statistics is None or column.statistics.min == "failed" for column in columns if column.num_values
    )


def failed_files(paths: Iterable[str | Path], damaged: Callable[[Path], object] | None = None) -> list[Path]:
    """Return those of the files of jobs in which cells failed.

    ``damaged`` is called with each file whose end is damaged; such files are left out.
    """
    found = []
    for path in sorted(map(Path, paths)):
        try:
            if any_failed(path):
                found.append(path)
        except DataError:
            if damaged is not None:
                damaged(path)
    return found
