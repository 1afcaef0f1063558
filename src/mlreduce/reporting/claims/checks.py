"""Checks of a paper's claims: functions of a study's results, each with a verdict and the numbers behind it.

A claim is about some data sets. Where the summary lacks one of them, or a method on it, the verdict is "undecided"
whatever the rest says, and the evidence names what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from mlreduce.metrics.measures import higher_is_better
from mlreduce.reporting.claims.approximation import lower_error, slower_by
from mlreduce.reporting.claims.comparisons import better_on, not_worse, overfits
from mlreduce.reporting.claims.curves import alike_on, best_in_most, suits_more
from mlreduce.reporting.claims.orders import group_above, lagging, leading
from mlreduce.reporting.claims.sizes import mostly_better
from mlreduce.reporting.claims.verdicts import ROUNDING, Verdict, chosen, count, covered, decide, joined
from mlreduce.reporting.statistics import critical_difference, rank_methods

__all__ = ["CHECKS", "LOOKS_AT", "at_most_labels", "best_average_rank", "needs_more_directions"]


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
        See `mlreduce.reporting.claims.reading.claims_table`.
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


def at_most_labels(summary: pd.DataFrame, datasets: pd.DataFrame, *, methods: Sequence[str], protocol: str) -> Verdict:
    """Check that methods have no more positive eigenvalues than there are labels.

    Their number is the size at 100 percent.

    Parameters
    ----------
    summary, datasets : DataFrame
        See `mlreduce.reporting.claims.reading.claims_table`.
    methods : sequence of str
    protocol : str

    Returns
    -------
    Verdict
        Confirmed where this holds for every method and data set, refuted otherwise.
    """
    rows = summary[chosen(summary, protocol, methods, size_percent=100)]
    found, missing = covered(rows, datasets, methods, "size_percent", 1)
    if not found:
        return Verdict("undecided", missing)
    labels = datasets.set_index("dataset")["labels"]
    sizes = rows[rows["dataset"].isin(found)].groupby(["dataset", "method"])["size"].max()
    ratios = sizes / labels.loc[sizes.index.get_level_values("dataset")].to_numpy()
    dataset, method = ratios.idxmax()
    return decide(
        "confirmed" if ratios.max() <= 1 + ROUNDING else "refuted",
        f"The most positive eigenvalues for the labels there are has {method} on {dataset}: {sizes[dataset, method]:g} "
        f"for {labels[dataset]:g} labels, a ratio of {ratios.max():.3f}; {(ratios > 1 + ROUNDING).sum()} of "
        f"{len(ratios)} pairs of method and data set are above 1.",
        missing,
    )


def needs_more_directions(
    summary: pd.DataFrame, datasets: pd.DataFrame, *, method: str, than: str, energy: float, protocol: str
) -> Verdict:
    """Check that a method needs more directions than another to reach the same share of its eigenvalues.

    Parameters
    ----------
    summary, datasets : DataFrame
        See `mlreduce.reporting.claims.reading.claims_table`.
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
    rows = summary[chosen(summary, protocol, [method, than], energy)]
    found, missing = covered(rows, datasets, [method, than], "energy", 1)
    if not found:
        return Verdict("undecided", missing)
    sizes = rows.pivot_table(index="dataset", columns="method", values="size").loc[found]
    one, other = sizes[method].to_numpy(dtype=np.float64), sizes[than].to_numpy(dtype=np.float64)
    fails = int((one <= other + ROUNDING).sum())
    listed = ", ".join(f"{name} {a:g} and {b:g}" for name, a, b in zip(found, one, other, strict=True))
    return decide(
        "confirmed" if not fails else "refuted" if 2 * fails >= len(found) else "undecided",
        f"At {100 * energy:g} % of the eigenvalues {method} needs more directions than {than} on "
        f"{len(found) - fails} of {count(len(found), 'data set')}: {listed}.",
        missing,
    )


#: Name in a claims file to check.
CHECKS: dict[str, Callable[..., Verdict]] = {
    "best-average-rank": best_average_rank,
    "at-most-labels": at_most_labels,
    "needs-more-directions": needs_more_directions,
    "not-worse": not_worse,
    "better-on": better_on,
    "overfits": overfits,
    "mostly-better": mostly_better,
    "best-in-most": best_in_most,
    "alike-on": alike_on,
    "suits-more": suits_more,
    "group-above": group_above,
    "lagging": lagging,
    "leading": leading,
    "lower-error": lower_error,
    "slower-by": slower_by,
}

#: Check to the table of results that it looks at, of those that look at another than the summary.
LOOKS_AT = {
    "best-in-most": "areas",
    "alike-on": "areas",
    "suits-more": "areas",
    "lower-error": "approximation",
    "slower-by": "times",
}
