"""Figure of a measure against a parameter of a method."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce.plot.layout import least_span, one_value_each, panels, shared_legend, style
from mlreduce_studies.figures.kinds import Spec, figure
from mlreduce_studies.options import ENERGY, MEASURE, METHOD, PREDICTOR, Options

_DASHES = ((0, (5, 1.5)), (0, (1.5, 1.5)), (0, (6, 1.5, 1.5, 1.5)))

_REQUIRED: Options = {
    **{"measure": MEASURE, "predictor": PREDICTOR, "energy": ENERGY},
    # The parameter on the horizontal axis; the workflow adds its value in each method as ``points``.
    "parameter": {"type": "string"},
    # Methods drawn as horizontal lines, with their names.
    "references": {"type": "object", "propertyNames": METHOD, "additionalProperties": {"type": "string"}},
}


@figure("parameter", source="summary.csv", required=_REQUIRED)
def parameter_curves(summary: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set: the mean of a measure against a parameter, other methods as horizontal lines.

    The values of the parameter are equally spaced on the axis.
    """
    points, references, x_label = spec["points"], spec["references"], spec["parameter"]
    of_methods = summary[summary["method"].isin([*points, *references])]
    rows = one_value_each(of_methods, spec["measure"], spec["energy"], ["dataset", "method"])
    names, y_label = sorted(rows["dataset"].unique()), measure_label(spec["measure"])
    ticks = sorted(set(points.values()))
    drawn, axes = panels(names, spec["caption"], x_label, y_label)
    for dataset, axis in axes.items():
        means = rows[rows["dataset"] == dataset].set_index("method")["mean"]
        line = [(ticks.index(x), means[method]) for method, x in points.items() if method in means.index]
        if line:
            line_style = {"label": f"varying {x_label}", "markersize": 4, "linewidth": 1.1, **style(0)}
            axis.plot(*zip(*sorted(line), strict=True), **line_style)
        axis.set_xticks(range(len(ticks)), [f"{value:g}" for value in ticks], rotation=90)
        for number, (method, label) in enumerate(references.items(), start=1):
            if method in means.index:
                plain = {**style(number), "marker": "", "linestyle": _DASHES[number % len(_DASHES)]}
                axis.axhline(means[method], label=label, linewidth=1.2, **plain)
        least_span(axis)
    shared_legend(drawn)
    return drawn
