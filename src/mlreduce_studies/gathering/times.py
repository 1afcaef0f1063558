"""Seconds of fits, averaged over the draws of a method, and their ratios to one method with the printed ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from mlreduce.exceptions import DataError, unknown_name
from mlreduce_studies.gathering.failed_cells import gap_columns, with_failed_rows, with_reasons

#: Columns of a table of ratios.
RATIO_COLUMNS = ("dataset", "method", "printed_seconds", "printed_ratio", "seconds", "ratio")


def gathered_times(times: pd.DataFrame, failures: pd.DataFrame, averages: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return times with failed fits, and the mean over the draws of a method under its plain name.

    Columns are dataset, method, split, seconds, and perhaps megabytes. Where a fit failed, with a row without seconds
    and a column ``reason``; a mean needs all draws.
    """
    parts = [with_failed_rows(times, failures)]
    for name, draws in averages.items():
        drawn = parts[0][parts[0]["method"].isin(draws)].groupby(["dataset", "split"], as_index=False)
        costs = [name for name in ("seconds", "megabytes") if name in times]
        means = drawn.agg(dict.fromkeys(costs, _mean_of_all) | ({} if failures.empty else {"reason": "max"}))
        parts.append(means.assign(method=name)[list(parts[0].columns)])
    return pd.concat(parts, ignore_index=True)


def _mean_of_all(values: pd.Series[float]) -> float:
    return float(values.mean(skipna=False))


def time_ratios(times: pd.DataFrame, published: pd.DataFrame, base: str) -> pd.DataFrame:
    """Divide the fit times of all methods by those of the method ``base``, ours and the printed ones.

    Times are means over the splits. Data sets that are printed and were not timed are left out. Returns
    `RATIO_COLUMNS`, sorted, one row per data set and method that was timed or printed. NaN where one of them, or its
    divisor, is missing. With a column ``reason`` where a fit failed. Raises DataError if ``base`` was not timed on any
    data set, or a data set and method is printed twice.
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
