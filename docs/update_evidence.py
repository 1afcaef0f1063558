"""Write what `mlreduce.recommend` knows of the methods: rankings in the committed studies, and constants of costs.

    python docs/update_evidence.py

Rankings are over the summaries in results/reference, with ridge regression where a study has it, and over the pieces of
the benchmark. Constants are of the measured fits in docs/scale/fits.csv. `make reference` runs it, and
tests/methods/test_recommendation.py says when it has to be run.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from mlreduce import registry
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.methods import evidence
from mlreduce.metrics import higher_is_better
from mlreduce.stats.ranking import FULL, rank
from mlreduce_studies.benchmark import scores
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.benchmark.rankings import rankings, rankings_of_predictors, rankings_with
from mlreduce_studies.gathering.held_out import advice_pays, leave_one_out
from mlreduce_studies.gathering.rankings import MAIN, StudyRanking, main_measure, rankings_of, sized_cells
from mlreduce_studies.study import Study, load_study, study_file

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "benchmarks"))

import growth  # noqa: E402
from update_verdicts import draw_again  # noqa: E402

REFERENCE = PROJECT / "results" / "reference"
SCORES = scores.Scores(Protocol(PROJECT))
GROUPS = scores.groups_of(PROJECT)
#: Fewest methods that are compared: of two a rank says little.
FEWEST = 3


@cache
def study_of(name: str) -> Study:
    """Return a study at its full scale."""
    return load_study(study_file(name, PROJECT), "paper", read_catalogue())


@cache
def summary_of(name: str) -> pd.DataFrame:
    """Return the committed summary of a study, without views whose features are also in another of its data sets."""
    summary = pd.read_csv(REFERENCE / name / "summary.csv.gz")
    return summary[~summary["dataset"].isin(read_catalogue().views_of(summary["dataset"].unique()))]


def names_in(name: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the labels of a study to registered names, and the labels of means to those of the draws."""
    return scores.names_in(study_of(name))


@cache
def studied(name: str) -> list[StudyRanking]:
    """Return the rankings of the methods of a study by predictor, by the measure of its first table."""
    study, (names, averages) = study_of(name), names_in(name)
    if name.startswith(evidence.BENCHMARK):
        return rankings_with(SCORES, study.family, SCORES.measures[0])
    measure = main_measure(study.tables, study.measures)
    seconds = {method: taken for method in sorted({*names.values()}) if (taken := evidence.typical_seconds(method))}
    return rankings_of(summary_of(name), names, averages, fewest=FEWEST, measures=[measure], seconds=seconds)


@cache
def predictors(name: str, method: str = "all-features", *, registered: bool = True) -> list[StudyRanking]:
    """Return the rankings of the predictors of a study behind a method at full size; none of the benchmark.

    They have their registered names, or their labels in the study. Variants of a method are the same.
    """
    if name.startswith(evidence.BENCHMARK):
        return []
    study, (names, _), found = study_of(name), names_in(name), []
    measure, summary = main_measure(study.tables, study.measures), summary_of(name)
    cells = sized_cells(summary[summary["measure"] == measure])
    cells = cells[cells["method"].map(names).eq(method) & cells["size"].eq(FULL)]
    for protocol, part in cells.drop_duplicates(["protocol", "dataset", "predictor"]).groupby("protocol"):
        values = part[["dataset", "predictor", "size", "value"]].rename(columns={"predictor": "method"})
        values["method"] = values["method"].replace(scores.predictor_names(study) if registered else {})
        labels = {label: label for label in values["method"].unique()}
        if len(labels) >= FEWEST:
            made = rank(values, higher_is_better(measure))
            found.append(StudyRanking(str(protocol), measure, "", made, labels))
    return found


