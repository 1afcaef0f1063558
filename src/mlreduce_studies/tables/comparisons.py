"""Table of all pairs of methods over the data sets, the multiple-comparison matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.metrics import higher_is_better
from mlreduce.stats.margins import wins_ties_losses
from mlreduce.stats.tendency import bootstrap_interval, signed_rank
from mlreduce_studies.gathering.failed_cells import GAP
from mlreduce_studies.options import AREA, DIRECTIONS, ENERGY, MARGIN, MEASURE, PREDICTOR, SIZE_PERCENT
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part
from mlreduce_studies.tables.ranked import left_out, means_of, ranked_table, why_left_out

#: Columns of a table of pairs: differences are positive where the method is better than the other.
COMPARISON_COLUMNS = (
    *("protocol", "method", "than", "data_sets", "mean_difference", "low", "high"),
    *("wins", "ties", "losses", "better", "similar", "worse"),
)


def comparison_parts(pairs: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay pairs out: one part per protocol, methods by methods."""
    for protocol, part in pairs.groupby("protocol", sort=True):
        cells = {(c["method"], c["than"]): c for c in part.to_dict("records")}
        methods = [method for method in spec["methods"] if any(method in pair for pair in cells)]
        rows = [
            [method, *(_cell(cells[method, other]) if (method, other) in cells else "" for other in methods)]
            for method in methods
        ]
        title = f"{protocol}, {part['data_sets'].iloc[0]} data sets"
        yield str(protocol), title, ["method", *methods], rows


def _cell(cell: Mapping[Any, Any]) -> str:
    if not cell["data_sets"]:
        return GAP
    numbers = f"{cell['wins']:.0f}/{cell['ties']:.0f}/{cell['losses']:.0f}"
    chances = ", ".join(f"{cell[name]:.2f}" for name in ("better", "similar", "worse"))
    return f"{cell['mean_difference']:+.3g}; {numbers}; {chances}"


@table(
    "comparisons",
    source="summary.csv",
    layout=comparison_parts,
    with_gaps=True,
    required={"measure": MEASURE, "predictor": PREDICTOR, "margin": MARGIN},
    optional={"energy": ENERGY, "size_percent": SIZE_PERCENT, "directions": DIRECTIONS, "area": AREA},
    note="The method of the row against that of the column: mean difference over the data sets, positive where the row "
    "is better; wins/ties/losses by the margin; probabilities that it is better, similar and worse by the Bayesian "
    "signed-rank test with that margin.",
)
def comparison_table(summary: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Compare each pair of methods over the data sets.

    After Ismail-Fawaz et al. (2023), "An approach to multiple comparison benchmark evaluations that is stable under
    manipulation of the comparate set"; Benavoli et al. (2017), JMLR 18. ``spec`` is as of
    `mlreduce_studies.tables.ranked.ranked_table`, with ``margin``: a difference of at most so much, in units of the
    measure, is a tie. Returns `COMPARISON_COLUMNS`, in the order of the methods. Data sets on which a method failed are
    left out; their number is then in the column ``left_out``, and ``reason`` says why. NaN where no data set is left.
    """
    methods, margin = spec["methods"], spec["margin"]
    sign = 1 if higher_is_better(spec["measure"]) else -1
    rows = []
    ranked = ranked_table(summary, spec)
    for protocol, part in ranked.groupby("protocol", sort=True):
        means = means_of(part, methods)
        if means.empty:
            unknown = [np.nan] * (len(COMPARISON_COLUMNS) - 4)
            rows += [(protocol, method, other, 0, *unknown) for method, other in permutations(methods, 2)]
            continue
        for method, other in permutations(methods, 2):
            differences = sign * (means[method] - means[other]).to_numpy(dtype=np.float64)
            counts, regions = wins_ties_losses(differences, margin), signed_rank(differences, margin)
            mean, interval = float(differences.mean()), bootstrap_interval(differences)
            rows.append((protocol, method, other, len(differences), mean, *interval, *counts, *reversed(regions)))
    pairs = pd.DataFrame(rows, columns=list(COMPARISON_COLUMNS))
    gaps = {protocol: left_out(part) for protocol, part in ranked.groupby("protocol")}
    if not any(gaps.values()):
        return pairs
    why = {protocol: why_left_out([ranked[ranked["protocol"] == protocol]]) for protocol in gaps}
    return pairs.assign(
        left_out=[len(gaps[protocol]) for protocol in pairs["protocol"]],
        reason=["; ".join(why[protocol].values()) for protocol in pairs["protocol"]],
    )
