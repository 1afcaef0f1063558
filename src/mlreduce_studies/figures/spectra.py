"""Figure of the eigenvalues of projections."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlreduce.plot.layout import lines, panels, shared_legend
from mlreduce_studies.figures.kinds import Spec, figure


@figure("spectra", source="spectra.parquet")
def spectra(eigenvalues: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set: eigenvalues of the first split over the largest one, on logarithmic axes.

    The marker at the end of a line is at the last positive eigenvalue: the number of directions of the method.
    """
    rows = eigenvalues[eigenvalues["method"].isin(spec["methods"]) & (eigenvalues["eigenvalue"] > 0)]
    rows = rows[rows["split"] == rows.groupby("dataset", observed=True)["split"].transform("min")]
    names = sorted(rows["dataset"].unique())
    drawn, axes = panels(names, spec["caption"], "index of the eigenvalue", "eigenvalue / largest")
    for axis in axes.values():
        axis.set(xscale="log", yscale="log")
    for axis, line, line_style in lines(axes, rows, spec):
        line = line.sort_values("index")
        relative = line["eigenvalue"] / line["eigenvalue"].max()
        axis.plot(line["index"], relative, markevery=[len(line) - 1], **line_style)
    shared_legend(drawn, "A marker stands at the last positive eigenvalue.")
    return drawn
