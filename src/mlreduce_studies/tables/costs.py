"""Table of the costs of fits on relation features and on the features themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from mlreduce_studies.gathering.failed_cells import GAP
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part


def cost_parts(costs: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay costs out: one part per data set and swept size, one row per size, one column per method."""
    methods, sizes = spec["methods"], ["space", "rows", "features", "prototypes"]
    for (dataset, swept), part in costs.groupby(["dataset", "swept"], sort=True):
        rows = []
        for (space, n, d, p), cells in part.groupby(sizes, sort=True):
            by_method = cells.set_index("method")
            texts = [
                f"{by_method['seconds'][m]:.3g} ({by_method['gigabytes'][m]:.2g})" if m in by_method.index else GAP
                for m in methods
            ]
            rows.append([str(space), f"{n}", f"{d}", f"{p}" if p else "", *texts])
        yield f"{dataset}-{swept}", f"{dataset}, {swept} growing", ["space", "n", "d", "p", *methods], rows


@table(
    "costs",
    source="costs.csv",
    layout=cost_parts,
    with_gaps=True,
    names=4,
    note="Seconds (peak gigabytes of the process) on one thread, with all directions; space: the features themselves, "
    "or relations to all rows or to p of them, whose computation counts.",
)
def cost_table(costs: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Select the methods of a table of costs."""
    return costs[costs["method"].isin(spec["methods"])].reset_index(drop=True)
