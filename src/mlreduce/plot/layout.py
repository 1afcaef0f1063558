"""What all figures share: panels, styles, the legend, and saving with the same bytes each time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import isotonic_regression

from mlreduce.escaping import visible
from mlreduce.exceptions import DataError, from_extra
from mlreduce.plot.colours import DASHES, FAINT, MARKERS, MOST, PALETTE, method_styles
from mlreduce.plot.points import ERRORS_OF, drawn_points

# Inches of a line of small text.
_LINE = 0.15

# Text of the legend for faint lines.
_OTHERS = "others"

# Share of a panel's values that its height covers at least, so that a small difference does not fill it.
_LEAST_SPAN = 0.02


# Coordinates with more decimals than anyone sees, but no factors of scaling: those are in brackets.
_LONG = re.compile(r'(?<=[ "MLCQ-])(\d+\.\d\d)\d+')

_STYLE = re.compile(r' style="[^"]*"')


class NothingToDraw(DataError):
    """A figure has no value to draw."""


def nothing_to_draw(title: str, needed: str) -> NothingToDraw:
    """Return the error of a figure without a value."""
    return NothingToDraw(f"figure {title!r}: there is nothing to draw; at least one {needed} needs values.")


def pyplot() -> Any:
    """Import Matplotlib when the first figure is drawn, for files instead of a screen."""
    with from_extra("plot", "figures"):
        import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    return plt


def house_style() -> Any:
    """Return the context in which all figures are made."""
    return pyplot().rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def style(position: int) -> dict[str, Any]:
    """Return colour, marker and dashes of a position that is no method; the first 24 differ."""
    return {
        "color": PALETTE[1 + position % MOST],
        "marker": MARKERS[position % len(MARKERS)],
        "linestyle": DASHES[position // MOST % 3],
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
    """Return a figure with one panel per name, in rows of at most ``columns``, and its panels by name.

    Axes are labelled on the left and below the lowest panel of each column. Raises NothingToDraw if there is no name.
    """
    if not names:
        raise nothing_to_draw(title, "panel")
    rows = -(-len(names) // columns)
    columns = -(-len(names) // rows)
    # The least width is for the title and the legend of a figure of one panel.
    inches = (max(size[0] * columns, 5.5), size[1] * rows + 0.8)
    figure, axes = pyplot().subplots(rows, columns, figsize=inches, squeeze=False, layout="constrained")
    for number, (axis, name) in enumerate(zip(axes.flat, names, strict=False)):
        axis.set_title(name, fontsize=9)
        axis.tick_params(which="both", labelsize=8)
        axis.grid(alpha=0.3, linewidth=0.5)
        axis.set_xlabel(x_label if number + columns >= len(names) else "", fontsize=8)
        axis.set_ylabel(y_label if number % columns == 0 else "", fontsize=8)
    for axis in axes.flat[len(names) :]:
        axis.set_visible(False)
    put_title(figure, title)
    return figure, dict(zip(names, axes.flat, strict=False))


def put_title(figure: Any, title: str) -> None:
    """Put a title above the panels, wrapped at the width of the figure."""
    figure.suptitle(title, fontsize=10, wrap=True)


def with_errors(axis: Any, x: Any, rows: pd.DataFrame, line_style: Mapping[str, Any]) -> None:
    """Draw a line of means with thin bars of one standard error, which faint lines do not have."""
    axis.plot(x, rows["mean"], **line_style)
    if line_style["color"] == FAINT:
        return
    gap = np.full(len(rows), np.nan)  # one line with gaps is a tenth of the file of as many bars
    ends = np.column_stack([rows["mean"] - rows["se"], rows["mean"] + rows["se"], gap]).ravel()
    axis.plot(
        np.repeat(x, 3), ends, color=line_style["color"], linewidth=0.6, label=f"{ERRORS_OF}{line_style['label']}"
    )


def least_span(axis: Any) -> None:
    """Widen a vertical axis that shows less than two percent of its values, and write its numbers in full."""
    low, high = axis.get_ylim()
    lacking = _LEAST_SPAN * max(abs(low), abs(high)) - (high - low)
    if lacking > 0:
        axis.set_ylim(low - lacking / 2, high + lacking / 2)
    axis.ticklabel_format(axis="y", useOffset=False)


def say_narrow(figure: Any, margin: float) -> None:
    """Write below a figure in which of its panels all values are less than a margin apart."""
    panels = drawn_points(figure)["panels"]
    narrow = {panel["title"]: span for panel in panels if (span := _span(panel["lines"])) < margin}
    if narrow:
        where = f" in {', '.join(narrow)}" if len(narrow) < len(panels) else ""
        text = (
            f"All values{where} are within {max(narrow.values()):.2g} of each other, less than the margin {margin:g}."
        )
        say_below(figure, text)


def say_below(figure: Any, text: str) -> None:
    """Write a sentence below a figure, after what is written there, and into its label."""
    figure.set_label(" ".join(filter(None, [figure.get_label(), text])))
    lines = "\n".join(wrap(text, int(13 * figure.get_figwidth())))
    if figure.legends:
        (legend,) = figure.legends
        legend.set_title("\n".join(filter(None, [legend.get_title().get_text(), lines])), {"size": 8})
    else:
        figure.supxlabel("\n".join(filter(None, [figure.get_supxlabel(), lines])), fontsize=8)


def _span(lines: Sequence[Mapping[str, Any]]) -> float:
    """Return how far the values of lines are apart; a point of one number is a level."""
    values = [
        point[0] if line.get("along") == "x" or len(point) == 1 else point[1]
        for line in lines
        for point in line["points"]
    ]
    return float(max(values) - min(values))


def empty_figure(title: str, text: str) -> Any:
    """Return a figure with the reason why it shows nothing."""
    with house_style():
        figure, axes = panels([""], title)
        axes[""].text(0.5, 0.5, text, ha="center", va="center", transform=axes[""].transAxes, fontsize=9)
        axes[""].set_axis_off()
    return figure


def shared_legend(figure: Any, title: str = "") -> None:
    """Put one legend of all labels below the panels, in as many rows as needed; faint lines are one entry."""
    entries: dict[str, Any] = {}
    for axis in figure.axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            faint = getattr(handle, "get_color", str)() == FAINT
            entries.setdefault(_OTHERS if faint else label, handle)
    if _OTHERS in entries:
        entries[_OTHERS] = entries.pop(_OTHERS)  # last
    usual = max(2, int(figure.get_figwidth() / 1.35))  # names of usual length fit in as many columns
    for rows in range(max(1, -(-len(entries) // usual)), len(entries) + 1):
        legend = figure.legend(
            entries.values(), entries.keys(), loc="outside lower center", ncols=-(-len(entries) // rows),
            frameon=False, fontsize=8, handlelength=3, title=title or None, title_fontsize=8,
        )  # fmt: skip
        if rows == len(entries) or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()


def name_ends(axis: Any, ends: Mapping[str, tuple[float, float]], colours: Mapping[str, str], height: float) -> None:
    """Write names in a column next to a panel, as high as the points that they name as far as they do not overlap.

    The axis has its final limits and scales; ``ends`` are the points, ``colours`` those of the lines that join a name
    to its point, and ``height`` is about that of the panel in inches.
    """
    axis.get_ylim()  # limits are computed on access
    shown = axis.transData + axis.transAxes.inverted()
    points = {name: shown.transform(point) for name, point in ends.items()}
    wanted = {name: float(y) for name, (_, y) in points.items()}
    order = sorted(wanted, key=lambda name: wanted[name])
    # The places that are nearest to the points, of those that are a line apart and within the panel.
    lines = _LINE / height * np.arange(len(order))
    places = isotonic_regression([wanted[name] for name in order] - lines).x if order else lines
    places = np.clip(places, 0, max(0.0, 1 - lines[-1:].sum())) + lines
    drawn = {"transform": axis.transAxes, "linewidth": 0.6, "clip_on": False, "label": "_end"}
    for name, place in zip(order, places, strict=True):
        x, y = points[name]
        axis.plot([x, 1.02], [y, place], color=colours[name], **drawn)
        axis.text(1.03, place, name, transform=axis.transAxes, va="center", fontsize=7)


def one_value_each(summary: pd.DataFrame, measure: str, energy: float, by: Sequence[str]) -> pd.DataFrame:
    """Return the rows of one measure and energy threshold, at most one for each combination of the columns ``by``.

    Raises DataError if there are several.
    """
    rows = summary[(summary["measure"] == measure) & (summary["energy"] == energy)]
    rows = rows[rows["size_percent"] > 0] if "size_percent" in by else rows[rows["size_percent"] == 0]
    repeated = rows[rows.duplicated(list(by))]
    if len(repeated):
        cell = repeated.iloc[0]
        raise DataError(
            f"method {cell['method']!r} has several values of {measure} on data set {cell['dataset']!r}; "
            "a figure needs one protocol, one predictor and one way to choose the size."
        )
    return rows


def line_styles(spec: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return label, colour, marker and line style of each method of a figure; ``named`` are those with colours."""
    labels, drawn = spec.get("labels", {}), {"markersize": 4, "linewidth": 1.1}
    styles = method_styles(spec["methods"], spec.get("named"))
    return {name: {"label": labels.get(name, name), **drawn, **style} for name, style in styles.items()}


