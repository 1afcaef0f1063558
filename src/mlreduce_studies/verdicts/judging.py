"""Verdicts on claims: lines for the settings that a paper leaves open, and one verdict for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlreduce.stats.combination import Evidence, at_least, holds_more_often, needed
from mlreduce.stats.margins import wins_ties_losses
from mlreduce.stats.tendency import bootstrap_interval, holm, wilcoxon
from mlreduce_studies.verdicts.baselines import BASELINE, lacking_baseline, said_of_baseline
from mlreduce_studies.verdicts.quantities import Results
from mlreduce_studies.verdicts.statements import KINDS, Line, Statement
from mlreduce_studies.verdicts.weighing import Difference, Gathered, NotRun, gather, interval_of, weigh

__all__ = [
    "FEWEST",
    "LEVEL",
    "Verdict",
    "combined",
    "decided",
    "differences_of",
    "evidence_of",
    "gathered_for",
    "judge",
]

#: Of the p-values for and against.
LEVEL = 0.05

# Numbers of splits, and of data sets, that are tried for what would decide.
_MORE_SPLITS = (10, 20, 50, 100, 200, 500, 1000)
_MORE_DATASETS = (5, 10, 20, 50, 100)

#: Number of data sets that a tendency needs.
FEWEST = 5


@dataclass(frozen=True)
class Verdict:
    """What the results say of a line."""

    #: One of "confirmed", "refuted", "undecided", "baseline not reproduced", "not run".
    verdict: str
    #: NaN where it was not run.
    p_for: float
    p_against: float
    #: Sentences with the numbers.
    evidence: str
    #: Of two methods each, by data set: the columns of `mlreduce_studies.verdicts.columns.DIFFERENCE_COLUMNS` after the
    #: setting. None of statements that compare no pairs, or compare them by their ratio.
    differences: Sequence[tuple[Any, ...]] = ()


def judge(results: Results, line: Line) -> Verdict:
    """Return the verdict on a line.

    Confirmed where the p-value for is at most `LEVEL`, refuted where that against is, undecided otherwise; "not run",
    with what lacks, where results are not there; "baseline not reproduced", with what our scores say, where it is not.
    """
    try:
        gathered = gathered_for(results, line)
    except NotRun as lacking:
        return Verdict("not run", np.nan, np.nan, f"Not run: {lacking}.")
    evidence = evidence_of(line, gathered)
    verdict = decided(evidence)
    seen = _seen(line, gathered)
    if verdict == "undecided":
        seen += " " + _what_would_decide(line, gathered)
    if unreproduced := lacking_baseline(results.printed, results.proposed, line):
        seen += f" {said_of_baseline(verdict, unreproduced)}"
        verdict = BASELINE
    return Verdict(verdict, evidence.p_for, evidence.p_against, seen, differences_of(line, gathered))


def combined(verdicts: Sequence[str]) -> str:
    """Return the verdict on a claim from those of its settings: what all say, or undecided.

    A setting that was not run, or whose baseline is not reproduced, has none, and so has the claim.
    """
    for missing in ("not run", BASELINE):
        if missing in verdicts:
            return missing
    return verdicts[0] if len(set(verdicts)) == 1 else "undecided"


def decided(evidence: Evidence) -> str:
    """Return "confirmed", "refuted" or "undecided" by `LEVEL`."""
    if evidence.p_for <= LEVEL:
        return "confirmed"
    return "refuted" if evidence.p_against <= LEVEL else "undecided"


def gathered_for(results: Results, line: Line) -> dict[str, Gathered]:
    """Return what is known on a line, by data set; raise NotRun if results that it needs are not there."""
    statement = line.statement
    if line.holds == "tendency":
        if len(line.datasets) < FEWEST:
            raise NotRun(f"a tendency needs {FEWEST} data sets, and there are {len(line.datasets)}")
        statement = replace(statement, cells="mean")
    return {dataset: gather(results, statement, dataset) for dataset in line.datasets}


def evidence_of(
    line: Line, gathered: Mapping[str, Gathered], splits: int | None = None, datasets: int | None = None
) -> Evidence:
    """Return the evidence on a line; with ``splits`` or ``datasets`` as if there were so many of what was measured.

    Data sets are independent, since they share no rows.
    """
    if line.holds == "tendency":
        return _tendency(line, gathered, datasets)
    if line.statement.kind == "more-datasets":
        return _more_datasets(line.statement, gathered, splits)
    parts = [weigh(line.statement, groups, splits) for groups in gathered.values()]
    if datasets is not None:
        parts = [parts[number % len(parts)] for number in range(datasets)]
    return at_least(needed(len(parts), line.holds), parts, independent=line.independent)


def _means(gathered: Mapping[str, Gathered], pair: tuple[str, ...]) -> pd.DataFrame:
    """Return mean difference and margin of each data set and cell of a pair of methods."""
    rows = [
        (dataset, cell, float(np.mean(difference.values)), difference.margin)
        for dataset, groups in gathered.items()
        for cell, difference in groups[pair].items()
        if isinstance(difference, Difference)
    ]
    return pd.DataFrame(rows, columns=["dataset", "cell", "mean", "margin"])


def differences_of(line: Line, gathered: Mapping[str, Gathered]) -> list[tuple[Any, ...]]:
    """Return both methods, data set, mean difference, mean margin, and numbers of cells beyond the margin or within."""
    statement, found = line.statement, []
    if statement.kind in ("bound", "correlation", "monotone", "ratio"):
        return []
    for pair in statement.compared:
        for dataset, part in _means(gathered, pair).groupby("dataset", sort=False):
            counts = wins_ties_losses(part["mean"], part["margin"])
            found.append((*pair, str(dataset), float(part["mean"].mean()), float(part["margin"].mean()), *counts))
    return found


def _tendency(line: Line, gathered: Mapping[str, Gathered], datasets: int | None) -> Evidence:
    """Return the evidence by Wilcoxon's signed-rank tests at the ends of the interval that a kind asks for."""
    parts = []
    for pair in line.statement.compared:
        found = _means(gathered, pair)
        # In units of each data set's margin, which may be relative.
        scaled = bool((found["margin"] > 0).all())
        values = (found["mean"] / found["margin"] if scaled else found["mean"]).to_numpy()
        if datasets is not None:
            values = np.resize(values, datasets)
        low, high = interval_of(KINDS[line.statement.kind], float(scaled), line.statement.options)
        # Differences that only rounding tells from the margin are on it.
        beyond = [np.round(values - low, 9)] if np.isfinite(low) else []
        beyond += [np.round(high - values, 9)] if np.isfinite(high) else []
        ends = [Evidence(wilcoxon(sample, "greater"), wilcoxon(sample, "less")) for sample in beyond]
        parts.append(at_least(len(ends), ends))
    return at_least(len(parts), parts)


