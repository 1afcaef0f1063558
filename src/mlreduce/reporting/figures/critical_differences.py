"""Critical-difference diagrams: average ranks of methods, and which of them do not differ significantly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.ticker import MultipleLocator

from mlreduce.reporting.figures.layout import house_style, panels
from mlreduce.reporting.names import measure_name
from mlreduce.reporting.statistics import RankComparison

__all__ = ["critical_difference_diagrams"]

# Above the axis, in its units, one of which is the distance of two names: clear of the numbers at the ticks.
_CD_HEIGHT = 2.2


def critical_difference_diagrams(
    comparisons: Mapping[str, RankComparison], labels: Mapping[str, str], title: str
) -> Any:
    """Draw a critical-difference diagram a measure, after Demsar [1]_.

    Methods stand at their average rank, the best on the left. A bar joins methods whose average ranks differ by no more
    than the critical difference, which is drawn above. Where there is no test the panel says so.

    Parameters
    ----------
    comparisons : dict of str to RankComparison
        Measure to what `mlreduce.reporting.statistics.compare` makes of it.
    labels : dict of str to str
        Method to its name.
    title : str
        Of the whole figure.

    Raises
    ------
    DataError
        If there is no comparison.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning
       Research 7, 1-30, 2006.
    """
    most = max((len(made.average) for made in comparisons.values()), default=0)
    with house_style():
        figure, axes = panels(list(comparisons), title, columns=2, size=(5.0, 1.2 + 0.16 * most))
        for (measure, axis), made in zip(axes.items(), comparisons.values(), strict=True):
            axis.grid(visible=False)
            if np.isnan([made.p_value, made.critical_difference]).any():
                axis.set_title(measure_name(measure), fontsize=9)
                _say_why(axis, made)
            else:
                blocks = f"{made.n_blocks} data sets" + (f", {len(made.left_out)} left out" if made.left_out else "")
                axis.set_title(f"{measure_name(measure)} (Friedman p = {made.p_value:.2g}, {blocks})", fontsize=9)
                _diagram(axis, made, labels)
    return figure


def _say_why(axis: Any, made: RankComparison) -> None:
    methods, sets = len(made.average), made.n_blocks
    left_out = f", {len(made.left_out)} left out" if made.left_out else ""
    text = f"no test: it needs three methods on two data sets,\nthere are {methods} on {sets}{left_out}"
    axis.text(0.5, 0.5, text, ha="center", va="center", transform=axis.transAxes, fontsize=8)
    axis.set_axis_off()


def _diagram(axis: Any, made: RankComparison, labels: Mapping[str, str]) -> None:
    # Imported here: it brings seaborn along, which a panel without a test does not need.
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
        text.set(text=f" {labels.get(method, method)} ({made.average[method]:.2f}) ", color="#000000")
    _move_critical_difference(axis, made.critical_difference)
    axis.spines["top"].set_visible(True)
    axis.set_xlim(1, max(len(methods), 1 + made.critical_difference))
    axis.xaxis.set_major_locator(MultipleLocator(1))
    lowest = min(text.get_position()[1] for text in drawn["labels"])
    axis.set_ylim(lowest - 0.6, _CD_HEIGHT + 1.2)


def _move_critical_difference(axis: Any, critical_difference: float) -> None:
    """Put the critical difference above the numbers of the axis, from rank 1: the library draws it across them."""
    bar, text = axis.lines[-1], axis.texts[-1]
    bar.set(xdata=[1, 1 + critical_difference], ydata=[_CD_HEIGHT] * 2, color="#000000", linewidth=1.5)
    bar.set(marker="|", markersize=6)
    text.set(position=(1 + critical_difference / 2, _CD_HEIGHT + 0.2), va="bottom")
    text.set_text(f"critical difference {critical_difference:.2f}")
