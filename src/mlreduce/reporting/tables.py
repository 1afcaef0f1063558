"""Tables of means and standard errors, tidy and as the papers lay them out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

__all__ = [
    "TABLE_COLUMNS",
    "by_protocol",
    "layout",
    "select_table",
    "summarise",
    "table_latex",
    "table_markdown",
    "to_markdown",
    "write_csv",
]

#: Columns of a tidy table of the label-space studies.
TABLE_COLUMNS = ("dataset", "method", "protocol", "size_percent", "size", "mean", "se", "splits")

_KEYS = ["protocol", "dataset", "method", "predictor", "measure", "size_percent", "size"]


def summarise(scores: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard error and number of splits of every cell.

    The standard error is the sample standard deviation (n - 1) over the root of n; 0 for a single split.
    """
    grouped = scores.groupby(_KEYS, sort=True, observed=True)["value"]
    summary = grouped.agg(mean="mean", se=lambda v: _standard_error(v.to_numpy()), splits="size")
    return summary.reset_index()


def select_table(summary: pd.DataFrame, measure: str, predictor: str, methods: Sequence[str]) -> pd.DataFrame:
    """Take one table out of a summary: tidy, with `TABLE_COLUMNS`, only sizes that stand for a percentage."""
    table = summary[
        (summary["measure"] == measure)
        & (summary["predictor"] == predictor)
        & summary["method"].isin(methods)
        & (summary["size_percent"] > 0)
    ]
    order = ["dataset", "method", "protocol", "size_percent"]
    return table[list(TABLE_COLUMNS)].sort_values(order, ignore_index=True)


def _standard_error(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def write_csv(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table so that the same numbers are always the same bytes."""
    table.to_csv(path, index=False, float_format="%.8g", lineterminator="\n")


def layout(table: pd.DataFrame, methods: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Lay a tidy table of one protocol out as the paper does: a row a data set and method, a column a size.

    A cell is ``mean ± standard error``, wrapped in ``**`` where it is within one standard error of the lowest mean of
    its data set and size; empty where there is no value.
    """
    percents = sorted(table["size_percent"].unique())
    cells = {(c["dataset"], c["method"], c["size_percent"]): c for c in table.to_dict("records")}
    header = ["dataset", "method", *(f"{p} %" for p in percents)]
    rows = []
    for dataset in sorted(table["dataset"].unique()):
        best = {}
        for percent in percents:
            here = table[(table["dataset"] == dataset) & (table["size_percent"] == percent)]
            if len(here):
                lowest = here.loc[here["mean"].idxmin()]
                best[percent] = lowest["mean"] + lowest["se"]
        for method in methods:
            row = [dataset, method]
            for percent in percents:
                cell = cells.get((dataset, method, percent))
                if cell is None:
                    row.append("")
                    continue
                text = f"{cell['mean']:.4f} ± {cell['se']:.4f}"
                row.append(f"**{text}**" if cell["mean"] <= best[percent] else text)
            if any(row[2:]):
                rows.append(row)
    return header, rows


def by_protocol(table: pd.DataFrame, methods: Sequence[str]) -> Iterator[tuple[str, str, list[str], list[list[str]]]]:
    """Lay a tidy table out, a part a protocol: its name, its title with the number of splits, header and rows."""
    for protocol, part in table.groupby("protocol", sort=True):
        yield str(protocol), f"{protocol}, {part['splits'].max()} splits", *layout(part, methods)


def to_markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def table_markdown(table: pd.DataFrame, methods: Sequence[str], caption: str) -> str:
    """Return a tidy table as Markdown, a part a protocol."""
    parts = [
        f"# {caption}\n",
        "Mean ± standard error over random splits; bold: within one standard error of the lowest.\n",
    ]
    for _, title, header, rows in by_protocol(table, methods):
        parts += [f"## {title}\n", to_markdown(header, rows)]
    return "\n".join(parts)


def table_latex(table: pd.DataFrame, methods: Sequence[str], caption: str, label: str) -> str:
    """Return a tidy table as LaTeX (booktabs), a table a protocol."""

    def cell(text: str) -> str:
        bold = text.startswith("**")
        text = text.strip("*").replace("%", r"\%").replace("_", r"\_").replace(" ± ", r" $\pm$ ")
        return rf"\textbf{{{text}}}" if bold else text

    lines = []
    for protocol, title, header, rows in by_protocol(table, methods):
        lines += [
            r"\begin{table}",
            rf"\caption{{{cell(caption)} ({title})}}",
            rf"\label{{tab:{label}-{protocol}}}",
            rf"\begin{{tabular}}{{ll{'r' * (len(header) - 2)}}}",
            r"\toprule",
            " & ".join(map(cell, header)) + r" \\",
            r"\midrule",
            *(" & ".join(map(cell, row)) + r" \\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"
