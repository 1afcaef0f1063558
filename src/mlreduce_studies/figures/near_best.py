"""Figure of how likely methods are near the best, beside quality against seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.methods.evidence import typical_seconds
from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.plot.colours import MARKERS, colour_of
from mlreduce.plot.layout import nothing_to_draw, put_title, pyplot
from mlreduce.stats.ranking import Ranking, highlighted, one_variant, rank, variants
from mlreduce_studies.figures.kinds import Spec, figure, label_of
from mlreduce_studies.gathering.rankings import sized_cells
from mlreduce_studies.options import MARGIN, MEASURE, PREDICTOR, SIZE_PERCENT

_GREY = "#B8B8B8"
# Inches above and below the panels.
_ABOVE = 1.1


@figure(
    "near-best",
    source="summary.csv",
    required={"measure": MEASURE, "margin": MARGIN},
    optional={"predictor": PREDICTOR, "size_percent": SIZE_PERCENT},
    with_gaps=True,  # what failed is last
)
def near_best(summary: pd.DataFrame, spec: Spec) -> Any:
    """Draw the probability of being within the margin of the best, and mean quality against seconds of a fit.

    One variant of each method, the best first, as `mlreduce.stats.ranking` ranks them: over all data sets, all sizes
    below 100 percent or one of them, and all predictors or one. The best five and the controls have colours and, in the
    second panel, names; the others are grey. Seconds are estimates for data of ordinary size
    (`mlreduce.methods.evidence.typical_seconds`), without a search for parameters; a line joins the methods that no
    other beats in both.
    """
    made, labels = _ranked(summary, spec)
    names = {method: label_of(spec, label) for method, label in labels.items()}
    shown = highlighted(made.table)
    styles = {method: {"color": _GREY, "marker": "o"} for method in made.table.index}
    # Methods of one group have one hue: markers tell those apart that are shown.
    styles |= {
        method: {"color": colour_of(labels[method]), "marker": MARKERS[place]} for place, method in enumerate(shown)
    }
    height = _ABOVE + max(0.17 * len(names), 1.6)
    drawn, (left, right) = pyplot().subplots(1, 2, figsize=(8.6, height), layout="constrained", width_ratios=[1.1, 1])
    for axis in (left, right):
        axis.tick_params(which="both", labelsize=8)
        axis.grid(alpha=0.3, linewidth=0.5)
    _draw_probabilities(left, made, names, styles)
    _draw_quality(right, made, spec["measure"], {name: names[name] for name in shown}, names, styles)
    put_title(drawn, spec["caption"])
    return drawn


def _ranked(summary: pd.DataFrame, spec: Spec) -> tuple[Ranking, dict[str, str]]:
    """Return the ranking, and its methods to their labels."""
    rows = summary[(summary["measure"] == spec["measure"]) & summary["method"].isin(spec["methods"])]
    names = {label: spec.get("registered", {}).get(label, label) for label in spec["methods"]}
    cells = sized_cells(rows).drop(columns=["protocol", "measure"])
    if "size_percent" in spec:
        # What has one size stands at each.
        line = cells.groupby(["dataset", "method", "predictor"])["size"].transform("size") == 1
        cells = cells[line | cells["size"].eq(spec["size_percent"])]
    if cells.empty:
        raise nothing_to_draw(spec["caption"], "method on a data set")
    labels = variants(cells["method"].unique(), names)
    seconds = {name: found for name in labels if (found := typical_seconds(name)) is not None}
    try:
        made = rank(one_variant(cells, names), higher_is_better(spec["measure"]), spec["margin"], seconds)
    except DataError as error:
        raise DataError(f"figure {spec['caption']!r}: {error}") from None
    return made, labels


def _draw_probabilities(
    axis: Any, made: Ranking, names: Mapping[str, str], styles: Mapping[str, Mapping[str, Any]]
) -> None:
    table = made.table
    for place, (method, row) in enumerate(table.iterrows()):
        ends = [[row["near"] - row["low"]], [row["high"] - row["near"]]]
        look = {"markersize": 4, "elinewidth": 0.9, "linestyle": "none", **styles[str(method)]}
        axis.errorbar([row["near"]], [-place], xerr=ends, label=names[str(method)], **look)
    axis.set_yticks([-place for place in range(len(table))], [names[str(method)] for method in table.index], fontsize=7)
    axis.set(xlim=(-0.03, 1.03), ylim=(0.7 - len(table), 0.7))
    axis.set_xlabel(f"probability of being within {made.margin:g} of the best", fontsize=8)
    axis.set_title(f"{len(made.data_sets)} data sets, {made.settings} settings, 95 % intervals", fontsize=9)


def _draw_quality(
    axis: Any,
    made: Ranking,
    measure: str,
    shown: Mapping[str, str],
    names: Mapping[str, str],
    styles: Mapping[str, Mapping[str, Any]],
) -> None:
    known = made.table.dropna(subset=["seconds", "mean"])
    axis.set_title("quality against seconds of a fit, estimated", fontsize=9)
    if known.empty:
        axis.text(0.5, 0.5, "no seconds are known", ha="center", va="center", transform=axis.transAxes, fontsize=8)
        axis.set_axis_off()
        return
    front = known[known["front"]].sort_values("seconds")
    axis.plot(front["seconds"], front["mean"], color=_GREY, linewidth=0.8, label="_front")
    for method in [*known.index.difference(list(shown), sort=False), *(name for name in shown if name in known.index)]:
        row = known.loc[method]
        axis.plot(
            [row["seconds"]], [row["mean"]], linestyle="none", markersize=4, label=names[method], **styles[method]
        )
    axis.set_xscale("log")
    axis.margins(x=0.08, y=0.08)
    if not higher_is_better(measure):
        axis.invert_yaxis()
    axis.set_xlabel("seconds", fontsize=8)
    axis.set_ylabel(f"mean {measure_label(measure)}", fontsize=8)
    if (span := known["mean"].max() - known["mean"].min()) < made.margin:
        axis.text(0.02, 0.02, f"all within {span:.2g}, less than the margin", transform=axis.transAxes, fontsize=7)
    _name_points(axis, known, {name: text for name, text in shown.items() if name in known.index}, styles)


def _name_points(
    axis: Any, known: pd.DataFrame, shown: Mapping[str, str], styles: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write names in a column beside the panel, as high as their points as far as they do not overlap."""
    low, high = axis.get_ylim()
    heights = {name: (known.loc[name, "mean"] - low) / (high - low) for name in shown}
    order = sorted(shown, key=lambda name: heights[name])
    places = np.array([heights[name] for name in order])
    step = 0.15 / (axis.figure.get_figheight() - _ABOVE)
    for index in range(1, len(places)):
        places[index] = max(places[index], places[index - 1] + step)
    places -= max(0.0, places[-1] - 1.0) if len(places) else 0.0
    for index in range(len(places) - 2, -1, -1):
        places[index] = min(places[index], places[index + 1] - step)
    for name, place in zip(order, places, strict=True):
        axis.annotate(
            shown[name],
            (known.loc[name, "seconds"], known.loc[name, "mean"]),
            xytext=(1.03, place),
            textcoords="axes fraction",
            va="center",
            fontsize=7,
            color=styles[name]["color"],
            arrowprops={"arrowstyle": "-", "color": styles[name]["color"], "linewidth": 0.4},
        )
