"""Figure of all pairs of methods over the data sets, the multiple-comparison matrix."""

from __future__ import annotations

from typing import Any

import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce.plot.comparisons import LARGEST, draw_matrix
from mlreduce.plot.layout import nothing_to_draw, panels
from mlreduce_studies.figures.kinds import Spec, figure, label_of
from mlreduce_studies.options import AREA, DIRECTIONS, ENERGY, MARGIN, MEASURE, PREDICTOR, SIZE_PERCENT
from mlreduce_studies.tables.comparisons import comparison_table


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
    Of more than 16 methods the best 16 are shown.
    """
    pairs = comparison_table(summary, spec)
    pairs = pairs[pairs["data_sets"] > 0]
    if pairs.empty:
        raise nothing_to_draw(spec["caption"], "pair of methods on a data set")
    title = f"{measure_label(spec['measure'])}, {pairs['data_sets'].iloc[0]} data sets, margin {spec['margin']:g}"
    names = {method: label_of(spec, method) for method in pairs["method"].unique()}
    side = 1.2 + 0.85 * min(len(names), LARGEST)
    drawn, axes = panels([title], spec["caption"], columns=1, size=(side + 0.8, side))
    draw_matrix(axes[title], pairs, names)
    return drawn
