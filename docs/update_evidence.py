"""Write what `mlreduce.recommend` knows of the methods: rankings in the committed studies, and constants of costs.

    python docs/update_evidence.py

Rankings are those of `mlreduce.stats.ranking` over the summaries in results/reference, with ridge regression where a
study has it, and over the pieces of the benchmark in results/benchmark-2, with each of its predictors, by each measure
that methods are tuned for, with defaults and tuned. Constants are of the measured fits in docs/scale/fits.csv. `make
reference` runs it, and tests/methods/test_recommendation.py says when it has to be run. `recommend` takes the
comparison of a family with the most methods times data sets: the benchmark's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlreduce import registry
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.methods import evidence
from mlreduce.metrics import higher_is_better
from mlreduce.stats.ranking import CONTROLS, FULL, MARGIN, rank, variants
from mlreduce.stats.ranks import DECIMALS
from mlreduce_studies.benchmark import scores
from mlreduce_studies.benchmark.answers import WHOLE
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.gathering.held_out import advice_pays, leave_one_out, rates
from mlreduce_studies.gathering.rankings import MAIN, StudyRanking, main_measure, rankings_of, sized_cells
from mlreduce_studies.study import PAPERS, Study, load_study, study_file, study_files

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "benchmarks"))

import growth  # noqa: E402

REFERENCE = PROJECT / "results" / "reference"
SCORES = scores.Scores(Protocol(PROJECT))
GROUPS = scores.groups_of(PROJECT)
#: Fewest data sets of a comparison of the benchmark.
FEWEST_SETS = 10
#: Fewest methods that are compared: of two a rank says little.
FEWEST = 3
#: Studies that rank all methods of a family.
FAMILIES = {"selection": "selectors", "labelspace": "coders", "projection": "projections"}


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


def seconds_of(methods: Iterable[str]) -> dict[str, float]:
    """Return the estimated seconds of a fit to data of ordinary size, of the methods that declare their costs."""
    return {name: typical for name in sorted(set(methods)) if (typical := evidence.typical_seconds(name))}


@cache
def studied(name: str) -> list[StudyRanking]:
    """Return the rankings of the methods of a study by predictor, by the measure of its first table."""
    study, (names, averages) = study_of(name), names_in(name)
    if name.startswith(evidence.BENCHMARK):
        return benchmarked(study.family, SCORES.measures[0])
    measure = main_measure(study.tables, study.measures)
    seconds = seconds_of(names.values())
    return rankings_of(summary_of(name), names, averages, fewest=FEWEST, measures=[measure], seconds=seconds)


@cache
def benchmarked(family: str, measure: str, tuned: bool = False) -> list[StudyRanking]:
    """Return the rankings of the methods of a family in the benchmark, by predictor, ridge regression first.

    There are none for fewer than `FEWEST_SETS` data sets.
    """
    study = SCORES.studies[family]
    if len(SCORES.datasets(family, tuned=tuned)) < FEWEST_SETS:
        return []
    (protocol,), (names, _) = study.protocols, names_in(study.name)
    seconds, cells = seconds_of(names.values()), SCORES.cells(family, measure, tuned=tuned)
    larger, labels, found = higher_is_better(measure), variants(names, names), []
    for predictor in sorted({*cells["predictor"]} - {scores.CHOSEN}, key=lambda one: one != MAIN):
        values = cells[cells["predictor"] == predictor].drop(columns="predictor")
        made = rank(values, larger, seconds=seconds, groups=GROUPS, full=0)
        found.append(StudyRanking(protocol, measure, predictor, made, labels, tuned))
    return found


@cache
def benchmarked_predictors(measure: str) -> list[StudyRanking]:
    """Return the ranking of the benchmark's predictors on all features, with what needs no features."""
    study = SCORES.studies["selection"]
    if len(SCORES.datasets("selection")) < FEWEST_SETS:
        return []
    cells = SCORES.cells("selection", measure)
    cells = cells[(cells["size"] == 0) & (cells["predictor"] != scores.CHOSEN)]
    names = cells["predictor"].where(cells["method"] != scores.MAJORITY, scores.MAJORITY)
    values = cells.assign(method=names)[["dataset", "method", "size", "value"]].drop_duplicates(["dataset", "method"])
    made = rank(values, higher_is_better(measure), groups=GROUPS, full=0)
    (protocol,) = study.protocols
    return [StudyRanking(protocol, measure, "", made, {name: name for name in made.table.index})]


