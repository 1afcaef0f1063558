"""Two runs side by side: what differs, cell by cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from mlreduce_studies.gathering.summary import with_own_size
from mlreduce_studies.site.runs import Run, StudyResults

_KEYS = ["study", "protocol", "dataset", "method", "predictor", "measure", "size_percent", "energy", "own_size"]

#: Columns of the table of two runs.
COLUMNS = (*_KEYS, "first", "second", "difference", "z", "found")

# Rows that the page shows, at most: the largest differences in standard errors.
_SHOWN = 1000

# A difference smaller than this, or than this share, is rounding.
_NOTHING = 1e-9


class Compared(NamedTuple):
    """What two runs have in common and what not.

    Attributes
    ----------
    names : tuple of str
        Of the runs.
    table : DataFrame
        With `COLUMNS`, one row per cell of either run; ``found`` is "same", "differs", or the name of the only run that
        has the cell. The largest differences, in standard errors, come first.
    counts : dict of str to int
        Number of cells by ``found``.
    shown : list of dict
        Rows for the page; none where the runs have no cell in common.
    """

    names: tuple[str, str]
    table: pd.DataFrame
    counts: dict[str, int]
    shown: list[dict[str, object]]


def compare_runs(first: Run, second: Run) -> Compared:
    """Compare the means of two runs, cell by cell; z is the difference over the standard error of both."""
    sides = [pd.concat([_cells(study) for study in run.studies], ignore_index=True) for run in (first, second)]
    both = sides[0].merge(sides[1], on=_KEYS, how="outer", suffixes=("_first", "_second"), indicator=True)
    both = both.rename(columns={"mean_first": "first", "mean_second": "second"})
    difference = both["second"] - both["first"]
    spread = np.hypot(both["se_first"].fillna(0).to_numpy(float), both["se_second"].fillna(0).to_numpy(float))
    z: pd.Series[float] = difference / np.where(spread > 0, spread, np.nan)
    nothing = difference.abs() <= _NOTHING * np.maximum(1, both["first"].abs())
    sides_of = both["_merge"].to_numpy(str)
    found = np.where(nothing, "same", "differs").astype(object)
    found[sides_of == "left_only"], found[sides_of == "right_only"] = first.name, second.name
    table = both.assign(difference=difference, z=z, found=found, order=z.abs().fillna(difference.abs()))
    table = table.assign(kind=(table["found"] != "differs").astype(int))
    table = table.sort_values(["kind", "order", *_KEYS], ascending=[True, False, *[True] * len(_KEYS)])
    table = table[list(COLUMNS)].reset_index(drop=True)
    counts = {str(name): int(number) for name, number in table["found"].value_counts().items()}
    differing = table[table["found"] != "same"].head(_SHOWN if {"same", "differs"} & counts.keys() else 0)
    shown = [{str(key): value for key, value in row.items()} for row in differing.to_dict("records")]
    return Compared((first.name, second.name), table, counts, shown)


def _cells(study: StudyResults) -> pd.DataFrame:
    rows = with_own_size(study.summary).assign(study=study.name)
    return rows.astype({"energy": float, "own_size": float})[[*_KEYS, "mean", "se"]]
