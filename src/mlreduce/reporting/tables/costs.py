"""The table of costs of fits on relation features and on the features themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from mlreduce.reporting.tables.layout import Part
from mlreduce.reporting.tables.missing import GAP

__all__ = ["cost_parts"]


def cost_parts(table: pd.DataFrame, methods: Sequence[str]) -> Iterator[Part]:
    """Lay costs out: a part a data set and what is swept, a row a size, a column a method: seconds (gigabytes)."""
    for (dataset, swept), part in table.groupby(["dataset", "swept"], sort=True):
        sizes = ["space", "rows", "features", "prototypes"]
        rows = []
        for size, cells in part.groupby(sizes, sort=True):
            own = cells.set_index("method")
            texts = [f"{own['seconds'][m]:.3g} ({own['gigabytes'][m]:.2g})" if m in own.index else GAP for m in methods]
            space, n, d, p = size
            rows.append([str(space), f"{n}", f"{d}", f"{p}" if p else "", *texts])
        yield f"{dataset}-{swept}", f"{dataset}, {swept} growing", ["space", "n", "d", "p", *methods], rows
