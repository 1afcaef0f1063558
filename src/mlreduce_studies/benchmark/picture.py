"""The picture of the benchmark: what reduction brings each predictor, and what it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlreduce.methods.evidence import SAME
from mlreduce.metrics import measure_label
from mlreduce.plot.layout import house_style, name_ends, put_title, pyplot
from mlreduce_studies.benchmark.answers import NOUNS, PREDICTORS, SIZES, Evidence

#: Colours of the families.
COLOURS = {"selection": "#0072B2", "projection": "#D55E00", "labelspace": "#009E73"}
#: The predictors of the panels.
PANELS = ("ridge", "ml-knn")
_HEIGHT = 3.9
# Seconds below this are not told apart.
_LEAST = 1e-4
#: Methods of a family that are named: the best ones.
_NAMED = 2


def draw_gains(evidence: Evidence, measure: str) -> Any:
    """Draw each method's mean gain against no reduction by the seconds of its fit, a panel for each predictor.

    Gains are with the largest of `SIZES` that reduces a data set, means over data sets and their groups; seconds are
    geometric means over data sets. The best methods of each family are named.
    """
    with house_style():
        drawn, axes = pyplot().subplots(1, 2, figsize=(9.6, _HEIGHT), layout="constrained", sharey=True)
        ends: list[dict[str, tuple[float, float]]] = [{} for _ in PANELS]
        colours: dict[str, str] = {}
        for axis, panel, named in zip(axes, PANELS, ends, strict=True):
            for family, noun in NOUNS.items():
                points = gains_of(evidence, family, measure, panel)
                if not points:
                    continue
                seconds, gains = np.array([*points.values()]).T
                axis.plot(seconds, gains, "o", markersize=4, alpha=0.7, color=COLOURS[family], label=f"{noun}s")
                for name in sorted(points, key=lambda one: -points[one][1])[:_NAMED]:
                    named[name], colours[name] = points[name], COLOURS[family]
            axis.axhline(0, color="#444444", linewidth=1)
            axis.text(0.01, 0.01, "nothing reduced", transform=axis.get_yaxis_transform(), fontsize=8, va="bottom")
            axis.set_xscale("log")
            axis.margins(x=0.12)
            axis.set_xlabel("processor seconds of a fit of the method", fontsize=8)
            axis.set_title(f"with {PREDICTORS[panel]}", fontsize=9)
            axis.tick_params(which="both", labelsize=8)
            axis.grid(alpha=0.3, linewidth=0.5)
        for axis, named in zip(axes, ends, strict=True):  # where the limits that panels share are final
            name_ends(axis, named, colours, _HEIGHT - 1)
        axes[0].set_ylabel(f"difference in {measure_label(measure)}", fontsize=8)
        drawn.legend(*axes[0].get_legend_handles_labels(), fontsize=8, loc="outside lower center", ncols=len(NOUNS))
        put_title(drawn, "What reducing features or labels brings, and what it takes")
    return drawn


def gains_of(evidence: Evidence, family: str, measure: str, predictor: str) -> dict[str, tuple[float, float]]:
    """Return the seconds, and the mean gain at the largest number, of each method of a family that is no control."""
    there = [name for name in SAME.get(predictor, (predictor,)) if name in evidence.predictors(family, measure)]
    if not there:
        return {}
    gains = evidence.gains(family, measure, there[0])
    seconds = evidence.scores.seconds(family)
    gains = gains[gains.index.get_level_values("size").isin(SIZES)]
    largest = gains.sort_index(level="size").groupby("dataset").tail(1).droplevel("size")
    by_group = largest.apply(evidence.of_groups)
    return {
        name: (float(np.exp(np.log(seconds[name].dropna().clip(lower=_LEAST)).mean())), float(by_group[name].mean()))
        for name in gains.columns
        if seconds[name].notna().any()
    }
