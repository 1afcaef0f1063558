"""Table of a theorem: how often its condition holds, and its conclusion where the condition holds and elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from mlreduce_studies.options import LABELS
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part


def theorem_parts(counts: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay `mlreduce_studies.experiments.approximation.THEOREM_COLUMNS` out as shares: one row per data set and form."""
    labels = spec.get("labels", {})
    rows = []
    for cell in counts.sort_values(["dataset", "nystrom"]).to_dict("records"):
        number, holds = cell["cells"], cell["holds"]
        rows.append(
            [
                *(str(cell["dataset"]), labels.get(cell["nystrom"], cell["nystrom"]), str(cell["condition"])),
                *(f"{number}", _share(holds, number), _share(cell["better_where_it_holds"], holds)),
                _share(cell["better_elsewhere"], number - holds),
            ]
        )
    header = ["dataset", "form", "condition", "cells", "holds", "average as good where it holds", "elsewhere"]
    yield "shares", "a sampled feature and a pair of others", header, rows


def _share(part: int, whole: int) -> str:
    """Return a share in percent, empty for 0 / 0; only exactly all is shown as 100 %."""
    if not whole:
        return ""
    return f"{100 * part // whole} %" if part in (0, whole) else f"{min(max(100 * part / whole, 0.01), 99.99):.2f} %"


@table(
    "theorem",
    source="theorem.csv",
    layout=theorem_parts,
    names=3,
    optional={"labels": LABELS},
    note="A cell is a sampled feature and a pair of two others: in how many the condition holds, and in what share of "
    "these, and of the others, the average is at least as near to the pair's information as Nystrom's method.",
)
def theorem_table(counts: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return the counts as they are."""
    return counts
