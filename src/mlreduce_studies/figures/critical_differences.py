"""Figure of critical-difference diagrams: average ranks of methods, and which do not differ significantly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce.plot.comparisons import draw_diagram
from mlreduce.plot.layout import panels
from mlreduce.stats.ranks import RankComparison
from mlreduce_studies.figures.kinds import Spec, figure, label_of
from mlreduce_studies.options import AREA, ENERGY, MEASURES, PREDICTOR, SIZE_PERCENT
from mlreduce_studies.tables.average_ranks import comparisons


@figure(
    "critical-differences",
    source="summary.csv",
    required={"measures": MEASURES, "predictor": PREDICTOR},
    optional={"energy": ENERGY, "size_percent": SIZE_PERCENT, "area": AREA},
    with_gaps=True,  # the title has the number of data sets that are left out
)
def critical_difference_diagrams(summary: pd.DataFrame, spec: Spec) -> Any:
    """Draw one critical-difference diagram per measure, after Demsar [1]_.

    Methods are placed at their average rank, the best on the left. A bar joins methods whose average ranks differ by no
    more than the critical difference, which is drawn above. Where there is no test, or no two methods differ
    significantly, the panel has a text instead.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning
       Research 7, 1-30, 2006.
    """
    compared = comparisons(summary, spec)
    most = max(len(made.average) for made in compared.values())
    drawn, axes = panels(list(compared), spec["caption"], columns=2, size=(5.0, 1.2 + 0.16 * most))
    for (measure, axis), made in zip(axes.items(), compared.values(), strict=True):
        axis.grid(visible=False)
        if np.isnan([made.p_value, made.critical_difference]).any():
            axis.set_title(measure_label(measure), fontsize=9)
            _say_why(axis, f"no test: it needs three methods on two data sets,\nthere are {_there(made)}")
        elif made.average.max() - made.average.min() <= made.critical_difference:
            axis.set_title(measure_label(measure), fontsize=9)
            ordered = list(made.average.sort_values().items())
            ends = [f"{rank:.2f} ({label_of(spec, str(name))})" for name, rank in (ordered[0], ordered[-1])]
            critical = f"the critical difference of {made.n_blocks} data sets is {made.critical_difference:.2f}"
            _say_why(axis, f"no two methods are told apart:\naverage ranks are {' to '.join(ends)},\n{critical}")
        else:
            blocks = f"{made.n_blocks} data sets" + (f", {len(made.left_out)} left out" if made.left_out else "")
            axis.set_title(f"{measure_label(measure)} (Friedman p = {made.p_value:.2g}, {blocks})", fontsize=9)
            draw_diagram(axis, made, {method: label_of(spec, method) for method in made.average.index})
    return drawn


def _there(made: RankComparison) -> str:
    left_out = f", {len(made.left_out)} left out" if made.left_out else ""
    return f"{len(made.average)} on {made.n_blocks}{left_out}"


def _say_why(axis: Any, why: str) -> None:
    axis.text(0.5, 0.5, why, ha="center", va="center", transform=axis.transAxes, fontsize=8)
    axis.set_axis_off()
