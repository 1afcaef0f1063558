"""Write what `mlreduce.recommend` knows of the methods: rankings in the committed studies, and constants of costs.

    python docs/update_evidence.py

Rankings are those of `mlreduce.stats.ranking` over the summaries in results/reference, constants of the measured fits
in docs/scale/fits.csv; `make reference` runs it, and tests/methods/test_recommendation.py says when it has to be run.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import mlreduce
from mlreduce import registry
from mlreduce.complexity import Complexity, Sizes
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.methods import evidence
from mlreduce.metrics import higher_is_better
from mlreduce.stats.ranking import FULL, rank
from mlreduce_studies.gathering.rankings import StudyRanking, main_measure, names_of, rankings_of, sized_cells
from mlreduce_studies.study import Study, load_study, study_file

PROJECT = Path(__file__).parents[1]
REFERENCE = PROJECT / "results" / "reference"
#: Fewest methods that are compared: of two a rank says little.
FEWEST = 3
#: With which predictors are compared: nothing is reduced.
WHOLE = "all-features"


@cache
def study_of(name: str) -> Study:
    """Return a study at its full scale."""
    return load_study(study_file(name, PROJECT), "paper", read_catalogue())


@cache
def summary_of(name: str) -> pd.DataFrame:
    """Return the committed summary of a study, without views that stand side by side in a data set beside them."""
    summary = pd.read_csv(REFERENCE / name / "summary.csv.gz")
    return summary[~summary["dataset"].isin(read_catalogue().views_of(summary["dataset"].unique()))]


def names_in(name: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the labels of a study to registered names, and the labels of means to those of the draws."""
    study = study_of(name)
    registered = {label: registry.entry_name(label, own) for label, own in study.methods.items()}
    averages = {label: [*draws] for label, draws in study.averages.items()}
    return names_of(registered, averages), averages


def seconds_of(methods: Iterable[str]) -> dict[str, float]:
    """Return the estimated seconds of a fit to data of ordinary size, of the methods that say what they cost."""
    return {name: found for name in sorted(set(methods)) if (found := evidence.typical_seconds(name))}


@cache
def studied(name: str, measure: str | None = None) -> list[StudyRanking]:
    """Return the rankings of the methods of a study by a measure; None takes that of its first table."""
    study, (names, averages) = study_of(name), names_in(name)
    measure = measure or main_measure(study.tables, study.measures)
    seconds = seconds_of(names.values())
    return rankings_of(summary_of(name), names, averages, fewest=FEWEST, measures=[measure], seconds=seconds)


def whole_cells(name: str, cells: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return the cells of a method at full size, with the predictors as methods; variants of one name are the same."""
    names, _ = names_in(name)
    own = cells[cells["method"].isin([label for label in names if names[label] == method]) & cells["size"].eq(FULL)]
    alone = own.drop_duplicates(["dataset", "predictor"])
    return alone[["dataset", "predictor", "size", "value"]].rename(columns={"predictor": "method"})


@cache
def predictors(name: str) -> list[StudyRanking]:
    """Return the rankings of the predictors of a study where nothing is reduced."""
    study = study_of(name)
    measure = main_measure(study.tables, study.measures)
    summary = summary_of(name)
    found = []
    for protocol, own in sized_cells(summary[summary["measure"] == measure]).groupby("protocol"):
        cells = whole_cells(name, own, WHOLE)
        labels = {label: label for label in cells["method"].unique()}
        if len(labels) >= FEWEST:
            made = rank(cells, higher_is_better(measure))
            found.append(StudyRanking(str(protocol), measure, (), True, made, labels))
    return found


def rows_of(name: str) -> pd.DataFrame:
    """Return the rows of a study, one per protocol, predictors and method."""
    protocols, tables = study_of(name).protocols, []
    for family, found in (("", studied(name)), ("predictors", predictors(name))):
        for one in found:
            if not one.every:
                continue
            table = one.ranking.table[["near", "low", "high", "rank", "won", "mean"]].round(6).reset_index()
            place = {"study": name, "protocol": one.protocol, "predictors": " ".join(one.predictors)}
            place |= {"measure": one.measure, "labelled": protocols[one.protocol].get("labelled", 1.0)}
            table["family"] = [family or registry.kind_of(method) for method in table["method"]]
            near = one.ranking.by_set["near"]
            table["by_set"] = [
                " ".join(f"{dataset}={value:.4g}" for dataset, value in near[method].items())
                for method in table["method"]
            ]
            sizes = {"methods": len(table), "data_sets": len(near)}
            *columns, by_set = table.columns
            tables.append(table.assign(**place, **sizes)[[*place, *columns, *sizes, by_set]])
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def studies() -> list[str]:
    """Return the names of the studies that have results."""
    return sorted(path.parent.name for path in REFERENCE.glob("*/summary.csv.gz"))


def ranks() -> pd.DataFrame:
    """Return the rankings in all committed studies."""
    return pd.concat([rows_of(name) for name in studies()], ignore_index=True)


def sets() -> pd.DataFrame:
    """Return the sizes of the data sets of each study."""
    tables = []
    for name in studies():
        own = pd.read_csv(REFERENCE / name / "datasets.csv")
        there = {dataset for one in studied(name) for dataset in one.ranking.data_sets}
        columns = ["study", "dataset", "instances", "features", "labels"]
        tables.append(own[own["dataset"].isin(there)].assign(study=name)[columns])
    return pd.concat(tables, ignore_index=True)


def sizes_of(fit: Any, growth: Any) -> Sizes:
    """Return the sizes of a measured fit: 50 words per instance, dense for selectors."""
    method = mlreduce.make(fit.method, **growth.PARAMETERS.get(fit.method, {}))
    asked = getattr(method, "n_components", None)
    stored = fit.n * fit.d if fit.family == "selection" else 50 * fit.n
    return Sizes(fit.n, fit.d, fit.c, stored, asked if isinstance(asked, int) else min(fit.n, fit.d))


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
        sizes = [sizes_of(fit, growth) for fit in fits.itertuples()]
        operations = np.array([sum(own.operations(size) for own in complexities) for size in sizes])
        numbers = np.array([sum(own.numbers(size) for own in complexities) for size in sizes])
        seconds, gigabytes = fits["seconds"].to_numpy(), fits["gigabytes"].to_numpy()
        per_operation, least_seconds = line(operations, seconds)
        largest, least = int(np.argmax(gigabytes)), float(gigabytes.min())
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
