"""The tables that a study file may ask for, by their ``kind``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mlreduce.metrics.measures import higher_is_better
from mlreduce.reporting.tables import costs, ranked, ratios, stability, theorem, times
from mlreduce.reporting.tables import layout as tables
from mlreduce.reporting.tables.missing import GAP, footnotes, plain_where_whole, with_reasons

__all__ = ["directions", "make_table", "measure_tables", "table_parts"]

Spec = Mapping[str, Any]


class _Kind(NamedTuple):
    """How a kind of table is selected from its source, laid out and noted."""

    select: Callable[[pd.DataFrame, Spec], pd.DataFrame]
    parts: Callable[[pd.DataFrame, Spec], Iterator[tables.Part]]
    note: str
    names: int = 1


def _size(spec: Spec) -> dict[str, Any]:
    return {"energy": spec.get("energy", 0.0), "size_percent": spec.get("size_percent", 0)}


def _ranked_table(summary: pd.DataFrame, spec: Spec, measure: str) -> pd.DataFrame:
    better = higher_is_better(measure)
    return ranked.ranked_table(summary, measure, spec["predictor"], spec["methods"], better, **_size(spec))


def directions(spec: Spec) -> dict[str, bool]:
    """Map the measures of a table or figure to whether higher is better."""
    return {measure: higher_is_better(measure) for measure in spec["measures"]}


def measure_tables(summary: pd.DataFrame, spec: Spec) -> dict[str, pd.DataFrame]:
    """Map the measures of a table or figure to their ranked tables."""
    return {measure: _ranked_table(summary, spec, measure) for measure in spec["measures"]}


def _ratios_table(table: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    return table[table["method"].isin([*spec["methods"], spec["base"]])].reset_index(drop=True)


def _choices_table(choices: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return median, smallest and largest power of two of the chosen parameters of every cell."""
    chosen = choices[choices["method"].isin(spec["methods"])]
    powers = chosen.assign(log2_gamma=np.log2(chosen["gamma"]), log2_alpha=np.log2(chosen["alpha"]))
    cells = powers.groupby(["dataset", "method", "protocol"], sort=True)
    columns = {
        f"log2_{name}_{kind}": (f"log2_{name}", kind)
        for name in ("gamma", "alpha")
        for kind in ("median", "min", "max")
    }
    table = cells.agg(**columns, splits=("gamma", "count")).reset_index()
    return with_reasons(table, chosen, ["dataset", "method", "protocol"])


def _choices_parts(table: pd.DataFrame, spec: Spec) -> Iterator[tables.Part]:
    def text(cell: Mapping[Any, Any], name: str) -> str:
        middle, low, high = (cell[f"log2_{name}_{kind}"] for kind in ("median", "min", "max"))
        if np.isnan(middle):
            return GAP
        return f"{middle:g}" if low == high else f"{middle:g} ({low:g} to {high:g})"

    for protocol, part in table.groupby("protocol", sort=True):
        rows = [
            [cell["dataset"], cell["method"], f"{cell['splits']}", text(cell, "gamma"), text(cell, "alpha")]
            for cell in part.to_dict("records")
        ]
        yield str(protocol), str(protocol), ["dataset", "method", "choices", "log2 gamma", "log2 alpha"], rows


def _searched_parts(table: pd.DataFrame, spec: Spec) -> Iterator[tables.Part]:
    for protocol, part in table.groupby("protocol", sort=True):
        cells = {(c["dataset"], c["method"]): c for c in part.to_dict("records")}
        rows = [
            [dataset, method, *_searched_cell(cells[dataset, method])]
            for dataset in sorted(part["dataset"].unique())
            for method in spec["methods"]
            if (dataset, method) in cells
        ]
        yield str(protocol), str(protocol), ["dataset", "method", "parameters", "score"], rows


def _searched_cell(cell: Mapping[Any, Any]) -> list[str]:
    return [GAP, GAP] if np.isnan(cell["score"]) else [str(cell["parameters"]), f"{cell['score']:.4f}"]


def _average_parts(table: pd.DataFrame, spec: Spec) -> Iterator[tables.Part]:
    yield "ranks", "over the data sets", *ranked.average_rank_layout(table, spec["methods"])


