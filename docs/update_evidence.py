"""Write what `mlreduce.recommend` knows of the methods: rankings in the committed studies, and constants of costs.

    python docs/update_evidence.py

Rankings are those of `mlreduce.stats.ranking` over the summaries in results/reference and the pieces of the benchmark
in results/benchmark, each with one predictor: ridge regression where a study has it. Constants are of the measured fits
in docs/scale/fits.csv. `make reference` runs it, and tests/methods/test_recommendation.py says when it has to be run.
`recommend` takes the comparison of a family with the most methods times data sets: the benchmark's once its pieces are
there.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlreduce import registry
from mlreduce.complexity import Complexity
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.methods import evidence
from mlreduce.metrics import higher_is_better
from mlreduce.stats.ranking import CONTROLS, FULL, MARGIN, WHOLE, rank
from mlreduce.stats.ranks import DECIMALS
from mlreduce_studies.benchmark import scores
from mlreduce_studies.benchmark.pieces import Pieces
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.gathering.held_out import advice_pays, leave_one_out, rates
from mlreduce_studies.gathering.rankings import MAIN, StudyRanking, main_measure, main_ranking, rankings_of, sized_cells
from mlreduce_studies.study import PAPERS, Study, load_study, study_file, study_files

PROJECT = Path(__file__).parents[1]
REFERENCE = PROJECT / "results" / "reference"
PROTOCOL = Protocol(PROJECT)
BENCHMARK = Pieces(PROTOCOL)
#: Fewest methods that are compared: of two a rank says little.
FEWEST = 3
#: Studies that rank all methods of a family. Advice for data sets left out is computed from them.
FAMILIES = {"selection": "selectors", "labelspace": "coders", "projection": "projections"}
ADVISING = (*FAMILIES.values(), *(f"benchmark-{name}" for name in FAMILIES.values()))


@cache
def study_of(name: str) -> Study:
    """Return a study at its full scale."""
    return load_study(study_file(name, PROJECT), "paper", read_catalogue())


@cache
def summary_of(name: str) -> pd.DataFrame:
    """Return the committed summary of a study, without views whose features are also in another of its data sets.

    Of a study of the benchmark it has the measure by which its methods are judged.
    """
    study = study_of(name)
    if not (REFERENCE / name).is_dir():
        measure = main_measure(study.tables, study.measures)
        return scores.summary_of(BENCHMARK, study, PROTOCOL.candidates, [measure])
    summary = pd.read_csv(REFERENCE / name / "summary.csv.gz")
    return summary[~summary["dataset"].isin(read_catalogue().views_of(summary["dataset"].unique()))]


def names_in(name: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the labels of a study to registered names, and the labels of means to those of the draws."""
    return scores.names_in(study_of(name))


def seconds_of(methods: Iterable[str]) -> dict[str, float]:
    """Return the estimated seconds of a fit to data of ordinary size, of the methods that declare their costs."""
    return {name: typical for name in sorted(set(methods)) if (typical := evidence.typical_seconds(name))}


@cache
def studied(name: str, measure: str | None = None) -> list[StudyRanking]:
    """Return the rankings of the methods of a study by a measure, by predictor; None takes that of its first table."""
    study, (names, averages) = study_of(name), names_in(name)
    measure = measure or main_measure(study.tables, study.measures)
    seconds = seconds_of(names.values())
    return rankings_of(summary_of(name), names, averages, fewest=FEWEST, measures=[measure], seconds=seconds)


