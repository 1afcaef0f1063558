"""Table of one measure over the sizes of a code or projection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.metrics import higher_is_better
from mlreduce_studies.gathering.failed_cells import GAP, gap_columns, is_gap
from mlreduce_studies.options import MEASURE, PREDICTOR, SIZE_PERCENTS
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part, by_protocol, number_of_splits, plus_minus, uneven_splits

#: Columns of the tidy table.
TABLE_COLUMNS = ("dataset", "method", "protocol", "size_percent", "size", "mean", "se", "splits")


def layout(cells: pd.DataFrame, methods: Sequence[str], larger: bool = False) -> tuple[list[str], list[list[str]]]:
    """Lay a tidy table of one protocol out: one row per data set and method, one column per size.

    A cell is ``mean ± standard error``, wrapped in ``**`` where it is within one standard error of the lowest mean of
    its data set and size, or of the highest where larger is better; empty where there is no value, and a dash where the
    method failed on all splits. Where numbers of splits differ, each row holds its number.
    """
    percents = sorted(cells["size_percent"].unique())
    by_cell = {(c["dataset"], c["method"], c["size_percent"]): c for c in cells.to_dict("records")}
    uneven = uneven_splits(cells)
    header = ["dataset", "method", *["splits"] * uneven, *(f"{p} %" for p in percents)]
    rows = []
    for dataset in sorted(cells["dataset"].unique()):
        on_dataset = cells[cells["dataset"] == dataset]
        best = {percent: _range(on_dataset[on_dataset["size_percent"] == percent], larger) for percent in percents}
        for method in methods:
            texts = [_text(by_cell.get((dataset, method, percent)), *best[percent]) for percent in percents]
            if any(texts):
                rows.append(
                    [dataset, method, *[number_of_splits(on_dataset[on_dataset["method"] == method])] * uneven, *texts]
                )
    return header, rows


def _range(cells: pd.DataFrame, larger: bool) -> tuple[float, float]:
    """Return between which means a cell is within a standard error of the best of some cells."""
    cells = cells[~is_gap(cells)]
    if cells.empty:
        return np.nan, np.nan
    best = cells.sort_values("mean", kind="stable", ascending=not larger).iloc[0]
    error = float(np.nan_to_num(best["se"]))
    return (float(best["mean"] - error), np.inf) if larger else (-np.inf, float(best["mean"] + error))


def _text(cell: Mapping[Any, Any] | None, least: float, most: float) -> str:
    if cell is None:
        return ""
    if not cell["splits"]:
        return GAP
    text = plus_minus(cell["mean"], cell["se"])
    return f"**{text}**" if least <= cell["mean"] <= most else text


def _parts(cells: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    return by_protocol(cells, spec["methods"], partial(layout, larger=higher_is_better(spec["measure"])))


def _note(spec: Spec) -> str:
    best = "highest" if higher_is_better(spec["measure"]) else "lowest"
    return f"Mean ± standard error over random splits; bold: within one standard error of the {best}."


@table(
    "sizes",
    source="summary.csv",
    layout=_parts,
    with_gaps=True,
    names=2,
    required={"measure": MEASURE, "predictor": PREDICTOR},
    optional={"size_percents": SIZE_PERCENTS},  # all where it is not given
    note=_note,
)
def select_table(summary: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Select the cells of one measure and predictor at sizes in percent, with `TABLE_COLUMNS`.

    With those of `mlreduce_studies.gathering.failed_cells.GAP_COLUMNS` that the summary has.
    """
    cells: pd.DataFrame = summary[
        (summary["measure"] == spec["measure"])
        & (summary["predictor"] == spec["predictor"])
        & summary["method"].isin(spec["methods"])
        & summary["size_percent"].isin(spec.get("size_percents", summary["size_percent"][summary["size_percent"] > 0]))
        & (summary["energy"] == 0)
    ]
    order = ["dataset", "method", "protocol", "size_percent"]
    columns = [*TABLE_COLUMNS, *gap_columns(cells)]
    return cells[columns].sort_values(order, ignore_index=True)
