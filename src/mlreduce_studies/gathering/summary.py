"""The summary of a study's scores, and the writing of tables of results."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from mlreduce.escaping import without_formulas

#: Columns of a summary: what a cell is, the mean number of dimensions, and what came out.
SUMMARY_COLUMNS = (
    *("protocol", "dataset", "method", "predictor", "measure", "size_percent", "energy"),
    *("size", "mean", "se", "sd", "splits"),
)


def summarise(scores: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard error, standard deviation and number of splits of each cell.

    Returns `SUMMARY_COLUMNS`, sorted. A cell is a percentage of dimensions or an energy threshold, whose number of
    dimensions may vary with the split (``size`` is then its mean). Where both are 0 and a split has several numbers of
    dimensions, the smallest of each split are a cell, and so on, if all splits have as many; if not, each number is a
    cell. The standard deviation is the sample's (n - 1), the standard error that over the root of n; both are 0 for one
    split.
    """
    keys = list(SUMMARY_COLUMNS[:7])
    of_a_size = (scores["size_percent"] == 0) & (scores["energy"] == 0)
    place = pd.Series(0.0, index=scores.index)
    of_sizes = scores[of_a_size]
    number = of_sizes.groupby([*keys, "split"], observed=True)["size"].transform("size")
    constant = number.groupby([of_sizes[key] for key in keys], observed=True).transform("nunique") == 1
    ranks = of_sizes.groupby([*keys, "split"], observed=True)["size"].rank(method="first")
    place[of_a_size] = ranks.where(constant, of_sizes["size"])
    cells = scores.assign(place=place).groupby([*keys, "place"], observed=True)
    summary = cells.agg(
        size=("size", "mean"), mean=("value", "mean"), sd=("value", "std"), splits=("value", "size")
    ).reset_index()
    # Of one split the sample deviation is 0 / 0. Other undefined values stay undefined.
    summary["sd"] = summary["sd"].mask(summary["splits"] == 1, 0.0)
    summary["se"] = summary["sd"] / np.sqrt(summary["splits"])
    return summary.sort_values([*keys, "size"], ignore_index=True)[list(SUMMARY_COLUMNS)].astype({"size": float})


def mean_errors(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the draws of each error.

    Errors are from `mlreduce_studies.experiments.approximation.approximation_errors`. Columns are dataset, method,
    size_percent, size, mean, se, sd, splits (the number of draws), sorted.
    """
    cell = ["dataset", "method", "size_percent", "size"]
    table = errors.groupby(cell, sort=True)["value"].agg(mean="mean", sd="std", splits="size").reset_index()
    table["sd"] = table["sd"].mask(table["splits"] == 1, 0.0)
    table["se"] = table["sd"] / np.sqrt(table["splits"])
    return table[[*cell, "mean", "se", "sd", "splits"]]


def with_own_size(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of a summary or of scores with ``own_size``: the size, or 0 where it is a percentage or threshold."""
    plain = (rows["size_percent"] == 0) & (rows["energy"] == 0)
    return rows.assign(own_size=rows["size"].where(plain, 0.0))


def at_directions(summary: pd.DataFrame, directions: int | None = None) -> pd.DataFrame:
    """Select the cells of a number of dimensions, >= 1, of each method the largest up to that.

    None selects the largest number of each method, which is all it has where it was to have more.
    """
    rows = summary[(summary["size_percent"] == 0) & (summary["energy"] == 0)]
    if directions is not None:
        rows = rows[rows["size"].isna() | (rows["size"] <= directions)]
    largest = rows.groupby(list(SUMMARY_COLUMNS[:5]), observed=True)["size"].transform("max")
    return rows[(rows["size"] == largest) | largest.isna()]


def write_csv(table: pd.DataFrame, path: str | Path | TextIO) -> None:
    """Write a table as CSV: the same numbers give the same bytes, and no text is read as a formula."""
    without_formulas(table).to_csv(path, index=False, float_format="%.8g", lineterminator="\n")
