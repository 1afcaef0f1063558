"""The audit: each printed number with ours, and whether it is reproduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.stats.margins import DECIDED
from mlreduce_studies.gathering.failed_cells import GAP
from mlreduce_studies.tables.layout import number_of_splits, to_markdown, uneven_splits
from mlreduce_studies.verdicts.order import COUNT_COLUMNS, MARKS, order_counts

__all__ = [
    "AUDIT_COLUMNS",
    "NEAR",
    "NEAR_RATIO",
    "REPRODUCED",
    "SIZE_COLUMNS",
    "VERDICTS",
    "WITHIN",
    "Sums",
    "audit",
    "audit_markdown",
    "audit_sentences",
    "audit_sizes",
    "audit_sums",
    "beside_printed",
    "read_published",
    "read_sizes",
    "relative_difference",
    "sums_by_protocol",
    "verdict",
]

#: Largest |z| of a reproduced cell, and of one that is only near.
REPRODUCED = 2.5
NEAR = 4.0

#: Verdicts on cells that were run, and on cells without a value because the method failed.
VERDICTS = ("reproduced", "near", "differs", "failed")

#: By how many percent of the printed number ours may be off to be counted as equivalent.
WITHIN = (1, 5)

#: Columns of the audit, one row per printed cell and protocol. ``relative`` is the difference of ours from the printed
#: number as a share of that; ``equivalence`` says within how many percent of `WITHIN` it is.
AUDIT_COLUMNS = (
    *("table", "protocol", "dataset", "method", "size_percent", "size", "printed", "printed_se"),
    *("ours", "our_se", "splits", "z", "verdict", "relative", "equivalence", "note"),
)

#: Columns of the audit of sizes, one row per printed number.
SIZE_COLUMNS = ("place", "dataset", "quantity", "printed", "ours", "verdict")

# What papers print of data sets.
_SIZES = ("instances", "features", "labels", "cardinality")

#: By what factor a ratio of times may be off that counts as near the printed one.
NEAR_RATIO = 2.0

_REQUIRED = ("table", "dataset", "method", "size_percent", "mean")


def read_published(path: str | Path) -> pd.DataFrame:
    """Read the printed numbers of a paper, keeping how many decimals were printed.

    The error is the standard error ``se`` of the mean, or the standard deviation ``sd`` over a number of ``splits``.
    Where ``bold_within_se`` is "yes", the paper has in bold what is within one standard error of the best.

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
    published["bold_within_se"] = text.get("bold_within_se", pd.Series("", index=text.index)) == "yes"
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


def relative_difference(cells: pd.DataFrame) -> pd.Series:
    """Return by how much ours differs from the printed number, as a share of that; NaN where there is no z-score."""
    differences = (cells["ours"] - cells["printed"]).where(cells["z"].notna())
    # A difference at the very bound would else be on the wrong side of it by rounding.
    return (differences / cells["printed"].abs()).where(differences != 0, 0.0).round(12)


def _equivalence(relative: float) -> str:
    if np.isnan(relative):
        return ""
    within = next((percent for percent in WITHIN if abs(relative) <= percent / 100), None)
    return f"beyond {WITHIN[-1]} %" if within is None else f"within {within} %"


class Sums(NamedTuple):
    """How many of some printed cells are what.

    Attributes
    ----------
    verdicts : dict of str to int
        For each of `VERDICTS`, and "not run".
    within : dict of int to int
        For each of `WITHIN`: cells of which ours is within so many percent of the printed number.
    single, single_reproduced : int
        Cells, and reproduced ones, without the rows in which the paper has one value at all of several sizes: these say
        one thing and not several.
    """

    cells: int
    verdicts: dict[str, int]
    within: dict[int, int]
    single: int
    single_reproduced: int

    def __str__(self) -> str:
        """Return how many cells are reproduced, and how many are within which percentage, in words."""
        within = (f"{number} within {percent} %" for percent, number in self.within.items())
        apart = "".join(f" ({text})" for text in self.without_repeats())
        return ", ".join((f"{self.verdicts['reproduced']} of {self.cells}{apart}", *within))

    def without_repeats(self) -> list[str]:
        """Say how many cells are reproduced without the rows of one value; nothing where there is no such row."""
        found = f"{self.single_reproduced} of {self.single} without rows that repeat one value"
        return [found] if self.single < self.cells else []


