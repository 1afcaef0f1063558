"""Figure of selections: a measure against the share of selected features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.metrics import measure_label
from mlreduce.plot.layout import (
    least_span,
    line_styles,
    one_value_each,
    panels,
    shared_legend,
    style,
    with_errors,
)
from mlreduce_studies.figures.kinds import Spec, figure
from mlreduce_studies.options import LABELS, MEASURE, METHOD, METHODS, PREDICTOR

_THIN = {"linewidth": 0.6, "zorder": 1.5}  # below the other lines
_REFERENCES = ({"linestyle": "--", "color": "#606060"}, {"linestyle": ":", "color": "#000000"})

_DATASET_AND_PREDICTOR = {
    **{"type": "array", "minItems": 2, "maxItems": 2},
    "prefixItems": [{"type": "string", "names": "data set"}, PREDICTOR],
}
_OPTIONAL = {
    # Predictors by their names in the titles of the panels.
    "predictor_labels": LABELS,
    # Methods whose value at 100 percent is a horizontal line, with their names in the legend.
    "references": {"type": "object", "propertyNames": METHOD, "additionalProperties": {"type": "string"}},
    # Name in the legend to methods that are drawn as thin lines of one colour.
    "thin": {"type": "object", "additionalProperties": {**METHODS, "uniqueItems": True}},
}


@figure(
    "panels",
    source="summary.csv",
    required={
        "measure": MEASURE,
        "panels": {"type": "array", "minItems": 1, "uniqueItems": True, "items": _DATASET_AND_PREDICTOR},
    },
    optional=_OPTIONAL,
)
def panel_curves(summary: pd.DataFrame, spec: Spec) -> Any:
    """Draw one panel per data set and predictor, four to a row: a measure against the selected features in percent.

    Each panel has a vertical axis. Panels without results are named below the others. Where no panel has results,
    because other data sets were run, these are drawn with each of the predictors. Raises DataError if there is nothing
    to draw, a point has several values, or two panels have the same title.
    """
    references, thin = spec.get("references", {}), spec.get("thin", {})
    measure, title, predictor_labels = spec["measure"], spec["caption"], spec.get("predictor_labels", {})
    methods = [*spec["methods"], *references, *(method for several in thin.values() for method in several)]
    point = ["dataset", "predictor", "method", "size_percent"]
    rows = one_value_each(summary[summary["method"].isin(methods)], measure, 0.0, point)
    cells = {(str(name), str(by)): cell for (name, by), cell in rows.groupby(["dataset", "predictor"], observed=True)}
    requested = [(dataset, predictor) for dataset, predictor in spec["panels"]]
    shown = _shown(requested, list(cells))
    lacking = [f"{name}, {predictor_labels.get(by, by)}" for name, by in requested if (name, by) not in cells]
    names = [f"{dataset}, {predictor_labels.get(predictor, predictor)}" for dataset, predictor in shown]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise DataError(f"figure {title!r}: two panels are called {repeated[0]!r}; each needs another name.")
    drawn, axes = panels(names, title, "selected features, %", measure_label(measure), columns=3, size=(3.4, 2.2))
    for panel, axis in zip(shown, axes.values(), strict=True):
        _draw(axis, cells[panel], spec, references, thin)
    any_run = any(panel in cells for panel in requested)
    shared_legend(drawn, f"Not run: {'; '.join(lacking)}." if lacking and any_run else "")
    return drawn


def _shown(grid: Sequence[tuple[str, str]], there: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Return the panels to draw: those of the grid that have results, or all with results if none of the grid has."""
    known = [panel for panel in grid if panel in there]
    if known:
        return known
    predictors = list(dict.fromkeys(predictor for _, predictor in grid))
    return [panel for predictor in predictors for panel in sorted(there) if panel[1] == predictor]


def _draw(
    axis: Any, rows: pd.DataFrame, spec: Spec, references: Mapping[str, str], thin: Mapping[str, Sequence[str]]
) -> None:
    lines = {method: line.sort_values("size_percent") for method, line in rows.groupby("method", observed=True)}
    for method, line_style in line_styles(spec).items():
        if method in lines:
            line = lines[method]
            with_errors(axis, line["size_percent"], line, {**line_style, "markersize": 3.5})
    for number, (name, several) in enumerate(thin.items(), start=len(spec["methods"])):
        for method in several:
            if method in lines:
                line = lines[method]
                axis.plot(line["size_percent"], line["mean"], label=name, color=style(number)["color"], **_THIN)
    full = rows[rows["size_percent"] == 100].set_index("method")["mean"]
    for number, (method, name) in enumerate(references.items()):
        if method in full.index:
            axis.axhline(full[method], label=name, linewidth=1.1, **_REFERENCES[number % len(_REFERENCES)])
    least_span(axis)
