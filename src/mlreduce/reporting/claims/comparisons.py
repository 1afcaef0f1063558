"""Checks that compare losses over the sizes of a code: of methods, and of one method's sizes.

Standard errors are those of a difference of independent means. Methods share their splits, so that this overstates
them, and only clear differences count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

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

__all__ = ["better_on", "not_worse", "overfits"]

# Name in the evidence to method and predictor.
_Sides: TypeAlias = Mapping[str, tuple[str, str]]

_BOOLEAN = {"type": "boolean"}


@check("not-worse", options={"than": TEXTS, "most": _BOOLEAN})
def not_worse(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    methods: Sequence[str],
    than: Sequence[str],
    measure: str,
    predictor: str,
    protocol: str,
    size_percents: Sequence[int],
    tolerance_se: float = 2.0,
    most: bool = False,
) -> Verdict:
    """Check that each of some methods is nowhere worse than each of some others.

    A cell is a data set, a size and a pair of methods. It fails where the mean is worse by more than ``tolerance_se``
    standard errors of the difference. A data set fails where one of its cells does.

    Parameters
    ----------
    methods, than : sequence of str
        Each of the former is compared with each of the latter.
    tolerance_se : float, default=2.0
        >= 0.
    most : bool, default=False
        For claims that speak of most data sets.

    Returns
    -------
    Verdict
        Confirmed where no cell fails; with ``most``, where fewer than half of the data sets fail. Refuted where more
        than half of the data sets fail. Undecided in between.
    """
    one, other = _sides(methods, predictor), _sides(than, predictor)
    cells, found, missing = _cells(summary, datasets, {**one, **other}, measure, protocol, size_percents)
    if not found:
        return Verdict("undecided", missing)
    pairs = _pairs(cells, one, other, measure, tolerance_se)
    places = [_place(str(name), part) for name, part in pairs.groupby("dataset") if part["worse"].any()]
    failing, total = len(places), len(found)
    confirmed = 2 * failing < total if most else not failing
    return decide(
        "confirmed" if confirmed else "refuted" if 2 * failing > total else "undecided",
        f"{joined(methods)} against {joined(than)} in {measure}: worse by more than {standard_errors(tolerance_se)} "
        f"in {pairs['worse'].sum()} of {count(len(pairs), 'comparison')}, on {failing} of {count(total, 'data set')}"
        + (f": {'; '.join(places)}." if places else "."),
        missing,
    )


def _can_be_better(arguments: Arguments, datasets: Sequence[str] | None) -> str:
    both = [name for name in arguments["methods"] if name in arguments["than"]]
    if both and arguments.get("than_predictor", arguments["predictor"]) == arguments["predictor"]:
        return f"{both[0]!r} is in 'methods' and in 'than', and none is better than itself"
    if datasets and arguments.get("at_least", 0) > len(datasets):
        at_least = arguments["at_least"]
        return f"'at_least' must be at most {len(datasets)}, the number of data sets; got {at_least}"
    return ""


@check(
    "better-on",
    options={
        "than": TEXTS,
        "than_predictor": {"type": "string"},
        "at_least": {"type": "integer", "minimum": 1},
        "somewhere": _BOOLEAN,
    },
    rule=_can_be_better,
)
def better_on(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    methods: Sequence[str],
    than: Sequence[str],
    measure: str,
    predictor: str,
    protocol: str,
    size_percents: Sequence[int],
    than_predictor: str | None = None,
    at_least: int | None = None,
    somewhere: bool = False,
    tolerance_se: float = 1.0,
) -> Verdict:
    """Check on how many data sets each of some methods is better than each of some others.

    At a size they are better, or worse, where the means differ by more than ``tolerance_se`` standard errors of the
    difference. The claim holds on a data set where they are better at every size.

    Parameters
    ----------
    methods, than : sequence of str
        Each of the former is compared with each of the latter.
    than_predictor : str or None, default=None
        Of ``than``; None for the same predictor.
    at_least : int or None, default=None
        On how many data sets the claim is to hold; None for all.
    somewhere : bool, default=False
        Better at one size or more, and worse at none, is enough on a data set.
    tolerance_se : float, default=1.0
        >= 0.

    Returns
    -------
    Verdict
        Confirmed where it holds on ``at_least`` data sets. Refuted where it holds on half as many or fewer. Undecided
        in between.
    """
    named = than_predictor is not None
    one, other = _sides(methods, predictor, named), _sides(than, than_predictor or predictor, named)
    cells, found, missing = _cells(summary, datasets, {**one, **other}, measure, protocol, size_percents)
    if not found:
        return Verdict("undecided", missing)
    pairs = _pairs(cells, one, other, measure, tolerance_se)
    sizes = pairs.groupby(["dataset", "size_percent"]).agg(better=("better", "all"), worse=("worse", "any"))
    counts = sizes.groupby("dataset").sum().loc[found].astype(int).to_dict("index")
    holds, rest = [], []
    for name, at in counts.items():
        if at["better"] and not at["worse"] if somewhere else at["better"] == len(size_percents):
            holds.append(name)
        else:
            worse = f", worse at {at['worse']}" if at["worse"] else ""
            rest.append(f"{name} ({at['better']} of {len(size_percents)}{worse})")
    needed = len(found) if at_least is None else at_least
    return decide(
        "confirmed" if len(holds) >= needed else "refuted" if 2 * len(holds) <= needed else "undecided",
        f"{joined(list(one))} against {joined(list(other))} in {measure}: better by more than "
        f"{standard_errors(tolerance_se)} {'at a size or more and worse at none' if somewhere else 'at every size'} on "
        f"{len(holds)} of {count(len(found), 'data set')}"
        + (f", where {at_least} are claimed" if at_least else "")
        + (f": {', '.join(map(str, holds))}" if holds else "")
        + (f"; sizes at which they are better on the others: {', '.join(rest)}." if rest else "."),
        missing,
    )


def _cured(arguments: Arguments, datasets: Sequence[str] | None) -> str:
    alone = "cured_methods" in arguments and "cured_by" not in arguments
    return "'cured_methods' needs 'cured_by', the predictor that goes with them" if alone else ""


@check("overfits", options={"cured_by": {"type": "string"}, "cured_methods": TEXTS}, rule=_cured)
def overfits(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    methods: Sequence[str],
    measure: str,
    predictor: str,
    protocol: str,
    size_percents: Sequence[int],
    cured_by: str | None = None,
    cured_methods: Sequence[str] | None = None,
    tolerance_se: float = 2.0,
) -> Verdict:
    """Check that methods lose by using the largest size, and, if asked, that they do not with another predictor.

    A method overfits a data set where its mean at the largest size is worse than the best of all sizes by more than
    ``tolerance_se`` standard errors of the difference.

    Parameters
    ----------
    methods : sequence of str
        Each is claimed to overfit.
    cured_by : str or None, default=None
        A predictor with which nothing is claimed to overfit; None to look at ``predictor`` alone.
    cured_methods : sequence of str or None, default=None
        What goes with ``cured_by``; None for ``methods``.
    tolerance_se : float, default=2.0
        >= 0.

    Returns
    -------
    Verdict
        Confirmed where this holds on every data set, refuted where it holds on half of them or fewer. Undecided in
        between.
    """
    ill = _sides(methods, predictor, named=cured_by is not None)
    cured = _sides(cured_methods or methods, cured_by, named=True) if cured_by else {}
    cells, found, missing = _cells(summary, datasets, {**ill, **cured}, measure, protocol, size_percents)
    if not found:
        return Verdict("undecided", missing)
    holds, places = 0, []
    for name in found:
        own = cells[cells["dataset"] == name]
        over = {side: _overfitting(own[own["method"] == side], measure, tolerance_se) for side in [*ill, *cured]}
        holds += all(loses == (side in ill) for side, (loses, _) in over.items())
        places.append(f"{name}: {'; '.join(f'{side} {numbers}' for side, (_, numbers) in over.items())}")
    return decide(
        "confirmed" if holds == len(found) else "refuted" if 2 * holds <= len(found) else "undecided",
        f"As claimed on {holds} of {count(len(found), 'data set')}; {measure} at {max(size_percents)} % against the "
        f"best of all sizes, where more than {standard_errors(tolerance_se)} are overfitting. {'. '.join(places)}.",
        missing,
    )


def _overfitting(sizes: pd.DataFrame, measure: str, tolerance_se: float) -> tuple[bool, str]:
    """Return whether the largest size is clearly worse than the best, and the numbers."""
    cells = sizes.sort_values("size_percent").to_dict("records")
    pick = max if higher_is_better(measure) else min
    best, full = pick(cells, key=lambda cell: cell["mean"]), cells[-1]
    loses = abs(full["mean"] - best["mean"]) > tolerance_se * float(np.hypot(full["se"], best["se"])) + ROUNDING
    return loses, (
        f"{full['mean']:.4f} against {best['mean']:.4f} at {best['size_percent']} %, "
        f"{'overfits' if loses else 'does not'}"
    )


def _sides(methods: Iterable[str], predictor: str, named: bool = False) -> _Sides:
    return {f"{method} with {predictor}" if named else method: (method, predictor) for method in methods}


def _cells(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    sides: _Sides,
    measure: str,
    protocol: str,
    size_percents: Sequence[int],
) -> tuple[pd.DataFrame, list[str], str]:
    """Return each side's rows, under its name, on the data sets that have all; these data sets; what is missing."""
    parts = []
    for name, (method, predictor) in sides.items():
        rows = summary[
            chosen(summary, protocol, [method])
            & (summary["predictor"] == predictor)
            & (summary["measure"] == measure)
            & summary["size_percent"].isin(size_percents)
            & summary["se"].notna()
        ]
        parts.append(rows[["dataset", "size_percent", "mean", "se"]].assign(method=name))
    cells = pd.concat(parts, ignore_index=True)
    found, missing = covered(cells, datasets, list(sides), "size_percent", len(size_percents))
    return cells[cells["dataset"].isin(found)], found, missing


