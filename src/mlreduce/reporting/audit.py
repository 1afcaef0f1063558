"""The audit: each printed number with ours, and whether it is reproduced."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.reporting.claims.verdicts import joined
from mlreduce.reporting.failed_cells import GAP
from mlreduce.reporting.tables.layout import number_of_splits, to_markdown, uneven_splits

__all__ = [
    "AUDIT_COLUMNS",
    "NEAR",
    "REPRODUCED",
    "VERDICTS",
    "audit",
    "audit_markdown",
    "audit_rows",
    "audit_sentences",
    "beside_printed",
    "read_published",
    "verdict",
]

#: Largest |z| of a reproduced cell, and of one that is only near.
REPRODUCED = 2.5
NEAR = 4.0

#: Verdicts on cells that were run, and on cells without a value because the method failed.
VERDICTS = ("reproduced", "near", "differs", "failed")

#: Columns of the audit, one row per printed cell and protocol.
AUDIT_COLUMNS = (
    *("table", "protocol", "dataset", "method", "size_percent", "size", "printed", "printed_se"),
    *("ours", "our_se", "splits", "z", "verdict", "note"),
)

_REQUIRED = ("table", "dataset", "method", "size_percent", "mean", "se")


def read_published(path: str | Path) -> pd.DataFrame:
    """Read the printed numbers of a paper, keeping how many decimals were printed.

    Raises
    ------
    DataError
        If a column is missing.
    """
    text = pd.read_csv(path, dtype=str, keep_default_na=False)
    missing = [column for column in _REQUIRED if column not in text.columns]
    if missing:
        raise DataError(f"{path}: the column {missing[0]!r} is missing")
    published = text[["table", "dataset", "method"]].copy()
    published["size_percent"] = text["size_percent"].astype(int)
    published["printed"] = text["mean"].astype(float)
    published["printed_se"] = text["se"].astype(float)
    decimals = text["se"].str.partition(".")[2].str.len()
    published["half_unit"] = 0.5 * 10.0 ** -decimals.astype(float)
    collapsed = text.get("collapsed_in_text", pd.Series("", index=text.index)) == "yes"
    published["note"] = np.where(collapsed, "one value printed for the whole row", "")
    return published


def verdict(z: float) -> str:
    """Return the verdict of a z-score: "reproduced", "near", "differs", or "not run" for NaN."""
    if np.isnan(z):
        return "not run"
    return "reproduced" if abs(z) <= REPRODUCED else "near" if abs(z) <= NEAR else "differs"


def audit(tables: Mapping[str, pd.DataFrame], published: pd.DataFrame | None) -> pd.DataFrame:
    """Compare the cells of a paper's tables with the printed ones.

    ``z = (ours - printed) / sqrt(printed_se^2 + our_se^2)``, the printed standard error taken as no less than half a
    unit of its last digit. A cell that failed, or whose error is unknown since one split is left of several, has no z
    and the verdict "failed"; the note says why.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Name in the paper ("table3") to tidy table with `mlreduce.reporting.tables.layout.TABLE_COLUMNS`.
    published : DataFrame or None
        From `read_published`; None where the paper printed no numbers.

    Returns
    -------
    DataFrame
        One row per protocol and printed cell whose data set was run, with `AUDIT_COLUMNS`; sorted.
    """
    parts = [pd.DataFrame(columns=list(AUDIT_COLUMNS))]
    if published is not None:
        for name, table in tables.items():
            printed = published[(published["table"] == name) & published["dataset"].isin(table["dataset"])]
            parts += [_compare(own, printed, str(protocol)) for protocol, own in table.groupby("protocol")]
    filled = [part for part in parts if len(part)] or parts
    result = pd.concat(filled, ignore_index=True)[list(AUDIT_COLUMNS)]
    return result.sort_values(["table", "protocol", "dataset", "method", "size_percent"], ignore_index=True)


def _compare(ours: pd.DataFrame, printed: pd.DataFrame, protocol: str) -> pd.DataFrame:
    ours = ours.rename(columns={"mean": "ours", "se": "our_se"}).drop(columns="protocol")
    both = printed.merge(ours, on=["dataset", "method", "size_percent"], how="left")
    spread = np.hypot(np.maximum(both["printed_se"], both["half_unit"]), both["our_se"])
    both["z"] = (both["ours"] - both["printed"]) / spread
    both["verdict"] = [verdict(z) for z in both["z"]]
    both["protocol"] = protocol
    if "reason" in both:
        reasons = both["reason"].fillna("")
        both["verdict"] = both["verdict"].mask(both["z"].isna() & (reasons != ""), "failed")
        both["note"] = [said or reason for said, reason in zip(both["note"], reasons, strict=True)]
    return both


def audit_sentences(cells: pd.DataFrame) -> list[str]:
    """Return a sentence per table and protocol: numbers of reproduced cells, and of splits where these differ."""
    if cells.empty:
        return ["No printed number belongs to the data sets of this run."]
    sentences = []
    for (table, protocol), part in cells.groupby(["table", "protocol"], sort=True):
        counts = part["verdict"].value_counts()
        worst = max(part.dropna(subset=["z"]).to_dict("records"), key=lambda cell: abs(cell["z"]), default=None)
        farthest = (
            f" The farthest is {worst['dataset']} {worst['method']} at {worst['size_percent']} %: printed "
            f"{worst['printed']:.4f}, ours {worst['ours']:.4f}, z = {worst['z']:+.2f}."
            if worst is not None
            else ""
        )
        sentences.append(
            f"{table}, {protocol}: {counts.get('reproduced', 0)} of {len(part)} printed cells are reproduced "
            f"(|z| <= {REPRODUCED}), {counts.get('near', 0)} are near (|z| <= {NEAR:g}), "
            f"{counts.get('differs', 0)} differ, {counts.get('not run', 0)} were not run"
            f"{_number_failed(counts)}.{farthest}{_splits_sentence(part)}"
        )
    return sentences


def _number_failed(counts: pd.Series[int]) -> str:
    return f", {counts['failed']} failed" if "failed" in counts else ""


def _splits_sentence(cells: pd.DataFrame) -> str:
    if not uneven_splits(cells):
        return ""
    datasets: dict[str, list[str]] = {}
    for name, part in cells.dropna(subset=["splits"]).groupby("dataset", sort=True):
        datasets.setdefault(number_of_splits(part), []).append(str(name))
    return f" Splits: {'; '.join(f'{number} on {joined(names)}' for number, names in datasets.items())}."


def audit_rows(cells: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Lay the audit out for reading."""
    header = ["table", "dataset", "method", "M", "protocol", "printed", "ours", "splits", "z", "verdict", "note"]
    rows = []
    for cell in cells.to_dict("records"):
        run = not np.isnan(cell["z"])
        rows.append(
            [
                cell["table"],
                cell["dataset"],
                cell["method"],
                f"{cell['size_percent']} %",
                cell["protocol"],
                f"{cell['printed']:.4f} ± {cell['printed_se']:.4f}",
                f"{cell['ours']:.5f} ± {cell['our_se']:.5f}" if run else "",
                f"{cell['splits']:.0f}" if run else "",
                f"{cell['z']:+.2f}" if run else "",
                cell["verdict"],
                cell["note"],
            ]
        )
    return header, rows


