"""The numbers that a figure shows, read from its lines, for the same figure with hover values on a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlreduce.plot.colours import FAINT

#: What the label of bars of errors of a line begins with, before the label of the line; no legend shows it.
ERRORS_OF = "_errors of "


def drawn_points(figure: Any) -> dict[str, Any]:
    """Return panels, lines, points and error bars of a figure of Matplotlib, before it is saved, in plain lists.

    ``panels`` has for each its ``title``, ``x`` and ``y`` (``label``, ``log``, and where positions are names,
    ``names``) and ``lines``: ``name``, ``colour``, ``faint``, ``dash``, ``marker`` and ``points``, each ``[x, y]`` or
    ``[x, y, low, high]`` with an error bar, which is along x where the line has ``along: x``. A horizontal line has one
    point without x. A figure without lines, such as of images, has no panels.
    """
    axes = [axis for axis in figure.axes if axis.get_visible() and axis.axison]
    panels = [_read_panel(axis, axes) for axis in axes]
    return {"panels": [panel for panel in panels if panel["lines"]]}


def _read_panel(axis: Any, axes: Sequence[Any]) -> dict[str, Any]:
    bars = [container for container in axis.containers if hasattr(container, "has_yerr")]
    parts = {id(line) for bar in bars for line in (bar.lines[0], *bar.lines[1])}
    lines = [_with_error(bar) for bar in bars]
    errors = {
        line.get_label().removeprefix(ERRORS_OF): np.asarray(line.get_ydata(), dtype=float).reshape(-1, 3)
        for line in axis.get_lines()
        if line.get_label().startswith(ERRORS_OF)
    }
    for line in axis.get_lines():
        if id(line) not in parts and not line.get_label().startswith("_"):
            points = _points(line, axis)
            for point, ends in zip(points, errors.get(line.get_label(), []), strict=False):
                point += [_round_digits(y) for y in ends[:2] if np.isfinite(y)]
            lines.append(_read_line(line, line.get_label(), points))
    return {
        "title": axis.get_title(),
        "x": {"log": axis.get_xscale() == "log", **_read_label(axis, axes, "x")},
        "y": {"log": axis.get_yscale() == "log", **_read_label(axis, axes, "y")},
        "lines": [line for line in lines if line["points"]],
    }


def _read_label(axis: Any, axes: Sequence[Any], which: str) -> dict[str, Any]:
    """Return the names of an axis and its label, which only one of the panels of a row or column may have."""
    given, names = getattr(axis, f"get_{which}label")(), _read_names(axis, axes, which)
    of_others = (text for other in axes if (text := getattr(other, f"get_{which}label")()))
    return {"label": given or ("" if names else next(of_others, "")), **names}


def _read_names(axis: Any, axes: Sequence[Any], which: str) -> dict[str, Any]:
    """Return the names at the positions of an axis, which may be at the first panel of a row only."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, NullFormatter

    def named(ticks: Any) -> bool:
        names = isinstance(ticks.get_major_formatter(), FixedFormatter | FuncFormatter | NullFormatter)
        return names and isinstance(ticks.get_major_locator(), FixedLocator)

    ruler = getattr(axis, f"{which}axis")
    for ticks in [ruler, *(getattr(other, f"{which}axis") for other in axes)] if named(ruler) else []:
        texts = [label.get_text() for label in ticks.get_majorticklabels()]
        if named(ticks) and any(texts):
            return {"names": {f"{place:g}": text for place, text in zip(ticks.get_ticklocs(), texts, strict=True)}}
    return {}


def _read_line(line: Any, name: str, points: list[list[float]]) -> dict[str, Any]:
    from matplotlib.colors import to_hex

    pattern = line._unscaled_dash_pattern[1] if line.is_dashed() else None
    return {
        "name": name,
        "colour": (colour := to_hex(line.get_color()).upper()),
        "faint": colour == FAINT,
        "dash": pattern,
        "marker": str(line.get_marker()),
        "width": float(line.get_linewidth()) if line.get_linestyle() != "None" else 0.0,
        "points": points,
    }


def _points(line: Any, axis: Any) -> list[list[float]]:
    x, y = (np.asarray(values, dtype=float) for values in line.get_data())
    if not line.get_transform().contains_branch_seperately(axis.transData)[0]:  # of axhline
        return [[_round_digits(y[0])]]
    return [[_round_digits(a), _round_digits(b)] for a, b in zip(x, y, strict=True) if np.isfinite([a, b]).all()]


def _with_error(bar: Any) -> dict[str, Any]:
    data, _, (segments,) = bar.lines
    along = 0 if bar.has_xerr else 1
    points = []
    for x, y, ends in zip(*data.get_data(), segments.get_segments(), strict=True):
        if np.isfinite([x, y]).all():
            has_error = len(ends) == 2 and np.isfinite(ends).all()
            points.append([_round_digits(value) for value in (x, y, *(ends[:, along] if has_error else ()))])
    return _read_line(data, bar.get_label(), points) | ({"along": "x"} if along == 0 else {})


def _round_digits(value: float) -> float:
    return float(f"{value:.6g}")
