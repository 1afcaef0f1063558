"""Costs of fits on relation features and on the features themselves, as a table and as curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from mlreduce.reporting.figures import house_style, panels, shared_legend, style
from mlreduce.reporting.tables import Part

__all__ = ["cost_curves", "cost_parts"]

_AXES = {"rows": "rows n", "features": "features d", "prototypes": "prototypes p"}
_SPACES = {"original": "-", "relation": "--"}


def cost_parts(table: pd.DataFrame, methods: Sequence[str]) -> Iterator[Part]:
    """Lay costs out: a part a data set and what is swept, a row a size, a column a method: seconds (gigabytes)."""
    for (dataset, swept), part in table.groupby(["dataset", "swept"], sort=True):
        sizes = ["space", "rows", "features", "prototypes"]
        rows = []
        for size, cells in part.groupby(sizes, sort=True):
            own = cells.set_index("method")
            texts = [f"{own['seconds'][m]:.3g} ({own['gigabytes'][m]:.2g})" if m in own.index else "" for m in methods]
            space, n, d, p = size
            rows.append([str(space), f"{n}", f"{d}", f"{p}" if p else "", *texts])
        yield f"{dataset}-{swept}", f"{dataset}, {swept} growing", ["space", "n", "d", "p", *methods], rows


def cost_curves(costs: pd.DataFrame, methods: Sequence[str], labels: Mapping[str, str], title: str) -> Any:
    """Draw seconds against what grows, a panel a data set and size, a line a method and kind of features.

    Parameters
    ----------
    costs : DataFrame
        With `mlreduce.evaluation.costs.COST_COLUMNS`.
    methods : sequence of str
        Which methods, in the order of their styles.
    labels : dict of str to str
        Method to its name in the legend.
    title : str
        Of the whole figure.
    """
    shown = [(str(d), str(s)) for d in sorted(costs["dataset"].unique()) for s in _AXES]
    shown = [(d, s) for d, s in shown if len(costs[(costs["dataset"] == d) & (costs["swept"] == s)])]
    with house_style():
        figure, axes = panels(
            [f"{dataset}: {_AXES[swept]}" for dataset, swept in shown], title, "", "seconds", columns=3
        )
        for (dataset, swept), axis in zip(shown, axes.values(), strict=True):
            own = costs[(costs["dataset"] == dataset) & (costs["swept"] == swept)]
            for number, method in enumerate(methods):
                for space, dashes in _SPACES.items():
                    line = own[(own["method"] == method) & (own["space"] == space)].sort_values(swept)
                    if len(line):
                        look = {**style(number), "linestyle": dashes}
                        name = f"{labels.get(method, method)}, {space}"
                        axis.plot(line[swept], line["seconds"], label=name, markersize=4, linewidth=1.1, **look)
            axis.set(xscale="log", yscale="log")
        shared_legend(figure)
    return figure