def whole_cells(name: str, cells: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return the cells of a method at full size, with the predictors as methods; variants of one name are the same."""
    names, _ = names_in(name)
    cells_of_method = cells[
        cells["method"].isin([label for label in names if names[label] == method]) & cells["size"].eq(FULL)
    ]
    alone = cells_of_method.drop_duplicates(["dataset", "predictor"])
    return alone[["dataset", "predictor", "size", "value"]].rename(columns={"predictor": "method"})


@cache
def predictors(name: str) -> list[StudyRanking]:
    """Return the rankings of the predictors of a study where nothing is reduced."""
    study = study_of(name)
    measure = main_measure(study.tables, study.measures)
    summary = summary_of(name)
    rankings = []
    for protocol, part in sized_cells(summary[summary["measure"] == measure]).groupby("protocol"):
        cells = whole_cells(name, part, "all-features")
        cells["method"] = cells["method"].replace(scores.predictor_names(study))
        labels = {label: label for label in cells["method"].unique()}
        if len(labels) >= FEWEST:
            made = rank(cells, higher_is_better(measure))
            rankings.append(StudyRanking(str(protocol), measure, "", made, labels))
    return rankings


def rows_of(name: str) -> pd.DataFrame:
    """Return the rows of a study, one per protocol, predictor and method; of several predictors `MAIN` alone."""
    study, tables = study_of(name), []
    by_main = any(one.predictor == MAIN for one in studied(name))
    searched = {label for group in study.groups.values() if group.search for label in group.methods}
    for family, rankings in (("", studied(name)), ("predictors", predictors(name))):
        for one in rankings:
            if not family and by_main and one.predictor != MAIN:
                continue
            table = one.ranking.table[["near", "low", "high", "rank", "won", "mean"]].round(6).reset_index()
            place = {"study": name, "protocol": one.protocol, "predictor": one.predictor}
            place |= {"measure": one.measure, "labelled": study.protocols[one.protocol].get("labelled", 1.0)}
            table["family"] = [family or registry.kind_of(method) for method in table["method"]]
            near, ranks = (one.ranking.by_set[key] for key in ("near", "rank"))
            table["by_set"] = [
                " ".join(
                    f"{dataset}:{near.loc[dataset, method]:.4g}:{ranks.loc[dataset, method]:.4g}"
                    for dataset in near.index
                )
                for method in table["method"]
            ]
            about: dict[str, Any] = {"methods": len(table), "data_sets": len(near)}
            about["searched"] = [one.labels[method] in searched for method in table["method"]]
            about["weighted"] = name in ADVISING and not family and advice_pays(held_out(name))
            *columns, by_set = table.columns
            tables.append(table.assign(**place, **about)[[*place, *columns, *about, by_set]])
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def studies() -> list[str]:
    """Return the names of the studies that have results."""
    benchmark = {piece.study for piece in BENCHMARK.listed() if piece.candidates == PROTOCOL.candidates}
    return sorted({path.parent.name for path in REFERENCE.glob("*/summary.csv.gz")} | benchmark)


def ranks() -> pd.DataFrame:
    """Return the rankings in all committed studies."""
    return pd.concat([rows_of(name) for name in studies()], ignore_index=True)


@cache
def sets() -> pd.DataFrame:
    """Return the sizes of the data sets of each study, and the share of zeros among the values of their features."""
    tables = []
    for name in studies():
        table = pd.read_csv(REFERENCE / name / "datasets.csv" if (REFERENCE / name).is_dir() else PROJECT / scores.SETS)
        there = {dataset for one in studied(name) for dataset in one.ranking.data_sets}
        columns = ["study", "dataset", "instances", "features", "labels", "zeros"]
        tables.append(table[table["dataset"].isin(there)].assign(study=name)[columns].round({"zeros": 4}))
    return pd.concat(tables, ignore_index=True)


def traits_in(name: str) -> dict[str, evidence.Traits]:
    """Return the traits by which the data sets of a study are compared."""
    rows = sets().query("study == @name")
    return {
        row.dataset: evidence.Traits(row.instances, row.features, row.labels, 1 - row.zeros)
        for row in rows.itertuples()
    }


@cache
def held_out(name: str, controls: tuple[str, ...] = CONTROLS) -> pd.DataFrame:
    """Return how good the advice of a study is on each of its data sets, by the others."""
    one = main_ranking(studied(name))
    return leave_one_out(one.ranking, higher_is_better(one.measure), traits_in(name), controls)


def advice() -> pd.DataFrame:
    """Return how often the first three methods contain one near the best of a data set left out, by kind of advice."""
    rows = []
    for name in (advising for advising in ADVISING if advising in studies()):
        for kind, controls in (("left out", CONTROLS), ("among them", ())):
            advised = held_out(name, controls)
            weighted = kind == "left out" and advice_pays(advised)
            row = {"study": name, "predictor": main_ranking(studied(name)).predictor, "data_sets": len(advised)}
            row |= {"controls": kind, **rates(advised), "unreduced": share_unreduced(name, controls)}
            rows.append(row | {"advice": "weighted" if weighted else "fixed"})
    return pd.DataFrame(rows)


def share_unreduced(name: str, controls: tuple[str, ...]) -> float:
    """Return on which share of the data sets of a study nothing reduced is as good as the best, within the margin.

    NaN where that is no method of the study. The best is without ``controls``, means are over all sizes.
    """
    one = main_ranking(studied(name))
    means = one.ranking.by_set["mean"] * (1 if higher_is_better(one.measure) else -1)
    unreducing = [control for control in WHOLE if control in means]
    best = means.drop(columns=[control for control in controls if control in means]).max(axis=1)
    return float(((means[unreducing[0]] - best).round(DECIMALS) >= -MARGIN).mean()) if unreducing else np.nan


def orders() -> dict[str, tuple[str, dict[str, float]]]:
    """Return the average ranks of the methods of each paper, by what is reduced.

    As printed where the paper prints values of three methods or more that the benchmark has; otherwise in our run of
    the paper's protocol, over all that it compares.
    """
    there = {family: {*names_in(f"benchmark-{name}")[0].values()} for family, name in FAMILIES.items()}
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


def line(amounts: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Return a and b such that ``a amounts + b`` is near the values, in the sum of the absolute logarithms."""
    best = (np.inf, 0.0, 0.0)
    for least in values.min() * np.array([0.0, 0.5, 0.9]):
        slope = float(np.exp(np.median(np.log(np.maximum(values - least, 0.05 * values) / amounts))))
        error = float(np.abs(np.log((slope * amounts + least) / values)).sum())
        best = min(best, (error, slope, float(least)))
    return best[1], best[2]


def costs() -> pd.DataFrame:
    """Return the constants of the costs: a row per method that was measured."""
    spec = importlib.util.spec_from_file_location("growth", PROJECT / "benchmarks" / "growth.py")
    assert spec is not None
    assert spec.loader is not None
    growth = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(growth)
    rows = []
    for name, fits in pd.read_csv(growth.FITS).dropna().groupby("method"):
        complexities: list[Complexity] = evidence.complexities(str(name))
        sizes = [growth.stored_sizes(fit) for fit in fits.itertuples()]
        sparse = fits["family"].iloc[0] != "selection"
        operations = np.array(
            [sum(evidence.work(complexity, size, sparse) for complexity in complexities) for size in sizes]
        )
        numbers = np.array([sum(complexity.numbers(size) for complexity in complexities) for size in sizes])
        seconds, gigabytes = fits["seconds"].to_numpy(), fits["gigabytes"].to_numpy()
        per_operation, least_seconds = line(operations, seconds)
        # What fits to middling data take at least is added: blocks and tables are not counted as numbers.
        largest, least = int(np.argmax(gigabytes)), float(gigabytes[fits["axis"] != "small"].min())
        per_number = 1e9 * (gigabytes[largest] - least) / numbers[largest]
        rows.append((name, per_operation, least_seconds, max(per_number, 8.0), 1e9 * least))
    table = pd.DataFrame(rows, columns=["method", *evidence.CONSTANTS]).set_index("method")
    return table.map(lambda value: float(f"{value:.3g}")).reset_index()


def tables() -> dict[Path, str]:
    """Return the texts of the files by their paths."""
    made = {evidence.RANKS: ranks(), evidence.SETS: sets(), evidence.COSTS: costs()}
    return {path: table.to_csv(index=False) for path, table in made.items()}


if __name__ == "__main__":
    for path, text in tables().items():
        path.write_text(text, encoding="utf-8")