def _pairs(cells: pd.DataFrame, one: _Sides, other: _Sides, measure: str, tolerance_se: float) -> pd.DataFrame:
    """Return one row per data set, size and pair of sides: how much worse the first is, and whether clearly so."""
    pairs = cells[cells["method"].isin(one)].merge(
        cells[cells["method"].isin(other)], on=["dataset", "size_percent"], suffixes=("", "_than")
    )
    pairs = pairs[pairs["method"] != pairs["method_than"]].copy()
    pairs["excess"] = (-1.0 if higher_is_better(measure) else 1.0) * (pairs["mean"] - pairs["mean_than"])
    margin = tolerance_se * np.hypot(pairs["se"], pairs["se_than"]) + ROUNDING
    pairs["worse"], pairs["better"] = pairs["excess"] > margin, pairs["excess"] < -margin
    return pairs


def _place(dataset: str, pairs: pd.DataFrame) -> str:
    worst = pairs[pairs["worse"]].sort_values("excess", kind="stable").to_dict("records")[-1]
    return (
        f"{dataset} ({pairs['worse'].sum()} of {len(pairs)}, the farthest {worst['method']} {worst['mean']:.4f} and "
        f"{worst['method_than']} {worst['mean_than']:.4f} at {worst['size_percent']} %)"
    )
