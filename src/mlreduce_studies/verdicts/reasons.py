"""Why a claim has its verdict, in one sentence of at most `LONGEST` words, from its settings and differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mlreduce.metrics import measure_label
from mlreduce_studies.verdicts.statements import KINDS

#: Words of a reason, at most.
LONGEST = 25

# What a difference is in where it is in no measure, and what a positive and a negative one are called.
_UNITS = {
    "seconds": "seconds",
    "directions": "directions",
    "approximation-error": "approximation error",
    "approximation-error-fall": "fall of the approximation error",
}
_SIDES = {"larger": ("more", "less"), "smaller": ("less", "more")}
_OUTCOMES = {"above": "{0}", "not below": "no {1}", "within": "similar", "below": "{1}"}


class Pair(NamedTuple):
    """Two methods of a setting over its data sets."""

    method: str
    other: str
    #: Their rows of claims-differences.csv.
    table: pd.DataFrame
    #: Of each data set, whether the difference is on the claimed side of the margin.
    holds: Any
    #: How far the mean difference is beyond the claimed limit, in margins; where a margin is 0, in its units.
    inside: Any
    #: How many pairs the setting has.
    pairs: int


def scope(line: Mapping[Any, Any]) -> str:
    """Return on how many data sets a setting has to hold, and by which margin, in words; "" where it has no scope."""
    names, holds, margin = str(line["datasets"]).split(), str(line["holds"]), str(line["margin"])
    number = len(names)
    texts = {"": "", "tendency": f"as a tendency over {number} data sets", "most": f"on most of {number} data sets"}
    texts["all"] = f"on {'both' if number == 2 else f'all {number}'} data sets"
    text = texts.get(holds, f"on at least {holds} of {number} data sets")
    if number == 1 and holds:
        text = f"on {names[0]}"
    return f"{text}, margin {margin}" if text and margin else text


def telling_pair(line: Mapping[Any, Any], differences: pd.DataFrame) -> Pair | None:
    """Return the pair of a setting that is the farthest from the claimed outcome; None without pairs.

    Where all pairs have to hold, as nearly always, this pair decides the verdict; where one is enough, the nearest.
    """
    asks = KINDS[line["kind"]].asks if line["kind"] in KINDS else ""
    if differences.empty or not asks:
        return None
    of_pair = differences.groupby(["method", "other"], sort=False)
    pairs = [_pair(str(method), str(other), asks, table, len(of_pair)) for (method, other), table in of_pair]
    pairs.sort(key=lambda pair: (pair.holds.mean(), float(np.mean(pair.inside))))
    some_hold = line["verdict"] == "confirmed" and not pairs[0].holds.any()  # where one of the pairs is enough
    return pairs[-1 if some_hold else 0]


def _pair(method: str, other: str, outcome: str, table: pd.DataFrame, pairs: int) -> Pair:
    names = ("difference", "margin", "wins", "ties", "losses")
    difference, margin, won, tied, lost = (table[name].to_numpy(float) for name in names)
    inside, right = {
        "above": (difference - margin, won),
        "not below": (difference + margin, won + tied),
        "within": (margin - np.abs(difference), tied),
        "below": (-difference - margin, lost),
    }[outcome]
    units = np.where(margin > 0, margin, 1.0)
    return Pair(method, other, table, right > (won + tied + lost) / 2, inside / units, pairs)


def reason(line: Mapping[Any, Any], pair: Pair | None, settings: str = "") -> str:
    """Return a sentence on why a setting has its verdict: a row of claims-lines.csv, by `telling_pair`.

    It has both methods, on how many data sets the claimed outcome is seen, on how many it has to be; and where there is
    room, the mean difference with its sign in words, what the ``settings`` of the claim say together, the measure, the
    number of pairs and the opposite outcomes. Without a pair it is the first sentence of the evidence.
    """
    if pair is None:
        return shortened(first_sentence(str(line["evidence"])))
    names = f"{pair.method} against {pair.other}" if pair.method != pair.other else f"Two choices of {pair.method}"
    number, holds = len(pair.table), int(pair.holds.sum())
    parts = {
        "names": names,
        "pairs": f", least favourable of {pair.pairs} pairs" if pair.pairs > 1 else "",
        "measure": measured(line),
        "outcome": f": {claimed_outcome(line)} on {holds} of {number} data sets (claimed: {_wanted(line, number)})",
        "against": _against(line, pair),
        "mean": f", {_difference(line, pair)} on average",
        "settings": f"; {settings}" if settings else "",
    }
    if number == 1:
        dataset, difference, margin = pair.table[["dataset", "difference", "margin"]].iloc[0]
        parts["outcome"] = f": {_difference(line, pair)} on {dataset}"
        parts["mean"] = f", {'more' if abs(difference) > margin else 'less'} than the margin" if margin > 0 else ""
        parts["against"] = f" (claimed: {claimed_outcome(line)})"
    shown = {"names", "outcome"}
    for name in ("mean", "settings", "measure", "pairs", "against"):
        text = "".join(part for key, part in parts.items() if key in {*shown, name})
        if len(text.split()) <= LONGEST:
            shown.add(name)
    return "".join(part for key, part in parts.items() if key in shown) + "."


def _wanted(line: Mapping[Any, Any], number: int) -> str:
    holds = str(line["holds"])
    return {"tendency": "a tendency", "all": f"all {number}", "most": "most"}.get(holds, f"{holds} or more")


def _against(line: Mapping[Any, Any], pair: Pair) -> str:
    """Return on how many data sets the difference is beyond the margin where the claim has it not."""
    difference, margin = pair.table["difference"], pair.table["margin"]
    more, less = _sides(line)
    numbers = {more: int((difference > margin).sum()), less: int((difference < -margin).sum())}
    shown = {"above": [less], "not below": [more], "within": [more, less], "below": [more]}[_asked(line)]
    return "".join(f", {word} on {numbers[word]}" for word in shown)


def _difference(line: Mapping[Any, Any], pair: Pair) -> str:
    mean = float(pair.table["difference"].mean())
    return f"{abs(mean):.3g} {_sides(line)[0 if mean >= 0 else 1]}"


def _asked(line: Mapping[Any, Any]) -> str:
    return KINDS[str(line["kind"])].asks


def _sides(line: Mapping[Any, Any]) -> tuple[str, str]:
    return _SIDES.get(str(line["kind"]), ("better", "worse"))


def claimed_outcome(line: Mapping[Any, Any]) -> str:
    """Return what is claimed of the first method of a setting, such as "better" or "no worse"."""
    return _OUTCOMES[_asked(line)].format(*_sides(line))


def measured(line: Mapping[Any, Any]) -> str:
    """Return what the differences of a setting are in, such as " in Hamming loss"."""
    names = str(line["measures"]).split()
    if not names:
        return ""
    labels = [_UNITS.get(name) or measure_label(name) for name in names]
    return f" in {labels[0]}" if len(labels) == 1 else f" in {len(labels)} measures"


def agreement(verdicts: Sequence[str]) -> str:
    """Return what some settings say together.

    Examples
    --------
    >>> agreement(["confirmed"]), agreement(["refuted"] * 3), agreement(["refuted", "undecided"])
    ('', 'all 3 settings agree', 'its settings disagree')
    """
    if len(verdicts) < 2:
        return ""
    if len(set(verdicts)) > 1:
        return "its settings disagree"
    return "both settings agree" if len(verdicts) == 2 else f"all {len(verdicts)} settings agree"


def shortened(sentence: str) -> str:
    """Return a sentence of at most `LONGEST` words: where it is longer, its last clause that ends before that.

    Examples
    --------
    >>> shortened("It holds on 2 of 2 data sets: a, b."), shortened(f"By rows, for all{' of them' * 20}.")
    ('It holds on 2 of 2 data sets: a, b.', 'By rows…')
    """
    words = sentence.split()
    if len(words) <= LONGEST:
        return sentence
    ends = [number for number in range(1, LONGEST) if words[number - 1].endswith((",", ";", ":"))]
    return " ".join(words[: max(ends, default=LONGEST - 1)]).rstrip(",;:") + "…"


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
