"""Figure of all pairs of methods over the data sets, the multiple-comparison matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce.reporting.figures.kinds import Spec, figure, label_of
from mlreduce.reporting.figures.layout import house_style, nothing_to_draw, panels
from mlreduce.reporting.options import AREA, DIRECTIONS, ENERGY, MARGIN, MEASURE, PREDICTOR, SIZE_PERCENT
from mlreduce.reporting.tables.comparisons import comparison_table

__all__ = ["DECIDED", "comparison_matrix", "draw_matrix"]

#: A probability from which on a difference counts as decided, and its text is bold.
DECIDED = 0.95

# Methods from which on a cell has wins, ties and losses alone: three lines for each of 900 pairs cannot be read.
_MANY = 17


@figure(
    "comparisons",
    source="summary.csv",
    required={"measure": MEASURE, "predictor": PREDICTOR, "margin": MARGIN},
    optional={"energy": ENERGY, "size_percent": SIZE_PERCENT, "directions": DIRECTIONS, "area": AREA},
    with_gaps=True,
)
def comparison_matrix(summary: pd.DataFrame, spec: Spec) -> Any:
    """Draw methods by methods: mean difference as colour and number, wins, ties and losses, the largest probability.

    The methods are sorted by their mean difference to the others. A text is bold where a probability is 0.95 or more.
    Of more than 16 methods the numbers are wins, ties and losses alone.
    """
    pairs = comparison_table(summary, spec)
    if pairs.empty:
        raise nothing_to_draw(spec["caption"], "pair of methods on a data set")
    title = f"{measure_label(spec['measure'])}, {pairs['data_sets'].iloc[0]} data sets, margin {spec['margin']:g}"
    names = {method: label_of(spec, method) for method in pairs["method"].unique()}
    side = 1.2 + (0.85 if len(names) < _MANY else 0.42) * len(names)
    with house_style():
        drawn, axes = panels([title], spec["caption"], columns=1, size=(side + 0.8, side))
        draw_matrix(axes[title], pairs, names)
    return drawn


def draw_matrix(axis: Any, pairs: pd.DataFrame, names: Mapping[str, str]) -> None:
    """Draw methods by methods, sorted by their mean difference to the others.

    Parameters
    ----------
    axis : Axes
    pairs : DataFrame
        With `mlreduce.reporting.tables.comparisons.COMPARISON_COLUMNS` but the protocol.
    names : dict of str to str
        What is shown of the methods.
    """
    order = pairs.groupby("method")["mean_difference"].mean().sort_values(ascending=False, kind="stable").index.tolist()
    cells = {(c["method"], c["than"]): c for c in pairs.to_dict("records")}
    # Beside the diagonal, pairs without common values have none.
    matrix = np.array([[cells[a, b]["mean_difference"] if (a, b) in cells else np.nan for b in order] for a in order])
    largest = float(np.nanmax(np.abs(matrix))) or 1.0
    axis.grid(visible=False)
    axis.imshow(matrix, cmap="RdBu", vmin=-largest, vmax=largest, aspect="equal")
    axis.set_xticks(range(len(order)), [names[method] for method in order], rotation=45, ha="right", fontsize=8)
    axis.set_yticks(range(len(order)), [names[method] for method in order], fontsize=8)
    for row, method in enumerate(order):
        for column, other in enumerate(order):
            if (method, other) in cells:
                dark = abs(matrix[row, column]) > 0.6 * largest
                _write(axis, column, row, cells[method, other], dark, short=len(order) >= _MANY)


def _write(axis: Any, column: int, row: int, cell: Mapping[Any, Any], dark: bool, short: bool) -> None:
    chances = {"better": cell["better"], "similar": cell["similar"], "worse": cell["worse"]}
    word = max(chances, key=lambda name: chances[name])
    text = f"{cell['wins']}/{cell['ties']}/{cell['losses']}"
    if not short:
        text = f"{cell['mean_difference']:+.3f}\n{text}\n{word} {chances[word]:.2f}"
    look = {"weight": "bold" if chances[word] >= DECIDED else "normal", "color": "white" if dark else "black"}
    axis.text(column, row, text, ha="center", va="center", fontsize=6, **look)
