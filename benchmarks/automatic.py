"""AutoReducer against plain models on folds of the benchmark's data sets: docs/auto/measured.csv.

    python benchmarks/automatic.py --budget 10                # missing folds, in the order of the benchmark
    python benchmarks/automatic.py --budget 60 flags emotions # of some data sets
    python benchmarks/automatic.py --folds 1                  # the first folds alone
    python benchmarks/automatic.py --share 0.1                # max_features: a tenth of the features
    python benchmarks/automatic.py page                       # what the benchmark has, and the table of docs/auto.md

Average precision, ties in expectation. AutoReducer tries the methods that rank first in the benchmark without the data
set and those that are related to it.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from functools import partial
from textwrap import wrap
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from reducebench import PROJECT
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import mlreduce
from mlreduce import MLKNN, RidgeRegressor, ThresholdClassifier
from mlreduce.auto import candidates
from mlreduce.datasets.catalogue import load_dataset
from mlreduce.files import replacing, write_text
from mlreduce.methods import evidence
from mlreduce.methods.evidence import Ranking, Traits, Wanted
from mlreduce.metrics import evaluate
from mlreduce.stats.ranking import CONTROLS, MARGIN, one_variant
from mlreduce_studies.benchmark.folds import folds_of
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.benchmark.scores import Scores, groups_of, names_in
from mlreduce_studies.tables.layout import fill_block, to_markdown

PAGE, FILE = (PROJECT / "docs" / name for name in ("auto.md", "auto/measured.csv"))
_TREES = {"n_estimators": 100, "min_samples_leaf": 2, "random_state": 0}
#: Models on all features, as they are.
PLAIN = {
    "ridge": ThresholdClassifier(RidgeRegressor(), decision="half"),
    "calibrated ridge": ThresholdClassifier(RidgeRegressor(), decision="half", calibrate=True),
    "ML-kNN": MLKNN(n_neighbors="loo", decision="half"),
    "SVM": ThresholdClassifier(OneVsRestClassifier(LinearSVC(dual="auto")), decision="half"),
    "forest": ThresholdClassifier(RandomForestClassifier(**_TREES), decision="half"),
    "extra trees": ThresholdClassifier(ExtraTreesClassifier(**_TREES), decision="half"),
}
#: Of the benchmark, chosen with the labels of the test rows: the best of the first methods of each family that
#: `recommend` would name for ridge regression without the data set and its group, and the best of all that was run.
CHOSEN_ON_TEST, FIRST = ("best of recommend", "best of the benchmark"), 3


def foremost_without(name: str, family: str, wanted: Wanted, like: Traits | None = None) -> tuple[Ranking, ...]:
    """Do as `evidence.foremost` from the data sets of the benchmark that are in another group."""
    rankings = evidence.foremost(family, wanted, like)
    if not (rankings and rankings[0].study.startswith(evidence.BENCHMARK)):
        return rankings
    groups, sets = evidence.groups_of(rankings[0].study), evidence.sets_of(rankings[0].study)
    kept = [one.name for one in rankings[0].by_set if groups[one.name] != groups.get(name, name)]
    of = [groups[other] for other in kept]
    shares = [1 / (len(set(of)) * of.count(group)) for group in of]
    if like is not None and rankings[0].weighted:
        shares = evidence.weights([sets[other] for other in kept], like, of)
    return evidence.averaged(rankings, dict(zip(kept, shares, strict=True)))


def measured(data: Any, fold: int, split: Any, budget: float, share: float) -> dict[str, Any]:
    """Return the average precision of the models on a fold of a data set."""
    warnings.simplefilter("ignore")
    train, labels, rows, truth = data.X[split.train], data.Y[split.train], data.X[split.test], data.Y[split.test]

    def value(model: Any) -> float:
        return evaluate("average-precision", truth, model.predict_scores(rows), ties="expected")

    began = time.monotonic()
    most = None if share == 1 else max(1, int(share * train.shape[1]))
    with patch.object(candidates, "foremost", partial(foremost_without, data.name)):
        model = mlreduce.AutoReducer(time_budget=budget, random_state=0, max_features=most).fit(train, labels)
    seconds = time.monotonic() - began
    best = model.leaderboard_.query("status == 'chosen'").iloc[0]
    found = {
        "budget": budget,
        "share": share,
        "fold": fold,
        "rows": len(split.train),
        "seconds": seconds,
        "auto": value(model),
    }
    found |= {"single": value(model.best_estimator_), "stacked": len(model.weights_), "best": best["candidate"]}
    return found | {label: value(clone(plain).fit(train, labels)) for label, plain in PLAIN.items()}


def best_on_test(folds: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of `CHOSEN_ON_TEST` for folds of data sets, at any size, from the scores of the benchmark."""
    scores = Scores(Protocol(PROJECT, None))
    parts = []
    for family, study in scores.studies.items():
        cells = one_variant(scores.folds(family, "average-precision"), *names_in(study))
        first: set[tuple[str, str]] = set()
        for name in folds["dataset"].unique():
            ranked = foremost_without(name, family, Wanted("ridge"))
            first |= {(name, one.method) for one in [one for one in ranked if one.method not in CONTROLS][:FIRST]}
        named = pd.Series([*zip(cells["dataset"], cells["method"], strict=True)], cells.index).isin(first)
        parts.append(cells.assign(named=named & (cells["predictor"] == "ridge")))
    every = pd.concat(parts)
    best = [part.groupby(["dataset", "fold"])["value"].max() for part in (every[every["named"]], every)]
    columns = pd.concat(best, axis=1, keys=CHOSEN_ON_TEST)
    return folds.drop(columns=columns.columns, errors="ignore").join(columns, on=["dataset", "fold"])