def audit_sums(cells: pd.DataFrame) -> Sums:
    """Count printed cells.

    Parameters
    ----------
    cells : DataFrame
        From `audit`, of whole tables.
    """
    rows = cells.groupby(["table", "protocol", "dataset", "method"], observed=True)["printed"]
    single = (rows.transform("size") == 1) | (rows.transform("nunique") > 1)
    relative = relative_difference(cells).abs()
    return Sums(
        len(cells),
        {word: int((cells["verdict"] == word).sum()) for word in (*VERDICTS, "not run")},
        {percent: int((relative <= percent / 100).sum()) for percent in WITHIN},
        int(single.sum()),
        int((single & (cells["verdict"] == "reproduced")).sum()),
    )


def sums_by_protocol(cells: pd.DataFrame, protocols: Sequence[str]) -> dict[str, Sums]:
    """Return the sums over all tables by protocol, in the order of ``protocols``."""
    parts = {protocol: cells[cells["protocol"] == protocol] for protocol in protocols}
    return {protocol: audit_sums(part) for protocol, part in parts.items() if len(part)}


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
    both["relative"] = relative_difference(both)
    both["equivalence"] = both["relative"].map(_equivalence)
    both["protocol"] = protocol
    if "reason" in both:
        reasons = both["reason"].fillna("")
        both["verdict"] = both["verdict"].mask(both["z"].isna() & (reasons != ""), "failed")
        both["note"] = [note or reason for note, reason in zip(both["note"], reasons, strict=True)]
    return both


def audit_sentences(
    cells: pd.DataFrame,
    sizes: pd.DataFrame | None = None,
    ratios: pd.DataFrame | None = None,
    order: pd.DataFrame | None = None,
) -> list[str]:
    """Return what the audit found, in sentences.

    Parameters
    ----------
    cells : DataFrame
        From `audit`: a sentence per table and protocol, with the numbers of reproduced cells, and of splits where
        these differ; and one on all tables by protocol.
    sizes : DataFrame or None, default=None
        From `audit_sizes`: a sentence per place, with the sizes that differ.
    ratios : DataFrame or None, default=None
        From `mlreduce_studies.gathering.times.time_ratios`: a sentence on the printed times.
    order : DataFrame or None, default=None
        From `mlreduce_studies.verdicts.order.audit_order`: a sentence per mark and protocol; None where a run has none.
    """
    sentences = [
        *_cell_sentences(cells),
        *([] if order is None else _order_sentences(order)),
        *([] if ratios is None else _time_sentences(ratios)),
        *([] if sizes is None else _size_sentences(sizes)),
    ]
    return sentences or ["No printed number belongs to the data sets of this run."]


def _order_sentences(order: pd.DataFrame) -> list[str]:
    sentences = []
    counts = order_counts(order).drop(columns="table").groupby(["protocol", "mark"], sort=True).sum()
    for protocol, mark in counts.index:
        number = counts.loc[(protocol, mark)]
        others = order[(order["protocol"] == protocol) & (order["mark"] == mark) & (order["verdict"] == "other best")]
        listed = [
            f"{row['table']} {row['dataset']}"
            + (f" at {row['size_percent']} %" if row["size_percent"] else "")
            + f" (printed {row['printed_best']}, ours {row['our_best']}, p = {row['probability']:.3f})"
            for row in others.to_dict("records")
        ]
        judged = number["same best"] + number["other best"] + number["undecided"]
        sentences.append(
            f"{mark.capitalize()} in print ({MARKS[mark]}), {protocol}: {number['groups']} groups of one data set and "
            f"size. In {number['all tie']} all methods tie, {number['not run']} were not run; in the other {judged} "
            f"the same method is best in {number['same best']} and another in {number['other best']} (p >= {DECIDED}), "
            f"{number['undecided']} are undecided. By our means alone it is the same in {number['same mean']}."
            f"{' Another: ' if listed else ''}{'; '.join(listed)}{'.' if listed else ''}"
        )
    return sentences


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
    near = ((quotients <= NEAR_RATIO) & (quotients >= 1 / NEAR_RATIO)).sum()
    listed = [
        f"{cell['dataset']} {cell['method']} {cell['printed_ratio']:.3g} ({cell['ratio']:.3g})"
        for cell in others.to_dict("records")
    ]
    return [
        f"Times: {len(printed)} are printed. Seconds depend on the machine, so ratios to {base} are compared: "
        f"{near} of {len(others)} are within a factor of {NEAR_RATIO:g} of the printed ones. Printed (ours): "
        f"{', '.join(listed)}."
    ]