def lines(
    axes: Mapping[str, Any], rows: pd.DataFrame, spec: Mapping[str, Any]
) -> Iterator[tuple[Any, pd.DataFrame, dict[str, Any]]]:
    """Yield panel, rows and style of each line: one per data set and method that has rows."""
    for dataset, axis in axes.items():
        for method, line_style in line_styles(spec).items():
            line = rows[(rows["dataset"] == dataset) & (rows["method"] == method)]
            if len(line):
                yield axis, line, line_style


def _compact(svg: str) -> str:
    """Return a picture in half the characters, the same to the eye."""
    svg = _LONG.sub(r"\1", re.sub(r"\n *(?:<!--.*?-->\n *)?", "\n", svg))
    svg = re.sub(r' id="[a-z0-9]+_\d+"', "", svg)  # names of groups, which nothing refers to
    # Markers of a line are in a group, which can hold their common style.
    return re.sub(r"(<g)( clip-path=[^>]*>\n)((?:<use [^>]*/>\n)+)(?=</g>)", _with_shared_style, svg)


def _with_shared_style(group: re.Match[str]) -> str:
    styles = set(_STYLE.findall(group[3]))
    return f"{group[1]}{styles.pop()}{group[2]}{_STYLE.sub('', group[3])}" if len(styles) == 1 else group[0]


def save(figure: Any, paths: Sequence[str | Path]) -> None:
    """Write a figure in the formats of the suffixes, without dates or random identifiers; as JSON what it shows.

    And without its title, which is the caption wherever a figure is shown.
    """
    numbers = drawn_points(figure) | {"title": figure.get_suptitle(), "says": figure.get_label()}
    figure.suptitle("")
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}
    plt = pyplot()
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with plt.rc_context({"svg.hashsalt": "mlreduce", "savefig.dpi": 150}):
        for path in map(Path, paths):
            if path.suffix == ".json":
                path.write_text(json.dumps(numbers, separators=(",", ":")) + "\n", encoding="utf-8")
            elif path.suffix == ".svg":  # savefig would draw the figure once more for its layout
                canvas: Any = FigureCanvasSVG(figure)
                text = StringIO()
                canvas.print_svg(text, metadata=metadata[".svg"])
                path.write_text(_compact(visible(text.getvalue())), encoding="utf-8")
            else:
                figure.savefig(path, metadata=metadata[path.suffix])
    plt.close(figure)
