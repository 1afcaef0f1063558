"""The audit: each printed number with ours, and whether it is reproduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce_studies.gathering.failed_cells import GAP
from mlreduce_studies.tables.layout import number_of_splits, to_markdown, uneven_splits

__all__ = [
    "AUDIT_COLUMNS",
    "NEAR",
    "REPRODUCED",
    "SIZE_COLUMNS",
    "VERDICTS",
    "audit",
    "audit_markdown",
    "audit_sentences",
    "audit_sizes",
    "beside_printed",
    "read_published",
    "read_sizes",
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

#: Columns of the audit of sizes, one row per printed number.
SIZE_COLUMNS = ("place", "dataset", "quantity", "printed", "ours", "verdict")

# What papers print of data sets.
_SIZES = ("instances", "features", "labels", "cardinality")

# By what factor a ratio of times may be off that counts as near the printed one.
_NEAR_RATIO = 2.0

_REQUIRED = ("table", "dataset", "method", "size_percent", "mean")


def read_published(path: str | Path) -> pd.DataFrame:
    """Read the printed numbers of a paper, keeping how many decimals were printed.

    The error is the standard error ``se`` of the mean, or the standard deviation ``sd`` over a number of ``splits``.

    Raises
    ------
    DataError
        If a column is missing.
    """
    text = pd.read_csv(path, dtype=str, keep_default_na=False)
    spread = ("sd", "splits") if "sd" in text.columns else ("se",)
    missing = [column for column in (*_REQUIRED, *spread) if column not in text.columns]
    if missing:
        raise DataError(f"{path}: the column {missing[0]!r} is missing")
    published = text[["table", "dataset", "method"]].copy()
    published["size_percent"] = text["size_percent"].astype(int)
    published["printed"] = text["mean"].astype(float)
    error = text[spread[0]].astype(float)
    published["printed_se"] = error if spread == ("se",) else error / np.sqrt(text["splits"].astype(float))
    decimals = text["mean"].str.partition(".")[2].str.len()
    published["half_unit"] = 0.5 * 10.0 ** -decimals.astype(float)
    collapsed = text.get("collapsed_in_text", pd.Series("", index=text.index)) == "yes"
    published["note"] = np.where(collapsed, "one value printed for the whole row", "")
    return published


def read_sizes(path: str | Path) -> pd.DataFrame:
    """Read the printed sizes of a paper's data sets: a column for each of them, empty where it is not printed.

    Returns
    -------
    DataFrame
        Columns place, dataset, quantity and printed, which is text with the decimals that are printed.

    Raises
    ------
    DataError
        If a column is missing.
    """
    text = pd.read_csv(path, dtype=str, keep_default_na=False)
    missing = [column for column in ("place", "dataset", *_SIZES) if column not in text.columns]
    if missing:
        raise DataError(f"{path}: the column {missing[0]!r} is missing")
    long = text.melt(["place", "dataset"], list(_SIZES), var_name="quantity", value_name="printed")
    return long[long["printed"] != ""].reset_index(drop=True)


def audit_sizes(printed: pd.DataFrame | None, datasets: pd.DataFrame) -> pd.DataFrame:
    """Compare the printed sizes of data sets with those that were run.

    Parameters
    ----------
    printed : DataFrame or None
        From `read_sizes`; None where the paper printed none.
    datasets : DataFrame
        From `mlreduce_studies.gathering.describe_datasets`.

    Returns
    -------
    DataFrame
        One row per printed size of a data set that was run, with `SIZE_COLUMNS`, sorted. The verdict is "same" where
        ours is the printed number in the decimals that are printed, "differs" elsewhere.
    """
    rows = []
    known = datasets.set_index("dataset")
    for cell in [] if printed is None else printed[printed["dataset"].isin(known.index)].to_dict("records"):
        ours = float(known.loc[cell["dataset"], cell["quantity"]])
        decimals = len(cell["printed"].partition(".")[2])
        same = round(ours, decimals) == float(cell["printed"])
        rows.append((cell["place"], cell["dataset"], cell["quantity"], float(cell["printed"]), ours, same))
    table = pd.DataFrame(rows, columns=list(SIZE_COLUMNS))
    table["verdict"] = np.where(table["verdict"].astype(bool), "same", "differs")
    return table.sort_values(list(SIZE_COLUMNS[:3]), ignore_index=True)


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
        Name in the paper ("table3") to tidy table with `mlreduce_studies.tables.layout.TABLE_COLUMNS`.
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
            parts += [_compare(ours, printed, str(protocol)) for protocol, ours in table.groupby("protocol")]
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


def audit_sentences(
    cells: pd.DataFrame, sizes: pd.DataFrame | None = None, ratios: pd.DataFrame | None = None
) -> list[str]:
    """Return what the audit found, in sentences.

    Parameters
    ----------
    cells : DataFrame
        From `audit`: a sentence per table and protocol, with the numbers of reproduced cells, and of splits where
        these differ.
    sizes : DataFrame or None, default=None
        From `audit_sizes`: a sentence per place, with the sizes that differ.
    ratios : DataFrame or None, default=None
        From `mlreduce_studies.gathering.times.time_ratios`: a sentence on the printed times.
    """
    sentences = [
        *_cell_sentences(cells),
        *([] if ratios is None else _time_sentences(ratios)),
        *([] if sizes is None else _size_sentences(sizes)),
    ]
    return sentences or ["No printed number belongs to the data sets of this run."]


def _size_sentences(sizes: pd.DataFrame) -> list[str]:
    sentences = []
    for place, part in sizes.groupby("place", sort=True):
        wrong = part[part["verdict"] != "same"]
        listed = [
            f"{cell['dataset']} {cell['quantity']} printed {cell['printed']:g}, ours {cell['ours']:g}"
            for cell in wrong.to_dict("records")
        ]
        differing = f"; {len(wrong)} differ: {'; '.join(listed)}." if listed else "."
        sentences.append(
            f"{place}, sizes of the data sets: {len(part) - len(wrong)} of {len(part)} are ours{differing}"
        )
    return sentences


def _time_sentences(ratios: pd.DataFrame) -> list[str]:
    printed = ratios.dropna(subset="printed_seconds")
    if printed.empty:
        return []
    of_one = printed["printed_ratio"].eq(1).groupby(printed["method"]).all()  # on all data sets
    base = of_one.index[of_one][0]
    others = printed[printed["method"] != base].dropna(subset=["printed_ratio", "ratio"])
    quotients = others["ratio"] / others["printed_ratio"]
    near = ((quotients <= _NEAR_RATIO) & (quotients >= 1 / _NEAR_RATIO)).sum()
    listed = [
        f"{cell['dataset']} {cell['method']} {cell['printed_ratio']:.3g} ({cell['ratio']:.3g})"
        for cell in others.to_dict("records")
    ]
    return [
        f"Times: {len(printed)} are printed. Seconds depend on the machine, so ratios to {base} are compared: "
        f"{near} of {len(others)} are within a factor of {_NEAR_RATIO:g} of the printed ones. Printed (ours): "
        f"{', '.join(listed)}."
    ]


def _cell_sentences(cells: pd.DataFrame) -> list[str]:
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
        failed = f", {counts['failed']} failed" if "failed" in counts else ""
        sentences.append(
            f"{table}, {protocol}: {counts.get('reproduced', 0)} of {len(part)} printed cells are reproduced "
            f"(|z| <= {REPRODUCED}), {counts.get('near', 0)} are near (|z| <= {NEAR:g}), "
            f"{counts.get('differs', 0)} differ, {counts.get('not run', 0)} were not run"
            f"{failed}.{farthest}{_splits_sentence(part)}"
        )
    return sentences


def _splits_sentence(cells: pd.DataFrame) -> str:
    if not uneven_splits(cells):
        return ""
    datasets: dict[str, list[str]] = {}
    for name, part in cells.dropna(subset=["splits"]).groupby("dataset", sort=True):
        datasets.setdefault(number_of_splits(part), []).append(str(name))
    return f" Splits: {'; '.join(f'{number} on {_joined(names)}' for number, names in datasets.items())}."


def _joined(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _audit_row(cell: Mapping[Any, Any]) -> list[str]:
    ours = ["", "", ""]
    if not np.isnan(cell["z"]):
        ours = [f"{cell['ours']:.5f} ± {cell['our_se']:.5f}", f"{cell['splits']:.0f}", f"{cell['z']:+.2f}"]
    place = [cell["table"], cell["dataset"], cell["method"], f"{cell['size_percent']} %", cell["protocol"]]
    return [*place, f"{cell['printed']:.4f} ± {cell['printed_se']:.4f}", *ours, cell["verdict"], cell["note"]]


def audit_markdown(
    cells: pd.DataFrame, study: str, sizes: pd.DataFrame | None = None, ratios: pd.DataFrame | None = None
) -> str:
    """Return the audit as Markdown: the sentences, then all cells and all sizes."""
    sentences = audit_sentences(cells, sizes, ratios)
    parts = [f"# Audit of the numbers that {study} prints\n", *(f"- {s}" for s in sentences)]
    if len(cells):
        header = ["table", "dataset", "method", "M", "protocol", "printed", "ours", "splits", "z", "verdict", "note"]
        parts += ["", to_markdown(header, [_audit_row(cell) for cell in cells.to_dict("records")])]
    if sizes is not None and len(sizes):
        texts = sizes.assign(printed=sizes["printed"].map("{:g}".format), ours=sizes["ours"].map("{:g}".format))
        parts += ["", to_markdown(list(SIZE_COLUMNS), texts[list(SIZE_COLUMNS)].astype(str).to_numpy().tolist())]
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
        texts = dict.fromkeys(percents, "")
        for cell in row.to_dict("records"):
            ours = GAP if np.isnan(cell["ours"]) else f"{cell['ours']:.4f}"
            text = f"{ours} ({cell['printed']:.4f})"
            texts[cell["size_percent"]] = text if cell["verdict"] == "reproduced" else f"**{text}**"
        rows.append([str(dataset), str(method), *[number_of_splits(row)] * uneven, *texts.values()])
    return to_markdown(["data set", "method", *["splits"] * uneven, *(f"{p} %" for p in percents)], rows)
