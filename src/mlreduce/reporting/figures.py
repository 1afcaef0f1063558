"""Figures, drawn from scores alone and with the same bytes each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd

mpl.use("agg")

import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

__all__ = ["curves", "save"]

# Colour-blind safe (Okabe and Ito), with a marker each so that grey prints can be read too.
_STYLES = (
    {"color": "#D55E00", "marker": "o"},
    {"color": "#0072B2", "marker": "s"},
    {"color": "#009E73", "marker": "^"},
    {"color": "#000000", "marker": "D"},
    {"color": "#CC79A7", "marker": "v"},
    {"color": "#E69F00", "marker": "P"},
)

_NAMES = {
    "hamming-loss": "Hamming loss",
    "encoding-error": "encoding error",
    "prediction-error": "prediction error",
    "loss-bound": "loss bound",
}


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
        From `mlreduce.reporting.tables.summarise`, of one data set and one protocol.
    measures, methods : sequence of str
        What to draw, in this order.
    labels : dict of str to str
        Method to its name in the legend.
    title : str
        Of the whole figure.
    """
    columns = min(2, len(measures))
    rows = -(-len(measures) // columns)
    with mpl.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = plt.subplots(
            rows, columns, figsize=(4.0 * columns, 3.0 * rows), squeeze=False, layout="constrained"
        )
        for position, (axis, measure) in enumerate(zip(axes.flat, measures, strict=False)):
            for style, method in zip(_STYLES, methods, strict=False):
                line = summary[(summary["measure"] == measure) & (summary["method"] == method)]
                line = line.drop_duplicates("size").sort_values("size")
                axis.errorbar(
                    line["size"], line["mean"], yerr=line["se"], label=labels.get(method, method), markersize=4,
                    linewidth=1.2, capsize=1.5, elinewidth=0.8, **style,
                )  # fmt: skip
            axis.set_title(f"({'abcdefgh'[position]}) {_NAMES.get(measure, measure)}", fontsize=9)
            axis.set_xlabel("number of code dimensions M")
            axis.set_ylabel(_NAMES.get(measure, measure))
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            axis.grid(alpha=0.3, linewidth=0.5)
        for axis in axes.flat[len(measures) :]:
            axis.set_visible(False)
        axes.flat[0].legend(frameon=False)
        figure.suptitle(title, fontsize=10)
    return figure


def save(figure: Any, paths: Sequence[str | Path]) -> None:
    """Write a figure in the formats that the suffixes name, without dates or random identifiers."""
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}
    with mpl.rc_context({"svg.hashsalt": "mlreduce", "savefig.dpi": 150}):
        for path in map(Path, paths):
            figure.savefig(path, metadata=metadata[path.suffix])
    plt.close(figure)
