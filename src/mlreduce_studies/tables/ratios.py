"""Table of fit times relative to one method, with the printed ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError, unknown_name
from mlreduce_studies.failed_cells import GAP, gap_columns, with_reasons
from mlreduce_studies.options import METHOD
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part

__all__ = ["RATIO_COLUMNS", "ratio_parts", "ratio_table", "time_ratios"]

#: Columns of a table of ratios.
RATIO_COLUMNS = ("dataset", "method", "printed_seconds", "printed_ratio", "seconds", "ratio")


def time_ratios(times: pd.DataFrame, published: pd.DataFrame, base: str) -> pd.DataFrame:
    """Divide the fit times of all methods by those of one method, ours and the printed ones.

    Parameters
    ----------
    times : DataFrame
        With the columns dataset, method, split and seconds. The mean over the splits is taken.
    published : DataFrame
        With the columns dataset, method and seconds. Data sets that were not timed are left out.
    base : str
        Method by whose times the others are divided.

    Returns
    -------
    DataFrame
        With `RATIO_COLUMNS`, sorted, one row per data set and method that was timed or printed. NaN where one of them,
        or its divisor, is missing. With a column ``reason`` where a fit failed.

    Raises
    ------
    DataError
        If ``base`` was not timed on any data set, or a data set and method is printed twice.
    """
    ours = times.groupby(["dataset", "method"], observed=True)["seconds"].mean().reset_index()
    ours = with_reasons(ours, times, ["dataset", "method"]).drop(columns="failed", errors="ignore")
    if base not in set(ours["method"]):
        raise DataError(unknown_name("method", base, sorted(ours["method"].unique()), "base of the ratios of times"))
    repeated = published[published.duplicated(["dataset", "method"])]
    if len(repeated):
        cell = repeated.iloc[0]
        raise DataError(
            f"the time of {cell['method']!r} on data set {cell['dataset']!r} is printed twice; give it once."
        )
    printed = published[["dataset", "method", "seconds"]].rename(columns={"seconds": "printed_seconds"})
    both = ours.merge(printed[printed["dataset"].isin(ours["dataset"])], on=["dataset", "method"], how="outer")
    for seconds, ratio in (("printed_seconds", "printed_ratio"), ("seconds", "ratio")):
        of_base = both[both["method"] == base].set_index("dataset")[seconds]
        both[ratio] = both[seconds] / both["dataset"].map(of_base)
    columns = [*RATIO_COLUMNS, *gap_columns(both)]
    return both[columns].sort_values(["dataset", "method"], ignore_index=True)


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
    required={"base": METHOD},
    note="Times to fit at full size, one thread, nothing else running: ours (printed). Seconds depend on what they "
    "were measured with, ratios less so.",
)
def ratio_table(ratios: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Select the methods of a table of ratios, and the method by whose times the others are divided."""
    return ratios[ratios["method"].isin([*spec["methods"], spec["base"]])].reset_index(drop=True)
