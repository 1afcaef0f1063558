"""The table of a theorem: how often its condition holds, and what is true where it does and where it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from mlreduce.reporting.tables.layout import Part

__all__ = ["theorem_parts"]


def theorem_parts(table: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[Part]:
    """Lay the counts out as shares: a row a data set and form of Nystrom's method.

    Parameters
    ----------
    table : DataFrame
        With `mlreduce.experiments.approximation.THEOREM_COLUMNS`.
    labels : dict of str to str
        Form to its name; its own where it has no other.
    """
    rows = []
    for cell in table.sort_values(["dataset", "nystrom"]).to_dict("records"):
        number, holds = cell["cells"], cell["holds"]
        rows.append(
            [
                str(cell["dataset"]),
                labels.get(cell["nystrom"], cell["nystrom"]),
                str(cell["condition"]),
                f"{number}",
                _share(holds, number),
                _share(cell["better_where_it_holds"], holds),
                _share(cell["better_elsewhere"], number - holds),
            ]
        )
    header = ["dataset", "form", "condition", "cells", "holds", "average as good where it holds", "elsewhere"]
    yield "shares", "a sampled feature and a pair of others", header, rows


def _share(part: int, whole: int) -> str:
    """Return a share in percent; nothing of nothing has none, and only all of it is rounded to 100."""
    if not whole:
        return ""
    return f"{100 * part // whole} %" if part in (0, whole) else f"{min(max(100 * part / whole, 0.01), 99.99):.2f} %"
