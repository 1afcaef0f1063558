"""Figure of fit times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mlreduce.plot.layout import line_styles, panels
from mlreduce_studies.figures.kinds import Spec, figure, label_of


@figure("times", source="times.csv")
def fit_times(times: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set: mean seconds to fit, one row per method, on one logarithmic axis."""
    from matplotlib.ticker import LogLocator, NullFormatter

    methods = spec["methods"]
    timed = times[times["method"].isin(methods)].dropna(subset="seconds")
    means = timed.groupby(["dataset", "method"], observed=True)["seconds"].mean()
    names = sorted(means.index.unique("dataset"))
    drawn, axes = panels(names, spec["caption"], "seconds to fit", size=(2.4, 0.7 + 0.17 * len(methods)))
    limits = 10.0 ** np.array([np.floor(np.log10(means.min())), np.ceil(np.log10(means.max()) + 1e-9)])
    for dataset, axis in axes.items():
        for number, (method, line_style) in enumerate(line_styles(spec).items()):
            if (dataset, method) in means.index:
                marked = {"marker": line_style["marker"] or "o", "linestyle": "none"}  # lines without colour have none
                axis.plot([means[dataset, method]], [number], **{**line_style, **marked})
        axis.set(xscale="log", xlim=limits, ylim=(len(methods) - 0.5, -0.5))
        axis.xaxis.set_major_locator(LogLocator(numticks=6))
        axis.xaxis.set_minor_formatter(NullFormatter())
        first = axis.get_subplotspec().is_first_col()
        axis.set_yticks(range(len(methods)), [label_of(spec, method) if first else "" for method in methods])
    return drawn
