"""Why a claim has its verdict, in a sentence from the tables of its settings and differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce_studies.verdicts.statements import KINDS

# What a difference is of, its unit, and what a positive and a negative one are called.
_UNITS = {
    "seconds": "s",
    "directions": "directions",
    "approximation-error": "approximation error",
    "approximation-error-fall": "fall of the approximation error",
}
_SIDES = {"larger": ("more", "less"), "smaller": ("less", "more")}
_OUTCOMES = {"above": "{0}", "not below": "no {1}", "within": "similar", "below": "{1}"}

# Data sets that a sentence names, at most.
_NAMED = 4


class Pair(NamedTuple):
    """Two methods of a setting over its data sets.

    Attributes
    ----------
    table : DataFrame
        Their rows of claims-differences.csv.
    holds : ndarray of bool
        Of each data set, whether the difference is on the claimed side of the margin.
    inside : ndarray
        How far the mean difference is beyond the claimed limit, in margins; where a margin is 0, in its units.
    pairs : int
        How many pairs the setting has.
    """

    method: str
    other: str
    table: pd.DataFrame
    holds: Any
    inside: Any
    pairs: int


def scope(line: Mapping[Any, Any]) -> str:
    """Return on how many data sets a setting has to hold, in words."""
    names, holds = str(line["datasets"]).split(), str(line["holds"])
    if len(names) == 1:
        return f"on {names[0]}"
    if holds == "tendency":
        return f"as a tendency over {len(names)} data sets"
    if holds == "all":
        return f"on {'both' if len(names) == 2 else f'all {len(names)}'} data sets"
    return f"on {'most' if holds == 'most' else f'at least {holds}'} of {len(names)} data sets"


def telling_pair(line: Mapping[Any, Any], differences: pd.DataFrame) -> Pair | None:
    """Return the pair of a setting that is the farthest from the claimed outcome; None without pairs.

    Where all pairs have to hold, as nearly always, this pair decides the verdict.
    """
    asks = KINDS[line["kind"]].asks if line["kind"] in KINDS else ""
    if differences.empty or not asks:
        return None
    groups = differences.groupby(["method", "other"], sort=False)
    pairs = [_pair(str(method), str(other), asks, group, groups.ngroups) for (method, other), group in groups]
    return min(pairs, key=lambda pair: (pair.holds.mean(), float(np.mean(pair.inside))))


def _pair(method: str, other: str, outcome: str, table: pd.DataFrame, pairs: int) -> Pair:
    difference, margin = table["difference"].to_numpy(float), table["margin"].to_numpy(float)
    won, tied, lost = (table[name].to_numpy(float) for name in ("wins", "ties", "losses"))
    inside, right = {
        "above": (difference - margin, won),
        "not below": (difference + margin, won + tied),
        "within": (margin - np.abs(difference), tied),
        "below": (-difference - margin, lost),
    }[outcome]
    units = np.where(margin > 0, margin, 1.0)
    return Pair(method, other, table, right > (won + tied + lost) / 2, inside / units, pairs)


def effect(line: Mapping[Any, Any], pair: Pair) -> str:
    """Return the size of the effect in a setting: the mean difference with its sign in words, and where it holds.

    Parameters
    ----------
    line : dict
        A row of claims-lines.csv.
    pair : Pair
        From `telling_pair`.
    """
    number = f"{int(pair.holds.sum())} of {len(pair.table)} data sets"
    holds = f"; {_claimed_outcome(line)} on {number}" if len(pair.table) > 1 else ""
    return f"{_difference(line, pair)}{holds} (claimed {scope(line)})"


def picture(line: Mapping[Any, Any], pair: Pair) -> dict[str, Any]:
    """Return where a drawing of a pair has its marks: positions from -1 to 1, 0 where both methods are equal.

    Positions are those of the differences in margins (where a margin is 0, in the largest difference), logarithmic
    beyond one margin.

    Returns
    -------
    dict
        ``points`` (data set, position, whether the sentence holds), ``mean``, ``claimed`` (both ends of the part where
        it holds), ``margin`` (a position, 0 for none), ``sides`` (names of the left and of the right side) and
        ``text``, the same in words.
    """
    difference, margin = (pair.table[name].to_numpy(float) for name in ("difference", "margin"))
    in_margins = bool((margin > 0).all())
    units = difference / (margin if in_margins else np.abs(difference).max() or 1.0)
    scaled = np.sign(units) * np.log2(1 + np.abs(units))
    end = max(2.0, 1.05 * float(np.abs(scaled).max()))
    limit = 1.0 / end if in_margins else 0.0
    outcome = KINDS[str(line["kind"])].asks
    claimed = {"above": (limit, 1.0), "not below": (-limit, 1.0), "within": (-limit, limit), "below": (-1.0, -limit)}
    names = pair.table["dataset"].tolist()
    more, less = _sides(line)
    shown = ", ".join(f"{name} {value:+.3g}" for name, value in zip(names, difference, strict=True))
    number = f"{len(names)} data set{'s' * (len(names) > 1)}"
    return {
        "points": [*zip(names, (scaled / end).tolist(), pair.holds.tolist(), strict=True)],
        "mean": float(np.sign(units.mean()) * np.log2(1 + abs(units.mean())) / end),
        "claimed": claimed[outcome],
        "margin": limit,
        "sides": [less, more],
        "text": f"Difference on {number}, claimed: {_claimed_outcome(line)}. {shown}.",
    }


def reason(line: Mapping[Any, Any], pair: Pair | None) -> str:
    """Return a sentence on why a setting has its verdict.

    Parameters
    ----------
    line : dict
        A row of claims-lines.csv.
    pair : Pair or None
        From `telling_pair`; None for the first sentence of the evidence.

    Returns
    -------
    str
        Both methods, what is measured, the mean difference with its sign in words, how many data sets (or cells) are on
        which side of the margin, the claimed outcome, and the data sets that decide the verdict.
    """
    if pair is None:
        return first_sentence(str(line["evidence"]))
    more, less = _sides(line)
    wins, ties, losses = (int(pair.table[name].sum()) for name in ("wins", "ties", "losses"))
    number = wins + ties + losses
    of = "cells (measure, predictor, size)" if number > len(pair.table) else f"data set{'s' * (number != 1)}"
    margin = f"within the margin of {line['margin']}" if str(line["margin"]) else "within the margin"
    return (
        f"{_difference(line, pair)}; {wins} {more}, {ties} {margin}, {losses} {less} of {number} {of}, "
        f"claimed: {_claimed_outcome(line)} {scope(line)}{_decisive_datasets(str(line['verdict']), pair)}."
    )


def _difference(line: Mapping[Any, Any], pair: Pair) -> str:
    names = f"{pair.method} against {pair.other}"
    if pair.method == pair.other:
        names = f"{pair.method} against itself with another predictor or size"
    least = f", the least favourable of {pair.pairs} pairs" if pair.pairs > 1 else ""
    mean = float(pair.table["difference"].mean())
    average = " on average" if len(pair.table) > 1 else ""
    return (
        f"{names}{least}{_measured(line)}: {abs(mean):.3g}{_unit(line)} {_sides(line)[0 if mean >= 0 else 1]}{average}"
    )


def _sides(line: Mapping[Any, Any]) -> tuple[str, str]:
    return _SIDES.get(str(line["kind"]), ("better", "worse"))


def _claimed_outcome(line: Mapping[Any, Any]) -> str:
    return _OUTCOMES[KINDS[str(line["kind"])].asks].format(*_sides(line))


def _measured(line: Mapping[Any, Any]) -> str:
    names = str(line["measures"]).split()
    if not names or names[0] in _UNITS:
        return ""
    labels = [measure_label(name) for name in names]
    return f" by {labels[0] if len(labels) == 1 else f'the mean of {len(labels)} measures'}"


def _unit(line: Mapping[Any, Any]) -> str:
    unit = _UNITS.get(str(line["measures"]).partition(" ")[0], "")
    return f" {unit}" if unit else ""


def _decisive_datasets(verdict: str, pair: Pair) -> str:
    """Return the names of the data sets that decide a verdict, in words."""
    if len(pair.table) < 2:
        return ""
    order = [int(number) for number in np.argsort(pair.inside, kind="stable")]
    if verdict == "refuted" and not pair.holds.all():
        return f"; against it: {_listed(pair, [number for number in order if not pair.holds[number]])}"
    nearest = [int(number) for number in np.argsort(np.abs(pair.inside), kind="stable")]
    if verdict == "confirmed":
        nearest = [number for number in order if pair.holds[number]][:1]
    return f"; nearest to the limit: {_listed(pair, nearest[:2])}" if nearest else ""


def _listed(pair: Pair, numbers: Sequence[int]) -> str:
    rows = [pair.table.iloc[number] for number in numbers[:_NAMED]]
    more = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return ", ".join(f"{row['dataset']} ({row['difference']:+.3g})" for row in rows) + more


def first_sentence(text: str) -> str:
    """Return the first sentence of a text: up to a full stop before a capital letter.

    Examples
    --------
    >>> first_sentence("By 0.5 more, e.g. on a. It holds.")
    'By 0.5 more, e.g. on a.'
    """
    for number in range(len(text) - 2):
        if text[number : number + 2] == ". " and text[number + 2].isupper():
            return text[: number + 1]
    return text
