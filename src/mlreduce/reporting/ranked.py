"""Tables of one measure with the methods' ranks, and of their average ranks over measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.reporting.names import measure_name
from mlreduce.reporting.statistics import RankComparison, compare, rank_methods
from mlreduce.reporting.tables import number_of_splits, uneven_splits

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
        From `mlreduce.reporting.tables.summarise`.
    measure, predictor : str
        Which scores.
    methods : sequence of str
        Which methods; each must have a value on every data set.
    higher_is_better : bool
        Whether the greatest mean has rank 1, or the least.
    energy : float, default=0.0
        Energy threshold; 0 where sizes are not by threshold.
    size_percent : int, default=0
        Dimensions in percent; 0 where sizes are not by percent.

    Returns
    -------
    DataFrame
        Tidy, with `RANKED_COLUMNS`, sorted; ranks are among the methods within a data set and protocol. Empty where the
        summary has no such row.

    Raises
    ------
    DataError
        If a method has no value on a data set, or several.
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
    return ranked[list(RANKED_COLUMNS)].sort_values(["protocol", "dataset", "method"], ignore_index=True)


def _with_ranks(table: pd.DataFrame, methods: Sequence[str], higher_is_better: bool) -> pd.DataFrame:
    ranks = rank_methods(_means(table, methods), higher_is_better)
    cells = pd.MultiIndex.from_frame(table[["dataset", "method"]])
    return table.assign(rank=ranks.stack().reindex(cells).to_numpy())


def _means(table: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """Return the means of one protocol, data sets by methods."""
    repeated = table[table.duplicated(["dataset", "method"])]
    if len(repeated):
        cell = repeated.iloc[0]
        raise DataError(
            f"method {cell['method']!r} has several values on data set {cell['dataset']!r}; "
            "ranks need one protocol and one size, energy threshold or percentage."
        )
    return table.pivot(index="dataset", columns="method", values="mean").reindex(columns=list(methods)).sort_index()


def ranked_layout(table: pd.DataFrame, methods: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Lay a ranked table of one protocol out: a row a data set, a column a method, average ranks last.

    A cell is ``mean ± standard deviation (rank)``, wrapped in ``**`` where no method of the data set ranks before it;
    empty where there is no value. Where numbers of splits differ, a row says its own.
    """
    cells = {(c["dataset"], c["method"]): c for c in table.to_dict("records")}
    uneven = uneven_splits(table)
    best = table.groupby("dataset")["rank"].min().to_dict()
    rows = []
    for dataset in sorted(table["dataset"].unique()):
        row = [str(dataset), *[number_of_splits(table[table["dataset"] == dataset])] * uneven]
        for method in methods:
            cell = cells.get((dataset, method))
            text = f"{cell['mean']:.4f} ± {cell['sd']:.4f} ({cell['rank']:g})" if cell else ""
            row.append(f"**{text}**" if cell and cell["rank"] == best[dataset] else text)
        rows.append(row)
    if rows:
        average = table.groupby("method")["rank"].mean()
        rows.append(
            ["average rank", *[""] * uneven, *(_number(average.get(method, np.nan), ".2f") for method in methods)]
        )
    return ["dataset", *["splits"] * uneven, *methods], rows


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
        If a method has no value on a data set, or several (as with more than one protocol).
    """
    means = {measure: _means(table, methods) for measure, table in tables.items()}
    compared = {measure: compare(values, directions[measure]) for measure, values in means.items()}
    if means:
        # Addition leaves a data set that one of the measures lacks without a value, and so it is not passed over.
        total = reduce(pd.DataFrame.add, (rank_methods(values, directions[m]) for m, values in means.items()))
        compared["all"] = compare(total / len(means), higher_is_better=False)
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
    """
    rows = [
        (measure, method, made.average[method], made.n_blocks, made.statistic, made.p_value, made.critical_difference)
        for measure, made in comparisons(tables, methods, directions).items()
        for method in methods
    ]
    return pd.DataFrame(rows, columns=list(AVERAGE_RANK_COLUMNS))


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
                f"{test['data_sets']}",
            ]
        )
    return ["measure", *methods, "Friedman", "p", "CD", "data sets"], rows
