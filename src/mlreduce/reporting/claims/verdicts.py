"""What checks of claims share: verdicts, selection of rows, and missing cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mlreduce.reporting.summary import at_directions

__all__ = ["ROUNDING", "Verdict", "absent", "chosen", "count", "covered", "decide", "joined", "standard_errors"]

#: Differences of means and of ranks below this are rounding errors.
ROUNDING = 1e-12


class Verdict(NamedTuple):
    """The verdict on a claim.

    Attributes
    ----------
    verdict : {"confirmed", "refuted", "undecided"}
    evidence : str
        One or more sentences with the computed numbers.
    """

    verdict: str
    evidence: str


def chosen(
    summary: pd.DataFrame, protocol: str, methods: Sequence[str], energy: float = 0.0, size_percent: int = 0
) -> pd.Series[bool]:
    """Mask of the rows of a protocol, of some methods and, where given, at a threshold or a percentage.

    Of several numbers of directions it is the largest of each method, as in the tables. Checks tell sizes apart by
    percentage and threshold alone: they would compare one method at ten directions with another at a hundred.
    """
    rows = (summary["protocol"] == protocol) & summary["method"].isin(methods) & summary["mean"].notna()
    if energy:
        rows &= np.isclose(summary["energy"], energy, rtol=0, atol=1e-9)
    if size_percent:
        rows &= summary["size_percent"] == size_percent
    numbered = (summary["size_percent"] == 0) & (summary["energy"] == 0)
    return rows & (~numbered | summary.index.isin(at_directions(summary[rows]).index))


def covered(
    rows: pd.DataFrame, datasets: pd.DataFrame, methods: Sequence[str], key: str, needed: int
) -> tuple[list[str], str]:
    """Return the data sets on which all methods have all rows, and a sentence on what is missing on others."""
    counts = rows.groupby(["dataset", "method"])[key].nunique()
    found, gaps = [], []
    for name in datasets["dataset"]:
        lacking = [method for method in methods if counts.get((name, method), 0) < needed]
        if not lacking:
            found.append(str(name))
        elif len(lacking) == len(methods):
            gaps.append(str(name))
        else:
            gaps.append(f"{name} ({joined(lacking)})")
    return found, "" if found and not gaps else absent(gaps)


def absent(names: Sequence[str]) -> str:
    """Return a sentence on the data sets that a run lacks."""
    return f"Missing from this run: {', '.join(names)}." if names else "This run has no data set."


def decide(verdict: str, evidence: str, missing: str) -> Verdict:
    """Return a verdict, "undecided" where something is missing."""
    return Verdict("undecided", f"{missing} On the rest: {evidence}") if missing else Verdict(verdict, evidence)


def joined(names: Sequence[Any]) -> str:
    """Return names as a list in a sentence."""
    *first, last = map(str, names) if len(names) else ("",)
    return f"{', '.join(first)} and {last}" if first else last


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def standard_errors(number: float) -> str:
    """Return a number of standard errors as text."""
    return f"{number:g} standard error" + ("" if number == 1 else "s")
