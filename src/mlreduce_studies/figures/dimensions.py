"""Figure of a measure against the number of dimensions in percent of the features."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce.plot.layout import least_span, lines, one_value_each, panels, shared_legend, with_errors
from mlreduce_studies.figures.kinds import Spec, figure
from mlreduce_studies.options import MEASURE, PREDICTOR

# Where the largest size is so many times the smallest, the axis is logarithmic: most happens at the small ones.
_WIDE = 20
_TICKS = (1, 2, 5, 10, 20, 50, 100)


@figure("dimensions", source="summary.csv", required={"measure": MEASURE, "predictor": PREDICTOR})
def dimension_curves(summary: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set: mean and standard error of a measure against the dimensions, one line per method."""
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    chosen = summary[summary["method"].isin(spec["methods"])]
    rows = one_value_each(chosen, spec["measure"], 0.0, ["dataset", "method", "size_percent"])
    names, y_label = sorted(rows["dataset"].unique()), measure_label(spec["measure"])
    drawn, axes = panels(names, spec["caption"], "dimensions, % of the features", y_label, columns=3, size=(3.4, 2.2))
    for axis, line, line_style in lines(axes, rows, spec):
        line = line.sort_values("size_percent")
        with_errors(axis, line["size_percent"], line, line_style)
    swept = rows["size_percent"].unique()
    for axis in axes.values():
        least_span(axis)
        if swept.max() >= _WIDE * swept.min():
            axis.set(xscale="log", xticks=[tick for tick in _TICKS if swept.min() <= tick <= swept.max()])
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axis.xaxis.set_minor_formatter(NullFormatter())
    shared_legend(drawn)
    return drawn
