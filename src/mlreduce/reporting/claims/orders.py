"""Checks of the order of methods on each data set: which lead, which lag, and which family is ahead.

Methods are compared by their means at one size: a percentage, or with ``size_percent=0`` the number of dimensions of
the study.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mlreduce.metrics import higher_is_better
from mlreduce.reporting.claims.checks import TEXTS, check
from mlreduce.reporting.claims.verdicts import Verdict, chosen, count, covered, decide, joined
from mlreduce.reporting.statistics import rank_methods

__all__ = ["group_above", "lagging", "leading"]


@check("group-above", options={"than": TEXTS})
def group_above(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    methods: Sequence[str],
    than: Sequence[str],
    measure: str,
    predictor: str,
    protocol: str,
    size_percent: int = 0,
) -> Verdict:
    """Check that a family of methods is ahead of another.

    It is on a data set where its best method is better than the best of the others, and more than half of all pairs
    of one and another are in its favour.

    Parameters
    ----------
    methods, than : sequence of str
        The two families.

    Returns
    -------
    Verdict
        Confirmed where it is ahead on all data sets. Refuted where on at most half of them. Undecided in between.
    """
    means, missing = _means(summary, datasets, [*methods, *than], measure, predictor, protocol, size_percent)
    if not len(means):
        return Verdict("undecided", missing)
    ahead, said = [], []
    for name, row in means.iterrows():
        own, others = row[list(methods)], row[list(than)]
        wins = sum(int(value > other) for value in own for other in others)
        ahead.append(own.max() > others.max() and 2 * wins > len(own) * len(others))
        said.append(
            f"{name} best {abs(own.max()):.4f} ({own.idxmax()}) against {abs(others.max()):.4f} ({others.idxmax()}), "
            f"{wins} of {count(len(own) * len(others), 'pair')}"
        )
    return decide(
        "confirmed" if all(ahead) else "refuted" if 2 * sum(ahead) <= len(ahead) else "undecided",
        f"Ahead in {measure} on {sum(ahead)} of {count(len(ahead), 'data set')}: {'; '.join(said)}.",
        missing,
    )


@check("lagging")
def lagging(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    method: str,
    methods: Sequence[str],
    measure: str,
    predictor: str,
    protocol: str,
    size_percent: int = 0,
) -> Verdict:
    """Check that a method is in the lower half of several.

    Parameters
    ----------
    method : str
        One of ``methods``.

    Returns
    -------
    Verdict
        Confirmed where its rank is below the middle on all data sets. Refuted where on at most half of them. Undecided
        in between.
    """
    means, missing = _means(summary, datasets, methods, measure, predictor, protocol, size_percent)
    if not len(means):
        return Verdict("undecided", missing)
    ranks = rank_methods(means, higher_is_better=True)[method]
    behind = ranks > (len(methods) + 1) / 2
    said = ", ".join(f"{name} {rank:g}" for name, rank in ranks.items())
    return decide(
        "confirmed" if behind.all() else "refuted" if 2 * behind.sum() <= len(behind) else "undecided",
        f"The rank of {method} in {measure} among {count(len(methods), 'method')}: {said}.",
        missing,
    )


@check("leading", options={"among": TEXTS, "number": {"type": "integer", "minimum": 1}})
def leading(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    *,
    methods: Sequence[str],
    among: Sequence[str],
    number: int,
    measure: str,
    predictor: str,
    protocol: str,
    size_percent: int = 0,
) -> Verdict:
    """Check that the best of several methods are all of one family.

    Parameters
    ----------
    methods : sequence of str
        The family.
    among : sequence of str
        All methods that are compared; the family is part of them.
    number : int
        How many of the best.

    Returns
    -------
    Verdict
        Confirmed where the best ``number`` are of the family on all data sets. Refuted where on at most half of them.
        Undecided in between.
    """
    means, missing = _means(summary, datasets, among, measure, predictor, protocol, size_percent)
    if not len(means):
        return Verdict("undecided", missing)
    holds, said = [], []
    for name, row in means.iterrows():
        best = row.sort_values(ascending=False, kind="stable").head(number)
        holds.append(set(best.index) <= set(methods))
        listed = joined([f"{method} {abs(value):.4f}" for method, value in best.items()])
        first = row[list(methods)].max()
        said.append(f"{name} {listed} (of the family {abs(first):.4f} at best)")
    return decide(
        "confirmed" if all(holds) else "refuted" if 2 * sum(holds) <= len(holds) else "undecided",
        f"The best {number} in {measure} are of the family on {sum(holds)} of {count(len(holds), 'data set')}: "
        f"{'; '.join(said)}.",
        missing,
    )


def _means(
    summary: pd.DataFrame,
    datasets: pd.DataFrame,
    methods: Sequence[str],
    measure: str,
    predictor: str,
    protocol: str,
    size_percent: int,
) -> tuple[pd.DataFrame, str]:
    """Return means, data sets by methods, the greater the better, on the data sets that have all; what is missing."""
    rows = summary[
        chosen(summary, protocol, methods)
        & (summary["size_percent"] == size_percent)
        & (summary["energy"] == 0)
        & (summary["measure"] == measure)
        & (summary["predictor"] == predictor)
    ]
    found, missing = covered(rows, datasets, methods, "measure", 1)
    means = rows[rows["dataset"].isin(found)].pivot(index="dataset", columns="method", values="mean")
    sign = 1.0 if higher_is_better(measure) else -1.0
    return sign * means.reindex(index=found, columns=list(dict.fromkeys(methods))), missing
