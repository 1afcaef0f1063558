"""The matrix of all pairs of methods: differences, wins, ties and losses, and probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["DECIDED", "MANY", "draw_matrix"]

#: A probability from which on a difference counts as decided, and its text is bold.
DECIDED = 0.95

#: Methods from which on a cell has wins, ties and losses alone: three lines for each of 900 pairs cannot be read.
MANY = 17


def draw_matrix(axis: Any, pairs: pd.DataFrame, names: Mapping[str, str]) -> None:
    """Draw methods by methods, sorted by their mean difference to the others.

    Parameters
    ----------
    axis : Axes
    pairs : DataFrame
        As of `mlreduce.evaluation.comparison.Comparison.pairs`: method, than, mean_difference, wins, ties, losses, and
        the probabilities better, similar, worse.
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
                _write(axis, column, row, cells[method, other], dark, short=len(order) >= MANY)


def _write(axis: Any, column: int, row: int, cell: Mapping[Any, Any], dark: bool, short: bool) -> None:
    chances = {"better": cell["better"], "similar": cell["similar"], "worse": cell["worse"]}
    word = max(chances, key=lambda name: chances[name])
    text = f"{cell['wins']}/{cell['ties']}/{cell['losses']}"
    if not short:
        text = f"{cell['mean_difference']:+.3f}\n{text}\n{word} {chances[word]:.2f}"
    look = {"weight": "bold" if chances[word] >= DECIDED else "normal", "color": "white" if dark else "black"}
    axis.text(column, row, text, ha="center", va="center", fontsize=6, **look)
