"""How far verdicts depend on the margin, the scope, the settings and the way in which data sets are combined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import pandas as pd

from mlreduce_studies.verdicts.baselines import BASELINE, lacking_baseline
from mlreduce_studies.verdicts.judging import FEWEST, combined, decided, evidence_of, gathered_for
from mlreduce_studies.verdicts.quantities import Results
from mlreduce_studies.verdicts.reading import Claim
from mlreduce_studies.verdicts.statements import KINDS, Line
from mlreduce_studies.verdicts.weighing import Difference, Gathered, NotRun, difference

__all__ = ["SENSITIVITY_COLUMNS", "Variant", "sensitivity", "stays", "variants"]

SENSITIVITY_COLUMNS = ("id", "margin", "scope", "settings", "combination", "verdict")


class Variant(NamedTuple):
    """A way to judge."""

    #: By which the margins of claims are multiplied.
    margin: float = 1.0
    #: One of "as worded", "all", "most", "tendency". Over data sets; a tendency only where there are enough of them.
    scope: str = "as worded"
    #: One of "counted", "first", "all". Which settings of a claim must agree: those that the paper leaves open, the
    #: first of them, or also those that are only shown with it.
    settings: str = "counted"
    #: One of "independent", "any". Whether data sets are combined as independent, or without that assumption.
    combination: str = "independent"


def variants() -> Iterator[Variant]:
    """Yield all ways; the first is that of the verdicts."""
    yield from map(
        Variant._make,
        product(
            (1.0, 0.5, 2.0),
            ("as worded", "all", "most", "tendency"),
            ("counted", "first", "all"),
            ("independent", "any"),
        ),
    )


def sensitivity(claims: Sequence[Claim], results: Results, datasets: Sequence[str]) -> pd.DataFrame:
    """Judge the claims that results decide in every way; those without a baseline are left out.

    Data sets are as of `mlreduce_studies.verdicts.claims.judge_claims`. Returns `SENSITIVITY_COLUMNS`.
    """
    rows = []
    for claim in claims:
        if claim.unchecked or claim.proof:
            continue
        lines = claim.lines(datasets)
        verdicts: dict[tuple[int, Variant], str] = {}
        for number, line in enumerate(lines):
            for way, verdict in _verdicts(results, line):
                verdicts[number, way] = verdict
        counted = [number for number, line in enumerate(lines) if line.counted]
        if any(verdicts[number, Variant()] == BASELINE for number in counted):
            continue
        selected = {"counted": counted, "first": counted[:1], "all": range(len(lines))}
        for variant in variants():
            way = variant._replace(settings="counted")
            verdict = combined([verdicts[number, way] for number in selected[variant.settings]])
            rows.append((claim.id, *variant, verdict))
    return pd.DataFrame(rows, columns=list(SENSITIVITY_COLUMNS))


def stays(table: pd.DataFrame) -> pd.DataFrame:
    """Return for each way, but that of the verdicts, the share of claims whose verdict stays, and how many turn round.

    The table is from `sensitivity`. Columns are those of `Variant`; ``claims``; ``stay``, the share with the same
    verdict; ``turned``, the number that are confirmed in one way and refuted in the other.
    """
    keys = list(Variant._fields)
    as_is = table.set_index(keys).xs(tuple(Variant()), level=keys).set_index("id")["verdict"]
    both = table.assign(as_is=table["id"].map(as_is))
    decided_both = both[["verdict", "as_is"]].isin(["confirmed", "refuted"]).all(axis=1)
    same = both["verdict"] == both["as_is"]
    both = both.assign(stay=same, turned=decided_both & ~same)
    counts = both.groupby(keys, sort=False).agg(claims=("id", "size"), stay=("stay", "mean"), turned=("turned", "sum"))
    return counts.iloc[1:].reset_index()


def _verdicts(results: Results, line: Line) -> Iterator[tuple[Variant, str]]:
    """Yield the verdicts on a line by margin, scope and combination."""
    ways = [variant for variant in variants() if variant.settings == "counted"]
    if lacking_baseline(results.printed, results.proposed, line):
        yield from ((way, BASELINE) for way in ways)
        return
    try:
        gathered = gathered_for(results, line)
    except NotRun:
        yield from ((way, "not run") for way in ways)
        return
    can_tend = KINDS[line.statement.kind].asks and line.statement.kind != "more-datasets" and len(gathered) >= FEWEST
    means = gathered_for(results, replace(line, holds="tendency")) if can_tend else gathered
    for way in ways:
        scope = line.holds if way.scope == "as worded" or (way.scope == "tendency" and not can_tend) else way.scope
        varied = replace(line, holds=scope, independent=way.combination == "independent")
        known = means if scope == "tendency" else gathered
        yield way, decided(evidence_of(varied, _with_margins(varied, known, way.margin)))


def _with_margins(line: Line, gathered: Mapping[str, Gathered], factor: float) -> Mapping[str, Gathered]:
    """Return differences with their margins multiplied, of kinds that have one."""
    if factor == 1 or not KINDS[line.statement.kind].asks:
        return gathered
    return {
        dataset: {
            pair: {
                cell: difference(line.statement, value.values, factor * value.margin, value.test_share)
                if isinstance(value, Difference)
                else value
                for cell, value in cells.items()
            }
            for pair, cells in groups.items()
        }
        for dataset, groups in gathered.items()
    }
