"""Check of the share of sizes, over several measures and predictors, at which a method is better than another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mlreduce.metrics import higher_is_better
from mlreduce.reporting.claims.checks import check
from mlreduce.reporting.claims.verdicts import ROUNDING, Verdict, chosen, count, covered, decide, standard_errors

__all__ = ["mostly_better"]

_CELL = ["dataset", "predictor", "measure", "size_percent"]


@check("mostly-better", options={"share": {"type": "number", "exclusiveMinimum": 0.5, "maximum": 1}})
def mostly_better(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    method: str,
    than: str,
    measures: Sequence[str],
    predictors: Sequence[str],
    protocol: str,
    share: float,
    tolerance_se: float = 2.0,
) -> Verdict:
    """Check that a method is better than another nearly everywhere.

    A cell is a data set, a predictor, a measure and a size: every percentage below 100 that the summary has of the two
    (at 100 nothing is selected, and both are the same).

    Parameters
    ----------
    share : float
        In (0.5, 1]. In what share of the cells the method is claimed to be better.
    tolerance_se : float, default=2.0
        >= 0. By how many standard errors of the difference means must differ to be called clearly apart, in the
        evidence; the verdict goes by the means alone. Standard errors are those of a difference of independent means.

    Returns
    -------
    Verdict
        Confirmed where the mean is better in at least ``share`` of the cells. Refuted where it is in at most half.
        Undecided in between.
    """
    rows = summary[
        chosen(summary, protocol, [method, than])
        & summary["predictor"].isin(predictors)
        & summary["measure"].isin(measures)
        & summary["size_percent"].between(1, 99)
        & (summary["energy"] == 0)
        & summary["se"].notna()
    ]
    sizes = rows["size_percent"].nunique()
    needed = max(len(predictors) * len(measures) * sizes, 1)
    rows = rows.assign(cell=rows["predictor"] + " " + rows["measure"] + " " + rows["size_percent"].astype(str))
    found, missing = covered(rows, datasets, [method, than], "cell", needed)
    if not found:
        return Verdict("undecided", missing)
    rows = rows[rows["dataset"].isin(found)]
    means, spreads = (rows.pivot(index=_CELL, columns="method", values=key) for key in ("mean", "se"))
    signs = [1.0 if higher_is_better(measure) else -1.0 for measure in means.index.get_level_values("measure")]
    gains = (means[method] - means[than]) * signs
    margin = tolerance_se * np.hypot(spreads[method], spreads[than]) + ROUNDING
    better, total = gains > ROUNDING, len(gains)
    listed = [
        f"{name} {number} of {total // len(found)}"
        for name, number in better.groupby(level="dataset").sum().loc[found].items()
    ]
    return decide(
        "confirmed" if better.mean() >= share - ROUNDING else "refuted" if 2 * better.sum() <= total else "undecided",
        f"{method} is better than {than} in {better.sum()} of {count(total, 'cell')} ({count(len(found), 'data set')}, "
        f"{count(len(predictors), 'predictor')}, {count(len(measures), 'measure')}, {count(sizes, 'size')}), where "
        f"{100 * share:g} % are claimed: {', '.join(listed)}. By more than {standard_errors(tolerance_se)} it is "
        f"better in {(gains > margin).sum()} and worse in {(gains < -margin).sum()}.",
        missing,
    )
