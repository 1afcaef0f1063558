"""Figure of critical-difference diagrams: average ranks of methods, and which do not differ significantly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.exceptions import from_extra
from mlreduce.metrics import measure_label
from mlreduce.reporting.figures.kinds import Spec, figure, label_of
from mlreduce.reporting.figures.layout import house_style, panels
from mlreduce.reporting.options import AREA, ENERGY, MEASURES, PREDICTOR, SIZE_PERCENT
from mlreduce.reporting.statistics import RankComparison
from mlreduce.reporting.tables.average_ranks import comparisons

__all__ = ["critical_difference_diagrams", "draw_diagram"]

# Above the axis, in units of the distance of two names: clear of the numbers at the ticks.
_CD_HEIGHT = 2.2

# Ranks that have a number at most; the numbers of more run into each other.
_TICKS = 16


@figure(
    "critical-differences",
    source="summary.csv",
    required={"measures": MEASURES, "predictor": PREDICTOR},
    optional={"energy": ENERGY, "size_percent": SIZE_PERCENT, "area": AREA},
    with_gaps=True,  # the diagram says how many data sets are left out
)
def critical_difference_diagrams(summary: pd.DataFrame, spec: Spec) -> Any:
    """Draw one critical-difference diagram per measure, after Demsar [1]_.

    Methods stand at their average rank, the best on the left. A bar joins methods whose average ranks differ by no more
    than the critical difference, which is drawn above. Where there is no test the panel says so.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning
       Research 7, 1-30, 2006.
    """
    compared = comparisons(summary, spec)
    most = max(len(made.average) for made in compared.values())
    with house_style():
        drawn, axes = panels(list(compared), spec["caption"], columns=2, size=(5.0, 1.2 + 0.16 * most))
        for (measure, axis), made in zip(axes.items(), compared.values(), strict=True):
            axis.grid(visible=False)
            if np.isnan([made.p_value, made.critical_difference]).any():
                axis.set_title(measure_label(measure), fontsize=9)
                _say_why(axis, f"it needs three methods on two data sets,\nthere are {_there(made)}")
            elif made.critical_difference >= len(made.average) - 1:
                axis.set_title(measure_label(measure), fontsize=9)
                furthest = f"ranks of {len(made.average)} methods differ by {len(made.average) - 1} at most,\n"
                critical = f"the critical difference of {made.n_blocks} data sets is {made.critical_difference:.2f}"
                _say_why(axis, furthest + critical)
            else:
                blocks = f"{made.n_blocks} data sets" + (f", {len(made.left_out)} left out" if made.left_out else "")
                axis.set_title(f"{measure_label(measure)} (Friedman p = {made.p_value:.2g}, {blocks})", fontsize=9)
                draw_diagram(axis, made, {method: label_of(spec, method) for method in made.average.index})
    return drawn


def _there(made: RankComparison) -> str:
    left_out = f", {len(made.left_out)} left out" if made.left_out else ""
    return f"{len(made.average)} on {made.n_blocks}{left_out}"


def _say_why(axis: Any, why: str) -> None:
    axis.text(0.5, 0.5, f"no test: {why}", ha="center", va="center", transform=axis.transAxes, fontsize=8)
    axis.set_axis_off()


def draw_diagram(axis: Any, made: RankComparison, names: Mapping[str, str]) -> None:
    """Draw a critical-difference diagram; names are what is shown of the methods."""
    with from_extra("plot", "critical-difference diagrams"):
        from matplotlib.ticker import MaxNLocator
        from scikit_posthocs import critical_difference_diagram

    # Numbers instead of names: bars are drawn from sets, and the order of a set of names changes with every run.
    methods = list(made.average.index)
    p_values = made.p_values.loc[methods, methods].set_axis(range(len(methods))).set_axis(range(len(methods)), axis=1)
    drawn = critical_difference_diagram(
        made.average.set_axis(range(len(methods))), p_values, cd=made.critical_difference, ax=axis,
        label_fmt_left="{label}", label_fmt_right="{label}", text_h_margin=0.15, label_props={"fontsize": 8},
        elbow_props={"color": "#606060", "linewidth": 0.8, "clip_on": False},
        marker_props={"color": "#000000", "s": 10, "clip_on": False},
        crossbar_props={"color": "#0072B2", "linewidth": 2.5, "clip_on": False},
    )  # fmt: skip
    for text in drawn["labels"]:
        method = methods[int(text.get_text())]
        text.set(text=f" {names[method]} ({made.average[method]:.2f}) ", color="#000000")
    _move_critical_difference(axis, made.critical_difference)
    axis.spines["top"].set_visible(True)
    axis.set_xlim(1, max(len(methods), 1 + made.critical_difference))
    axis.xaxis.set_major_locator(MaxNLocator(nbins=_TICKS, integer=True, steps=[1, 2, 5, 10]))
    lowest = min(text.get_position()[1] for text in drawn["labels"])
    axis.set_ylim(lowest - 0.6, _CD_HEIGHT + 1.2)


def _move_critical_difference(axis: Any, critical_difference: float) -> None:
    """Put the critical difference above the numbers of the axis, where the library draws it across them."""
    bar, text = axis.lines[-1], axis.texts[-1]
    bar.set(xdata=[1, 1 + critical_difference], ydata=[_CD_HEIGHT] * 2, color="#000000", linewidth=1.5)
    bar.set(marker="|", markersize=6)
    text.set(position=(1 + critical_difference / 2, _CD_HEIGHT + 0.2), va="bottom")
    text.set_text(f"critical difference {critical_difference:.2f}")
