"""Table of fit times."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from mlreduce_studies.gathering.failed_cells import with_reasons
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part, counted, number, number_of_splits


def times_parts(means: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay times out: one row per data set, one column per method."""
    methods = spec["methods"]
    cells = means.pivot(index="dataset", columns="method", values="seconds").reindex(columns=list(methods))
    rows = [[str(dataset), *(number(seconds, ".3g") for seconds in cells.loc[dataset])] for dataset in cells.index]
    yield "seconds", f"mean of {counted(number_of_splits(means), 'training sets')}", ["dataset", *methods], rows


@table(
    "times",
    source="times.csv",
    layout=times_parts,
    with_gaps=True,
    note="Seconds to fit at full size, one thread, nothing else running.",
)
def times_table(times: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return the mean over the splits of each data set and method, and the number of splits."""
    rows = times[times["method"].isin(spec["methods"])]
    cells = rows.groupby(["dataset", "method"], sort=True)["seconds"]
    means = cells.agg(seconds="mean", splits="count").reset_index()
    return with_reasons(means, rows, ["dataset", "method"])
