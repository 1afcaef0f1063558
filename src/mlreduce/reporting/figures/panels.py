"""Curves of selections: a panel a data set and predictor, a line a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.reporting.figures.layout import house_style, panels, shared_legend, style
from mlreduce.reporting.figures.studies import one_value_each
from mlreduce.reporting.names import measure_name

__all__ = ["panel_curves"]

_LINE = {"markersize": 3.5, "linewidth": 1.1}
_THIN = {"linewidth": 0.6, "zorder": 1.5}  # under the other lines
_REFERENCES = ({"linestyle": "--", "color": "#606060"}, {"linestyle": ":", "color": "#000000"})


def panel_curves(
    summary: pd.DataFrame,
    measure: str,
    grid: Sequence[Sequence[str]],
    methods: Sequence[str],
    labels: Mapping[str, str],
    title: str,
    *,
    predictor_labels: Mapping[str, str] | None = None,
    references: Mapping[str, str] | None = None,
    thin: Mapping[str, Sequence[str]] | None = None,
) -> Any:
    """Draw mean of a measure against the selected features in percent, a panel a data set and predictor.

    Every panel has a vertical axis of its own. A panel without results says so. Where no panel has any, since other
    data sets were run, these are drawn instead, with each of the predictors.

    Parameters
    ----------
    summary : DataFrame
        From `mlreduce.reporting.tables.layout.summarise`, of one protocol.
    measure : str
        What to draw.
    grid : sequence of (str, str)
        Data set and predictor of each panel, four to a row.
    methods : sequence of str
        Which methods, in the order of their styles.
    labels : dict of str to str
        Method to its name in the legend.
    title : str
        Of the whole figure.
    predictor_labels : dict of str to str or None, default=None
        Predictor to its name in the titles of the panels.
    references : dict of str to str or None, default=None
        Methods of which the value at 100 percent is a horizontal line, with their names in the legend.
    thin : dict of str to list of str or None, default=None
        Name in the legend to methods that are drawn together, as thin lines of one colour.

    Raises
    ------
    DataError
        If there is nothing to draw, a point has several values, or two panels have the same title.
    """
    predictor_labels, references, thin = predictor_labels or {}, references or {}, thin or {}
    drawn = [*methods, *references, *(method for several in thin.values() for method in several)]
    point = ["dataset", "predictor", "method", "size_percent"]
    rows = one_value_each(summary[summary["method"].isin(drawn)], measure, 0.0, point)
    cells = {(str(name), str(by)): own for (name, by), own in rows.groupby(["dataset", "predictor"], observed=True)}
    shown = _shown([(dataset, predictor) for dataset, predictor in grid], list(cells))
    names = [f"{dataset}, {predictor_labels.get(predictor, predictor)}" for dataset, predictor in shown]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise DataError(f"figure {title!r}: two panels are called {repeated[0]!r}; each needs a name of its own.")
    with house_style():
        figure, axes = panels(names, title, "selected features, %", measure_name(measure))
        for panel, axis in zip(shown, axes.values(), strict=True):
            if panel in cells:
                _draw(axis, cells[panel], methods, labels, references, thin)
            else:
                _leave_empty(axis)
        figure.align_labels()  # an empty panel has no numbers to keep its labels where those of the others are
        shared_legend(figure)
    return figure


def _shown(grid: Sequence[tuple[str, str]], there: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Return the panels to draw: those of the grid, or what there is in their stead if there is none of them."""
    if any(panel in there for panel in grid):
        return grid
    predictors = list(dict.fromkeys(predictor for _, predictor in grid))
    return [panel for predictor in predictors for panel in sorted(there) if panel[1] == predictor]


def _draw(
    axis: Any,
    rows: pd.DataFrame,
    methods: Sequence[str],
    labels: Mapping[str, str],
    references: Mapping[str, str],
    thin: Mapping[str, Sequence[str]],
) -> None:
    lines = {method: own.sort_values("size_percent") for method, own in rows.groupby("method", observed=True)}
    for number, method in enumerate(methods):
        if method in lines:
            line = lines[method]
            axis.plot(line["size_percent"], line["mean"], label=labels.get(method, method), **_LINE, **style(number))
    for number, (name, several) in enumerate(thin.items(), start=len(methods)):
        for method in several:
            if method in lines:
                line = lines[method]
                axis.plot(line["size_percent"], line["mean"], label=name, color=style(number)["color"], **_THIN)
    whole = rows[rows["size_percent"] == 100].set_index("method")["mean"]
    for number, (method, name) in enumerate(references.items()):
        if method in whole.index:
            axis.axhline(whole[method], label=name, linewidth=1.1, **_REFERENCES[number % len(_REFERENCES)])


def _leave_empty(axis: Any) -> None:
    axis.grid(visible=False)
    axis.set(xticks=[], yticks=[])
    axis.text(0.5, 0.5, "not run here", ha="center", va="center", transform=axis.transAxes, fontsize=8)
