"""Runs for benchmarks/withdrawn.py: small ones, and version 1 again with ties in expectation."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import normalize

from mlreduce import registry
from mlreduce.configuration import read_yaml
from mlreduce.datasets.catalogue import load_dataset
from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.failures import sorted_failures
from mlreduce.evaluation.loop import Experiment
from mlreduce.evaluation.splitting import Split, take_splits
from mlreduce.evaluation.view import normalise
from mlreduce.files import replacing
from mlreduce.linalg.least_squares import Design
from mlreduce.metrics import evaluate
from mlreduce.predictors.ridge import RidgeRegressor
from mlreduce.validation import FloatArray, as_dense
from mlreduce_studies.benchmark.answers import NOUNS
from mlreduce_studies.benchmark.pieces import Piece, Pieces, job_files, piece_table
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.gathering.job_tables import write_table
from mlreduce_studies.study import Study

PROJECT = Path(__file__).parents[1]
FOLDER = PROJECT / "docs" / "benchmark" / "withdrawn"
#: Scalings of the features, and penalties of ridge regression, that are measured side by side.
SCALINGS, PENALTIES = ("none", "unit", "standard", "rows"), ("gcv", "loo")
#: The projections that version 1 tuned; draws of a random projection; and their size in percent of the features.
TUNED = ("wmlda", "hsl1", "hsl3", "mddmf", "rcca", "mvmd", "mope", "dmlda", "mlsi", "mesd-lfda")
DRAWS, PERCENT = 3, 10
#: Predictors whose scores of the labels of a row often tie, and the measures that ties are of.
TIED = ("br-knn", "3-nn", "label-means", "majority-labels")
OF_SCORES = ["average-precision", "ranking-loss", "precision-at-1", "precision-at-3", "precision-at-5"]
MEASURE = "average-precision"
AGAIN = PROJECT / "results" / "benchmark-ties"


def folds_of(protocol: Protocol, name: str) -> tuple[MultiLabelData, dict[int, Split]]:
    """Return a data set of the benchmark with its folds."""
    study, *_ = protocol.studies().values()
    (rule,), number = study.protocols, study.splits_of(next(iter(study.groups)), name)
    data = load_dataset(name, protocol.mirror)
    return data, take_splits(data.Y, study.rule_of(rule, name), range(number), protocol.config["seed"], name)


def scaled(data: MultiLabelData, split: Split, scaling: str) -> tuple[FloatArray, FloatArray]:
    """Return training and test rows; "rows" are those as given, at unit length."""
    train, test, *_ = normalise(data, split, "none" if scaling == "rows" else scaling)
    train, test = as_dense(train), as_dense(test)
    return (normalize(train), normalize(test)) if scaling == "rows" else (train, test)


def ridge_rows(train: FloatArray, test: FloatArray, labels: FloatArray, truth: FloatArray) -> Iterator[dict[str, Any]]:
    """Yield average precision and penalty of ridge regression with each choice of the penalty."""
    for alpha in PENALTIES:
        model = RidgeRegressor(alpha=alpha).fit(train, labels)
        value = precision(truth, model.predict(test).round(9))
        yield {"penalty": alpha, "strength": float(np.max(model.penalty_)), "edge": model.edge_ or "", "value": value}


def precision(truth: FloatArray, scores: FloatArray, ties: str = "standard") -> float:
    """Return the average precision of scores."""
    return evaluate("average-precision", truth, scores, ties=ties)


def labels_of(data: MultiLabelData, split: Split) -> tuple[FloatArray, FloatArray]:
    """Return the labels of the training and of the test rows."""
    train, test = (as_dense(data.Y[rows]).astype(float) for rows in (split.train, split.test))
    return train, test


def scaling_rows(data: MultiLabelData, folds: Mapping[int, Split]) -> Iterator[dict[str, Any]]:
    """Yield average precision of ridge regression on all features, by fold, scaling and choice of the penalty."""
    for number, split in folds.items():
        targets, truth = labels_of(data, split)
        for scaling in SCALINGS:
            for row in ridge_rows(*scaled(data, split, scaling), targets, truth):
                yield {"fold": number, "scaling": scaling, **row}


def default_rows(data: MultiLabelData, folds: Mapping[int, Split]) -> Iterator[dict[str, Any]]:
    """Yield average precision of the projections that version 1 tuned, with their defaults, on the first fold."""
    targets, truth = labels_of(data, folds[0])
    train, test = scaled(data, folds[0], "unit")
    most = max(1, PERCENT * train.shape[1] // 100)
    for method in (*TUNED, "random-projection"):
        draws = [{"random_state": seed} for seed in range(DRAWS)] if method == "random-projection" else [{}]
        drawn = []
        for parameters in draws:
            model = registry.make(method, **parameters, n_components=most).fit(train, targets)
            drawn.append(list(ridge_rows(model.transform(train), model.transform(test), targets, truth)))
        for rows in zip(*drawn, strict=True):
            value = float(np.mean([row["value"] for row in rows]))
            yield {"method": method, "penalty": rows[0]["penalty"], "value": value}
    frequencies = np.broadcast_to(targets.mean(axis=0), truth.shape)
    yield {"method": "majority-labels", "penalty": "", "value": precision(truth, frequencies)}


def neighbour_rows(data: MultiLabelData, folds: Mapping[int, Split]) -> Iterator[dict[str, Any]]:
    """Yield average precision of the shares of three neighbours, by what decides between labels that tie."""
    targets, truth = labels_of(data, folds[0])
    train, test = scaled(data, folds[0], "none")
    shares = KNeighborsRegressor(3, algorithm="brute").fit(train, targets).predict(test)
    by_frequency = shares + 1e-3 * targets.mean(axis=0)  # less than a third: only ties are decided
    yield {"ties": "standard", "value": precision(truth, shares)}
    yield {"ties": "expected", "value": precision(truth, shares, "expected")}
    yield {"ties": "by frequency", "value": precision(truth, by_frequency)}


def repeat_rows(data: MultiLabelData, folds: Mapping[int, Split]) -> Iterator[dict[str, Any]]:
    """Yield the share of test rows that have the features of a training row, on the first fold."""
    train, test = (np.ascontiguousarray(part) for part in scaled(data, folds[0], "none"))
    seen = {row.tobytes() for row in train}
    repeated = float(np.mean([row.tobytes() in seen for row in test]))
    yield {"train": len(train), "test": len(test), "repeated": repeated}


#: Tables and what measures a data set for them.
MEASURED: dict[str, Callable[[MultiLabelData, Mapping[int, Split]], Iterator[dict[str, Any]]]] = {
    "scalings": scaling_rows,
    "defaults": default_rows,
    "neighbours": neighbour_rows,
    "repeats": repeat_rows,
}


def measure(protocol: Protocol, names: Collection[str]) -> None:
    """Measure what is not in the tables yet, a data set at a time."""
    warnings.simplefilter("ignore")
    for name in names:
        missing = [key for key in MEASURED if name not in set(table(key)["dataset"])]
        start = time.process_time()
        data, folds = folds_of(protocol, name) if missing else (None, None)
        for key in missing:
            rows = pd.DataFrame(MEASURED[key](data, folds))
            rows.insert(0, "dataset", name)
            with replacing(FOLDER / f"{key}.csv") as path:
                pd.concat([table(key), rows]).to_csv(path, index=False, float_format="%.6g")
        if missing:
            print(f"{name:26}{time.process_time() - start:8.1f} s", flush=True)


def table(key: str) -> pd.DataFrame:
    """Return a table of `measure`, empty where nothing is measured."""
    path = FOLDER / f"{key}.csv"
    return pd.read_csv(path, keep_default_na=False) if path.is_file() else pd.DataFrame(columns=["dataset"])


# Version 1 again, with ties in expectation


def run_again(protocol: Protocol, names: Collection[str]) -> None:
    """Run the predictors whose scores tie on the first fold of what is not there yet, with ties in expectation.

    As version 1 was run, from the same seed: the searches are by average precision, now with ties in expectation. The
    selectors that version 1 tuned, which take most of its hours, are left out.
    """
    from mlreduce_studies.planning.jobs import Jobs
    from mlreduce_studies.planning.plan import make_plan

    warnings.simplefilter("ignore")
    config = {**read_yaml(PROJECT / "config" / "config.yaml"), **protocol.config, "ties": protocol.ties}
    jobs, pieces = Jobs(make_plan(config, PROJECT)), Pieces(protocol, AGAIN)
    done = {(piece.study, piece.dataset) for piece in pieces.listed()}
    for study in sorted(protocol.studies().values(), key=lambda study: [*NOUNS].index(study.family), reverse=True):
        for name in names:
            if (study.name, name) not in done:
                start = time.process_time()
                table = scores_again(jobs, protocol, study, name)
                piece = pieces.write(study.name, name, protocol.candidates, table)
                seconds = time.process_time() - start
                print(f"{piece.file}: {piece.rows} rows, {seconds:.1f} s", flush=True)


def scores_again(jobs: Any, protocol: Protocol, study: Study, name: str) -> pd.DataFrame:
    """Return the scores of the measures of scores, with the columns of a piece."""
    data, seed = load_dataset(name, protocol.mirror), protocol.config["seed"]
    design = Design.factorise(data.X, rcond=0.0) if study.family == "labelspace" else None

    def step(kind: str) -> Experiment:
        settings = json.loads(jobs.settings(kind, study, name, "all", "all"))
        settings |= {"space": jobs.normalisation(study, name)}
        settings["tasks"] = [task for task in settings["tasks"] if narrowed(task, study)]
        return Experiment(study.name, data, settings, seed, design=design if kind != "choose" else None)

    searched = study.family != "selection"
    choices, failed = step("choose").choose() if searched else (None, sorted_failures([]))
    fitted: dict[Any, Any] = {}
    _, failed = step("fit").fit(choices, failed, fitted.__setitem__)
    scores, failed = step("predict").predict(fitted, choices, failed)
    with TemporaryDirectory() as base:
        files = {kind: Path(base, file) for kind, file in job_files(study.name, name).items()}
        for file in files.values():
            file.parent.mkdir(parents=True)
        write_table(files["scores"], scores, failed if len(failed) else None)
        write_table(files["times"], pd.DataFrame({key: [] for key in ("method", "split", "seconds", "megabytes")}))
        found = piece_table(study, name, base)
    return found[found["measure"].isin(OF_SCORES)]


def narrowed(task: dict[str, Any], study: Study) -> bool:
    """Cut a task to the first fold, the predictors whose scores tie and measures of scores; say whether any is left."""
    group = study.groups[task["group"]]
    predictors = [name for name in group.predictors if name in TIED]
    if not predictors or (study.family == "selection" and group.search):
        return False
    if group.measures is not None and "average-precision" not in group.measures:
        return False
    task["splits"] = (0, 0)
    if "predictors" in task:
        task |= {"predictors": {name: study.predictors[name] for name in predictors}, "measures": OF_SCORES}
    if "search" in task:
        together = [entry for entry in task["search"]["together"] if entry[0] in TIED]
        task["search"] |= {"also": [], "together": together}
    return True


class OfOneMeasure(Pieces):
    """The pieces of version 1 by average precision alone; each is read once, since many answers need it."""

    def __init__(self, protocol: Protocol) -> None:
        super().__init__(protocol)
        self._tables: dict[Piece, pd.DataFrame] = {}

    def read(self, piece: Piece) -> pd.DataFrame:
        """Return the table of a piece."""
        if piece not in self._tables:
            self._tables[piece] = self._read(piece)
        return self._tables[piece]

    def _read(self, piece: Piece) -> pd.DataFrame:
        return _of_measure(super().read(piece))


class Again(OfOneMeasure):
    """The pieces of version 1 by average precision, cut to what was run again.

    Parameters
    ----------
    protocol : Protocol
        Of version 1.
    expected : bool
        Whether the values are those with ties in expectation, or those of version 1 in the same cells.
    """

    def __init__(self, protocol: Protocol, expected: bool) -> None:
        super().__init__(protocol)
        self._again, self._expected = Pieces(replace(protocol, ties="expected"), AGAIN), expected
        self._pieces = {(piece.study, piece.dataset): piece for piece in self._again.listed()}

    def listed(self) -> list[Piece]:
        """Return the pieces of version 1 that were run again."""
        known = super().listed()
        return [piece for piece in known if piece.candidates == 20 and (piece.study, piece.dataset) in self._pieces]

    def _read(self, piece: Piece) -> pd.DataFrame:
        # Of the predictors whose scores tie the cells that were run again, all of the others.
        table = super()._read(piece)
        again = _of_measure(self._again.read(self._pieces[piece.study, piece.dataset]))
        table = table[table["fold"].isin(again["fold"].unique())]
        keys = ["method", "fold", "percent", "number", "predictor", "measure"]
        both = table.merge(again[[*keys, "value"]], how="left", on=keys, suffixes=("", "_again"), indicator=True)
        there = both["_merge"] == "both"
        if self._expected:
            both["value"] = both["value"].where(~there, both["value_again"])
        return both.loc[there | ~both["predictor"].isin(TIED), table.columns]


def _of_measure(table: pd.DataFrame) -> pd.DataFrame:
    text = dict.fromkeys(("method", "predictor", "measure", "status"), object)
    return table[table["measure"] == MEASURE].astype(text)
