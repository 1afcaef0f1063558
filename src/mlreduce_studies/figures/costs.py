"""Figure of the costs of fits on relation features and on the features themselves."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlreduce.plot.layout import line_styles, panels, shared_legend
from mlreduce_studies.figures.kinds import Spec, figure

# The size that is swept to its name on the axis, and the dashes of the kinds of features.
_SWEPT = {"rows": "rows n", "features": "features d", "prototypes": "prototypes p"}
_DASHES = {"original": "-", "relation": "--"}


@figure("costs", source="costs.csv")
def cost_curves(costs: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set and swept size: seconds against the size, one line per method and kind of features.

    ``costs`` has the columns `mlreduce_studies.experiments.costs.COST_COLUMNS`.
    """
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    cells = {(str(dataset), str(swept)): cell for (dataset, swept), cell in costs.groupby(["dataset", "swept"])}
    shown = [(dataset, swept) for dataset in sorted(costs["dataset"].unique()) for swept in _SWEPT]
    shown = [key for key in shown if key in cells]
    names = [f"{dataset}: {_SWEPT[swept]}" for dataset, swept in shown]
    drawn, axes = panels(names, spec["caption"], "", "seconds", columns=3)
    for (dataset, swept), axis in zip(shown, axes.values(), strict=True):
        cell = cells[dataset, swept]
        for method, line_style in line_styles(spec).items():
            for space, dashes in _DASHES.items():
                line = cell[(cell["method"] == method) & (cell["space"] == space)].sort_values(swept)
                if len(line):
                    own_style = {**line_style, "label": f"{line_style['label']}, {space}", "linestyle": dashes}
                    axis.plot(line[swept], line["seconds"], **own_style)
        axis.set(xscale="log", yscale="log")
        axis.set_xticks(sorted(cell[swept].unique()))
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
        axis.xaxis.set_minor_formatter(NullFormatter())
    shared_legend(drawn)
    return drawn