def audit_markdown(cells: pd.DataFrame, study: str) -> str:
    """Return the audit as Markdown: the sentences, then all cells."""
    parts = [f"# Audit of the numbers that {study} prints\n", *(f"- {s}" for s in audit_sentences(cells))]
    if len(cells):
        header, rows = audit_rows(cells)
        parts += ["", to_markdown(header, rows)]
    return "\n".join(parts).rstrip("\n") + "\n"


def beside_printed(cells: pd.DataFrame, table: str, protocol: str) -> str:
    """Return a paper's table in its own layout as Markdown, each cell "ours (printed)", bold where not reproduced.

    Where numbers of splits differ, a row says its own.
    """
    part = cells[(cells["table"] == table) & (cells["protocol"] == protocol)]
    uneven = uneven_splits(part)
    percents = sorted(part["size_percent"].unique())
    rows = []
    for (dataset, method), row in part.groupby(["dataset", "method"], sort=True):
        texts = []
        for cell in row.sort_values("size_percent").to_dict("records"):
            ours = GAP if np.isnan(cell["ours"]) else f"{cell['ours']:.4f}"
            text = f"{ours} ({cell['printed']:.4f})"
            texts.append(text if cell["verdict"] == "reproduced" else f"**{text}**")
        rows.append([str(dataset), str(method), *[number_of_splits(row)] * uneven, *texts])
    return to_markdown(["data set", "method", *["splits"] * uneven, *(f"{p} %" for p in percents)], rows)
