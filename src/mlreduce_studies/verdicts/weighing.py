"""The evidence on a statement on one data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.stats.combination import Evidence, at_least, needed
from mlreduce.stats.posterior import Posterior, posterior
from mlreduce.stats.ranks import rank_correlation
from mlreduce.validation import FloatArray
from mlreduce_studies.verdicts.quantities import Results, sign_of, table_value, values_of
from mlreduce_studies.verdicts.statements import KINDS, Kind, Statement

__all__ = ["Bounded", "Difference", "Gathered", "NotRun", "difference", "gather", "interval_of", "most_cells", "weigh"]


class NotRun(Exception):
    """Some of the results that a statement needs are not there."""


@dataclass(frozen=True)
class Difference:
    """Values on the splits of a data set, of which the mean is to lie in an interval."""

    #: Of shape (n_splits,). Differences of two methods, positive where the first is better or larger, or other numbers.
    values: FloatArray
    #: Ends of the interval, which belong to it.
    low: float
    high: float
    #: Of the rows in a test part; 0 for independent samples.
    test_share: float
    #: Below which a difference does not matter.
    margin: float = 0.0

    def posterior(self, splits: int | None = None) -> Posterior:
        """Return the posterior of the mean, or what it would be with as many splits of the same mean and spread."""
        share = max(self.test_share, 1e-12)
        known = posterior(self.values, share)
        return known if splits is None else known.with_splits(splits, share)

    def evidence(self, splits: int | None = None) -> Evidence:
        """Return the evidence that the mean lies in the interval.

        Of an interval with two ends both one-sided tests must say so, and one of them against, by Bonferroni.
        """
        mean = self.posterior(splits)
        ends = [
            Evidence.of(mean.within(low, high))
            for low, high in ((self.low, np.inf), (-np.inf, self.high))
            if np.isfinite([low, high]).any()
        ]
        return at_least(len(ends), ends)


@dataclass(frozen=True)
class Bounded:
    """Whether values on all splits keep within a bound: no probability, but counted."""

    holds: bool

    def evidence(self, splits: int | None = None) -> Evidence:
        """Return what is certain."""
        return Evidence.of(float(self.holds))


#: Of a data set: compared methods to cell to what is known of it.
Gathered = dict[tuple[str, ...], dict[str, Difference | Bounded]]


def gather(results: Results, statement: Statement, dataset: str) -> Gathered:
    """Return what is known on a statement on a data set.

    Raises NotRun if results that it needs are not there, or there are fewer than two splits.
    """
    if statement.kind == "bound":
        return {(method,): {"": _bounded(results, statement, method, dataset)} for method in statement.methods or ("",)}
    if statement.kind == "monotone":
        return {(method,): _steps(results, statement, method, dataset) for method in statement.methods}
    if statement.kind == "correlation":
        return {statement.methods: {"mean": _correlation(results, statement, dataset)}}
    found = _nearer_one if "nearer_one_than_on" in statement.options else _paired
    return {pair: found(results, statement, pair, dataset) for pair in statement.compared}


def weigh(statement: Statement, gathered: Gathered, splits: int | None = None) -> Evidence:
    """Return the evidence on a statement on a data set; with ``splits`` as if there were so many."""
    by_method: dict[str, list[Evidence]] = {}
    for methods, cells in gathered.items():
        parts: list[Difference | Bounded] = list(cells.values())
        if statement.cells == "most" and len(parts) > 1:
            parts = [most_cells([part for part in parts if isinstance(part, Difference)])]
        per_cell = [part.evidence(splits) for part in parts]
        by_method.setdefault(methods[0], []).append(at_least(len(per_cell), per_cell))
    if statement.methods_hold == "all":
        every = [evidence for parts in by_method.values() for evidence in parts]
        return at_least(len(every), every)
    per_method = [at_least(len(parts), parts) for parts in by_method.values()]
    return at_least(needed(len(per_method), statement.methods_hold), per_method)


def most_cells(cells: Sequence[Difference]) -> Difference:
    """Return what is to be at least 0 where more than half of the cells of a data set are in their intervals.

    On each split the cells are ordered by how far they are inside their intervals, in margins where there are any; the
    first that "more than half" needs is taken. Cells of neighbouring sizes say nearly the same: a test of each, with
    a correction for their number, would hardly ever decide.
    """
    scaled = all(cell.margin > 0 for cell in cells)
    inside = np.array([np.minimum(c.values - c.low, c.high - c.values) / (c.margin if scaled else 1.0) for c in cells])
    values = np.sort(inside, axis=0)[::-1][len(cells) // 2]
    return Difference(values, 0.0, np.inf, cells[0].test_share)


def _paired(results: Results, statement: Statement, pair: tuple[str, str], dataset: str) -> dict[str, Any]:
    """Return the differences of a pair of methods on a data set by cell, or of their means over the cells as "mean"."""
    selects = statement.select, statement.than_select or statement.select
    tables = []
    for method, select in zip(pair, selects, strict=True):
        values = values_of(results, method, statement.quantities, select, dataset)
        if "relative_to" in statement.options:
            other = values_of(results, statement.options["relative_to"], statement.quantities, select, dataset)
            level = other.abs().mean()  # of all splits: on one of them it may be zero
            values = (values - other).dropna() / level[level > 0]
            values = values.dropna(axis="columns")
        if values.empty:
            raise NotRun(f"{method} on {dataset}")
        tables.append(_common(values, selects))
    first, second = tables
    cells, splits = first.columns.intersection(second.columns), first.index.intersection(second.index)
    if len(cells) == 0 or len(splits) < 2:
        raise NotRun(f"{' and '.join(pair)} on {dataset} in the same cells on two splits or more")
    first, others = first.loc[splits, cells], second.loc[splits, cells].to_numpy()
    if statement.kind == "ratio":
        first, others = first.map(np.log), np.log(others)
    differences = first - others
    turned = KINDS[statement.kind].turned
    if turned == "losses":
        differences = differences * [sign_of(str(cell[0])) for cell in cells]
    elif turned == "all":
        differences = -differences
    level = pd.Series(np.abs(others).mean(axis=0), index=cells)
    share = _share(results, statement, dataset)
    margin = statement.margin or 0.0
    if statement.cells == "mean":
        size = margin * float(level.mean()) if statement.relative else margin
        return {"mean": difference(statement, differences.mean(axis=1).to_numpy(), size, share)}
    return {
        " ".join(str(part) for part in cell if part): difference(
            statement, differences[cell].to_numpy(), margin * level[cell] if statement.relative else margin, share
        )
        for cell in cells
    }


def _nearer_one(results: Results, statement: Statement, pair: tuple[str, str], dataset: str) -> dict[str, Any]:
    """Return by how much a ratio is farther from one, in either direction, than that on each of other data sets.

    Splits of two data sets are independent, so they are paired in the order in which they come.
    """
    paired = _paired(results, statement, pair, dataset)["mean"]
    here, compared = paired.values * np.sign(paired.values.mean()), {}
    for other in statement.options["nearer_one_than_on"]:
        there = _paired(results, statement, pair, other)["mean"].values
        splits = min(len(here), len(there))
        values = here[:splits] - there[:splits] * np.sign(there.mean())
        compared[other] = difference(statement, values, 0.0, paired.test_share)
    return compared


def _common(table: pd.DataFrame, selects: tuple[Mapping[str, Any], Mapping[str, Any]]) -> pd.DataFrame:
    """Leave out of the names of cells what the two methods differ in by their selections, and average over it."""
    first, second = selects
    if first == second:
        return table
    names = pd.DataFrame(list(table.columns), columns=["measure", "predictor", "size"])
    if first.get("predictor") != second.get("predictor"):
        names["predictor"] = ""
    if any(first.get(key) != second.get(key) for key in ("sizes", "energy", "directions")):
        names["size"] = 0
    renamed = table.set_axis(pd.MultiIndex.from_frame(names), axis=1)
    return renamed if renamed.columns.is_unique else renamed.T.groupby(level=[0, 1, 2], sort=False).mean().T


def _share(results: Results, statement: Statement, dataset: str) -> float:
    """Return the share of the rows that test: none where approximations were drawn independently."""
    if "protocol" not in statement.select:
        return 0.0
    return results.test_share(statement.select["protocol"], dataset)


def difference(statement: Statement, values: FloatArray, margin: float, share: float) -> Difference:
    """Return differences with the interval that a kind of sentence asks for."""
    low, high = interval_of(KINDS[statement.kind], margin, statement.options)
    return Difference(values, low, high, share, margin)


def interval_of(kind: Kind, margin: float, options: Mapping[str, Any]) -> tuple[float, float]:
    """Return the ends, which belong to it, of the interval in which a difference is to be."""
    low, high = -np.inf, np.inf
    if kind.asks == "above":
        low = np.nextafter(margin, np.inf)  # a difference of exactly the margin is none that matters
    elif kind.asks == "below":
        high = np.nextafter(-margin, -np.inf)
    elif kind.asks:
        low, high = -margin, margin if kind.asks == "within" else np.inf
    elif "about" in options:
        low, high = np.log(options["about"] / options["factor"]), np.log(options["about"] * options["factor"])
    elif "nearer_one_than_on" in options:
        high = 0.0
    else:
        low = np.log(options["at_least"]) if "at_least" in options else low
        high = np.log(options["at_most"]) if "at_most" in options else high
    return float(low), float(high)


def _bounded(results: Results, statement: Statement, method: str, dataset: str) -> Bounded:
    """Say whether all values of a method, on every split, or a number of a table, keep within bounds.

    Or whether the number exceeds those of other data sets.
    """
    if "table" in statement.options:
        number = table_value(results, statement.options["table"], method, dataset)
        values = np.array([]) if number is None else np.array([number])
    else:
        values = values_of(results, method, statement.quantities, statement.select, dataset).to_numpy()
    if not values.size:
        raise NotRun(f"{method or statement.options['table']['name']} on {dataset}")
    low = _limit(results, statement, statement.options.get("at_least", -np.inf), dataset)
    high = _limit(results, statement, statement.options.get("at_most", np.inf), dataset)
    others = -np.inf
    for other in statement.options.get("more_than_on", ()):
        there = table_value(results, statement.options["table"], method, other)
        if there is None:
            raise NotRun(f"{method or statement.options['table']['name']} on {other}")
        others = max(others, there)
    inside = (values >= low) & (values <= high) & (values > others)
    return Bounded(bool(inside.all()))


def _limit(results: Results, statement: Statement, limit: Any, dataset: str) -> float:
    """Return a bound, which may be a word for a number of the data set."""
    if not isinstance(limit, str):
        return float(limit)
    row = results.datasets[results.datasets["dataset"] == dataset]
    labels, features = (float(row[name].iloc[0]) for name in ("labels", "features"))
    rows = float(results.parts(statement.select["protocol"], dataset)[0])
    return {
        "labels": labels,
        "labels-1": labels - 1,
        "features": features,
        "min(labels, features)": min(labels, features),
        "min(rows, features)": min(rows, features),
    }[limit]


def _steps(results: Results, statement: Statement, method: str, dataset: str) -> dict[str, Any]:
    """Return the steps from one size to the next, none of which may go the wrong way, and the whole way."""
    wide = values_of(results, method, statement.quantities, statement.select, dataset)
    order = sorted(wide.columns, key=lambda cell: cell[-1])
    if len(order) < 2 or len(wide) < 2:
        raise NotRun(f"{method} on {dataset} at two sizes or more")
    sign = -1 if statement.options["direction"] == "falls" else 1
    margin = (statement.margin or 0.0) * (float(wide.abs().to_numpy().mean()) if statement.relative else 1.0)
    share = _share(results, statement, dataset)

    def step(before: Any, after: Any, low: float) -> Difference:
        return Difference(sign * (wide[after] - wide[before]).to_numpy(), low, np.inf, share, margin)

    steps = {f"{before[-1]} to {after[-1]} %": step(before, after, -margin) for before, after in pairwise(order)}
    return steps | {"whole": step(order[0], order[-1], float(np.nextafter(margin, np.inf)))}


def _correlation(results: Results, statement: Statement, dataset: str) -> Difference:
    """Return the rank correlation of two quantities over methods, mean over the cells, per split."""
    both = []
    for quantity in statement.quantities:
        by_method = {}
        for method in statement.methods:
            wide = values_of(results, method, [quantity], statement.select, dataset)
            if wide.empty:
                raise NotRun(f"{method} on {dataset}")
            by_method[method] = wide.droplevel("measure", axis=1).stack(
                ["predictor", "size_percent"], future_stack=True
            )
        both.append(pd.DataFrame(by_method).dropna())
    cells = both[0].index.intersection(both[1].index)
    correlations = rank_correlation(*(table.loc[cells].to_numpy() for table in both))
    values = np.asarray(pd.Series(correlations, index=cells).groupby(level=0).mean(), dtype=np.float64)
    if len(values) < 2:
        raise NotRun(f"{' and '.join(statement.methods)} on {dataset} in the same cells on two splits or more")
    low, high = statement.options.get("at_least", -np.inf), statement.options.get("at_most", np.inf)
    return Difference(values, float(low), float(high), _share(results, statement, dataset))
