"""Figure of how likely methods are near the best, with a panel of quality against seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.methods.evidence import typical_seconds
from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.plot.colours import FAINT, method_styles
from mlreduce.plot.layout import name_ends, nothing_to_draw, put_title, pyplot
from mlreduce.stats.ranking import Ranking, highlighted, one_variant, rank, variants
from mlreduce_studies.figures.kinds import Spec, figure, label_of
from mlreduce_studies.gathering.rankings import sized_cells
from mlreduce_studies.options import MARGIN, MEASURE, PREDICTOR, SIZE_PERCENT

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
    return draw_ranking(made, labels, spec["measure"], spec["caption"], lambda label: label_of(spec, label))


def draw_ranking(
    made: Ranking, labels: Mapping[str, str], measure: str, caption: str, named: Callable[[str], str] = str
) -> Any:
    """Draw a ranking as `near_best` does.

    Labels of methods decide colours; ``named`` returns how a label is written.
    """
    names = {method: named(label) for method, label in labels.items()}
    shown = highlighted(made.table)
    looks = method_styles([labels[method] for method in shown])
    styles = {method: {"color": FAINT, "marker": "o"} for method in made.table.index}
    styles |= {method: {key: looks[labels[method]][key] for key in ("color", "marker")} for method in shown}
    height = _ABOVE + max(0.17 * len(names), 1.6)
    drawn, (left, right) = pyplot().subplots(1, 2, figsize=(8.6, height), layout="constrained", width_ratios=[1.1, 1])
    for axis in (left, right):
        axis.tick_params(which="both", labelsize=8)
        axis.grid(alpha=0.3, linewidth=0.5)
    _draw_probabilities(left, made, names, styles)
    _draw_quality(right, made, measure, {name: names[name] for name in shown}, names, styles)
    put_title(drawn, caption)
    return drawn


def _ranked(summary: pd.DataFrame, spec: Spec) -> tuple[Ranking, dict[str, str]]:
    """Return the ranking, and its methods to their labels."""
    rows = summary[(summary["measure"] == spec["measure"]) & summary["method"].isin(spec["methods"])]
    names = {label: spec.get("registered", {}).get(label, label) for label in spec["methods"]}
    cells = sized_cells(rows).drop(columns=["protocol", "measure"])
    if "size_percent" in spec:
        # A method with one size has the same value at each size.
        line = cells.groupby(["dataset", "method", "predictor"])["size"].transform("size") == 1
        cells = cells[line | cells["size"].eq(spec["size_percent"])]
    if cells.empty:
        raise nothing_to_draw(spec["caption"], "method on a data set")
    labels = variants(cells["method"].unique(), names)
    seconds = {name: estimate for name in labels if (estimate := typical_seconds(name)) is not None}
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
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    known = made.table.dropna(subset=["seconds", "mean"])
    axis.set_title("quality against seconds of a fit, estimated", fontsize=9)
    if known.empty:
        axis.text(0.5, 0.5, "no seconds are known", ha="center", va="center", transform=axis.transAxes, fontsize=8)
        axis.set_axis_off()
        return
    front = known[known["front"]].sort_values("seconds")
    axis.plot(front["seconds"], front["mean"], color=FAINT, linewidth=0.8, label="_front")
    for method in [*known.index.difference(list(shown), sort=False), *(name for name in shown if name in known.index)]:
        row = known.loc[method]
        axis.plot(
            [row["seconds"]], [row["mean"]], linestyle="none", markersize=4, label=names[method], **styles[method]
        )
    axis.set_xscale("log")
    axis.xaxis.set_minor_formatter(NullFormatter())  # parts of one power of ten would overlap
    span = known["seconds"].max() / known["seconds"].min()
    if span < 100:
        axis.xaxis.set_major_locator(MaxNLocator(5) if span < 10 else LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.margins(x=0.08, y=0.08)
    if not higher_is_better(measure):
        axis.invert_yaxis()
    axis.set_xlabel("seconds", fontsize=8)
    axis.set_ylabel(f"mean {measure_label(measure)}", fontsize=8)
    ends: dict[str, Any] = {
        names[name]: (known.loc[name, "seconds"], known.loc[name, "mean"]) for name in shown if name in known.index
    }
    name_ends(axis, ends, {names[name]: styles[name]["color"] for name in shown}, axis.figure.get_figheight() - _ABOVE)
