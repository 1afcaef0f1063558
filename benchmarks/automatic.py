"""AutoReducer against plain models on the first fold of the benchmark's data sets: docs/auto/measured.csv.

    python benchmarks/automatic.py --budget 10                # missing data sets, the smallest first
    python benchmarks/automatic.py --budget 60 flags emotions # some of them
    python benchmarks/automatic.py page                       # update the table of docs/auto.md

Average precision, ties in expectation. Candidates are chosen by the benchmark's ranking, in which these data sets are.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from reducebench import PROJECT
from sklearn.ensemble import RandomForestClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import mlreduce
from mlreduce.datasets.catalogue import load_dataset
from mlreduce.files import replacing, write_text
from mlreduce.metrics import evaluate
from mlreduce.predictors import MLKNN, RidgeRegressor
from mlreduce.stats.ranking import MARGIN
from mlreduce_studies.benchmark.folds import folds_of
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.benchmark.scores import groups_of
from mlreduce_studies.tables.layout import fill_block, to_markdown

PAGE, FILE = (PROJECT / "docs" / name for name in ("auto.md", "auto/measured.csv"))
#: Models on all features, as they are.
PLAIN = {
    "ridge": lambda: mlreduce.ThresholdClassifier(RidgeRegressor(), decision="half"),
    "ml-knn": lambda: MLKNN(n_neighbors="loo", decision="half"),
    "svm": lambda: mlreduce.ThresholdClassifier(OneVsRestClassifier(LinearSVC(dual="auto")), decision="half"),
    "forest": lambda: mlreduce.ThresholdClassifier(
        RandomForestClassifier(n_estimators=100, min_samples_leaf=2, random_state=0), decision="half"
    ),
}
#: A data set with fewer rows is small.
SMALL = 500


def measured(protocol: Protocol, name: str, budget: float) -> dict[str, Any]:
    """Return the average precision of the models on the first fold of a data set."""
    warnings.simplefilter("ignore")
    data = load_dataset(name)
    split = folds_of(protocol, data, 1)[0]
    train, labels, rows, truth = data.X[split.train], data.Y[split.train], data.X[split.test], data.Y[split.test]

    def value(model: Any) -> float:
        return evaluate("average-precision", truth, model.predict_scores(rows), ties="expected")

    began = time.monotonic()
    model = mlreduce.AutoReducer(time_budget=budget, random_state=0).fit(train, labels)
    seconds = time.monotonic() - began
    best = model.leaderboard_.query("status == 'chosen'").iloc[0]
    found = {"dataset": name, "budget": budget, "rows": len(split.train), "seconds": seconds, "auto": value(model)}
    found |= {"single": value(model.best_estimator_), "stacked": len(model.weights_), "best": best["candidate"]}
    return found | {label: value(make().fit(train, labels)) for label, make in PLAIN.items()}


def table() -> list[str]:
    """Return the means by budget in Markdown; groups of related data sets have the weight of one."""
    rows = []
    for budget, part in pd.read_csv(FILE).groupby("budget"):
        for what, some in (("all", part), (f"{SMALL} training rows and more", part[part["rows"] >= SMALL])):
            groups = groups_of(PROJECT)
            by_group = some.groupby([groups.get(name, name) for name in some["dataset"]]).mean(numeric_only=True)
            gain = (some["auto"] - some["ridge"]).to_numpy()
            counts = f"{np.sum(gain > MARGIN)}, {np.sum(gain < -MARGIN)}"
            means = [f"{by_group[name].mean():.3f}" for name in ("auto", "single", *PLAIN)]
            difference = f"{(by_group['auto'] - by_group['ridge']).mean():+.3f}"
            rows.append([f"{budget:g} s", what, str(len(some)), *means, difference, counts])
    header = ["budget", "data sets", "number", "AutoReducer", "its best candidate", "ridge", "ML-kNN", "SVM", "forest"]
    return to_markdown([*header, "AutoReducer less ridge", f"better, worse by {MARGIN:g}"], rows).splitlines()


def main() -> None:
    """Measure what is missing, or update the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*", help="some of the data sets, or page")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds (default: 10)")
    options = parser.parse_args()
    if options.datasets == ["page"]:
        write_text(PAGE, fill_block(PAGE.read_text(encoding="utf-8"), "auto measured", table()))
        return
    protocol = Protocol(PROJECT, os.environ.get("MLREDUCE_MIRROR"))
    rows = pd.read_csv(FILE).to_dict("records") if FILE.is_file() else []
    there = {row["dataset"] for row in rows if row["budget"] == options.budget}
    Path(FILE).parent.mkdir(exist_ok=True)
    for name in (name for name in options.datasets or protocol.datasets if name not in there):
        rows.append(measured(protocol, name, options.budget))
        print({key: round(item, 4) if isinstance(item, float) else item for key, item in rows[-1].items()}, flush=True)
        with replacing(FILE) as temporary:
            pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.4f")


if __name__ == "__main__":
    main()
