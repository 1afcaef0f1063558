"""Checks of approximations: their error and the time they save."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mlreduce.reporting.claims.checks import Arguments, check
from mlreduce.reporting.claims.verdicts import ROUNDING, Verdict, count, covered, decide, standard_errors
from mlreduce.reporting.options import SIZE_PERCENTS

__all__ = ["lower_error", "slower_by"]


@check("lower-error", looks_at="approximation", options={"size_percents": SIZE_PERCENTS})
def lower_error(
    errors: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    method: str,
    than: str,
    size_percents: Sequence[int],
    tolerance_se: float = 2.0,
) -> Verdict:
    """Check that the error of an approximation is below that of another at all sizes of the sample.

    A cell is a data set and a size. Standard errors are those of a difference of independent means. Approximations
    share their samples, so that this overstates them.

    Parameters
    ----------
    errors : DataFrame
        Columns dataset, method, size_percent, mean and se, of the error over the samples of a size.
    tolerance_se : float, default=2.0
        >= 0. By how many standard errors of the difference the mean must be lower to be called clearly so.

    Returns
    -------
    Verdict
        Confirmed where the mean is clearly lower in every cell. Refuted where it is not lower, clearly or not, in at
        least half. Undecided in between.
    """
    rows = errors[
        errors["method"].isin([method, than])
        & errors["size_percent"].isin(size_percents)
        & errors["mean"].notna()
        & errors["se"].notna()
    ]
    found, missing = covered(rows, datasets, [method, than], "size_percent", len(size_percents))
    if not found:
        return Verdict("undecided", missing)
    rows = rows[rows["dataset"].isin(found)]
    means, spreads = (rows.pivot(index=["dataset", "size_percent"], columns="method", values=k) for k in ("mean", "se"))
    excess = means[method] - means[than]
    lower = excess < -ROUNDING
    clear = excess < -tolerance_se * np.hypot(spreads[method], spreads[than]) - ROUNDING
    of_sets = lower.groupby(level="dataset").sum().loc[found]
    listed = [f"{name} {number} of {len(size_percents)}" for name, number in of_sets.items()]
    farthest = ""
    if not lower.all():
        # Errors are larger where there are more features: the farthest goes by the ratio.
        ratio = means[method] / means[than].clip(lower=ROUNDING)
        failing = means.assign(ratio=ratio)[~lower].reset_index()
        worst = failing.sort_values("ratio", kind="stable").to_dict("records")[-1]
        farthest = (
            f" Where it is not, the farthest is {worst['dataset']} at {worst['size_percent']} %: {worst[method]:.4g} "
            f"against {worst[than]:.4g}."
        )
    total = len(lower)
    return decide(
        "confirmed" if clear.all() else "refuted" if 2 * (~lower).sum() >= total else "undecided",
        f"The error of {method} is below that of {than} in {lower.sum()} of {count(total, 'cell')} "
        f"({count(len(found), 'data set')}, {count(len(size_percents), 'size')}), by more than "
        f"{standard_errors(tolerance_se)} in {clear.sum()}: {', '.join(listed)}.{farthest}",
        missing,
    )


_POSITIVE = {"type": "number", "exclusiveMinimum": 0}


def _bounds(arguments: Arguments, datasets: Sequence[str] | None) -> str:
    least, most = arguments["least"], arguments.get("most_times", np.inf)
    return "" if most >= least else f"'most_times' must be at least {least:g}, which is 'least'; got {most:g}"


@check("slower-by", looks_at="times", options={"least": _POSITIVE, "most_times": _POSITIVE}, rule=_bounds)
def slower_by(
    times: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    method: str,
    than: str,
    least: float,
    most_times: float | None = None,
) -> Verdict:
    """Check the ratio of the fit times of two methods.

    Parameters
    ----------
    times : DataFrame
        Columns dataset, method, split and seconds. Means over the splits are compared.
    method, than : str
        The time of the former over that of the latter.
    least : float
        > 0.
    most_times : float or None, default=None
        At least ``least``; None where nothing bounds the ratio from above.

    Returns
    -------
    Verdict
        Confirmed where the ratio is within the bounds on every data set. Refuted where it is outside on at least half.
        Undecided in between.
    """
    rows = times[times["method"].isin([method, than]) & times["seconds"].notna()]
    found, missing = covered(rows, datasets, [method, than], "split", 1)
    if not found:
        return Verdict("undecided", missing)
    means = rows.groupby(["dataset", "method"], observed=True)["seconds"].mean().unstack("method").loc[found]
    ratios = means[method] / means[than]
    inside = ratios >= least - ROUNDING
    bounds = f"at least {least:g}"
    if most_times is not None:
        inside &= ratios <= most_times + ROUNDING
        bounds = f"{least:g} to {most_times:g}"
    listed = [
        f"{name} {one / other:.3g} ({one:.3g} and {other:.3g} seconds)"
        for name, one, other in zip(found, means[method], means[than], strict=True)
    ]
    return decide(
        "confirmed" if inside.all() else "refuted" if 2 * (~inside).sum() >= len(found) else "undecided",
        f"The time of {method} over that of {than} is {bounds} on {inside.sum()} of {count(len(found), 'data set')}: "
        f"{', '.join(listed)}.",
        missing,
    )