def _cell_sentences(cells: pd.DataFrame) -> list[str]:
    sentences = []
    for (table, protocol), part in cells.groupby(["table", "protocol"], sort=True):
        worst = max(part.dropna(subset=["z"]).to_dict("records"), key=lambda cell: abs(cell["z"]), default=None)
        farthest = (
            f" The farthest is {worst['dataset']} {worst['method']} at {worst['size_percent']} %: printed "
            f"{worst['printed']:.4f}, ours {worst['ours']:.4f}, z = {worst['z']:+.2f}."
            if worst is not None
            else ""
        )
        sentences.append(f"{table}, {protocol}: {_sums_sentence(audit_sums(part))}{farthest}{_splits_sentence(part)}")
    if cells["table"].nunique() > 1:
        totals = sums_by_protocol(cells, sorted(cells["protocol"].unique()))
        sentences += [f"All tables, {protocol}: {_sums_sentence(sums)}" for protocol, sums in totals.items()]
    return sentences


def _sums_sentence(sums: Sums) -> str:
    count = sums.verdicts
    reproduced = "; ".join((f"|z| <= {REPRODUCED}", *sums.without_repeats()))
    failed = f", {count['failed']} failed" if count["failed"] else ""
    within = ", ".join(f"{number} within {percent} %" for percent, number in sums.within.items())
    return (
        f"{count['reproduced']} of {sums.cells} printed cells are reproduced ({reproduced}), {count['near']} are near "
        f"(|z| <= {NEAR:g}), {count['differs']} differ, {count['not run']} were not run{failed}. Ours against the "
        f"printed number: {within}."
    )


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
    ours, off = ["", "", ""], ""
    if not np.isnan(cell["z"]):
        ours = [f"{cell['ours']:.5f} ± {cell['our_se']:.5f}", f"{cell['splits']:.0f}", f"{cell['z']:+.2f}"]
        off = f"{100 * cell['relative']:+.2f} % ({cell['equivalence']})"
    place = [cell["table"], cell["dataset"], cell["method"], f"{cell['size_percent']} %", cell["protocol"]]
    return [*place, f"{cell['printed']:.4f} ± {cell['printed_se']:.4f}", *ours, cell["verdict"], off, cell["note"]]


def audit_markdown(
    cells: pd.DataFrame,
    study: str,
    sizes: pd.DataFrame | None = None,
    ratios: pd.DataFrame | None = None,
    order: pd.DataFrame | None = None,
) -> str:
    """Return the audit as Markdown: the sentences, the sums of what is best in print, then all cells and all sizes."""
    sentences = audit_sentences(cells, sizes, ratios, order)
    parts = [f"# Audit of the numbers that {study} prints\n", *(f"- {s}" for s in sentences)]
    if order is not None and len(order):
        rows = order_counts(order).astype(str).to_numpy().tolist()
        parts += ["", "Groups by verdict on the best in print:", "", to_markdown(list(COUNT_COLUMNS), rows)]
    if len(cells):
        header = ["table", "dataset", "method", "M", "protocol", "printed", "ours", "splits", "z", "verdict"]
        header += ["off by", "note"]
        parts += ["", to_markdown(header, [_audit_row(cell) for cell in cells.to_dict("records")])]
    if sizes is not None and len(sizes):
        texts = sizes.assign(printed=sizes["printed"].map("{:g}".format), ours=sizes["ours"].map("{:g}".format))
        parts += ["", to_markdown(list(SIZE_COLUMNS), texts[list(SIZE_COLUMNS)].astype(str).to_numpy().tolist())]
    return "\n".join(parts).rstrip("\n") + "\n"


def beside_printed(cells: pd.DataFrame, table: str, protocol: str) -> str:
    """Return a paper's table in its layout as Markdown, each cell "ours (printed)", bold where not reproduced.

    Where numbers of splits differ, each row gives its number.
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