@cache
def predictors(name: str, method: str = "all-features", *, registered: bool = True) -> list[StudyRanking]:
    """Return the rankings of the predictors of a study behind a method at full size; none of the benchmark.

    They have their registered names, or their labels in the study. Variants of a method are the same.
    """
    if name.startswith(evidence.BENCHMARK):
        return []
    study, (names, _), rankings = study_of(name), names_in(name), []
    measure, summary = main_measure(study.tables, study.measures), summary_of(name)
    cells = sized_cells(summary[summary["measure"] == measure])
    cells = cells[cells["method"].map(names).eq(method) & cells["size"].eq(FULL)]
    for protocol, part in cells.drop_duplicates(["protocol", "dataset", "predictor"]).groupby("protocol"):
        values = part[["dataset", "predictor", "size", "value"]].rename(columns={"predictor": "method"})
        values["method"] = values["method"].replace(scores.predictor_names(study) if registered else {})
        labels = {label: label for label in values["method"].unique()}
        if len(labels) >= FEWEST:
            made = rank(values, higher_is_better(measure))
            rankings.append(StudyRanking(str(protocol), measure, "", made, labels))
    return rankings


def rows_of(name: str) -> pd.DataFrame:
    """Return the rows of a study, one per protocol, predictor, measure and method.

    Of several predictors of a study that is none of the benchmark those with `MAIN` alone.
    """
    if name.startswith(evidence.BENCHMARK):
        family = study_of(name).family
        rankings = [one for place in product(SCORES.measures, (False, True)) for one in benchmarked(family, *place)]
        measures = SCORES.measures if family == "selection" else ()
        of_predictors = [one for measure in measures for one in benchmarked_predictors(measure)]
    else:
        by_main = any(one.predictor == MAIN for one in studied(name))
        rankings = [one for one in studied(name) if not by_main or one.predictor == MAIN]
        of_predictors = predictors(name)
    tables = [table_of(name, one, "") for one in rankings]
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
    by_set = (near + ":" + ranks).reindex(sets_in(name)).fillna(evidence.NOT_RUN)
    table["by_set"] = [" ".join(by_set[method]) for method in table["method"]]
    about: dict[str, Any] = {"methods": len(table), "data_sets": len(near)}
    about["searched"] = [one.labels[method] in searched for method in table["method"]]
    about["weighted"] = name.startswith(evidence.BENCHMARK) and not family and advice_pays(held_out(study.family, one))
    *columns, by_set = table.columns
    return table.assign(**place, **about)[[*place, *columns, *about, by_set]]


def studies() -> list[str]:
    """Return the names of the studies that have results: those of papers and comparisons, and of the benchmark."""
    benchmark = [study.name for family, study in SCORES.studies.items() if benchmarked(family, SCORES.measures[0])]
    return sorted({*(path.parent.name for path in REFERENCE.glob("*/summary.csv.gz")), *benchmark})


def ranks() -> pd.DataFrame:
    """Return the rankings in all committed studies."""
    return pd.concat([rows_of(name) for name in studies()], ignore_index=True)


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


def sets_in(name: str) -> list[str]:
    """Return the data sets of a study, in the order of the file."""
    return list(sets().query("study == @name")["dataset"])


def traits_in(name: str) -> dict[str, evidence.Traits]:
    """Return the traits by which the data sets of a study are compared."""
    rows = sets().query("study == @name").itertuples()
    return {row.dataset: evidence.Traits(row.instances, row.features, row.labels, 1 - row.zeros) for row in rows}


def held_out(
    family: str, one: StudyRanking, controls: tuple[str, ...] = (), *, with_related: bool = True
) -> pd.DataFrame:
    """Return how good the advice of a comparison of the benchmark is on each of its data sets, by the others.

    As in `mlreduce.recommend`, controls are among what is advised, but for those that are named.
    """
    traits = traits_in(SCORES.studies[family].name)
    return leave_one_out(one.ranking, higher_is_better(one.measure), traits, controls, GROUPS, with_related)


