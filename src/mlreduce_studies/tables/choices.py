"""Tables of chosen parameters: of predictors by powers of two, and of methods by a search."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.evaluation.search import bounds_of, leaf
from mlreduce_studies.gathering.failed_cells import GAP, with_reasons
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part


def choices_parts(choices: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay chosen powers out: one part per protocol, one row per data set and method."""

    def text(cell: Mapping[Any, Any], name: str) -> str:
        middle, low, high = (cell[f"log2_{name}_{kind}"] for kind in ("median", "min", "max"))
        if np.isnan(middle):
            return GAP
        return f"{middle:g}" if low == high else f"{middle:g} ({low:g} to {high:g})"

    for protocol, part in choices.groupby("protocol", sort=True):
        rows = [
            [cell["dataset"], cell["method"], f"{cell['splits']}", text(cell, "gamma"), text(cell, "alpha")]
            for cell in part.to_dict("records")
        ]
        yield str(protocol), str(protocol), ["dataset", "method", "choices", "log2 gamma", "log2 alpha"], rows


@table(
    "choices",
    source="choices.csv",
    layout=choices_parts,
    with_gaps=True,
    names=2,
    note="Median (smallest to largest) over the splits on which a choice was made.",
)
def choices_table(choices: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return median, smallest and largest power of two of the chosen parameters of each cell."""
    keys = ["dataset", "method", "protocol"]
    chosen = choices[choices["method"].isin(spec["methods"])]
    powers = chosen.assign(log2_gamma=np.log2(chosen["gamma"]), log2_alpha=np.log2(chosen["alpha"]))
    columns = {
        f"log2_{name}_{kind}": (f"log2_{name}", kind)
        for name in ("gamma", "alpha")
        for kind in ("median", "min", "max")
    }
    cells = powers.groupby(keys, sort=True).agg(**columns, splits=("gamma", "count")).reset_index()
    return with_reasons(cells, chosen, keys)


def searched_parts(choices: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay the chosen parameters out: one part per protocol, one row per data set and method."""
    for protocol, part in choices.groupby("protocol", sort=True):
        cells = {(c["dataset"], c["method"]): c for c in part.to_dict("records")}
        rows = [
            [dataset, method, *_searched_cell(cells[dataset, method])]
            for dataset in sorted(part["dataset"].unique())
            for method in spec["methods"]
            if (dataset, method) in cells
        ]
        searched = part[part["score"].notna()]
        ends = sum(len(names.split(", ")) for names in searched["at_end"].dropna().astype(str) if names)
        title = f"{protocol}: {ends} of {int(searched['ranged'].sum())} chosen values are the smallest or largest tried"
        yield str(protocol), title, ["dataset", "method", "parameters", "score", "at an end"], rows


def _searched_cell(cell: Mapping[Any, Any]) -> list[str]:
    if np.isnan(cell["score"]):
        return [GAP, GAP, GAP]
    ends = "" if pd.isna(cell["at_end"]) else str(cell["at_end"])
    return [str(cell["parameters"]), f"{cell['score']:.4f}", ends]


@table(
    "searched",
    source="choices.csv",
    layout=searched_parts,
    with_gaps=True,
    names=2,
    note="What was tried, and whether on the first split for all or on each, is in the study's file; chosen by the "
    "score on rows for validation, or the mean over folds of the training rows. At an end: parameters with a range "
    "that have the smallest or largest of the values that were tried, where that is no natural bound.",
)
def searched_table(choices: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Select the methods of a table of searches."""
    return choices[choices["method"].isin(spec["methods"])].reset_index(drop=True)


#: The row of `ends_table` with the sums of all others.
ALL_METHODS = "all methods"


def ends_parts(ends: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay the numbers of choices at ends out: one row per method and parameter, and one for all."""
    columns = ["method", "parameter", "range", "natural bounds", "choices", "at a natural bound", "at an end", "share"]
    rows = [
        [*("" if pd.isna(value) else str(value) for value in values), GAP if pd.isna(share) else f"{100 * share:.1f} %"]
        for *values, share in ends.to_numpy(dtype=object).tolist()
    ]
    yield "ends", "choices of all data sets and protocols", columns, rows


@table(
    "ends",
    source="choices.csv",
    layout=ends_parts,
    names=4,
    note="At an end: the chosen value is the smallest or largest of those that were tried, so that a wider range might "
    "have had a better one. A natural bound, beyond which there is nothing to try, is counted by itself.",
)
def ends_table(choices: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Count the choices of each ranged parameter, and those at its natural bounds and at its other ends."""
    rows = []
    for method in spec["methods"]:
        made = choices[(choices["method"] == method) & choices["score"].notna()]
        chosen = [json.loads(parameters) for parameters in made["parameters"]]
        ends = [names.split(", ") for names in made["at_end"].astype(object).fillna("")]
        for parameter, values in spec["ranges"].get(method, {}).items():
            bounds = bounds_of(values)
            number, at_end = len(made), sum(parameter in names for names in ends)
            at_bound = sum(leaf(each, parameter) in bounds for each in chosen)
            reasons = "; ".join(f"{value:g}: {reason}" for value, reason in bounds.items())
            between = f"{values['from']:g} to {values['to']:g}"
            rows.append((method, parameter, between, reasons, number, at_bound, at_end))
    names = ["method", "parameter", "range", "natural_bounds", "choices", "at_bound", "at_end"]
    table = pd.DataFrame(rows, columns=names)
    table.loc[len(table)] = [ALL_METHODS, "", "", "", *table[names[4:]].sum()]
    return table.assign(share=table["at_end"] / table["choices"])
