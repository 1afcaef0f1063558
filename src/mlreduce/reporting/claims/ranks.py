"""Check of the average ranks of methods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mlreduce.metrics import higher_is_better
from mlreduce.reporting.claims.checks import Arguments, check
from mlreduce.reporting.claims.verdicts import ROUNDING, Verdict, chosen, count, covered, decide, joined
from mlreduce.reporting.statistics import critical_difference, rank_methods

__all__ = ["best_average_rank"]


def _one_size(arguments: Arguments, datasets: Sequence[str] | None) -> str:
    both = ("energy" in arguments) == ("size_percent" in arguments)
    return "best-average-rank takes one of 'energy' and 'size_percent'" if both else ""


@check("best-average-rank", rule=_one_size)
def best_average_rank(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    method: str,
    methods: Sequence[str],
    measures: Sequence[str],
    predictor: str,
    protocol: str,
    energy: float = 0.0,
    size_percent: int = 0,
) -> Verdict:
    """Check that a method has the lowest average rank among several.

    Methods are ranked within each data set and measure (1 the best, ties averaged). Ranks are averaged over the
    measures of a data set first and over the data sets after: measures of the same predictions are not independent, so
    that data sets are the blocks of Nemenyi's test.

    Parameters
    ----------
    method : str
        One of ``methods``.
    energy, size_percent : float, int
        One of the two, not 0: which rows of the summary.

    Returns
    -------
    Verdict
        Confirmed where its rank is below all others. Refuted where it exceeds the lowest by more than Nemenyi's
        critical difference at 0.05. Undecided in between.
    """
    rows = summary[
        chosen(summary, protocol, methods, energy, size_percent)
        & (summary["predictor"] == predictor)
        & summary["measure"].isin(measures)
    ]
    found, missing = covered(rows, datasets, methods, "measure", len(measures))
    if not found:
        return Verdict("undecided", missing)
    per_measure = []
    for measure in measures:
        values = rows[rows["measure"] == measure].pivot_table(index="dataset", columns="method", values="mean")
        per_measure.append(rank_methods(values.loc[found, list(methods)], higher_is_better(measure)).to_numpy())
    ranks = pd.Series(np.mean(per_measure, axis=0).mean(axis=0), index=list(methods)).sort_values(kind="stable")
    difference = critical_difference(len(methods), len(found))
    behind = ranks - ranks.iloc[0]
    if ranks.drop(method).min() > ranks[method] + ROUNDING:
        verdict = "confirmed"
    else:
        verdict = "refuted" if behind[method] > difference else "undecided"
    near = [str(name) for name in ranks.index[1:] if not behind[name] > difference]  # of one data set, NaN: all
    test = "one data set has no" if np.isnan(difference) else f"{difference:.2f} is the"
    return decide(
        verdict,
        f"Average ranks over {count(len(found), 'data set')} and {count(len(measures), 'measure')}: "
        f"{', '.join(f'{name} {rank:.2f}' for name, rank in ranks.items())}; {test} critical difference "
        f"(Nemenyi, 0.05), so that {joined(near) or 'no other method'} cannot be told apart from {ranks.index[0]}.",
        missing,
    )