def advice() -> pd.DataFrame:
    """Return how often the first three methods contain one near the best of a data set left out, by kind of advice.

    A row per family, measure, predictor, defaults or tuned, what is left out (a data set, or its group), and whether
    controls may be advised and be the best.
    """
    rows = []
    for family, study in SCORES.studies.items():
        for one in (one for place in product(SCORES.measures, (False, True)) for one in benchmarked(family, *place)):
            kinds = product(("data set", "group"), ((), CONTROLS))
            by_kind = {(left, out): held_out(family, one, out, with_related=left == "group") for left, out in kinds}
            weighted = advice_pays(by_kind["group", ()])
            for (left_out, controls), advised in by_kind.items():
                row = {"study": study.name, "measure": one.measure, "predictor": one.predictor, "tuned": one.tuned}
                row |= {"data_sets": len(advised), "left_out": left_out, "controls": not controls, **rates(advised)}
                row |= {"unreduced": np.nan if controls else share_unreduced(family, one)}
                rows.append(row | {"advice": "weighted" if weighted else "fixed"})
    return pd.DataFrame(rows)


def share_unreduced(family: str, one: StudyRanking) -> float:
    """Return on which share of the data sets nothing reduced is as good as the best, within the margin, over sizes."""
    means = one.ranking.by_set["mean"] * (1 if higher_is_better(one.measure) else -1)
    return float(((means[WHOLE[family]] - means.max(axis=1)).round(DECIMALS) >= -MARGIN).mean())


def orders() -> dict[str, tuple[str, dict[str, float]]]:
    """Return the average ranks of the methods of each paper, by what is reduced.

    As printed where the paper prints values of three methods or more that the benchmark has; otherwise in our run of
    the paper's protocol, over all that it compares.
    """
    there = {family: {*names_in(study.name)[0].values()} for family, study in SCORES.studies.items()}
    by_paper = {}
    for name in (study for study in studies() if study in study_files(PROJECT, [PAPERS])):
        family = study_of(name).family
        sources = [("printed", table) for table in printed_ranks(name)]
        sources += [("our run", rank) for rank in average_ranks(name)]
        enough = [(how, order) for how, order in sources if len(there[family] & {*order.index}) >= FEWEST]
        for how, order in (enough or sources)[:1]:
            by_paper[f"{name}, {how}"] = family, {str(method): float(value) for method, value in order.items()}
    return by_paper


def average_ranks(name: str) -> list[pd.Series]:
    """Return the average ranks of the methods of a study by protocol, over predictors that have the same methods."""
    by_protocol: dict[tuple[str, frozenset[str]], list[pd.Series]] = {}
    for one in studied(name):
        by_protocol.setdefault((one.protocol, frozenset(one.labels)), []).append(one.ranking.table["rank"])
    return [pd.concat(ranks, axis=1).mean(axis=1).round(9) for ranks in by_protocol.values()]  # equal ones stay equal


def printed_ranks(name: str) -> list[pd.Series]:
    """Return the average ranks of the methods in each printed table of a paper that has values by size."""
    study, (names, _) = study_of(name), names_in(name)
    if study.published is None:
        return []
    rows, rankings = pd.read_csv(study.published), []
    for table, part in rows.groupby("table") if "size_percent" in rows else ():
        cells = part.rename(columns={"size_percent": "size", "mean": "value"})[["dataset", "method", "size", "value"]]
        cells["method"] = cells["method"].map(lambda label: names.get(label, label))
        measure = {**study.tables, **study.figures}[str(table)]["measure"]
        complete = cells.dropna().groupby("dataset")["method"].transform("nunique") == cells["method"].nunique()
        if complete.any():
            rankings.append(rank(cells.dropna()[complete], higher_is_better(measure)).table["rank"])
    return rankings


# What a doubling of the rate of a term costs in the sum of the logarithms of some twenty fits, and most doublings.
PENALTY, MOST_POWER = 0.2, 10.0