def rows_of(name: str) -> pd.DataFrame:
    """Return the rows of a study, one per protocol, predictor, measure and method.

    Of several predictors of a study that is none of the benchmark those with `MAIN` alone.
    """
    if name.startswith(evidence.BENCHMARK):
        family = study_of(name).family
        found = rankings(SCORES, family)
        of_predictors = rankings_of_predictors(SCORES) if family == "selection" else []
    else:
        by_main = any(one.predictor == MAIN for one in studied(name))
        found = [one for one in studied(name) if not by_main or one.predictor == MAIN]
        of_predictors = predictors(name)
    tables = [table_of(name, one, "") for one in found]
    tables += [table_of(name, one, "predictors") for one in of_predictors]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def table_of(name: str, one: StudyRanking, family: str) -> pd.DataFrame:
    """Return the rows of a ranking of a study."""
    study = study_of(name)
    in_groups = {label for group in study.groups.values() if group.search for label in group.methods}
    searched = in_groups if one.tuned or not name.startswith(evidence.BENCHMARK) else set()
    table = one.ranking.table[["near", "low", "high", "rank", "won", "mean"]].round(6).reset_index()
    place = {"study": name, "protocol": one.protocol, "predictor": one.predictor, "measure": one.measure}
    place |= {"tuned": one.tuned, "labelled": study.protocols[one.protocol].get("labelled", 1.0)}
    table["family"] = [family or registry.kind_of(method) for method in table["method"]]
    near, ranks = (one.ranking.by_set[key].map("{:.4g}".format) for key in ("near", "rank"))
    by_set = (near + ":" + ranks).reindex(sets().query("study == @name")["dataset"]).fillna(evidence.NOT_RUN)
    table["by_set"] = [" ".join(by_set[method]) for method in table["method"]]
    about: dict[str, Any] = {"methods": len(table), "data_sets": len(near)}
    about["searched"] = [one.labels[method] in searched for method in table["method"]]
    about["weighted"] = name.startswith(evidence.BENCHMARK) and not family and advice_pays(held_out(study.family, one))
    *columns, by_set = table.columns
    return table.assign(**place, **about)[[*place, *columns, *about, by_set]]


def studies() -> list[str]:
    """Return the names of the studies that have results: those of papers and comparisons, and of the benchmark."""
    benchmark = [study.name for family, study in SCORES.studies.items() if rankings(SCORES, family)]
    return sorted({*(path.parent.name for path in REFERENCE.glob("*/summary.csv.gz")), *benchmark})


@cache
def sets() -> pd.DataFrame:
    """Return the sizes of the data sets of each study, the share of zeros among their values, and their groups."""
    tables = []
    for name in studies():
        table = pd.read_csv(REFERENCE / name / "datasets.csv" if (REFERENCE / name).is_dir() else PROJECT / scores.SETS)
        there = {dataset for one in (*studied(name), *predictors(name)) for dataset in one.ranking.data_sets}
        columns = ["study", "dataset", "instances", "features", "labels", "zeros"]
        table = table[table["dataset"].isin(there)].assign(study=name)[columns].round({"zeros": 4})
        own = GROUPS if name.startswith(evidence.BENCHMARK) else {}
        tables.append(table.assign(group=[own.get(dataset, dataset) for dataset in table["dataset"]]))
    return pd.concat(tables, ignore_index=True)


def held_out(
    family: str, one: StudyRanking, controls: tuple[str, ...] = (), *, with_related: bool = True
) -> pd.DataFrame:
    """Return how good the advice of a comparison of the benchmark is on each of its data sets, by the others.

    As in `mlreduce.recommend`, controls are among what is advised, but for those that are named.
    """
    own = sets()[sets()["study"] == SCORES.studies[family].name].itertuples()
    traits = {row.dataset: evidence.Traits(row.instances, row.features, row.labels, 1 - row.zeros) for row in own}
    return leave_one_out(one.ranking, higher_is_better(one.measure), traits, controls, GROUPS, with_related)


def tables() -> dict[Path, str]:
    """Return the texts of the files by their paths."""
    ranks = pd.concat([rows_of(name) for name in studies()], ignore_index=True)
    made = {evidence.RANKS: ranks, evidence.SETS: sets(), evidence.COSTS: growth.costs()}
    return {path: table.to_csv(index=False) for path, table in made.items()}


if __name__ == "__main__":
    # First the costs, which decide between methods of the same rank.
    evidence.COSTS.write_text(growth.costs().to_csv(index=False), encoding="utf-8")
    evidence._costs.cache_clear()
    for path, text in tables().items():
        path.write_text(text, encoding="utf-8")
    for folder in sorted({path.parent for path in REFERENCE.glob("*/figure-near-best*.svg")}):
        draw_again(folder)  # these figures have the estimated seconds of fits
