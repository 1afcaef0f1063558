"""Kinds of sentences, and the evidence on one of them on one data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.reporting.verdicts.combination import Evidence, at_least, needed
from mlreduce.reporting.verdicts.posterior import Posterior, posterior
from mlreduce.reporting.verdicts.quantities import Results, sign_of, values_of

__all__ = ["KINDS", "Difference", "Kind", "NotRun", "Statement", "evidence_on", "paired"]


@dataclass(frozen=True)
class Kind:
    """A kind of sentence.

    Attributes
    ----------
    needs : tuple of str
        Keys of a claim that it must have beside those that all have.
    may : tuple of str
        Keys that it may have.
    pairs : bool
        Whether it compares ``method`` or ``methods`` with each of ``than``.
    """

    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    pairs: bool = True


_PAIR = ("than", "margin")

#: Name in claims to kind.
KINDS: Mapping[str, Kind] = {
    "better": Kind(_PAIR),
    "no-worse": Kind(_PAIR),
    "similar": Kind(_PAIR),
    "worse": Kind(_PAIR),
    "best": Kind(_PAIR),
    "among-best": Kind(_PAIR),
    "larger": Kind(_PAIR),
    "smaller": Kind(_PAIR),
    "ratio": Kind(("than",), ("about", "factor", "at_least", "at_most")),
    "bound": Kind((), ("at_least", "at_most"), pairs=False),
    "monotone": Kind(("margin", "direction"), pairs=False),
    "spread": Kind((), ("at_least", "at_most"), pairs=False),
}


class NotRun(Exception):
    """Some of the results that a statement needs are not there."""


@dataclass(frozen=True)
class Statement:
    """A sentence in one setting, for one data set or several.

    Attributes
    ----------
    kind : str
        Of `KINDS`.
    methods, than : tuple of str
    quantities : tuple of str
    select, than_select : dict
        Of the methods, and of ``than`` where that differs, whose cells are then averaged; see
        `mlreduce.reporting.verdicts.quantities.values_of`.
    cells : {"mean", "each", "most"}
        Whether the mean over the selected sizes, predictors and quantities is compared, or each of them.
    margin : float or None
        Of practical equivalence, in units of the quantity, or of the second value where ``relative``.
    relative : bool
    options : dict
        ``about``, ``factor``, ``at_least``, ``at_most``, ``direction`` of the kinds that have them.
    """

    kind: str
    methods: tuple[str, ...]
    than: tuple[str, ...]
    quantities: tuple[str, ...]
    select: Mapping[str, Any]
    cells: str = "mean"
    margin: float | None = None
    relative: bool = False
    options: Mapping[str, Any] | None = None
    than_select: Mapping[str, Any] | None = None

    @property
    def compared(self) -> list[tuple[str, str]]:
        """The pairs of methods that it compares."""
        return [(method, other) for method in self.methods for other in self.than if method != other]


@dataclass(frozen=True)
class Difference:
    """Paired differences of two methods on one data set in one cell, positive where the first is better or larger.

    Attributes
    ----------
    values : ndarray of shape (n_splits,)
    margin : float
        In their units.
    test_share : float
        Of the rows in a test part; 0 for independent samples.
    """

    values: Any
    margin: float
    test_share: float

    def posterior(self, splits: int | None = None) -> Posterior:
        """Return the posterior of the mean, or what it would be with as many splits of the same mean and spread."""
        own = posterior(self.values, max(self.test_share, 1e-12))
        if splits is None or not own.scale:
            return own
        share = max(self.test_share, 1e-12)
        overlap = share / (1 - share)
        scale = own.scale * np.sqrt((1 / splits + overlap) / (1 / len(self.values) + overlap))
        return Posterior(own.mean, float(scale), splits - 1)


def paired(
    results: Results, statement: Statement, pair: tuple[str, str], dataset: str, logs: bool = False
) -> dict[str, Difference]:
    """Return the differences of a pair of methods on a data set, by cell; "mean" where the mean of the cells is asked.

    Raises
    ------
    NotRun
        If one of the two lacks a cell, or there are fewer than two splits.
    """
    selects = statement.select, statement.than_select or statement.select
    first, second = (
        values_of(results, method, statement.quantities, select, [dataset]).pivot(
            index="split", columns="cell", values="value"
        )
        for method, select in zip(pair, selects, strict=True)
    )
    if statement.than_select is not None and not first.empty and not second.empty:
        name = statement.quantities[0]
        first, second = (own.dropna().mean(axis=1).to_frame(name) for own in (first, second))
    for method, own in zip(pair, (first, second), strict=True):
        if own.empty:
            raise NotRun(f"{method} on {dataset}")
    common = first.columns.intersection(second.columns)
    both = first.index.intersection(second.index)
    first, second = (own.loc[both, common].dropna() for own in (first, second))
    both = first.index.intersection(second.index)
    if len(common) == 0 or len(both) < 2:
        raise NotRun(f"{' and '.join(pair)} on {dataset} in the same cells on two splits or more")
    first, second = first.loc[both], second.loc[both]
    raw = statement.kind in ("larger", "smaller", "ratio", "spread")
    signs = pd.Series({cell: 1 if raw else sign_of(cell.split()[0]) for cell in common})
    if logs:
        first, second = first.map(np.log), second.map(np.log)
    differences = (first - second) * signs
    if statement.kind == "smaller":
        differences = -differences
    level = second.abs().mean()
    share = 0.0
    if statement.quantities[0] != "approximation-error":
        share = results.test_share(statement.select.get("protocol", ""), dataset)
    margin = statement.margin or 0.0
    if statement.cells == "mean":
        size = margin * float(level.mean()) if statement.relative else margin
        return {"mean": Difference(differences.mean(axis=1).to_numpy(), size, share)}
    return {
        str(cell): Difference(
            differences[cell].to_numpy(), margin * level[cell] if statement.relative else margin, share
        )
        for cell in common
    }


def evidence_on(results: Results, statement: Statement, dataset: str, splits: int | None = None) -> Evidence:
    """Return the evidence on a statement on a data set.

    Parameters
    ----------
    results : Results
    statement : Statement
    dataset : str
    splits : int or None, default=None
        As if there were so many splits of the same mean and spread.

    Raises
    ------
    NotRun
        If results that it needs are not there.
    """
    if statement.kind == "bound":
        return at_least(len(statement.methods), [_bound(results, statement, own, dataset) for own in statement.methods])
    if statement.kind == "monotone":
        parts = [_monotone(results, statement, own, dataset, splits) for own in statement.methods]
        return at_least(len(parts), parts)
    if statement.kind == "spread":
        return _spread(results, statement, dataset, splits)
    parts = []
    for pair in statement.compared:
        cells = paired(results, statement, pair, dataset, logs=statement.kind == "ratio")
        own = [Evidence.of(_probability(statement, cell, splits)) for cell in cells.values()]
        parts.append(at_least(needed(len(own), "most" if statement.cells == "most" else "all"), own))
    return at_least(len(parts), parts)


def _probability(statement: Statement, difference: Difference, splits: int | None) -> float:
    """Return the probability that a pairwise statement holds."""
    own, margin, options = difference.posterior(splits), difference.margin, statement.options or {}
    if statement.kind in ("better", "best", "larger", "smaller"):
        return own.above(margin)
    if statement.kind in ("no-worse", "among-best"):
        return own.above(-margin)
    if statement.kind == "similar":
        return own.within(-margin, margin)
    if statement.kind == "worse":
        return Posterior(-own.mean, own.scale, own.degrees).above(margin)
    low, high = options.get("at_least", 0.0), options.get("at_most", np.inf)
    if "about" in options:
        low, high = options["about"] / options["factor"], options["about"] * options["factor"]
    return own.within(float(np.log(low)) if low else -np.inf, float(np.log(high)))


def _bound(results: Results, statement: Statement, method: str, dataset: str) -> Evidence:
    """Count whether all values of a method, on every split, keep within bounds."""
    values = values_of(results, method, statement.quantities, statement.select, [dataset])["value"]
    if values.empty:
        raise NotRun(f"{method} on {dataset}")
    options = statement.options or {}
    low, high = (_limit(results, options.get(key), dataset) for key in ("at_least", "at_most"))
    kept = values.between(-np.inf if low is None else low, np.inf if high is None else high)
    return Evidence.of(float(bool(kept.all())))


def _limit(results: Results, limit: Any, dataset: str) -> float | None:
    """Return a bound, which may be a word for a number of the data set."""
    if limit is None or not isinstance(limit, str):
        return None if limit is None else float(limit)
    own = results.datasets[results.datasets["dataset"] == dataset]
    labels, features = (float(own[name].iloc[0]) for name in ("labels", "features"))
    words: dict[str, float] = {
        "labels": labels,
        "labels-1": labels - 1,
        "features": features,
        "min(labels, features)": min(labels, features),
    }
    return words[limit]


def _monotone(results: Results, statement: Statement, method: str, dataset: str, splits: int | None) -> Evidence:
    """Judge the steps from one size to the next, and the whole way."""
    table = values_of(results, method, statement.quantities, statement.select, [dataset])
    wide = table.pivot(index="split", columns="cell", values="value").dropna()
    order = sorted(wide.columns, key=lambda cell: int(cell.split()[-2]))
    if len(order) < 2 or len(wide) < 2:
        raise NotRun(f"{method} on {dataset} at two sizes or more")
    sign = -1 if (statement.options or {})["direction"] == "falls" else 1
    margin = statement.margin or 0.0
    margin = margin * float(wide.abs().to_numpy().mean()) if statement.relative else margin
    share = results.test_share(statement.select.get("protocol", ""), dataset) if "protocol" in statement.select else 0.0

    def probability(before: str, after: str, bound: float) -> float:
        values = sign * (wide[after] - wide[before]).to_numpy()
        return Difference(values, margin, share).posterior(splits).above(bound)

    parts = [Evidence.of(probability(a, b, -margin)) for a, b in pairwise(order)]
    parts.append(Evidence.of(probability(order[0], order[-1], margin)))
    return at_least(len(parts), parts)


def _spread(results: Results, statement: Statement, dataset: str, splits: int | None) -> Evidence:
    """Judge how far the best and the worst of some methods are apart: all pairs within, or one beyond."""
    options = statement.options or {}
    bound = float(options.get("at_most", options.get("at_least", 0.0)))
    parts = []
    for pair in combinations(statement.methods, 2):
        for cell in paired(results, statement, pair, dataset).values():
            own = cell.posterior(splits)
            size = bound * 1.0
            parts.append(Evidence.of(own.within(-size, size)))
    alike = at_least(len(parts), parts)
    return alike if "at_most" in options else Evidence(alike.p_against, alike.p_for)