_TABLES = {
    "sizes": _Kind(
        lambda summary, spec: tables.select_table(summary, spec["measure"], spec["predictor"], spec["methods"]),
        lambda table, spec: tables.by_protocol(table, spec["methods"]),
        "Mean ± standard error over random splits; bold: within one standard error of the lowest.",
        names=2,
    ),
    "ranked": _Kind(
        lambda summary, spec: _ranked_table(summary, spec, spec["measure"]),
        lambda table, spec: tables.by_protocol(table, spec["methods"], ranked.ranked_layout),
        "Mean ± standard deviation over the test parts, rank among the methods in brackets; bold: the best.",
    ),
    "average-ranks": _Kind(
        lambda summary, spec: ranked.average_rank_table(
            measure_tables(summary, spec), spec["methods"], directions(spec)
        ),
        _average_parts,
        "Average rank over the data sets (1 is best), Friedman's test, and Nemenyi's critical difference at 5 %. "
        "For all measures together, the ranks of a data set are averaged over the measures, and these are ranked.",
    ),
    "times": _Kind(
        lambda source, spec: times.times_table(source, spec["methods"]),
        lambda table, spec: times.times_parts(table, spec["methods"]),
        "Seconds to fit at full size, one thread, nothing else running.",
    ),
    "choices": _Kind(
        _choices_table,
        _choices_parts,
        "Median (smallest to largest) over the splits on which a choice was made.",
        names=2,
    ),
    "stability": _Kind(
        lambda rankings, spec: stability.stability_table(rankings, spec["methods"], spec["size_percents"]),
        lambda table, spec: stability.stability_parts(table, spec["methods"]),
        "Stability of the selected features over the splits (Nogueira, Sechidis and Brown, 2018): 1 where all splits "
        "select the same, 0 on average where they select at random; of a method with several draws, the mean. For "
        "these, Spearman's correlation of the draws' rankings within a split too.",
    ),
    "searched": _Kind(
        lambda choices, spec: choices[choices["method"].isin(spec["methods"])].reset_index(drop=True),
        _searched_parts,
        "What was tried is in the study's file; chosen on the first split, for all, by the score on rows for "
        "validation, or the mean over folds of the training rows.",
        names=2,
    ),
    "costs": _Kind(
        lambda costs, spec: costs[costs["method"].isin(spec["methods"])].reset_index(drop=True),
        lambda table, spec: costs.cost_parts(table, spec["methods"]),
        "Seconds (peak gigabytes of the process) on one thread, with all directions; space: the features themselves, "
        "or relations to all rows or to p of them, whose computation counts.",
        names=4,
    ),
    "theorem": _Kind(
        lambda counts, spec: counts,
        lambda table, spec: theorem.theorem_parts(table, spec.get("labels", {})),
        "A cell is a sampled feature and a pair of two others: in how many the condition holds, and in what share of "
        "these, and of the others, the average is at least as near to the pair's information as Nystrom's method.",
        names=3,
    ),
    "time-ratios": _Kind(
        _ratios_table,
        lambda table, spec: ratios.time_ratio_parts(table, spec["methods"], spec["base"]),
        "Times to fit at full size, one thread, nothing else running: ours (printed). Seconds depend on what they were "
        "measured with, ratios less so.",
    ),
}


def _kind(spec: Spec) -> _Kind:
    return _TABLES[spec.get("kind", "sizes")]


def table_parts(table: pd.DataFrame, spec: Spec) -> list[tables.Part]:
    """Lay a tidy table out for reading."""
    return list(_kind(spec).parts(table, spec))


def make_table(source: pd.DataFrame, spec: Spec, label: str) -> tuple[pd.DataFrame, str, str]:
    """Make a table that a study file asks for.

    Parameters
    ----------
    source : DataFrame
        The file that `mlreduce.reporting.sources.TABLE_SOURCES` names.
    spec : dict
        The entry of the study file.
    label : str
        For references in LaTeX.

    Returns
    -------
    table, markdown, latex : DataFrame, str, str
        Tidy, and as it is read.
    """
    kind = _kind(spec)
    if "protocols" in spec:
        source = source[source["protocol"].isin(spec["protocols"])]
    table = plain_where_whole(kind.select(source, spec))
    parts, notes = table_parts(table, spec), footnotes(table)
    markdown = tables.parts_markdown(parts, spec["caption"], kind.note, notes)
    return table, markdown, tables.parts_latex(parts, spec["caption"], label, names=kind.names, footnotes=notes)