def _more_datasets(statement: Statement, gathered: Mapping[str, Gathered], splits: int | None) -> Evidence:
    """Return the evidence that each method is better than a control on more data sets than each of the others."""

    def of_method(method: str) -> list[Evidence]:
        pair = (method, statement.options["control"])
        return [weigh(statement, {pair: groups[pair]}, splits) for groups in gathered.values()]

    pairs = product(statement.methods, statement.than)
    parts = [holds_more_often(of_method(method), of_method(other)) for method, other in pairs]
    return at_least(len(parts), parts)


def _seen(line: Line, gathered: Mapping[str, Gathered]) -> str:
    """Return sentences on what was measured."""
    statement = line.statement
    if statement.kind in ("bound", "monotone"):
        holds = [name for name, groups in gathered.items() if decided(weigh(statement, groups)) == "confirmed"]
        return f"It holds on {len(holds)} of {len(gathered)} data sets{': ' if holds else ''}{', '.join(holds)}."
    if statement.kind == "correlation":
        means = _means(gathered, statement.methods).set_index("dataset")["mean"]
        return f"Rank correlation {means.mean():.2f}{_ends(means)}."
    if "nearer_one_than_on" in statement.options:
        return " ".join(_apart(line, gathered, pair) for pair in statement.compared)
    ratio = statement.kind == "ratio"
    sentences, p_values = [], []
    for method, other in statement.compared:
        found = _means(gathered, (method, other))
        by_set = found.groupby("dataset", sort=False)["mean"].mean()
        low, high = _interval(gathered, (method, other), by_set.to_numpy())
        p_values.append(np.nan if ratio else wilcoxon(by_set.to_numpy()))
        if ratio:
            by_set, low, high = np.exp(by_set), np.exp(low), np.exp(high)
        wins, ties, losses = wins_ties_losses(found["mean"], found["margin"])
        counted = "" if ratio else f"{wins} wins, {ties} ties, {losses} losses; "
        mean = np.exp(np.log(by_set).mean()) if ratio else by_set.mean()
        what = "ratio" if ratio else "mean difference"
        sentences.append(f"{method} and {other}: {counted}{what} {mean:.3g} [{low:.3g}, {high:.3g}]{_ends(by_set)}.")
    if line.holds == "tendency" and not ratio:
        sentences.append(f"Wilcoxon with Holm: {', '.join(f'{p:.2g}' for p in holm(p_values))}.")
    return " ".join(sentences)


