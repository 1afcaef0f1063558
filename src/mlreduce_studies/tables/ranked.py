"""Table of one measure with the ranks of the methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.metrics import higher_is_better
from mlreduce.stats.ranks import rank_methods
from mlreduce_studies.gathering.failed_cells import GAP, gap_columns, is_gap
from mlreduce_studies.gathering.summary import at_directions
from mlreduce_studies.options import AREA, DIRECTIONS, ENERGY, MEASURE, PREDICTOR, SIZE_PERCENT
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part, by_protocol, number, number_of_splits, plus_minus, uneven_splits

#: Columns of a ranked table.
RANKED_COLUMNS = ("protocol", "dataset", "method", "size", "mean", "sd", "rank", "splits")


def means_of(ranked: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Return the means of one protocol, data sets by methods, without the data sets on which a method failed.

    Raises DataError if a method has several values on a data set.
    """
    repeated = ranked[ranked.duplicated(["dataset", "method"])]
    if len(repeated):
        cell = repeated.iloc[0]
        raise DataError(
            f"method {cell['method']!r} has several values on data set {cell['dataset']!r}; "
            "ranks need one protocol and one size, energy threshold or percentage."
        )
    whole = ranked[~ranked["dataset"].isin(left_out(ranked))]
    return whole.pivot(index="dataset", columns="method", values="mean").reindex(columns=list(methods)).sort_index()


def left_out(ranked: pd.DataFrame) -> list[str]:
    """Return the data sets on which a method has no value because it failed."""
    return sorted(ranked.loc[is_gap(ranked), "dataset"].unique())


def why_left_out(tables: Iterable[pd.DataFrame]) -> dict[str, str]:
    """Return the data sets that are left out, and why."""
    gaps = pd.concat([ranked[is_gap(ranked)] for ranked in tables])
    firsts = gaps.drop_duplicates("dataset").to_dict("records")
    return {cell["dataset"]: f"{cell['dataset']}, where {cell['method']} failed: {cell['reason']}" for cell in firsts}


def ranked_layout(ranked: pd.DataFrame, methods: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Lay a ranked table of one protocol out: one row per data set, one column per method, average ranks last.

    A cell is ``mean ± standard deviation (rank)``, wrapped in ``**`` where the rank is the lowest of the data set;
    empty where there is no value, and a dash where the method failed on all splits: the others then have no rank.
    Where numbers of splits differ, each row holds its number.
    """
    cells = {(c["dataset"], c["method"]): c for c in ranked.to_dict("records")}
    uneven = uneven_splits(ranked)
    best = ranked.groupby("dataset")["rank"].min().to_dict()
    most = ranked.groupby("dataset")["size"].max().to_dict()
    rows = []
    for dataset in sorted(ranked["dataset"].unique()):
        row = [str(dataset), *[number_of_splits(ranked[ranked["dataset"] == dataset])] * uneven]
        for method in methods:
            cell = cells.get((dataset, method))
            text = _ranked_cell(cell, most[dataset]) if cell else ""
            row.append(f"**{text}**" if cell and cell["rank"] == best[dataset] else text)
        rows.append(row)
    if rows:
        average = ranked.groupby("method")["rank"].mean()
        n_left_out = len(left_out(ranked))
        title = "average rank" + (f", {len(rows) - n_left_out} of {len(rows)} data sets" if n_left_out else "")
        rows.append([title, *[""] * uneven, *(number(average.get(method, np.nan), ".2f", "") for method in methods)])
    return ["dataset", *["splits"] * uneven, *methods], rows


def _ranked_cell(cell: Mapping[Any, Any], most: float) -> str:
    if not cell["splits"]:
        return GAP
    rank = "" if np.isnan(cell["rank"]) else f" ({cell['rank']:g})"
    fewer = f" [{cell['size']:.3g}]" if cell["size"] < most else ""
    return plus_minus(cell["mean"], cell["sd"]) + rank + fewer


def _parts(ranked: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    return by_protocol(ranked, spec["methods"], ranked_layout)


@table(
    "ranked",
    source="summary.csv",
    layout=_parts,
    with_gaps=True,
    required={"measure": MEASURE, "predictor": PREDICTOR},
    optional={"energy": ENERGY, "size_percent": SIZE_PERCENT, "directions": DIRECTIONS, "area": AREA},
    note="Mean ± standard deviation over the test parts, rank among the methods in brackets; bold: the best. In square "
    "brackets the number of directions, where a method has fewer than others.",
)
def ranked_table(summary: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Select one measure at one energy threshold, percentage or area from a summary and rank the methods.

    ``spec`` has ``methods``, ``predictor``, ``measure`` and optionally ``energy``, ``size_percent`` or ``directions``,
    of which a method may have fewer. Returns `RANKED_COLUMNS` and those of
    `mlreduce_studies.gathering.failed_cells.GAP_COLUMNS` that the summary has, sorted; ranks are among the methods
    within a data set and protocol, NaN where one of them has a gap. Empty where the summary has no such row. Raises
    DataError if a method has no value on a data set without having failed there, or several.
    """
    measure, predictor, methods = spec["measure"], spec["predictor"], spec["methods"]
    energy, size_percent = spec.get("energy", 0.0), spec.get("size_percent", 0)
    cells = summary[
        (summary["measure"] == measure)
        & (summary["predictor"] == predictor)
        & summary["method"].isin(methods)
        & (summary["energy"] == energy)
        & (summary["size_percent"] == size_percent)
    ]
    if not energy and not size_percent:
        cells = at_directions(cells, spec.get("directions"))
    parts = []
    for _, part in cells.groupby("protocol", sort=True):
        ranks = rank_methods(means_of(part, methods), higher_is_better(measure)).stack()
        parts.append(part.assign(rank=ranks.reindex(pd.MultiIndex.from_frame(part[["dataset", "method"]])).to_numpy()))
    ranked: pd.DataFrame = pd.concat(parts, ignore_index=True) if parts else cells.assign(rank=pd.Series(dtype=float))
    columns = [*RANKED_COLUMNS, *gap_columns(ranked)]
    return ranked[columns].sort_values(["protocol", "dataset", "method"], ignore_index=True)
