"""Checks of a paper's claims: functions of a study's summary, each with a verdict and the numbers behind it.

A claim is about the data sets of its study. Where the summary lacks one of them, or a method on it, the verdict is
"undecided" whatever the rest says, and the evidence names what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mlreduce.evaluation.measures import higher_is_better
from mlreduce.reporting.statistics import critical_difference, rank_methods

__all__ = [
    "CHECKS",
    "Verdict",
    "at_most_labels",
    "best_average_rank",
    "needs_more_directions",
    "not_worse",
]

# Differences of means and of ranks below this are rounding errors.
_TINY = 1e-12


class Verdict(NamedTuple):
    """What a check says of a claim.

    Attributes
    ----------
    verdict : {"confirmed", "refuted", "undecided"}
    evidence : str
        One or more sentences with the computed numbers.
    """

    verdict: str
    evidence: str


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
    summary, datasets : DataFrame
        See `mlreduce.reporting.claims.claims_table`.
    method : str
        One of ``methods``.
    methods, measures : sequence of str
    predictor, protocol : str
    energy, size_percent : float, int
        One of the two, not 0: which rows of the summary.

    Returns
    -------
    Verdict
        Confirmed where its rank is below all others. Refuted where it exceeds the lowest by more than Nemenyi's
        critical difference at 0.05. Undecided in between.
    """
    rows = summary[
        _at(summary, protocol, methods, energy, size_percent)
        & (summary["predictor"] == predictor)
        & summary["measure"].isin(measures)
    ]
    found, missing = _covered(rows, datasets, methods, "measure", len(measures))
    if not found:
        return Verdict("undecided", missing)
    per_measure = []
    for measure in measures:
        values = rows[rows["measure"] == measure].pivot_table(index="dataset", columns="method", values="mean")
        per_measure.append(rank_methods(values.loc[found, list(methods)], higher_is_better(measure)).to_numpy())
    ranks = pd.Series(np.mean(per_measure, axis=0).mean(axis=0), index=list(methods)).sort_values(kind="stable")
    difference = critical_difference(len(methods), len(found))
    behind = ranks - ranks.iloc[0]
    if ranks.drop(method).min() > ranks[method] + _TINY:
        verdict = "confirmed"
    else:
        verdict = "refuted" if behind[method] > difference else "undecided"
    near = [str(name) for name in ranks.index[1:] if not behind[name] > difference]  # of one data set, NaN: all
    test = "one data set has no" if np.isnan(difference) else f"{difference:.2f} is the"
    return _decide(
        verdict,
        f"Average ranks over {_count(len(found), 'data set')} and {_count(len(measures), 'measure')}: "
        f"{', '.join(f'{name} {rank:.2f}' for name, rank in ranks.items())}; {test} critical difference "
        f"(Nemenyi, 0.05), so that {_joined(near) or 'no other method'} cannot be told apart from {ranks.index[0]}.",
        missing,
    )


def at_most_labels(summary: pd.DataFrame, datasets: pd.DataFrame, *, methods: Sequence[str], protocol: str) -> Verdict:
    """Check that methods have no more positive eigenvalues than there are labels.

    Their number is the size at 100 percent.

    Parameters
    ----------
    summary, datasets : DataFrame
        See `mlreduce.reporting.claims.claims_table`.
    methods : sequence of str
    protocol : str

    Returns
    -------
    Verdict
        Confirmed where this holds for every method and data set, refuted otherwise.
    """
    rows = summary[_at(summary, protocol, methods, size_percent=100)]
    found, missing = _covered(rows, datasets, methods, "size_percent", 1)
    if not found:
        return Verdict("undecided", missing)
    labels = datasets.set_index("dataset")["labels"]
    sizes = rows[rows["dataset"].isin(found)].groupby(["dataset", "method"])["size"].max()
    ratios = sizes / labels.loc[sizes.index.get_level_values("dataset")].to_numpy()
    dataset, method = ratios.idxmax()
    return _decide(
        "confirmed" if ratios.max() <= 1 + _TINY else "refuted",
        f"The most positive eigenvalues for the labels there are has {method} on {dataset}: {sizes[dataset, method]:g} "
        f"for {labels[dataset]:g} labels, a ratio of {ratios.max():.3f}; {(ratios > 1 + _TINY).sum()} of {len(ratios)} "
        "pairs of method and data set are above 1.",
        missing,
    )


