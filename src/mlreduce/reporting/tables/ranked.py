"""Tables of one measure with the methods' ranks, and of their average ranks over measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.reporting.names import measure_name
from mlreduce.reporting.statistics import RankComparison, compare, rank_methods
from mlreduce.reporting.tables.layout import number_of_splits, plus_minus, uneven_splits
from mlreduce.reporting.tables.missing import GAP, gap_columns, is_gap

__all__ = [
    "AVERAGE_RANK_COLUMNS",
    "RANKED_COLUMNS",
    "average_rank_layout",
    "average_rank_table",
    "comparisons",
    "ranked_layout",
    "ranked_table",
]

#: Columns of a ranked table.
RANKED_COLUMNS = ("protocol", "dataset", "method", "size", "mean", "sd", "rank", "splits")

#: Columns of a table of average ranks.
AVERAGE_RANK_COLUMNS = (
    *("measure", "method", "average_rank", "data_sets"),
    *("friedman_statistic", "friedman_p", "critical_difference"),
)


def ranked_table(
    summary: pd.DataFrame,
    measure: str,
    predictor: str,
    methods: Sequence[str],
    higher_is_better: bool,
    *,
    energy: float = 0.0,
    size_percent: int = 0,
) -> pd.DataFrame:
    """Take one measure at one energy threshold or percentage out of a summary and rank the methods.

    Parameters
    ----------
    summary : DataFrame
        From `mlreduce.reporting.tables.layout.summarise`.
    measure, predictor : str
        Which scores.
    methods : sequence of str
        Which methods; each must have a value on every data set, or a gap for having failed there.
    higher_is_better : bool
        Whether the greatest mean has rank 1, or the least.
    energy : float, default=0.0
        Energy threshold; 0 where sizes are not by threshold.
    size_percent : int, default=0
        Dimensions in percent; 0 where sizes are not by percent.

    Returns
    -------
    DataFrame
        Tidy, with `RANKED_COLUMNS` and those of `mlreduce.reporting.tables.missing.GAP_COLUMNS` that the summary has,
        sorted; ranks are among the methods within a data set and protocol, NaN where one of them has a gap. Empty
        where the summary has no such row.

    Raises
    ------
    DataError
        If a method has no value on a data set without having failed there, or several.
    """
    table = summary[
        (summary["measure"] == measure)
        & (summary["predictor"] == predictor)
        & summary["method"].isin(methods)
        & (summary["energy"] == energy)
        & (summary["size_percent"] == size_percent)
    ]
    parts = [_with_ranks(part, methods, higher_is_better) for _, part in table.groupby("protocol", sort=True)]
    ranked = pd.concat(parts, ignore_index=True) if parts else table.assign(rank=pd.Series(dtype=float))
    columns = [*RANKED_COLUMNS, *gap_columns(ranked)]
    return ranked[columns].sort_values(["protocol", "dataset", "method"], ignore_index=True)


def _with_ranks(table: pd.DataFrame, methods: Sequence[str], higher_is_better: bool) -> pd.DataFrame:
    ranks = rank_methods(_means(table, methods), higher_is_better)
    cells = pd.MultiIndex.from_frame(table[["dataset", "method"]])
    return table.assign(rank=ranks.stack().reindex(cells).to_numpy())


def _means(table: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Return the means of one protocol, data sets by methods, of the data sets on which no method has a gap."""
    repeated = table[table.duplicated(["dataset", "method"])]
    if len(repeated):
        cell = repeated.iloc[0]
        raise DataError(
            f"method {cell['method']!r} has several values on data set {cell['dataset']!r}; "
            "ranks need one protocol and one size, energy threshold or percentage."
        )
    whole = table[~table["dataset"].isin(_left_out(table))]
    return whole.pivot(index="dataset", columns="method", values="mean").reindex(columns=list(methods)).sort_index()


def _left_out(table: pd.DataFrame) -> list[str]:
    """Return the data sets on which a method has no value since it failed."""
    return sorted(table.loc[is_gap(table), "dataset"].unique())


