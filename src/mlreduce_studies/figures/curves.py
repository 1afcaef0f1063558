"""Figure of measures against the number of code dimensions, for each data set."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce.plot.layout import least_span, line_styles, nothing_to_draw, put_title, pyplot
from mlreduce_studies.figures.kinds import Spec, figure
from mlreduce_studies.options import MEASURES, METHOD, METHODS, PREDICTOR, Options

_REQUIRED: Options = {"measures": MEASURES, "predictor": PREDICTOR}
# Codes that depend on their length: a method to those of other lengths, each of which adds a point to its line.
_OPTIONAL: Options = {"ends": {"type": "object", "propertyNames": METHOD, "additionalProperties": METHODS}}

# Of a line with many points about so many have a marker, and the bars of their errors are a band.
_MARKERS = 20


@figure("curves", source="summary.csv", required=_REQUIRED, optional=_OPTIONAL, per_dataset=True)
def curves(summary: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per measure: mean and standard error against the number of dimensions, one line per method."""
    from matplotlib.ticker import MaxNLocator

    if summary.empty:
        raise nothing_to_draw(spec["caption"], "method")
    measures, ends = spec["measures"], spec.get("ends", {})
    columns = min(2, len(measures))
    rows = -(-len(measures) // columns)
    drawn, axes = pyplot().subplots(
        rows, columns, figsize=(4.0 * columns, 3.0 * rows), squeeze=False, layout="constrained"
    )
    for position, (axis, measure) in enumerate(zip(axes.flat, measures, strict=False)):
        for method, line_style in line_styles(spec).items():
            line = summary[(summary["measure"] == measure) & summary["method"].isin([method, *ends.get(method, [])])]
            if method in ends:
                line = line[line["size"] == line.groupby("method")["size"].transform("max")]
            line = line.drop_duplicates("size").sort_values("size")
            every = max(1, len(line) // _MARKERS)
            bars = {"capsize": 1.5, "elinewidth": 0.8} if every == 1 else {"elinewidth": 0.3}
            axis.errorbar(
                line["size"], line["mean"], yerr=line["se"], **{**line_style, "linewidth": 1.2}, **bars,
                markevery=every,
            )  # fmt: skip
        axis.set_title(f"({'abcdefgh'[position]}) {measure_label(measure)}", fontsize=9)
        axis.set_xlabel("number of code dimensions M")
        axis.set_ylabel(measure_label(measure))
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.grid(alpha=0.3, linewidth=0.5)
        least_span(axis)
    for axis in axes.flat[len(measures) :]:
        axis.set_visible(False)
    axes.flat[0].legend(frameon=False)
    put_title(drawn, spec["caption"])
    return drawn
