"""Tidy scores: their columns, and the sizes at which a study measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

import pandas as pd

from mlreduce.exceptions import DataError

#: Columns of the tidy scores, one row per value. A size belongs to a percentage, to a share of the eigenvalues'
#: sum (``energy``), or, where both are 0, for itself.
SCORE_COLUMNS = (
    "dataset",
    "method",
    "parameters",
    "predictor",
    "size_percent",
    "energy",
    "size",
    "split",
    "measure",
    "value",
)

#: Columns of the spectra: positive eigenvalues of the first split, numbered from 1.
SPECTRUM_COLUMNS = ("study", "protocol", "dataset", "method", "split", "index", "eigenvalue")

# Columns that hold no text.
_KINDS = {
    **dict.fromkeys(("size_percent", "size", "split", "feature", "rank", "candidate", "row", "column"), "int64"),
    **dict.fromkeys(("energy", "value", "score", "gamma", "alpha", "loss", "rows"), "float64"),
    **dict.fromkeys(("seconds", "megabytes", "gigabytes"), "float64"),
    **dict.fromkeys(("chosen",), "bool"),
}


def as_table(rows: Sequence[tuple[Any, ...]], columns: Sequence[str]) -> pd.DataFrame:
    """Return rows as a table; one without rows has types too, so that tables can be joined."""
    if rows:
        return pd.DataFrame(rows, columns=list(columns))
    return _make_empty(tuple(columns)).copy()


@cache
def _make_empty(columns: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(dtype=_KINDS.get(name, "str")) for name in columns})


def as_scores(rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """Return rows as a table with `SCORE_COLUMNS`, sorted by content, whatever the order of the rows."""
    # Not by pandas, which first numbers the values of each of the columns.
    return as_table(sorted(rows, key=itemgetter(slice(len(SCORE_COLUMNS) - 1))), SCORE_COLUMNS)


def joined_scores(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return tables of `as_scores` as one, in one order."""
    parts = list(tables)
    parts = [part for part in parts if len(part)] or parts[:1]  # columns of empty ones have no types
    if len(parts) == 1:
        return parts[0]
    return pd.concat(parts).sort_values(list(SCORE_COLUMNS[:-1]), ignore_index=True, kind="stable")


def percent_size(percent: int, largest: int) -> int:
    """Return ``max(1, floor(percent * largest / 100))``; raise DataError if the percentage is not in 1..100."""
    if not 0 < percent <= 100:
        raise DataError(f"a size must be 1 to 100 percent; got {percent}")
    return max(1, percent * largest // 100)


def resolve_sizes(
    percents: Sequence[int], n_labels: int, every: bool = False, numbers: Sequence[int] = ()
) -> dict[int, list[int]]:
    """Map code sizes to the percentages of the labels that they represent; several may be the same size.

    Percentages are in 1..100, or DataError is raised; see `percent_size`. ``every`` adds all of 1..n_labels.
    ``numbers`` are sizes that also represent themselves, as the percentage 0, up to the number of labels.
    """
    sizes: dict[int, list[int]] = {size: [] for size in range(1, n_labels + 1)} if every else {}
    for percent in percents:
        sizes.setdefault(percent_size(percent, n_labels), []).append(percent)
    for number in numbers:
        if number <= n_labels:
            sizes.setdefault(number, []).append(0)
    return dict(sorted(sizes.items()))
