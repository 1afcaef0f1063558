"""The rankings of a study, from its summary: per protocol, measure and predictor, by `mlreduce.stats.ranking`.

A ranking has one predictor. A mean over several predictors describes none of them and is dominated by the weakest: see
docs/benchmark-withdrawn.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.metrics import higher_is_better
from mlreduce.metrics.measures import measures_that_need
from mlreduce.stats.ranking import Ranking, one_variant, rank, variants
from mlreduce_studies.gathering.summary import at_directions

#: The predictor whose ranking stands for a study that has it.
MAIN = "ridge"


@dataclass(frozen=True)
class StudyRanking:
    """Methods of a study ranked by one measure."""

    protocol: str
    measure: str
    predictor: str
    ranking: Ranking
    #: Registered names of the methods to their labels in the study.
    labels: Mapping[str, str]
    #: Whether the methods that have parameters were tuned, for this predictor and measure.
    tuned: bool = False


def names_of(registered: Mapping[str, str], averages: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return labels to registered names in the order of the study; for draws, the label of their mean."""
    mean_of = {draw: name for name, draws in averages.items() for draw in draws}
    return {mean_of.get(label, label): name for label, name in registered.items()}


def main_measure(tables: Mapping[str, Mapping[str, Any]], measures: Sequence[str]) -> str:
    """Return the measure by which the methods of a study are judged: that of its first table, or else the first one.

    Measures of codes are none: methods that code nothing do not have them.
    """
    of_tables = [name for spec in tables.values() for name in [spec.get("measure"), *spec.get("measures", [])] if name]
    codes = set(measures_that_need("codes"))
    return next(str(name) for name in [*of_tables, *measures] if name in measures and name not in codes)


def sized_cells(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of a summary by the size in percent, with the columns of `mlreduce.stats.ranking.rank`.

    A method without percentages on a data set stands there at its energy thresholds or, without those, at its largest
    number of dimensions. A cell that failed on all splits has no value.
    """
    rows = summary.assign(percent=summary["size_percent"] > 0, threshold=summary["energy"] > 0)
    of_method = rows.groupby(["protocol", "dataset", "method", "predictor", "measure"], observed=True)
    has = of_method[["percent", "threshold"]].transform("any")
    by_percent = rows[rows["percent"]]
    by_energy = rows[rows["threshold"] & ~has["percent"]]
    largest = at_directions(rows[~has["percent"] & ~has["threshold"]])
    parts = [
        by_percent.assign(size=by_percent["size_percent"].astype(float)),
        by_energy.assign(size=by_energy["energy"]),
    ]
    found = pd.concat([*parts, largest], ignore_index=True)
    columns = ["protocol", "measure", "dataset", "method", "predictor", "size", "mean"]
    return found[columns].rename(columns={"mean": "value"})


def rankings_of(
    summary: pd.DataFrame,
    names: Mapping[str, str],
    averages: Mapping[str, Sequence[str]],
    *,
    leave_out: Collection[str] = (),
    fewest: int = 2,
    measures: Collection[str] | None = None,
    seconds: Mapping[str, float] | None = None,
) -> list[StudyRanking]:
    """Rank the methods of a study, one variant of each, by protocol, measure and predictor, those with `MAIN` first.

    The summary has `mlreduce_studies.gathering.summary.SUMMARY_COLUMNS`, gaps among them. ``names``, from `names_of`,
    and ``averages`` are as there. ``leave_out`` has data sets, such as views of others; ``fewest`` is the fewest
    methods that are ranked; ``measures`` of None ranks by all; ``seconds`` are by registered names.
    """
    rows = summary[~summary["dataset"].isin(list(leave_out))]
    if measures is not None:
        rows = rows[rows["measure"].isin(list(measures))]
    text = ["protocol", "dataset", "method", "predictor", "measure"]
    cells = sized_cells(rows.astype(dict.fromkeys(text, object)))
    found = []
    place = ["protocol", "measure", "predictor"]
    for (protocol, measure, predictor), group in cells.groupby(place, sort=False):
        labels = variants(_labels(group, averages), names)
        if len(labels) < fewest:
            continue
        chosen = one_variant(group.drop(columns=place), names, averages)
        try:
            made = rank(chosen, higher_is_better(str(measure)), seconds=seconds)
        except DataError:
            continue  # no data set has all methods: what there is was cut short
        found.append(StudyRanking(str(protocol), str(measure), str(predictor), made, labels))
    return sorted(found, key=lambda one: one.predictor != MAIN)


def main_ranking(rankings: Iterable[StudyRanking]) -> StudyRanking | None:
    """Return the main ranking of a study: with `MAIN`, or else that of the most methods times data sets."""
    return max(
        rankings,
        key=lambda one: (one.predictor == MAIN, len(one.ranking.table) * len(one.ranking.data_sets)),
        default=None,
    )


def _labels(cells: pd.DataFrame, averages: Mapping[str, Sequence[str]]) -> set[str]:
    mean_of = {draw: name for name, draws in averages.items() for draw in draws}
    return {mean_of.get(label, label) for label in cells["method"].unique()}
