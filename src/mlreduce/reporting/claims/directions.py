"""Checks of the number of directions that projections find or need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mlreduce.reporting.claims.checks import check
from mlreduce.reporting.claims.verdicts import ROUNDING, Verdict, chosen, count, covered, decide

__all__ = ["at_most_labels", "needs_more_directions"]


@check("at-most-labels")
def at_most_labels(summary: pd.DataFrame, datasets: pd.DataFrame, *, methods: Sequence[str], protocol: str) -> Verdict:
    """Check that methods have no more positive eigenvalues than there are labels.

    Their number is the size at 100 percent.

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


@check("needs-more-directions")
def needs_more_directions(
    summary: pd.DataFrame, datasets: pd.DataFrame, *, method: str, than: str, energy: float, protocol: str
) -> Verdict:
    """Check that a method needs more directions than another to reach the same share of its eigenvalues.

    Parameters
    ----------
    energy : float
        The share, in (0, 1].

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