def _apart(line: Line, gathered: Mapping[str, Gathered], pair: tuple[str, ...]) -> str:
    """Say by which factor a ratio is farther from one than on other data sets."""
    others = line.statement.options["nearer_one_than_on"]
    factors = np.exp(_means(gathered, pair)["mean"].to_numpy().reshape(len(gathered), len(others)))
    parts = [
        f"on {dataset} the ratio is farther from one by a factor of "
        + ", ".join(f"{factor:.3g} ({other})" for factor, other in zip(row, others, strict=True))
        for dataset, row in zip(gathered, factors, strict=True)
    ]
    return f"{' and '.join(pair)}: {'; '.join(parts)}."


def _ends(by_set: pd.Series[float]) -> str:
    """Name the data sets with the smallest and the largest value."""
    if len(by_set) < 2:
        return ""
    found = sorted(zip(by_set, by_set.index, strict=True))
    (low, at_low), (high, at_high) = found[0], found[-1]
    return f", from {low:.3g} ({at_low}) to {high:.3g} ({at_high})"


def _interval(
    gathered: Mapping[str, Gathered], pair: tuple[str, ...], by_set: NDArray[np.float64]
) -> tuple[float, float]:
    """Return an interval of the mean: over data sets by the bootstrap, on one by its posterior."""
    if len(by_set) > 1:
        return bootstrap_interval(by_set)
    cells = [cell for groups in gathered.values() for cell in groups[pair].values() if isinstance(cell, Difference)]
    values = np.mean([cell.values for cell in cells], axis=0)
    return replace(cells[0], values=values).posterior().interval()


def _what_would_decide(line: Line, gathered: Mapping[str, Gathered]) -> str:
    """Return how many data sets, or splits, would decide if the differences stayed what they are."""
    if line.holds in ("most", "tendency") and len(gathered) > 1 and line.statement.kind != "more-datasets":
        for datasets in _MORE_DATASETS:
            verdict = decided(evidence_of(line, gathered, datasets=datasets))
            if datasets > len(gathered) and verdict != "undecided":
                return f"With {datasets} data sets of the same differences: {verdict}."
        return f"{_MORE_DATASETS[-1]} data sets of the same differences would not decide."
    for splits in _MORE_SPLITS:
        verdict = decided(evidence_of(line, gathered, splits=splits))
        if verdict != "undecided":
            return f"With {splits} splits of the same differences: {verdict}."
    near = [name for name, groups in gathered.items() if decided(weigh(line.statement, groups)) == "undecided"]
    return f"Undecided on {', '.join(near)}, where {_MORE_SPLITS[-1]} splits would not decide." if near else ""
