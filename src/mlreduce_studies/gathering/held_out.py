"""How good advice is on a data set that it was not made from: it, or its group, is left out, and the others rank."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import comb

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from mlreduce.methods.evidence import Traits, weights
from mlreduce.stats.ranking import CONTROLS, MARGIN, Ranking
from mlreduce.stats.ranks import DECIMALS
from mlreduce.validation import FloatArray

__all__ = ["ADVICE", "FIRST", "advice_pays", "leave_one_out", "rates"]

#: Of how many methods, the first ones, one is to be near the best.
FIRST = 3
#: Kinds of advice: the best methods of the other data sets, weighted equally or by similarity; any methods.
ADVICE = ("fixed", "weighted", "random")

# A share of times in which chance alone would let weighted advice win as often.
_LEVEL = 0.05


def leave_one_out(
    ranking: Ranking,
    higher_is_better: bool,
    traits: Mapping[str, Traits],
    controls: Collection[str] = CONTROLS,
    groups: Mapping[str, str] | None = None,
    with_related: bool = False,
) -> pd.DataFrame:
    """Return, for each data set, whether the first methods by the other data sets contain one within the margin.

    Within the margin of the best is here the mean of a method over all settings of the data set that is left out.
    ``traits`` are what the similarity of data sets is computed from. ``controls`` are methods that are neither named
    nor the best. ``groups`` are as of `mlreduce.stats.ranking.rank`; ``with_related`` leaves the data sets of the same
    group out, too. A row per data set has the columns of `ADVICE`: 0 or 1, and of methods at random the probability.
    """
    names = [name for name in ranking.table.index if name not in controls]
    near, ranks, means = (ranking.by_set[key][names] for key in ("near", "rank", "mean"))
    values = means if higher_is_better else -means
    good = values.sub(values.max(axis=1), axis=0).round(DECIMALS) >= -MARGIN
    rows, of_set = [], {name: (groups or {}).get(name, name) for name in ranking.data_sets}
    for name in ranking.data_sets:
        others = [
            other
            for other in ranking.data_sets
            if other != name and not (with_related and of_set[other] == of_set[name])
        ]
        of_others = [of_set[other] for other in others]
        like = np.array(weights([traits[other] for other in others], traits[name], of_others))
        flat = np.array([1 / of_others.count(group) for group in of_others]) / len(set(of_others))
        near_others, ranks_others = near.loc[others], ranks.loc[others]
        of_one = {*good.columns[good.loc[name].to_numpy()]}
        hits = [not of_one.isdisjoint(_first(near_others, ranks_others, shares)) for shares in (flat, like)]
        rows.append([*hits, _by_chance(len(names), len(of_one))])
    return pd.DataFrame(rows, index=pd.Index(ranking.data_sets, name="dataset"), columns=list(ADVICE), dtype=float)


def _first(near: pd.DataFrame, ranks: pd.DataFrame, shares: FloatArray) -> list[str]:
    """Return the first methods by what they are over data sets that count as much as their shares."""
    mean, rank = (values.mul(shares, axis=0).sum().round(DECIMALS) for values in (near, ranks))
    return sorted(near.columns, key=lambda method: (-mean[method], rank[method], method))[:FIRST]


def _by_chance(methods: int, good: int) -> float:
    """Return the probability that one of some methods at random is good."""
    drawn = min(FIRST, methods)
    return 1 - comb(methods - good, drawn) / comb(methods, drawn)


def advice_pays(found: pd.DataFrame) -> bool:
    """Say whether weighted advice is right on more of the data sets than fixed advice, beyond what chance explains."""
    won = int((found["weighted"] > found["fixed"]).sum())
    lost = int((found["weighted"] < found["fixed"]).sum())
    return won > lost and binomtest(won, won + lost, alternative="greater").pvalue < _LEVEL


def rates(found: pd.DataFrame) -> dict[str, float]:
    """Return the share of data sets for each kind of advice, with the interval of 95 % of what is right or wrong."""
    made: dict[str, float] = {}
    for kind in ADVICE:
        made[kind] = float(found[kind].mean())
        if kind != "random":
            ends = binomtest(int(found[kind].sum()), len(found)).proportion_ci(method="wilson")
            made |= {f"{kind}_low": float(ends.low), f"{kind}_high": float(ends.high)}
    return made
