"""Table of fit times relative to one method, with the printed ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlreduce_studies.gathering.failed_cells import GAP
from mlreduce_studies.options import METHOD
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part


def ratio_parts(ratios: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay ratios out: one part of ratios and one of seconds, one row per data set, one column per method.

    A cell is "ours (printed)", or ours alone where nothing is printed.
    """
    methods, base = spec["methods"], spec["base"]
    cells = {(cell["dataset"], cell["method"]): cell for cell in ratios.to_dict("records")}
    datasets = sorted(ratios["dataset"].unique())
    with_base = [base, *(method for method in methods if method != base)]
    for key, title, shown in (("ratio", f"over those of {base}", methods), ("seconds", "seconds", with_base)):
        rows = [[str(name), *(_text(cells.get((name, method), {}), key) for method in shown)] for name in datasets]
        yield key, title, ["dataset", *shown], rows


def _text(cell: Mapping[Any, Any], key: str) -> str:
    ours, printed = cell.get(key, np.nan), cell.get(f"printed_{key}", np.nan)
    if np.isnan(ours) and np.isnan(printed):
        return GAP if "reason" in cell else ""
    text = "not timed" if np.isnan(ours) else f"{ours:.3g}"
    return text if np.isnan(printed) else f"{text} ({printed:.3g})"


@table(
    "time-ratios",
    source="ratios.csv",
    layout=ratio_parts,
    with_gaps=True,
    required={"base": METHOD},
    note="Times to fit at full size, one thread, nothing else running: ours (printed). Seconds depend on what they "
    "were measured with, ratios less so.",
)
def ratio_table(ratios: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Select the methods of a table of ratios, and the method by whose times the others are divided."""
    return ratios[ratios["method"].isin([*spec["methods"], spec["base"]])].reset_index(drop=True)
