"""Figure of methods by family."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.metrics import measure_label
from mlreduce.plot.layout import panels, shared_legend, style
from mlreduce_studies.figures.kinds import Spec, figure, label_of
from mlreduce_studies.gathering.summary import at_directions
from mlreduce_studies.options import MEASURE, METHODS, PREDICTOR

# Name in the legend to methods that are drawn in one colour.
_FAMILIES = {"type": "object", "additionalProperties": {**METHODS, "uniqueItems": True}}


@figure("families", source="summary.csv", required={"measure": MEASURE, "predictor": PREDICTOR, "families": _FAMILIES})
def family_comparison(summary: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set: one row per method, its mean and standard error, coloured by family.

    Drawn are the largest numbers of dimensions, no percentages or thresholds.
    """
    measure, families = spec["measure"], spec["families"]
    rows = at_directions(summary[summary["measure"] == measure])
    methods = [method for members in families.values() for method in members]
    rows = rows[rows["method"].isin(methods)]
    if rows.duplicated(["dataset", "method"]).any():
        raise DataError(f"figure {spec['caption']!r}: a method has several values on a data set; it needs one size.")
    places = {method: -number for number, method in enumerate(methods)}
    names, size = sorted(rows["dataset"].unique()), (2.9, 0.5 + 0.17 * len(methods))
    drawn, axes = panels(names, spec["caption"], measure_label(measure), columns=3, size=size)
    for dataset, axis in axes.items():
        means = rows[rows["dataset"] == dataset].set_index("method")
        for number, (family, members) in enumerate(families.items()):
            there = [method for method in members if method in means.index]
            line_style = {"label": family, "markersize": 4, "elinewidth": 0.8, **style(number), "linestyle": "none"}
            axis.errorbar(
                means.loc[there, "mean"], [places[m] for m in there], xerr=means.loc[there, "se"], **line_style
            )
        axis.set_yticks(list(places.values()), [label_of(spec, method) for method in places], fontsize=7)
        axis.set_ylim(-len(methods), 1)
    for axis in list(axes.values())[1:]:
        if axis.get_subplotspec().colspan.start:
            axis.set_yticklabels([])
    shared_legend(drawn)
    return drawn
