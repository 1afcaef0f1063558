"""Checks that compare methods by the areas under their curves: how good a selection is, whatever its size.

A panel is a data set, a predictor and a measure. Standard errors are those of a difference of independent means.
Methods share their splits, so that this overstates them, and only clear differences count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from mlreduce.metrics import higher_is_better
from mlreduce.reporting.claims.checks import TEXTS, Arguments, check
from mlreduce.reporting.claims.verdicts import (
    ROUNDING,
    Verdict,
    chosen,
    count,
    covered,
    decide,
    joined,
    standard_errors,
)

__all__ = ["alike_on", "best_in_most", "suits_more"]

_PANEL = ["dataset", "predictor", "measure"]
_SHARE = {"type": "number", "exclusiveMinimum": 0, "maximum": 1}


class _Panels(NamedTuple):
    """Areas, panels by methods: the greater the better, and their standard errors."""

    gains: pd.DataFrame
    errors: pd.DataFrame


@check("best-in-most", looks_at="areas")
def best_in_most(
    areas: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    method: str,
    methods: Sequence[str],
    measures: Sequence[str],
    predictors: Sequence[str],
    protocol: str,
    tolerance_se: float = 2.0,
) -> Verdict:
    """Check that a method has the best area in most panels.

    Parameters
    ----------
    areas : DataFrame
        As the summary of `mlreduce.reporting.claims.reading.claims_table`, of
        `mlreduce.reporting.areas.area_scores`.
    method : str
        One of ``methods``.
    tolerance_se : float, default=2.0
        >= 0. By how many standard errors of the difference the best must be ahead of the second to be called clearly
        so, in the evidence; the verdict goes by the means alone.

    Returns
    -------
    Verdict
        Confirmed where the method is ahead of all others in more than half of the panels. Refuted where it is ahead, or
        shares the lead, in fewer than half. Undecided in between.
    """
    panels, found, missing = _panels(areas, datasets, methods, measures, predictors, protocol)
    if not found:
        return Verdict("undecided", missing)
    leads = pd.DataFrame({name: _lead(panels.gains, name) for name in methods})
    ahead, total = leads > ROUNDING, len(leads)
    shared = int((leads[method].abs() <= ROUNDING).sum())
    second = panels.gains.drop(columns=method).to_numpy().argmax(axis=1)
    error = panels.errors.drop(columns=method).to_numpy()[np.arange(total), second]
    clear = leads[method] > tolerance_se * np.hypot(panels.errors[method], error) + ROUNDING
    wins = ahead.sum().astype(int)
    of_predictors = ahead[method].groupby(level="predictor").agg(["sum", "size"]).loc[list(predictors)]
    parts = [f"{wins} of {size} with {name}" for name, wins, size in of_predictors.itertuples()]
    others = [f"{name} {wins[name]}" for name in methods if name != method]
    return decide(
        "confirmed" if 2 * wins[method] > total else "refuted" if 2 * (wins[method] + shared) < total else "undecided",
        f"{method} has the best area in {wins[method]} of {count(total, 'panel')} "
        f"({_panels_are(found, predictors, measures)}): {joined(parts)}; ahead of the second by more than "
        f"{standard_errors(tolerance_se)} in {int(clear.sum())}"
        + (f"; it shares the lead in {shared}" if shared else "")
        + f". Panels in which another is the best: {', '.join(others)}.",
        missing,
    )


def _several(arguments: Arguments, datasets: Sequence[str] | None) -> str:
    methods = arguments["methods"]
    return f"alike-on needs at least two methods; got {methods}" if len(methods) < 2 else ""


@check("alike-on", looks_at="areas", options={"within": _SHARE}, rule=_several)
def alike_on(
    areas: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    methods: Sequence[str],
    measures: Sequence[str],
    predictors: Sequence[str],
    protocol: str,
    within: float,
    tolerance_se: float = 2.0,
) -> Verdict:
    """Check that it makes little difference which of some methods is used.

    Methods are alike in a panel where the gap between the best and the worst area is at most ``within`` of the mean
    over the methods. That no difference is significant would not do: with few splits none is. A gap relative to the
    gain over chance would not either: where no selection gains anything all are alike, and nothing is left to compare
    with.

    Parameters
    ----------
    within : float
        In (0, 1].
    tolerance_se : float, default=2.0
        >= 0. By how many standard errors of the difference of the best and the worst a gap must exceed what is allowed
        for the methods to be called apart.

    Returns
    -------
    Verdict
        Confirmed where they are alike in every panel. Refuted where they are apart in at least half. Undecided in
        between.
    """
    panels, found, missing = _panels(areas, datasets, methods, measures, predictors, protocol)
    if not found:
        return Verdict("undecided", missing)
    gains, errors, rows = panels.gains.to_numpy(), panels.errors.to_numpy(), np.arange(len(panels.gains))
    best, worst = gains.argmax(axis=1), gains.argmin(axis=1)
    gaps, level = gains[rows, best] - gains[rows, worst], np.abs(gains.mean(axis=1))
    excess = gaps - within * level
    alike = excess <= ROUNDING
    apart = excess > tolerance_se * np.hypot(errors[rows, best], errors[rows, worst]) + ROUNDING
    relative = panels.gains.index.to_frame(index=False)
    relative["gap"] = np.divide(gaps, level, out=np.zeros_like(gaps), where=level > 0)
    places = []
    for name in found:
        own = relative[relative["dataset"] == name]
        farthest = own.sort_values("gap", kind="stable").to_dict("records")[-1]
        at_most = f"at most {100 * farthest['gap']:.1f} % ({farthest['measure']} with {farthest['predictor']})"
        places.append(f"{name} {100 * own['gap'].median():.1f} %, {at_most}")
    return decide(
        "confirmed" if alike.all() else "refuted" if 2 * apart.sum() >= len(apart) else "undecided",
        f"The best and the worst area of {joined(methods)} are within {100 * within:g} % of the mean in {alike.sum()} "
        f"of {count(len(alike), 'panel')} ({_panels_are(found, predictors, measures)}), and farther apart by more than "
        f"{standard_errors(tolerance_se)} in {apart.sum()}. Median gaps: {'; '.join(places)}.",
        missing,
    )


def _different(arguments: Arguments, datasets: Sequence[str] | None) -> str:
    every = [*arguments["methods"], *arguments["than"], arguments["control"]]
    twice = [name for name in every if every.count(name) > 1]
    return f"{twice[0]!r} is in two of 'methods', 'than' and 'control', which must differ" if twice else ""


@check("suits-more", looks_at="areas", options={"than": TEXTS, "control": {"type": "string"}}, rule=_different)
def suits_more(
    areas: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    methods: Sequence[str],
    than: Sequence[str],
    control: str,
    measures: Sequence[str],
    predictors: Sequence[str],
    protocol: str,
    tolerance_se: float = 2.0,
) -> Verdict:
    """Check that each of some methods suits more data sets than each of some others.

    In a panel a method is better, or worse, than the control where the areas differ by more than ``tolerance_se``
    standard errors of the difference. It suits a data set where it is better in more than half of the panels and worse
    in none.

    Parameters
    ----------
    control : str
        What a method must beat to be of use, such as the mean over random rankings.
    tolerance_se : float, default=2.0
        >= 0.

    Returns
    -------
    Verdict
        Confirmed where this holds of every pair of a method and another. Refuted where it holds of half of them or
        fewer. Undecided in between.
    """
    everyone = list(dict.fromkeys([*methods, *than, control]))
    panels, found, missing = _panels(areas, datasets, everyone, measures, predictors, protocol)
    if not found:
        return Verdict("undecided", missing)
    suited: dict[str, list[str]] = {}
    for name in [*methods, *than]:
        excess = panels.gains[name] - panels.gains[control]
        margin = tolerance_se * np.hypot(panels.errors[name], panels.errors[control]) + ROUNDING
        better = (excess > margin).groupby(level="dataset").mean() > 0.5
        worse = (excess < -margin).groupby(level="dataset").any()
        suited[name] = [dataset for dataset in found if better[dataset] and not worse[dataset]]
    holds = [len(suited[one]) > len(suited[other]) for one in methods for other in than]
    listed = []
    for name, own in suited.items():
        rest = [dataset for dataset in found if dataset not in own]
        listed.append(f"{name} {len(own)}" + (f" (not {joined(rest)})" if rest else ""))
    return decide(
        "confirmed" if all(holds) else "refuted" if 2 * sum(holds) <= len(holds) else "undecided",
        f"Data sets of {len(found)} on which the area is better than that of {control} by more than "
        f"{standard_errors(tolerance_se)} in most panels ({_of_each(predictors, measures)}) and worse in none: "
        f"{'; '.join(listed)}.",
        missing,
    )


def _panels(
    areas: pd.DataFrame,
    datasets: pd.DataFrame,
    methods: Sequence[str],
    measures: Sequence[str],
    predictors: Sequence[str],
    protocol: str,
) -> tuple[_Panels, list[str], str]:
    """Return the panels of the data sets on which every method has all; these data sets; what is missing."""
    rows = areas[
        chosen(areas, protocol, methods)
        & areas["predictor"].isin(predictors)
        & areas["measure"].isin(measures)
        & (areas["size_percent"] == 0)
        & (areas["energy"] == 0)
        & areas["se"].notna()
    ]
    rows = rows.assign(panel=rows["predictor"] + " " + rows["measure"])
    found, missing = covered(rows, datasets, methods, "panel", len(predictors) * len(measures))
    rows = rows[rows["dataset"].isin(found)]
    means, errors = (rows.pivot(index=_PANEL, columns="method", values=key) for key in ("mean", "se"))
    if not found:  # and so no column to name
        return _Panels(means, errors), found, missing
    signs = [1.0 if higher_is_better(measure) else -1.0 for measure in means.index.get_level_values("measure")]
    return _Panels(means[list(methods)].mul(signs, axis=0), errors[list(methods)]), found, missing


def _lead(gains: pd.DataFrame, method: str) -> pd.Series[float]:
    """Return by how much a method is ahead of the best other in each panel."""
    return gains[method] - gains.drop(columns=method).max(axis=1)


def _panels_are(found: Sequence[str], predictors: Sequence[str], measures: Sequence[str]) -> str:
    return f"{count(len(found), 'data set')}, {_of_each(predictors, measures)}"


def _of_each(predictors: Sequence[str], measures: Sequence[str]) -> str:
    return f"{count(len(predictors), 'predictor')}, {count(len(measures), 'measure')}"
