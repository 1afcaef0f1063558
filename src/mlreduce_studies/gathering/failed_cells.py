"""Failed cells in tables: means over fewer splits, gaps, and the reasons.

Without failures, tables are unchanged. With failures, a table has two more columns: ``failed``, the number of splits,
and ``reason``; a cell that failed on all splits has a row without a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

#: What stands in a table for reading where there is no value.
GAP = "–"

#: Columns that are added to a table in which cells failed.
GAP_COLUMNS = ("failed", "reason")

#: What identifies a cell of a table or figure, as far as its rows have it.
CELL_COLUMNS = ("protocol", "dataset", "method")

#: First footnote of a table in which cells failed.
RULE = (
    f"Cells failed. A mean is over the splits on which the method ran; {GAP} stands where it ran on none. Ranks and "
    "tests leave out a data set on which a method has no value. The next run tries the cells again."
)

# Columns that identify a cell of a summary, and those that say what it measures.
_CELL = ["protocol", "dataset", "method", "predictor"]
_MEASURED = ["measure", "size_percent", "energy"]

# Footnotes under a table, at most, and failed cells named below a figure.
_FOOTNOTES = 12
_NAMED = 6

# Options of tables and figures that may name methods which are not shown.
_NOT_SHOWN = {"labels", "predictor_labels", "named", "registered", "own", "ranges"}


def add_failures_of_draws(failures: pd.DataFrame, averages: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return failures, those of a draw also under the plain name of the method, whose mean needs all draws."""
    parts = [failures[failures["method"].isin(draws)].assign(method=name) for name, draws in averages.items()]
    return pd.concat([failures, *parts], ignore_index=True)


def with_gaps(summary: pd.DataFrame, failures: pd.DataFrame) -> pd.DataFrame:
    """Return a summary, from `mlreduce_studies.gathering.summary.summarise`, with failed cells.

    It is the summary itself where nothing failed. Otherwise it has `GAP_COLUMNS`, and a row without a value for each
    cell that has none: at the sizes and measures of the same method on other data sets, or else of the others. The
    error of a mean over the one split that is left is unknown.
    """
    if failures.empty:
        return summary
    failed = cell_reasons(failures, _CELL)
    known = _merged(summary, failed, _CELL)
    alone = (known["failed"] > 0) & (known["splits"] == 1)
    known.loc[alone, ["se", "sd"]] = np.nan
    there = pd.MultiIndex.from_frame(summary[_CELL])
    gaps = [
        _measured_like(summary, cell).assign(**{str(key): value for key, value in cell.items()}, splits=0)
        for cell in failed.to_dict("records")
        if tuple(cell[key] for key in _CELL) not in there
    ]
    table = pd.concat([known, *(gap for gap in gaps if len(gap))], ignore_index=True)[list(known.columns)]
    return table.sort_values([*_CELL, *_MEASURED, "size"], ignore_index=True).astype({"failed": int})


def _measured_like(summary: pd.DataFrame, cell: Mapping[Any, Any]) -> pd.DataFrame:
    """Return the measures and sizes at which a cell would have values."""
    like = summary[(summary["protocol"] == cell["protocol"]) & (summary["predictor"] == cell["predictor"])]
    of_method, on_dataset = (like[like[key] == cell[key]] for key in ("method", "dataset"))
    nearest = next((rows for rows in (of_method, on_dataset) if len(rows)), like)
    return nearest[_MEASURED].drop_duplicates()


def with_failed_rows(table: pd.DataFrame, failures: pd.DataFrame) -> pd.DataFrame:
    """Return a table of one or more rows per split, with a row without values for each failed split.

    The table itself where nothing failed; otherwise with a column ``reason``, empty in the rows that have values.
    """
    if failures.empty:
        return table
    reasons = [_failure_text(cell) for cell in failures.to_dict("records")]
    rows = failures[[name for name in table.columns if name in failures.columns]].assign(reason=reasons)
    return pd.concat([table.assign(reason=""), rows.drop_duplicates()], ignore_index=True)


