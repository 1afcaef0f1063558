"""Figure of the error of approximations against the number of sampled features."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlreduce.plot.layout import lines, panels, shared_legend
from mlreduce_studies.figures.kinds import Spec, figure
from mlreduce_studies.options import APPROXIMATIONS


@figure("approximation", source="approximation.csv", required={"methods": APPROXIMATIONS})
def approximation_curves(errors: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set: mean and standard error of the error, one line per approximation."""
    from matplotlib.ticker import MaxNLocator

    rows = errors[errors["method"].isin(spec["methods"])]
    names = sorted(rows["dataset"].unique())
    drawn, axes = panels(names, spec["caption"], "sampled features", "squared Frobenius error")
    for axis, line, line_style in lines(axes, rows, spec):
        # In a small data set two percentages may be the same number of features.
        line = line.drop_duplicates("size").sort_values("size")
        axis.errorbar(line["size"], line["mean"], yerr=line["se"], capsize=1.5, elinewidth=0.8, **line_style)
    for axis in axes.values():
        axis.set_ylim(bottom=0)
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    shared_legend(drawn)
    return drawn
