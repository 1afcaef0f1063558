"""The rankings of a study as rows of pages, by `mlreduce.stats.ranking`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mlreduce.datasets.catalogue import read_catalogue
from mlreduce_studies.gathering.rankings import StudyRanking, main_measure, names_of, rankings_of
from mlreduce_studies.runs import StudyResults


def ranked(study: StudyResults) -> list[StudyRanking]:
    """Return all rankings of a study: by protocol, measure and predictor; what failed is last."""
    methods, averages = study.description["methods"], study.description["averages"]
    names = names_of({label: str(entry["registered"]) for label, entry in methods.items()}, averages)
    summary = study.frame("summary")
    if summary is None:
        return []
    labels = {*names, *(label for draws in averages.values() for label in draws)}
    others = {label: label for label in summary["method"].unique() if label not in labels}
    return rankings_of(summary, names | others, averages, leave_out=_views_among(summary["dataset"].unique()))


def _views_among(datasets: Iterable[str]) -> set[str]:
    """Return those data sets of the catalogue that are views within another of them: no instance counts twice."""
    names, catalogue = set(datasets), read_catalogue()
    return catalogue.views_of(name for name in names if name in catalogue) & names


def judged_by(study: StudyResults) -> str:
    """Return the measure by which the methods of a study are judged where one is shown."""
    measured = set(study.summary["measure"])
    return main_measure(study.description["tables"], [one for one in study.description["measures"] if one in measured])


def rows_of(study: str, one: StudyRanking) -> Iterator[dict[str, Any]]:
    """Yield a row per method, the best first."""
    place = _place(study, one) | {"of": len(one.ranking.table), "data_sets": len(one.ranking.data_sets)}
    for method, row in one.ranking.table.iterrows():
        yield place | {"method": str(method)} | {key: row[key] for key in ("near", "low", "high", "rank", "won")}


def rows_on(study: str, one: StudyRanking, dataset: str) -> list[dict[str, Any]]:
    """Return a row per method on one data set, the best there first."""
    if dataset not in one.ranking.data_sets:
        return []
    columns = {name: one.ranking.by_set[name].loc[dataset] for name in ("near", "rank", "won")}
    place = _place(study, one) | {"of": len(one.ranking.table), "data_sets": 1, "dataset": dataset}
    rows = [
        place | {"method": str(method)} | {name: float(values[method]) for name, values in columns.items()}
        for method in one.ranking.table.index
    ]
    return sorted(rows, key=lambda row: (-row["near"], row["rank"], row["method"]))


def _place(study: str, one: StudyRanking) -> dict[str, Any]:
    return {"study": study, "protocol": one.protocol, "predictor": one.predictor, "measure": one.measure}