def table() -> list[str]:
    """Return a sentence and the means by setting in Markdown; groups of related data sets have the weight of one."""
    rows, sentence = [], ""
    measures = ["auto", "single", *PLAIN, *CHOSEN_ON_TEST]
    groups = groups_of(PROJECT)
    for (budget, share), folds in pd.read_csv(FILE).groupby(["budget", "share"], sort=False):
        part = folds.groupby("dataset")[["rows", *measures]].mean().reset_index()
        n_folds = folds["fold"].nunique()
        setting = f"{budget:g} s" + (f" and {100 * share:g} % of the features" if share < 1 else "")
        setting += f", {n_folds} fold{'s' * (n_folds > 1)}"
        by_group = part.groupby([groups.get(name, name) for name in part["dataset"]]).mean(numeric_only=True)
        gain = (part["auto"] - part["ridge"]).to_numpy()
        better, worse = int(np.sum(gain > MARGIN)), int(np.sum(gain < -MARGIN))
        means = [f"{by_group[name].mean():.3f}" for name in measures]
        difference = f"{(by_group['auto'] - by_group['ridge']).mean():+.3f}"
        rows.append([setting, *means, difference, f"{better}, {worse}"])
        sentence = sentence or (
            f"With {setting}, its mean is {difference} against ridge regression on all features. It is better by more "
            f"than {MARGIN:g} on {better} of {len(part)} data sets, and worse on {worse}."
        )
    header = ["setting", "AutoReducer", "its best candidate", *measures[2:]]
    lines = to_markdown([*header, "AutoReducer less ridge", f"better, worse by {MARGIN:g}"], rows).splitlines()
    return [*wrap(sentence, 124), "", *lines]


def main() -> None:
    """Measure what is missing, or update the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*", help="some of the data sets, or page")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds (default: 10)")
    parser.add_argument("--share", type=float, default=1.0, help="of the features, at most (default: 1)")
    parser.add_argument("--folds", type=int, default=5, help="of each data set, at most 5 (default: 5)")
    options = parser.parse_args()
    if options.datasets == ["page"]:
        with replacing(FILE) as temporary:
            best_on_test(pd.read_csv(FILE)).to_csv(temporary, index=False, float_format="%.4f")
        write_text(PAGE, fill_block(PAGE.read_text(encoding="utf-8"), "auto measured", table()))
        return
    protocol = Protocol(PROJECT, os.environ.get("MLREDUCE_MIRROR"))
    rows: list[Any] = pd.read_csv(FILE).to_dict("records") if FILE.is_file() else []
    setting = (options.budget, options.share)
    there = {(row["dataset"], row["fold"]) for row in rows if (row["budget"], row["share"]) == setting}
    FILE.parent.mkdir(exist_ok=True)
    for name in options.datasets or protocol.datasets:
        folds = [fold for fold in range(options.folds) if (name, fold) not in there]
        if not folds:
            continue
        data = load_dataset(name)
        splits = folds_of(protocol, data)
        for fold in folds:
            rows.append({"dataset": name} | measured(data, fold, splits[fold], *setting))
            line = {key: round(item, 4) if isinstance(item, float) else item for key, item in rows[-1].items()}
            print(line, flush=True)
            with replacing(FILE) as temporary:
                pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.4f")


if __name__ == "__main__":
    main()
