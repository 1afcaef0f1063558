"""Write what `mlreduce.recommend` knows of the methods: ranks in the committed studies, and constants of their costs.

    python docs/update_evidence.py

Ranks are of the scores in results/reference, constants of the measured fits in docs/scale/fits.csv; `make reference`
runs it, and tests/test_recommendation.py says when it has to be run.
"""

from __future__ import annotations

import importlib.util
import json
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import mlreduce
from mlreduce import registry
from mlreduce.complexity import Complexity, Sizes
from mlreduce.configuration import read_yaml
from mlreduce.datasets.catalogue import read_catalogue
from mlreduce.methods import evidence
from mlreduce.metrics import higher_is_better
from mlreduce.metrics.measures import measures_that_need
from mlreduce.stats.ranks import compare, rank_methods
from mlreduce_studies.study import study_file

PROJECT = Path(__file__).parents[1]
#: Fewest methods that are compared: of two or three a rank says little.
FEWEST = 4


def scores_of(folder: Path) -> pd.DataFrame:
    """Return the scores of predictions in a study, of one entry per method: its own name, or else the first one.

    Of several views of the same instances beside these views side by side the latter are taken.
    """
    scores = pd.read_parquet(folder / "scores.parquet")
    scores = scores[~scores["dataset"].isin(read_catalogue().views_of(scores["dataset"].unique()))]
    scores = scores[(scores["status"] == "ok") & ~scores["measure"].isin(measures_that_need("codes"))]
    labels: dict[str, str] = {}
    for label, parameters in sorted(set(zip(scores["method"], scores["parameters"], strict=True))):
        name = registry.entry_name(label, json.loads(parameters))
        if label == name or name not in labels:
            labels[name] = label
    names = {label: name for name, label in labels.items()}
    return scores[scores["method"].isin(names.keys())].assign(method=lambda own: own["method"].map(names))


def ranks_of(scores: pd.DataFrame) -> pd.DataFrame | None:
    """Return the average ranks of methods over data sets, of the means over splits and sizes; None if there are few.

    Sizes are those that all methods of several sizes have. Of several measures a data set has the average of the ranks,
    as in the tables of average ranks.
    """
    cells = scores.groupby(["measure", "dataset", "method", "size_percent", "energy"])["value"].mean().unstack("method")
    several = cells.columns[cells.groupby(["measure", "dataset"]).count().max() > 1]
    cells.loc[cells[several].isna().any(axis=1), several] = np.nan
    values = cells.groupby(["measure", "dataset"]).mean()
    # As in the tables: a data set on which a method failed is left out.
    whole = values.notna().all(axis=1).groupby("dataset").all()
    values = values[values.index.get_level_values("dataset").isin(whole.index[whole])]
    names = list(values.index.unique("measure"))
    if values.shape[1] < FEWEST:
        return None
    total = reduce(pd.DataFrame.add, (rank_methods(values.loc[name], higher_is_better(name)) for name in names))
    made = compare(total / len(names), higher_is_better=False)
    return pd.DataFrame(
        {
            "method": made.average.index,
            "rank": made.average.to_numpy().round(2),
            "best": round(float(made.average.min()), 2),
            "methods": len(made.average),
            "data_sets": made.n_blocks,
            "critical_difference": round(made.critical_difference, 2),
        }
    )


def ranks() -> pd.DataFrame:
    """Return the ranks in all committed studies, a row per study, protocol, predictor and method."""
    tables = []
    for folder in sorted(path.parent for path in (PROJECT / "results" / "reference").glob("*/scores.parquet")):
        protocols = read_yaml(study_file(folder.name, PROJECT))["protocols"]
        for (protocol, predictor), own in scores_of(folder).groupby(["protocol", "predictor"]):
            table = ranks_of(own)
            if table is not None:
                place = {"study": folder.name, "protocol": protocol, "predictor": predictor}
                place["labelled"] = protocols[protocol].get("labelled", 1.0)
                tables.append(table.assign(**place)[[*place, *table.columns]])
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
    return {evidence.RANKS: ranks().to_csv(index=False), evidence.COSTS: costs().to_csv(index=False)}


if __name__ == "__main__":
    for path, text in tables().items():
        path.write_text(text, encoding="utf-8")