def line(amounts: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Return a and b such that ``a amounts + b`` is near the values, in the sum of the absolute logarithms."""
    best = (np.inf, 0.0, 0.0)
    for least in values.min() * np.array([0.0, 0.5, 0.9]):
        slope = float(np.exp(np.median(np.log(np.maximum(values - least, 0.05 * values) / amounts))))
        error = float(np.abs(np.log((slope * amounts + least) / values)).sum())
        best = min(best, (error, slope, float(least)))
    return best[1], best[2]


def term_factors(
    amounts: np.ndarray, given: np.ndarray, seconds: np.ndarray, rate: float, least: float
) -> tuple[float, list[float]]:
    """Return a rate and a power of two for each term: ``given + least + rate (amounts @ factors)`` is near the seconds.

    Of the sum of the absolute logarithms; a power has a penalty, so that terms that these fits do not show have none.
    """
    powers = np.zeros(1 + amounts.shape[1])  # of the rate, and of each term
    steps = [sign * step for step in np.eye(len(powers)) for sign in (1.0, -1.0)]

    def loss(powers: np.ndarray) -> float:
        expected = given + least + rate * 2.0 ** powers[0] * (amounts @ 2.0 ** powers[1:])
        return float(np.abs(np.log(expected / seconds)).sum() + PENALTY * np.abs(powers[1:]).sum())

    while True:
        others = [powers + step for step in steps if np.abs(powers + step).max() <= MOST_POWER]
        best = min(others, key=loss)
        if loss(best) > loss(powers) - 1e-6:
            return rate * float(2.0 ** powers[0]), [float(factor) for factor in 2.0 ** powers[1:]]
        powers = best


@cache
def costs() -> pd.DataFrame:
    """Return the constants of the costs: a row per method that was measured."""
    rows: dict[str, tuple[Any, ...]] = {}
    fits_of = {str(name): fits for name, fits in pd.read_csv(growth.FITS).dropna().groupby("method")}
    for name in ["ridge", *(name for name in fits_of if name != "ridge")]:
        fits, (complexity, *regression) = fits_of[name], evidence.complexities(name)
        sizes = [(growth.stored_sizes(fit), growth.is_sparse(fit)) for fit in fits.itertuples()]
        amounts = np.array([evidence.term_operations(complexity, *size) for size in sizes])
        seconds, gigabytes = fits["seconds"].to_numpy(), fits["gigabytes"].to_numpy()
        given = np.zeros(len(seconds))
        for part in regression:  # of the codes, at its own rates
            rate, _, _, _, factors = rows["ridge"]
            given += rate * np.array([evidence.term_operations(part, *size) for size in sizes]) @ factors
        rate, least = line(amounts.sum(axis=1), np.maximum(seconds - given, 0.05 * seconds))
        rate, factors = term_factors(amounts, given, seconds, rate, least)
        # What fits to data that are not small take at least is added: blocks are not counted as numbers.
        numbers = np.array([sum(part.numbers(size) for part in (complexity, *regression)) for size, _ in sizes])
        least_gigabytes = float(gigabytes[(fits["axis"] != "small").to_numpy()].min())
        largest = int(np.argmax(np.where(fits["axis"] != "wide", gigabytes, 0.0)))
        per_number = 1e9 * (gigabytes[largest] - least_gigabytes) / numbers[largest]
        rows[name] = rate, least, max(per_number, 8.0), 1e9 * least_gigabytes, factors
    table = pd.DataFrame.from_dict(rows, orient="index", columns=[*evidence.CONSTANTS, "factors"]).sort_index()
    for column in evidence.CONSTANTS:
        table[column] = [float(f"{value:.3g}") for value in table[column]]
    table["factors"] = [" ".join(f"{factor:g}" for factor in factors) for factors in table["factors"]]
    return table.rename_axis("method").reset_index()


def tables() -> dict[Path, str]:
    """Return the texts of the files by their paths."""
    made = {evidence.RANKS: ranks(), evidence.SETS: sets(), evidence.COSTS: costs()}
    return {path: table.to_csv(index=False) for path, table in made.items()}


if __name__ == "__main__":
    # First the costs, which decide between methods of the same rank.
    evidence.COSTS.write_text(costs().to_csv(index=False), encoding="utf-8")
    evidence._costs.cache_clear()
    for path, text in tables().items():
        path.write_text(text, encoding="utf-8")
