"""The critical-difference diagram: average ranks of methods, and which do not differ significantly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlreduce.exceptions import from_extra
from mlreduce.stats.ranks import RankComparison

__all__ = ["draw_diagram"]

# Above the axis, in units of the distance of two names: clear of the numbers at the ticks.
_CD_HEIGHT = 2.2

# Ranks that have a number at most; the numbers of more run into each other.
_TICKS = 16


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