def needs_more_directions(
    summary: pd.DataFrame, datasets: pd.DataFrame, *, method: str, than: str, energy: float, protocol: str
) -> Verdict:
    """Check that a method needs more directions than another to reach the same share of its eigenvalues.

    Parameters
    ----------
    summary, datasets : DataFrame
        See `mlreduce.reporting.claims.claims_table`.
    method, than : str
    energy : float
        The share, in (0, 1].
    protocol : str

    Returns
    -------
    Verdict
        Confirmed where it needs more on every data set. Refuted where it does not on at least half of them. Undecided
        in between.
    """
    rows = summary[_at(summary, protocol, [method, than], energy)]
    found, missing = _covered(rows, datasets, [method, than], "energy", 1)
    if not found:
        return Verdict("undecided", missing)
    sizes = rows.pivot_table(index="dataset", columns="method", values="size").loc[found]
    one, other = sizes[method].to_numpy(dtype=np.float64), sizes[than].to_numpy(dtype=np.float64)
    fails = int((one <= other + _TINY).sum())
    listed = ", ".join(f"{name} {a:g} and {b:g}" for name, a, b in zip(found, one, other, strict=True))
    return _decide(
        "confirmed" if not fails else "refuted" if 2 * fails >= len(found) else "undecided",
        f"At {100 * energy:g} % of the eigenvalues {method} needs more directions than {than} on "
        f"{len(found) - fails} of {_count(len(found), 'data set')}: {listed}.",
        missing,
    )


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
    standard errors of the difference, taken as that of independent means: methods share their splits, so that this
    overstates it and only clear differences fail. A data set fails where one of its cells does.

    Parameters
    ----------
    summary, datasets : DataFrame
        See `mlreduce.reporting.claims.claims_table`.
    methods, than : sequence of str
        Each of the former is compared with each of the latter.
    measure, predictor, protocol : str
    size_percents : sequence of int
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
    rows = summary[
        _at(summary, protocol, [*methods, *than])
        & (summary["predictor"] == predictor)
        & (summary["measure"] == measure)
        & summary["size_percent"].isin(size_percents)
        & summary["se"].notna()
    ]
    found, missing = _covered(
        rows, datasets, list(dict.fromkeys([*methods, *than])), "size_percent", len(size_percents)
    )
    if not found:
        return Verdict("undecided", missing)
    sign = -1.0 if higher_is_better(measure) else 1.0
    cells = rows[rows["dataset"].isin(found)][["dataset", "size_percent", "method", "mean", "se"]]
    pairs = cells[cells["method"].isin(methods)].merge(
        cells[cells["method"].isin(than)], on=["dataset", "size_percent"], suffixes=("", "_than")
    )
    pairs = pairs[pairs["method"] != pairs["method_than"]]
    pairs["excess"] = sign * (pairs["mean"] - pairs["mean_than"])
    pairs["worse"] = pairs["excess"] > tolerance_se * np.hypot(pairs["se"], pairs["se_than"]) + _TINY
    places = [_place(str(name), part) for name, part in pairs.groupby("dataset") if part["worse"].any()]
    failing, total = len(places), len(found)
    confirmed = 2 * failing < total if most else not failing
    return _decide(
        "confirmed" if confirmed else "refuted" if 2 * failing > total else "undecided",
        f"{_joined(methods)} against {_joined(than)} in {measure}: worse by more than {tolerance_se:g} standard errors "
        f"in {pairs['worse'].sum()} of {_count(len(pairs), 'comparison')}, on {failing} of {_count(total, 'data set')}"
        + (f": {'; '.join(places)}." if places else "."),
        missing,
    )


#: Name in a claims file to check.
CHECKS: dict[str, Callable[..., Verdict]] = {
    "best-average-rank": best_average_rank,
    "at-most-labels": at_most_labels,
    "needs-more-directions": needs_more_directions,
    "not-worse": not_worse,
}


def _at(
    summary: pd.DataFrame, protocol: str, methods: Sequence[str], energy: float = 0.0, size_percent: int = 0
) -> pd.Series[bool]:
    """Say which rows are of a protocol, of some methods and, where given, at a threshold or a percentage."""
    chosen = (summary["protocol"] == protocol) & summary["method"].isin(methods) & summary["mean"].notna()
    if energy:
        chosen &= np.isclose(summary["energy"], energy, rtol=0, atol=1e-9)
    if size_percent:
        chosen &= summary["size_percent"] == size_percent
    return chosen


def _covered(
    rows: pd.DataFrame, datasets: pd.DataFrame, methods: Sequence[str], key: str, needed: int
) -> tuple[list[str], str]:
    """Return the data sets on which every method has all its rows, and a sentence on what is missing elsewhere."""
    counts = rows.groupby(["dataset", "method"])[key].nunique()
    found, gaps = [], []
    for name in datasets["dataset"]:
        absent = [method for method in methods if counts.get((name, method), 0) < needed]
        if not absent:
            found.append(str(name))
        elif len(absent) == len(methods):
            gaps.append(str(name))
        else:
            gaps.append(f"{name} ({_joined(absent)})")
    if not len(datasets):
        return found, "This run has no data set."
    return found, f"Missing from this run: {', '.join(gaps)}." if gaps else ""


def _decide(verdict: str, evidence: str, missing: str) -> Verdict:
    return Verdict("undecided", f"{missing} On the rest: {evidence}") if missing else Verdict(verdict, evidence)


def _place(dataset: str, pairs: pd.DataFrame) -> str:
    worst = pairs[pairs["worse"]].sort_values("excess", kind="stable").to_dict("records")[-1]
    return (
        f"{dataset} ({pairs['worse'].sum()} of {len(pairs)}, the farthest {worst['method']} {worst['mean']:.4f} and "
        f"{worst['method_than']} {worst['mean_than']:.4f} at {worst['size_percent']} %)"
    )


def _joined(names: Sequence[Any]) -> str:
    *first, last = map(str, names) if len(names) else ("",)
    return f"{', '.join(first)} and {last}" if first else last


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