def cell_reasons(failures: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return number of failed splits and reason of each failed cell, with the columns ``keys`` and `GAP_COLUMNS`.

    The keys identify a cell. Failures have `mlreduce.evaluation.failures.FAILURE_COLUMNS`, or the columns that
    `with_failed_rows` adds.
    """
    rows = failures
    if "error" in failures:
        rows = failures.assign(reason=[_failure_text(cell) for cell in failures.to_dict("records")])
    cells = rows[rows["reason"].fillna("") != ""].groupby(list(keys), sort=True)  # empty in a file is NaN
    reasons = [(*key, cell["split"].nunique() if "split" in cell else 0, _reason(cell)) for key, cell in cells]
    return pd.DataFrame(reasons, columns=[*keys, *GAP_COLUMNS])


def with_reasons(table: pd.DataFrame, rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return a table of cells with the failures that `with_failed_rows` put into their rows.

    The table has one row per cell, which the columns ``keys`` identify. It is returned as it is where nothing failed,
    otherwise with `GAP_COLUMNS`.
    """
    return _merged(table, cell_reasons(rows, keys), keys).astype({"failed": int}) if "reason" in rows else table


def _merged(table: pd.DataFrame, reasons: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    return table.merge(reasons, on=list(keys), how="left").fillna(dict(zip(GAP_COLUMNS, (0, ""), strict=True)))


def _failure_text(cell: Mapping[Any, Any]) -> str:
    message = f": {cell['message']}" if cell["message"] else ""
    return f"{cell['error']}{message} ({cell['step']})"


def _reason(rows: pd.DataFrame) -> str:
    """Return the most frequent reason of some failures, its splits, and the number of other reasons."""
    counts = rows["reason"].value_counts()
    first = min(counts.index[counts == counts.max()])
    splits = sorted(rows.loc[rows["reason"] == first, "split"].dropna().unique()) if "split" in rows else []
    others = f"; and {len(counts) - 1} more" if len(counts) > 1 else ""
    if not splits:
        return f"{first}{others}"
    named = f"split {splits[0]}" if len(splits) == 1 else f"{len(splits)} splits, {splits[0]} the first"
    return f"{first.removesuffix(')')}, {named}){others}"


def gap_columns(table: pd.DataFrame) -> list[str]:
    """Return those of `GAP_COLUMNS` that a table has."""
    return [name for name in GAP_COLUMNS if name in table]


def is_gap(cells: pd.DataFrame) -> pd.Series[bool]:
    """Mask of cells without a value because the method failed on all splits."""
    return cells["splits"] == 0


def without_gaps(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table that have values, without `GAP_COLUMNS`; the table itself where nothing failed."""
    if "reason" not in table:
        return table
    failed = is_gap(table) if "failed" in table else table["reason"].fillna("") != ""
    return table[~failed].drop(columns=gap_columns(table))


def failed_cells(rows: pd.DataFrame, spec: Mapping[str, Any]) -> pd.DataFrame:
    """Return the failed cells of a table or figure, by the rows that it is made from: a summary, or `with_failed_rows`.

    ``spec`` is the entry of the study file. Cells of the methods that it names count, those of their draws where the
    rows have only these, and only on the data sets that it names, if it names some. Columns are protocol, dataset and
    method as far as the rows have them, ``splits``, the number on which the method ran, and `GAP_COLUMNS`; without
    ``splits`` where the rows are not of splits.
    """
    keys = [name for name in CELL_COLUMNS if name in rows]
    if "reason" not in rows:
        return pd.DataFrame(columns=[*keys, "splits", *GAP_COLUMNS])
    named, there = set(_names(spec)), set(rows["method"])
    draws = {name for name in there if (draw := re.fullmatch(r"(.+)-\d+", name)) and draw[1] in named - there}
    shown = rows[rows["method"].isin(named | draws)]
    if named & set(shown["dataset"]):
        shown = shown[shown["dataset"].isin(named)]
    if "failed" in shown:  # of a summary, whose cells have their numbers already
        return shown.loc[shown["failed"] > 0, [*keys, "splits", *GAP_COLUMNS]].drop_duplicates(keys)
    failed = cell_reasons(shown, keys)
    if "split" not in shown:
        return failed
    ran = without_gaps(shown).groupby(keys, observed=True)["split"].nunique().rename("splits")
    return failed.merge(ran, on=keys, how="left").fillna({"splits": 0}).astype({"splits": int})


def _names(value: Any) -> Iterator[str]:
    """Yield the texts in an entry of a study file, but for options that may name methods which are not shown."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in _NOT_SHOWN:
                yield key
                yield from _names(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _names(inner)


def with_failed_cells(table: pd.DataFrame, failed: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a row for each failed cell; the table itself where nothing failed."""
    if failed.empty:
        return table
    integers = dict.fromkeys(table.select_dtypes("integer"), "Int64")  # which can be missing
    return pd.concat([table.astype(integers), failed], ignore_index=True)


def failed_sentence(failed: pd.DataFrame) -> str:
    """Return a sentence that names failed cells, for the place below a figure."""
    cells = failed.to_dict("records")
    named = [f"{cell['method']} on {cell.get('dataset')}{_share(cell)}" for cell in cells[:_NAMED]]
    more = [f"{len(cells) - _NAMED} more"] if len(cells) > _NAMED else []
    return f"Failed: {', '.join([*named, *more])}; the reasons are in failures.csv."


def _share(cell: Mapping[Any, Any]) -> str:
    return f" ({cell['failed']} of {cell['splits'] + cell['failed']} splits)" if "splits" in cell else ""


def plain_where_whole(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without `GAP_COLUMNS` where nothing in it failed."""
    whole = "reason" in table and not table["reason"].fillna("").any()
    return table.drop(columns=gap_columns(table)) if whole else table


def footnotes(table: pd.DataFrame) -> list[str]:
    """Return the footnotes of a table: `RULE`, and one per method, data set and protocol that failed.

    Nothing where nothing failed.
    """
    if "reason" not in table:
        return []
    failed = table[table["reason"].fillna("") != ""]
    keys = [name for name in CELL_COLUMNS if name in table]
    notes = [_footnote(cell) for cell in failed.drop_duplicates(keys).to_dict("records")]
    if "dataset" not in table:
        notes = [f"left out: {reason}" for reason in failed["reason"].unique()]
    more = [f"and {len(notes) - _FOOTNOTES} more, in failures.csv"] if len(notes) > _FOOTNOTES else []
    return [RULE, *notes[:_FOOTNOTES], *more] if notes else []


def _footnote(cell: Mapping[Any, Any]) -> str:
    place = f"{cell['method']} on {cell.get('dataset')}" + (f", {cell['protocol']}" if "protocol" in cell else "")
    if pd.isna(cell.get("splits", np.nan)):
        return f"{place}: {cell['reason']}"
    ran, planned = int(cell["splits"]), int(cell["splits"] + cell["failed"])
    return f"{place}: ran on {ran} of {planned} splits; {cell['reason']}"
