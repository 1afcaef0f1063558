"""Verdicts on claims: lines for the settings that a paper leaves open, and one verdict for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from mlreduce.reporting.verdicts.combination import Evidence, at_least, needed
from mlreduce.reporting.verdicts.quantities import Results
from mlreduce.reporting.verdicts.statements import NotRun, Statement, evidence_on, paired
from mlreduce.reporting.verdicts.tendency import bootstrap_interval, holm, signed_rank, wilcoxon

__all__ = ["LEVEL", "Line", "Verdict", "combined", "decided", "evidence_of", "judge"]

#: Of the p-values for and against.
LEVEL = 0.05

# Numbers of splits, or of data sets, that are tried for what would decide.
_MORE = (10, 20, 50, 100, 200, 500, 1000)

# Of data sets that a tendency needs.
_FEWEST = 5


@dataclass(frozen=True)
class Line:
    """A statement with the data sets that it is about.

    Attributes
    ----------
    name : str
        Of the setting; "" for a claim with one.
    statement : Statement
    datasets : tuple of str
    holds : str or int
        On how many of them: "all", "most", a number, or "tendency".
    second : bool, default=False
        Whether it is shown beside a claim but not counted: on stand-ins for a paper's own data.
    """

    name: str
    statement: Statement
    datasets: tuple[str, ...]
    holds: str | int
    second: bool = False


@dataclass(frozen=True)
class Verdict:
    """What the results say of a line.

    Attributes
    ----------
    verdict : {"confirmed", "refuted", "undecided", "not run"}
    p_for, p_against : float
        NaN where it was not run.
    evidence : str
        Sentences with the numbers.
    """

    verdict: str
    p_for: float
    p_against: float
    evidence: str


def judge(results: Results, line: Line) -> Verdict:
    """Return the verdict on a line.

    Confirmed where the p-value for is at most `LEVEL`, refuted where that against is, undecided otherwise; "not run",
    with what lacks, where results are not there.
    """
    try:
        evidence = evidence_of(results, line)
        said = _seen(results, line)
    except NotRun as lacking:
        return Verdict("not run", np.nan, np.nan, f"Not run: {lacking}.")
    verdict = decided(evidence)
    if verdict == "undecided":
        said += " " + _what_would_decide(results, line)
    return Verdict(verdict, evidence.p_for, evidence.p_against, said)


def combined(verdicts: Sequence[str]) -> str:
    """Return the verdict on a claim from those of its settings: what all say, or undecided."""
    if "not run" in verdicts:
        return "not run"
    return verdicts[0] if len(set(verdicts)) == 1 else "undecided"


def decided(evidence: Evidence) -> str:
    """Return "confirmed", "refuted" or "undecided" by `LEVEL`."""
    if evidence.p_for <= LEVEL:
        return "confirmed"
    return "refuted" if evidence.p_against <= LEVEL else "undecided"


def evidence_of(results: Results, line: Line, more: int | None = None) -> Evidence:
    """Return the evidence on a line; with ``more`` as if there were so many splits, or data sets for a tendency.

    Raises
    ------
    NotRun
        If results that it needs are not there.
    """
    if line.holds == "tendency":
        return _tendency(results, line, more)
    parts = [evidence_on(results, line.statement, dataset, more) for dataset in line.datasets]
    return at_least(needed(len(parts), line.holds), parts)


def _means(results: Results, statement: Statement, pair: tuple[str, str], datasets: Sequence[str]) -> pd.DataFrame:
    """Return mean difference and margin of each data set and cell."""
    rows = []
    for dataset in datasets:
        for cell, own in paired(results, statement, pair, dataset, logs=statement.kind == "ratio").items():
            rows.append((dataset, cell, float(np.mean(own.values)), own.margin))
    return pd.DataFrame(rows, columns=["dataset", "cell", "mean", "margin"])


def _tendency(results: Results, line: Line, more: int | None) -> Evidence:
    if len(line.datasets) < _FEWEST:
        raise NotRun(f"a tendency needs {_FEWEST} data sets, and there are {len(line.datasets)}")
    parts = []
    for pair in line.statement.compared:
        found = _means(results, replace(line.statement, cells="mean"), pair, line.datasets)
        # In units of each data set's margin, which may be relative.
        scaled = bool((found["margin"] > 0).all())
        values = (found["mean"] / found["margin"] if scaled else found["mean"]).to_numpy()
        if more is not None:
            values = np.resize(values, more)
        own = signed_rank(values, float(scaled))
        kind = line.statement.kind
        if kind in ("no-worse", "among-best"):
            probability = own.within + own.above
        elif kind == "similar":
            probability = own.within
        else:
            probability = own.below if kind == "worse" else own.above
        parts.append(Evidence.of(probability))
    return at_least(len(parts), parts)


def _seen(results: Results, line: Line) -> str:
    """Return sentences on what was measured."""
    statement = line.statement
    if statement.kind in ("bound", "monotone", "spread"):
        holds = [
            dataset for dataset in line.datasets if decided(evidence_on(results, statement, dataset)) == "confirmed"
        ]
        return f"It holds on {len(holds)} of {len(line.datasets)} data sets{': ' if holds else ''}{', '.join(holds)}."
    sentences, p_values = [], []
    for method, other in statement.compared:
        found = _means(results, statement, (method, other), line.datasets)
        wins, losses = (found["mean"] > found["margin"]).sum(), (found["mean"] < -found["margin"]).sum()
        by_set = found.groupby("dataset", sort=False)["mean"].mean()
        if statement.kind == "ratio":
            by_set = np.exp(by_set)
        low, high = _interval(results, statement, (method, other), line.datasets, by_set)
        ratio = statement.kind == "ratio"
        counted = "" if ratio else f"{wins} wins, {len(found) - wins - losses} ties, {losses} losses; "
        what = "ratio" if ratio else "mean difference"
        sentences.append(
            f"{method} and {other}: {counted}{what} {by_set.mean():.3g} [{low:.3g}, {high:.3g}]{_ends(by_set)}."
        )
        p_values.append(wilcoxon(by_set.to_numpy()) if statement.kind != "ratio" else np.nan)
    if line.holds == "tendency" and statement.kind != "ratio":
        adjusted = holm(p_values)
        sentences.append(f"Wilcoxon with Holm: {', '.join(f'{p:.2g}' for p in adjusted)}.")
    return " ".join(sentences)


def _ends(by_set: pd.Series[float]) -> str:
    """Name the data sets with the smallest and the largest value."""
    if len(by_set) < 2:
        return ""
    found = sorted(zip(by_set, by_set.index, strict=True))
    (low, at_low), (high, at_high) = found[0], found[-1]
    return f", from {low:.3g} ({at_low}) to {high:.3g} ({at_high})"


def _interval(
    results: Results, statement: Statement, pair: tuple[str, str], datasets: Sequence[str], by_set: pd.Series[float]
) -> tuple[float, float]:
    """Return an interval of the mean: over data sets by the bootstrap, on one by its posterior."""
    if len(by_set) > 1:
        return bootstrap_interval(np.asarray(by_set, dtype=np.float64))
    cells = paired(results, replace(statement, cells="mean"), pair, datasets[0], logs=statement.kind == "ratio")
    low, high = cells["mean"].posterior().interval()
    return (float(np.exp(low)), float(np.exp(high))) if statement.kind == "ratio" else (low, high)


def _what_would_decide(results: Results, line: Line) -> str:
    """Return how many splits, or data sets, would decide if the differences stayed what they are."""
    things = "data sets" if line.holds == "tendency" else "splits"
    if line.statement.kind == "bound":
        return ""
    for number in _MORE:
        verdict = decided(evidence_of(results, line, number))
        if verdict != "undecided":
            return f"With {number} {things} of the same differences: {verdict}."
    return f"{_MORE[-1]} {things} of the same differences would not decide."
