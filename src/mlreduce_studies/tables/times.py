"""Table of fit times, and how the times of all data sets are put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from mlreduce_studies.failed_cells import GAP, with_failed_rows, with_reasons
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part, counted, number_of_splits

__all__ = ["gathered_times", "times_parts", "times_table"]


def gathered_times(times: pd.DataFrame, failures: pd.DataFrame, averages: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return times with failed fits, and the mean over the draws of a method under its plain name.

    Parameters
    ----------
    times : DataFrame
        Columns dataset, method, split, seconds.
    failures : DataFrame
        With `mlreduce.evaluation.failures.FAILURE_COLUMNS`.
    averages : dict of str to list of str
        Plain name to the names of its draws.

    Returns
    -------
    DataFrame
        As ``times``. Where a fit failed, with a row without seconds and a column ``reason``; a mean needs all draws.
    """
    parts = [with_failed_rows(times, failures)]
    for name, draws in averages.items():
        drawn = parts[0][parts[0]["method"].isin(draws)].groupby(["dataset", "split"], as_index=False)
        own = drawn["seconds"].mean() if failures.empty else drawn.agg({"seconds": _mean_of_all, "reason": "max"})
        parts.append(own.assign(method=name)[list(parts[0].columns)])
    return pd.concat(parts, ignore_index=True)


def _mean_of_all(values: pd.Series[float]) -> float:
    return float(values.mean(skipna=False))


def times_parts(means: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay times out: one row per data set, one column per method."""
    methods = spec["methods"]
    cells = means.pivot(index="dataset", columns="method", values="seconds").reindex(columns=list(methods))
    rows = [
        [str(dataset), *(GAP if np.isnan(seconds) else f"{seconds:.3g}" for seconds in cells.loc[dataset])]
        for dataset in cells.index
    ]
    yield "seconds", f"mean of {counted(number_of_splits(means), 'training sets')}", ["dataset", *methods], rows


@table(
    "times",
    source="times.csv",
    layout=times_parts,
    note="Seconds to fit at full size, one thread, nothing else running.",
)
def times_table(times: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return the mean over the splits of each data set and method, and the number of splits."""
    rows = times[times["method"].isin(spec["methods"])]
    cells = rows.groupby(["dataset", "method"], sort=True)["seconds"]
    means = cells.agg(seconds="mean", splits="count").reset_index()
    return with_reasons(means, rows, ["dataset", "method"])
