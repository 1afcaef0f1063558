"""Table of the average ranks of the methods over the data sets, with Friedman's and Nemenyi's tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce

import pandas as pd

from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.stats.ranks import RankComparison, compare, rank_methods
from mlreduce_studies.options import AREA, ENERGY, MEASURES, PREDICTOR, SIZE_PERCENT
from mlreduce_studies.tables.kinds import Spec, table
from mlreduce_studies.tables.layout import Part, number
from mlreduce_studies.tables.ranked import left_out, means_of, ranked_table, why_left_out

#: Columns of a table of average ranks.
AVERAGE_RANK_COLUMNS = (
    *("measure", "method", "average_rank", "data_sets"),
    *("friedman_statistic", "friedman_p", "critical_difference"),
)


def comparisons(summary: pd.DataFrame, spec: Spec) -> dict[str, RankComparison]:
    """Compare the methods on each measure and, of several and under the name "all", over the measures together.

    Measures on one data set are not independent. For "all" a method's ranks are therefore averaged over the measures
    within each data set, and these averages are ranked and tested: the blocks stay the data sets, and the critical
    difference belongs to the average ranks that it is shown with.

    The summary is of one protocol; ``spec`` is as of `mlreduce_studies.tables.ranked.ranked_table`, with ``measures``.
    Raises DataError if a method has no value on a data set, or several (as with more than one protocol). A data set on
    which one failed is left out.
    """
    return _compared(_ranked_tables(summary, spec), spec)


def _ranked_tables(summary: pd.DataFrame, spec: Spec) -> dict[str, pd.DataFrame]:
    return {measure: ranked_table(summary, {**spec, "measure": measure}) for measure in spec["measures"]}


def _compared(tables: Mapping[str, pd.DataFrame], spec: Spec) -> dict[str, RankComparison]:
    methods = spec["methods"]
    means = {measure: means_of(ranked, methods) for measure, ranked in tables.items()}
    gaps = {measure: left_out(ranked) for measure, ranked in tables.items()}
    compared = {m: compare(values, higher_is_better(m), gaps[m]) for m, values in means.items()}
    if len(means) == 1:
        return compared
    anywhere = sorted({name for names in gaps.values() for name in names})
    whole = {m: values.drop(index=anywhere, errors="ignore") for m, values in means.items()}
    # A sum has no value on a data set that one of the measures lacks, so that such a data set is noticed.
    total = reduce(pd.DataFrame.add, (rank_methods(values, higher_is_better(m)) for m, values in whole.items()))
    compared["all"] = compare(total / len(means), higher_is_better=False, left_out=anywhere)
    return compared


def average_rank_parts(averages: pd.DataFrame, spec: Spec) -> Iterator[Part]:
    """Lay average ranks out: one row per measure, one column per method, the tests last; the best in ``**``."""
    methods, rows = spec["methods"], []
    for measure, part in averages.groupby("measure", sort=False):
        average = part.set_index("method")["average_rank"]
        texts = {method: number(rank, ".2f", "") for method, rank in average.items()}
        best = {method for method, rank in average.items() if rank == average.min()}
        test = part.iloc[0]
        rows.append(
            [
                measure_label(str(measure)),
                *(f"**{texts[m]}**" if m in best else texts.get(m, "") for m in methods),
                number(test["friedman_statistic"], ".2f", ""),
                number(test["friedman_p"], ".2g", ""),
                number(test["critical_difference"], ".2f", ""),
                f"{test['data_sets']}" + (f" ({test['left_out']} left out)" if test.get("left_out", 0) else ""),
            ]
        )
    yield "ranks", "over the data sets", ["measure", *methods, "Friedman", "p", "CD", "data sets"], rows


@table(
    "average-ranks",
    source="summary.csv",
    layout=average_rank_parts,
    with_gaps=True,
    required={"measures": MEASURES, "predictor": PREDICTOR},
    optional={"energy": ENERGY, "size_percent": SIZE_PERCENT, "area": AREA},
    note="Average rank over the data sets (1 is best), Friedman's test, and Nemenyi's critical difference at 5 %. "
    "For all measures together, the ranks of a data set are averaged over the measures, and these are ranked.",
)
def average_rank_table(summary: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Return the average ranks of the methods on each measure, and of several with measure "all" over them together.

    `comparisons` defines "all". Returns `AVERAGE_RANK_COLUMNS`, in the order of the measures and methods; NaN where
    there is no data set. Where data sets are left out, with their number in the column ``left_out``, and ``reason``.
    """
    tables = _ranked_tables(summary, spec)
    compared = _compared(tables, spec)
    rows = [
        (measure, method, made.average[method], made.n_blocks, made.statistic, made.p_value, made.critical_difference)
        for measure, made in compared.items()
        for method in spec["methods"]
    ]
    averages = pd.DataFrame(rows, columns=list(AVERAGE_RANK_COLUMNS))
    if not any(made.left_out for made in compared.values()):
        return averages
    reasons = why_left_out(tables.values())
    return averages.assign(
        left_out=[len(compared[measure].left_out) for measure in averages["measure"]],
        reason=["; ".join(reasons[name] for name in compared[measure].left_out) for measure in averages["measure"]],
    )
