"""What statements are about: values of methods per data set, cell and split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from mlreduce.metrics import higher_is_better
from mlreduce_studies.verdicts.statements import QUANTITIES

__all__ = ["Results", "sign_of", "table_value", "values_of"]

# What tells the columns of a table of values apart.
_CELL = ["measure", "predictor", "size_percent"]


@dataclass(frozen=True)
class Results:
    """Results of a study, one value per split."""

    #: Columns protocol, dataset, method, predictor, measure, size_percent, energy, size, split, value. A randomised
    #: method has the mean of its draws under its plain name.
    scores: pd.DataFrame
    #: Columns dataset, features, labels, of the data sets that were run.
    datasets: pd.DataFrame
    #: Of protocol and data set: the number of rows to train, and to test.
    parts: Callable[[str, str], tuple[int, int]]
    #: Columns dataset, method, split, seconds.
    times: pd.DataFrame | None = None
    #: Columns dataset, method, size_percent, draw, value: of approximations.
    errors: pd.DataFrame | None = None
    #: Of `TABLES`: those that the study has.
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    #: From `mlreduce_studies.verdicts.baselines.printed_cells`; None where a paper prints nothing.
    printed: pd.DataFrame | None = None
    #: Methods that the paper proposes.
    proposed: tuple[str, ...] = ()

    def test_share(self, protocol: str, dataset: str) -> float:
        """Return the share of the rows of a split that test."""
        train, test = self.parts(protocol, dataset)
        return test / (train + test)

    @cached_property
    def scores_of(self) -> Mapping[Any, pd.DataFrame]:
        """Scores by data set, method, protocol and measure; their names as plain words, which are faster to compare."""
        keys = ["dataset", "method", "protocol", "measure"]
        words = {name: self.scores[name].astype(object) for name in (*keys, "predictor")}
        return dict(iter(self.scores.assign(**words).groupby(keys, sort=False)))

    @cached_property
    def values(self) -> dict[Any, pd.DataFrame]:
        """Tables of `values_of`, computed once: many claims are on the same methods."""
        return {}


def sign_of(quantity: str) -> int:
    """Return 1 where more of a quantity is better, -1 where less is: of times, directions and errors."""
    return 1 if quantity not in QUANTITIES and higher_is_better(quantity) else -1


def values_of(
    results: Results, method: str, quantities: Sequence[str], select: Mapping[str, Any], dataset: str
) -> pd.DataFrame:
    """Return the values of a method on a data set, of shape (n_splits, n_cells).

    Quantities are measures, or of `QUANTITIES`. ``select`` has ``protocol``; ``predictor``, one or a list; and one of
    ``sizes`` (percentages), ``energy`` (a threshold) and ``directions`` (a number, or fewer where a method has no
    more). Without these the number of directions that a study names, else all percentages below 100, else 100. The
    columns have three levels: quantity, predictor and size in percent ("" and 0 where there are none). Empty for what
    was not run; splits on which a cell is missing are left out.
    """
    key = (method, *quantities, repr(sorted(select.items())), dataset)
    if key not in results.values:
        parts = [_own(results, method, quantity, select, dataset) for quantity in quantities]
        table = pd.concat(parts, ignore_index=True).dropna(subset="value")
        results.values[key] = table.pivot(index="split", columns=_CELL, values="value").dropna()
    return results.values[key]


def _own(results: Results, method: str, quantity: str, select: Mapping[str, Any], dataset: str) -> pd.DataFrame:
    columns = [*_CELL, "split", "value"]
    if quantity == "seconds":
        rows = _of(results.times, method, dataset).rename(columns={"seconds": "value"})
        return rows.assign(measure=quantity, predictor="", size_percent=0).reindex(columns=columns)
    if quantity.startswith("approximation-error"):
        rows = _of(results.errors, method, dataset).rename(columns={"draw": "split"})
        if "sizes" in select and len(rows):
            rows = rows[rows["size_percent"].isin(select["sizes"])]
        if quantity == "approximation-error-fall":
            rows = _fall(rows)
        return rows.assign(measure=quantity, predictor="").reindex(columns=columns)
    measures = results.scores["measure"].unique() if quantity == "directions" else [quantity]
    keys = [(dataset, method, select["protocol"], measure) for measure in measures]
    parts = [results.scores_of[key] for key in keys if key in results.scores_of]
    rows = pd.concat(parts) if parts else results.scores.iloc[:0]
    if "predictor" in select:
        wanted = select["predictor"]
        rows = rows[rows["predictor"].isin([wanted] if isinstance(wanted, str) else wanted)]
    if quantity != "directions":
        return _at_sizes(rows, select)[columns]
    rows = _at_sizes(rows, select)
    rows = rows.assign(value=rows["size"], predictor="", measure=quantity)[columns]
    return rows.drop_duplicates(columns[:-1])


def _of(table: pd.DataFrame | None, method: str, dataset: str) -> pd.DataFrame:
    if table is None:
        return pd.DataFrame()
    rows: pd.DataFrame = table[(table["method"] == method) & (table["dataset"] == dataset)]
    return rows


def _fall(errors: pd.DataFrame) -> pd.DataFrame:
    """Return which part of the error at the smallest size is gone at the largest, per draw."""
    if errors.empty:
        return errors
    wide = errors.pivot(index="split", columns="size_percent", values="value").sort_index(axis=1)
    return (1 - wide.iloc[:, -1] / wide.iloc[:, 0]).rename("value").reset_index().assign(size_percent=0)


def _at_sizes(rows: pd.DataFrame, select: Mapping[str, Any]) -> pd.DataFrame:
    if "sizes" in select:
        rows = rows[rows["size_percent"].isin(select["sizes"]) & (rows["energy"] == 0)]
        return rows
    if "energy" in select:
        rows = rows[(rows["energy"] - select["energy"]).abs() < 1e-9]
        return rows
    numbered = rows[(rows["size_percent"] == 0) & (rows["energy"] == 0)]
    if len(numbered) or "directions" in select:
        if "directions" in select:
            numbered = numbered[numbered["size"] <= select["directions"]]
        keys = ["predictor", "measure", "split"]
        largest = numbered.groupby(keys, observed=True)["size"].transform("max")
        kept: pd.DataFrame = numbered[numbered["size"] == largest]
        return kept
    percents = rows[rows["size_percent"] > 0]
    below: pd.DataFrame = percents[percents["size_percent"] < 100]
    return below if len(below) else percents


def table_value(results: Results, spec: Mapping[str, Any], method: str, dataset: str) -> float | None:
    """Return a number of a gathered table, or a quotient of two; None where the table has no such row, or several.

    ``spec`` has ``name``, of `TABLES`; ``column``, one or a list, which are summed; optionally ``where`` (column to
    value); ``over``, a column to divide by; and ``over_where``, the row of what it is divided by. The method is "" for
    a table without methods.
    """
    table = results.tables.get(spec["name"])
    if table is None:
        return None

    def cell(where: Mapping[str, Any], columns: Sequence[str]) -> float | None:
        rows = table
        for key, value in {"dataset": dataset, **({"method": method} if method else {}), **where}.items():
            rows = rows[rows[key] == value]
        if len(rows) != 1 or not set(columns) <= set(rows) or rows[list(columns)].isna().to_numpy().any():
            return None
        return float(rows[list(columns)].to_numpy(dtype=float).sum())

    columns = [spec["column"]] if isinstance(spec["column"], str) else spec["column"]
    where = spec.get("where", {})
    value = cell(where, columns)
    if "over" not in spec and "over_where" not in spec:
        return value
    other = cell(spec.get("over_where", where), [spec["over"]] if "over" in spec else columns)
    return None if value is None or other is None else value / other