def ranked_layout(table: pd.DataFrame, methods: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Lay a ranked table of one protocol out: a row a data set, a column a method, average ranks last.

    A cell is ``mean ± standard deviation (rank)``, wrapped in ``**`` where no method of the data set ranks before it;
    empty where there is no value, and a dash where there is none since the method failed: the others then have no rank.
    Where numbers of splits differ, a row says its own.
    """
    cells = {(c["dataset"], c["method"]): c for c in table.to_dict("records")}
    uneven = uneven_splits(table)
    best = table.groupby("dataset")["rank"].min().to_dict()
    rows = []
    for dataset in sorted(table["dataset"].unique()):
        row = [str(dataset), *[number_of_splits(table[table["dataset"] == dataset])] * uneven]
        for method in methods:
            cell = cells.get((dataset, method))
            text = _ranked_cell(cell) if cell else ""
            row.append(f"**{text}**" if cell and cell["rank"] == best[dataset] else text)
        rows.append(row)
    if rows:
        average = table.groupby("method")["rank"].mean()
        left_out = len(_left_out(table))
        title = "average rank" + (f", {len(rows) - left_out} of {len(rows)} data sets" if left_out else "")
        rows.append([title, *[""] * uneven, *(_number(average.get(method, np.nan), ".2f") for method in methods)])
    return ["dataset", *["splits"] * uneven, *methods], rows


def _ranked_cell(cell: Mapping[Any, Any]) -> str:
    if not cell["splits"]:
        return GAP
    return plus_minus(cell["mean"], cell["sd"]) + ("" if np.isnan(cell["rank"]) else f" ({cell['rank']:g})")


def _number(value: float, form: str) -> str:
    return "" if np.isnan(value) else format(value, form)


def comparisons(
    tables: Mapping[str, pd.DataFrame], methods: Sequence[str], directions: Mapping[str, bool]
) -> dict[str, RankComparison]:
    """Compare the methods on each measure and, under the name "all", over the measures together.

    Measures on one data set are not independent. For "all" a method's ranks are therefore averaged over the measures
    within each data set, and these averages are ranked and tested: the blocks stay the data sets, and the critical
    difference belongs to the average ranks it stands beside.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Measure to its ranked table, of one protocol.
    methods : sequence of str
        Which methods.
    directions : dict of str to bool
        Measure to whether higher is better.

    Raises
    ------
    DataError
        If a method has no value on a data set, or several (as with more than one protocol). A data set on which one
        failed is left out.
    """
    means = {measure: _means(table, methods) for measure, table in tables.items()}
    left_out = {measure: _left_out(table) for measure, table in tables.items()}
    compared = {measure: compare(values, directions[measure], left_out[measure]) for measure, values in means.items()}
    if means:
        anywhere = sorted({name for names in left_out.values() for name in names})
        whole = {m: values.drop(index=anywhere, errors="ignore") for m, values in means.items()}
        # Addition leaves a data set that one of the measures lacks without a value, and so it is not passed over.
        total = reduce(pd.DataFrame.add, (rank_methods(values, directions[m]) for m, values in whole.items()))
        compared["all"] = compare(total / len(means), higher_is_better=False, left_out=anywhere)
    return compared


def average_rank_table(
    tables: Mapping[str, pd.DataFrame], methods: Sequence[str], directions: Mapping[str, bool]
) -> pd.DataFrame:
    """Return the average ranks of the methods on each measure, and with measure "all" over the measures together.

    Parameters
    ----------
    tables, methods, directions
        As of `comparisons`, which also says what "all" is.

    Returns
    -------
    DataFrame
        Tidy, with `AVERAGE_RANK_COLUMNS`, in the order of the measures and methods; NaN where there is no data set.
        Where a data set is left out, with columns ``left_out``, how many there are, and ``reason``.
    """
    compared = comparisons(tables, methods, directions)
    rows = [
        (measure, method, made.average[method], made.n_blocks, made.statistic, made.p_value, made.critical_difference)
        for measure, made in compared.items()
        for method in methods
    ]
    table = pd.DataFrame(rows, columns=list(AVERAGE_RANK_COLUMNS))
    if not any(made.left_out for made in compared.values()):
        return table
    reasons = _reasons(tables)
    said = {
        measure: (len(made.left_out), "; ".join(reasons[name] for name in made.left_out))
        for measure, made in compared.items()
    }
    columns = zip(*(said[measure] for measure in table["measure"]), strict=True)
    return table.assign(**dict(zip(("left_out", "reason"), columns, strict=True)))


def _reasons(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """Return why data sets are left out."""
    gaps = pd.concat([table[is_gap(table)] for table in tables.values()])
    firsts = gaps.drop_duplicates("dataset").to_dict("records")
    return {cell["dataset"]: f"{cell['dataset']}, where {cell['method']} failed: {cell['reason']}" for cell in firsts}


def average_rank_layout(table: pd.DataFrame, methods: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Lay a table of average ranks out: a row a measure, a column a method, the tests last; the best in ``**``."""
    rows = []
    for measure, part in table.groupby("measure", sort=False):
        average = part.set_index("method")["average_rank"]
        texts = {method: _number(rank, ".2f") for method, rank in average.items()}
        best = {method for method, rank in average.items() if rank == average.min()}
        test = part.iloc[0]
        rows.append(
            [
                measure_name(str(measure)),
                *(f"**{texts[m]}**" if m in best else texts.get(m, "") for m in methods),
                _number(test["friedman_statistic"], ".2f"),
                _number(test["friedman_p"], ".2g"),
                _number(test["critical_difference"], ".2f"),
                f"{test['data_sets']}" + (f" ({test['left_out']} left out)" if test.get("left_out", 0) else ""),
            ]
        )
    return ["measure", *methods, "Friedman", "p", "CD", "data sets"], rows
