"""Figures, drawn from scores alone and with the same bytes each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd

mpl.use("agg")

import matplotlib.pyplot as plt
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.ticker import MaxNLocator

from mlreduce.exceptions import DataError
from mlreduce.reporting.names import measure_name

__all__ = ["NothingToDraw", "curves", "empty_figure", "house_style", "panels", "save", "shared_legend", "style"]

# Colour-blind safe (Okabe and Ito, a grey for their yellow), with a marker each so that grey prints can be read too.
_COLOURS = ("#D55E00", "#0072B2", "#009E73", "#000000", "#CC79A7", "#E69F00", "#56B4E9", "#808080")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d")
_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)))


class NothingToDraw(DataError):
    """A figure has no value to draw."""


def house_style() -> Any:
    """Return the context in which every figure is made."""
    return mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def style(position: int) -> dict[str, Any]:
    """Return colour, marker and dashes of the method at a position; no two of the first 24 are alike."""
    return {
        "color": _COLOURS[position % len(_COLOURS)],
        "marker": _MARKERS[position % len(_MARKERS)],
        "linestyle": _DASHES[position // len(_COLOURS) % len(_DASHES)],
    }


def panels(
    names: Sequence[str],
    title: str,
    x_label: str = "",
    y_label: str = "",
    *,
    columns: int = 4,
    size: tuple[float, float] = (2.7, 2.3),
) -> Any:
    """Return a figure with a panel a name, in rows of at most ``columns``, and its panels by name.

    Axes are named along the left and under the lowest panel of each column.

    Raises
    ------
    NothingToDraw
        If there is no name.
    """
    if not names:
        raise NothingToDraw(f"figure {title!r}: there is nothing to draw; at least one panel needs values.")
    rows = -(-len(names) // columns)
    columns = -(-len(names) // rows)
    # The least width is for the title and the legend of a figure of one panel.
    inches = (max(size[0] * columns, 5.5), size[1] * rows + 0.8)
    figure, axes = plt.subplots(rows, columns, figsize=inches, squeeze=False, layout="constrained")
    for number, (axis, name) in enumerate(zip(axes.flat, names, strict=False)):
        axis.set_title(name, fontsize=9)
        axis.tick_params(which="both", labelsize=8)
        axis.grid(alpha=0.3, linewidth=0.5)
        axis.set_xlabel(x_label if number + columns >= len(names) else "", fontsize=8)
        axis.set_ylabel(y_label if number % columns == 0 else "", fontsize=8)
    for axis in axes.flat[len(names) :]:
        axis.set_visible(False)
    _put_title(figure, title)
    return figure, dict(zip(names, axes.flat, strict=False))


def _put_title(figure: Any, title: str) -> None:
    """Put a title above the panels, on as many lines as the width of the figure asks for."""
    figure.suptitle(title, fontsize=10, wrap=True)


def empty_figure(title: str, text: str) -> Any:
    """Return a figure that says why it shows nothing."""
    with house_style():
        figure, axes = panels([""], title)
        axes[""].text(0.5, 0.5, text, ha="center", va="center", transform=axes[""].transAxes, fontsize=9)
        axes[""].set_axis_off()
    return figure


def shared_legend(figure: Any, title: str = "") -> None:
    """Put one legend of everything that has a label in any panel below the panels, in as many rows as it takes."""
    entries: dict[str, Any] = {}
    for axis in figure.axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    usual = max(2, int(figure.get_figwidth() / 1.35))  # names of usual length fit in as many columns
    for rows in range(max(1, -(-len(entries) // usual)), len(entries) + 1):
        legend = figure.legend(
            entries.values(), entries.keys(), loc="outside lower center", ncols=-(-len(entries) // rows),
            frameon=False, fontsize=8, handlelength=3, title=title or None, title_fontsize=8,
        )  # fmt: skip
        if rows == len(entries) or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()


def curves(
    summary: pd.DataFrame,
    measures: Sequence[str],
    methods: Sequence[str],
    labels: Mapping[str, str],
    title: str,
) -> Any:
    """Draw one panel a measure: mean against the number of code dimensions, one line a method.

    Bars are one standard error. Panels are lettered in the order of ``measures``.

    Parameters
    ----------
    summary : DataFrame
        From `mlreduce.reporting.tables.layout.summarise`, of one data set and one protocol.
    measures, methods : sequence of str
        What to draw, in this order.
    labels : dict of str to str
        Method to its name in the legend.
    title : str
        Of the whole figure.
    """
    if summary.empty:
        raise NothingToDraw(f"figure {title!r}: there is nothing to draw; at least one method needs values.")
    columns = min(2, len(measures))
    rows = -(-len(measures) // columns)
    with house_style():
        figure, axes = plt.subplots(
            rows, columns, figsize=(4.0 * columns, 3.0 * rows), squeeze=False, layout="constrained"
        )
        for position, (axis, measure) in enumerate(zip(axes.flat, measures, strict=False)):
            for number, method in enumerate(methods):
                line = summary[(summary["measure"] == measure) & (summary["method"] == method)]
                line = line.drop_duplicates("size").sort_values("size")
                axis.errorbar(
                    line["size"], line["mean"], yerr=line["se"], label=labels.get(method, method), markersize=4,
                    linewidth=1.2, capsize=1.5, elinewidth=0.8, **style(number),
                )  # fmt: skip
            axis.set_title(f"({'abcdefgh'[position]}) {measure_name(measure)}", fontsize=9)
            axis.set_xlabel("number of code dimensions M")
            axis.set_ylabel(measure_name(measure))
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            axis.grid(alpha=0.3, linewidth=0.5)
        for axis in axes.flat[len(measures) :]:
            axis.set_visible(False)
        axes.flat[0].legend(frameon=False)
        _put_title(figure, title)
    return figure


def save(figure: Any, paths: Sequence[str | Path]) -> None:
    """Write a figure in the formats that the suffixes name, without dates or random identifiers."""
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}
    with mpl.rc_context({"svg.hashsalt": "mlreduce", "savefig.dpi": 150}):
        for path in map(Path, paths):
            if path.suffix == ".svg":  # savefig would draw the figure once more for its layout
                FigureCanvasSVG(figure).print_svg(path, metadata=metadata[".svg"])
            else:
                figure.savefig(path, metadata=metadata[path.suffix])
    plt.close(figure)
