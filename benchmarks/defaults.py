"""The sweep over defaults: every method as it is made without parameters, on eight data sets.

    make defaults                                         # half an hour on one core, or:
    OPENBLAS_NUM_THREADS=1 python benchmarks/defaults.py --methods leml,sleec --output /tmp/few.csv

Selectors keep a tenth of the features and projections five directions, from which ridge regression and ML-kNN predict;
coders are those of a `CodedClassifier`; predictors have the unreduced data. Methods that take one label per instance
are left out. Rows of the data are sampled, 70 % of them for
training; features are as published. Label average precision (AP) and micro-averaged F1 are those of the test part.
Random features and random projections are means of twenty draws; other methods that draw have the seed 0.

`violations` are the rules that a table breaks, with the reasons in `REASONS`; exit status 1 where one has none. They
are put into docs/defaults.md. An interrupted run resumes from its output with ``.part``.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_regressor

import mlreduce
from mlreduce.datasets.data import MultiLabelData
from mlreduce.labelspace import CodedClassifier
from mlreduce.linalg.utilities import above_half
from mlreduce.methods.facts import facts_of
from mlreduce.metrics import Outcome, find_measure
from mlreduce.registry import kind_of, make
from mlreduce.validation import FloatArray
from mlreduce_studies.tables.layout import fill_block

PROJECT = Path(__file__).parents[1]
MIRROR = os.environ.get("MLREDUCE_MIRROR") or PROJECT.parent / "shared" / "mirror"
TABLE = PROJECT / "docs" / "performance" / "defaults.csv"
DATASETS = ("digits", "emotions", "yeast", "scene", "birds", "enron", "medical", "languagelog")
PREDICTORS = ("ridge", "ml-knn")
ROWS = {"selection": 600, "projection": 600, "labelspace": 600, "predictors": 1500}
DIRECTIONS, DRAWS, SECONDS = 5, 20, 60
MEASURES = {"ap": "average-precision", "f1": "micro-f1"}
#: What others are compared with.
CONTROLS = ("all-features", "majority-labels", "random-features", "random-projection")

_LEAST = "the cost is least where features hardly vary, which `fit` says: PCA first"
_WIDE = "directions that fit the training rows where features are many: a larger ridge, or PCA first"
_SINGLE = "judges features one by one and keeps those that say the same"
_PAIRS = "terms of many labels outweigh the redundancy: as if features were judged one by one"
_PRUNED = "instances with rare label sets are left out; `n_pruned_` says how many"

#: Why a method breaks a rule still, as far as we see: not each is tested.
REASONS = {
    **dict.fromkeys(["olpp", "onpp", "mesd-dla", "mesd-sonpp", "mesd-olpp-r", "ssmmc", "ssdne"], _LEAST),
    **dict.fromkeys(["cca", "mlda", "dmlda", "mesd-lfda", "mesd-mfa", "npp", "sslfda", "ssmfa"], _WIDE),
    "lpp": f"{_WIDE}; features that are not centred leave a trivial first direction",
    **dict.fromkeys(["anova", "mcls", "mim", "mutual-info", "spec"], _SINGLE),
    **dict.fromkeys(["jmi", "lrfs"], _PAIRS),
    **dict.fromkeys(["ppt-chi2", "ppt-mi"], _PRUNED),
    **dict.fromkeys(["br-knn", "cc-knn"], "shares of three neighbours: labels that none of them has are tied"),
    "cs": "sparse decoding of a few random sums, of which each label is one part",
    "faie": "`predictability`, the weight of what the features explain, is not chosen from the data",
    "flda": "a score is the distance from the middle of two means, whatever the label's frequency",
    "linear": "no penalty, by definition: with more features than rows it fits them exactly",
    "m5p": "a tree for each label, which is pruned by squared errors and not by the order of labels",
    "mlc-bmad": "labels in no predicted set are tied",
    "mlnb": "correlated features are counted several times, with any floor of variances",
}
PAGE = PROJECT / "docs" / "defaults.md"


class TooSlowError(Exception):
    """A cell takes longer than `SECONDS`."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlowError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def seeded(name: str, **parameters: Any) -> Any:
    """Make a method, with a seed where it draws."""
    method = make(name, **parameters)
    return method.set_params(random_state=0) if "random_state" in method.get_params() else method


class Part:
    """Rows of a data set, 70 % of them for training, with the comparison values that belong to them."""

    def __init__(self, data: MultiLabelData, rows: int) -> None:
        order = np.random.default_rng(0).permutation(len(data.Y))[:rows]
        cut = 7 * len(order) // 10
        self.X, self.X_test = data.X[order[:cut]], data.X[order[cut:]]
        self.Y, self.Y_test = data.Y[order[:cut]], data.Y[order[cut:]]

    def measured(self, scores: FloatArray, predicted: Any = None) -> dict[str, float]:
        scores = np.asarray(scores, dtype=float)
        labels = above_half(scores) if predicted is None else predicted
        outcome = Outcome(self.Y_test, np.asarray(labels, dtype=np.int8), scores=scores)
        return {column: float(find_measure(measure)(outcome)) for column, measure in MEASURES.items()}

    def predicted(self, model: Any, X: Any, X_test: Any) -> dict[str, float]:
        model.fit(X, self.Y)
        for verb in ("predict_scores", "decision_function", "predict_proba"):
            if hasattr(model, verb):
                return self.measured(getattr(model, verb)(X_test), model.predict(X_test))
        values = self.measured(model.predict(X_test).astype(float))
        return values if is_regressor(model) else {**values, "ap": np.nan}  # nothing ranks the labels

    def cells(self, kind: str, name: str) -> Iterator[tuple[str, dict[str, float]]]:
        """Yield predictors and what is measured with them."""
        if kind == "predictors":
            yield "", self.predicted(seeded(name), self.X, self.X_test)
        elif kind == "labelspace":
            yield "", self.predicted(CodedClassifier(seeded(name)), self.X, self.X_test)
        else:
            n_features = self.X.shape[1]
            size = {"k": max(1, n_features // 10)} if kind == "selection" else {"n_components": DIRECTIONS}
            reductions = [seeded(name, **(size if name != "all-features" else {}))]
            if name.startswith("random"):
                reductions = [make(name, **size, random_state=seed) for seed in range(DRAWS)]
            pairs = []
            for reduction in reductions:
                reduction.fit(self.X, self.Y)
                pairs.append((reduction.transform(self.X), reduction.transform(self.X_test)))
            for predictor in PREDICTORS:
                draws = pd.DataFrame([self.predicted(make(predictor), *pair) for pair in pairs])
                yield predictor, dict(draws.mean())


def sweep(names: list[str], datasets: list[str], part: Path) -> pd.DataFrame:
    """Measure each method on each data set, continuing what is in ``part``."""
    done = pd.read_csv(part, keep_default_na=False) if part.exists() else pd.DataFrame(columns=["method", "dataset"])
    known = set(zip(done["method"], done["dataset"], strict=True))
    for dataset in datasets:
        data = mlreduce.load_dataset(dataset, mirror=MIRROR)
        for name in names:
            if (name, dataset) in known:
                continue
            started = time.process_time()
            rows: list[dict[str, Any]] = []
            kind = "frequencies" if name == "frequencies" else kind_of(name)
            piece = Part(data, ROWS.get(kind, ROWS["predictors"]))
            own = {"method": name, "family": kind, "dataset": dataset}
            try:
                with limited(SECONDS), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    if kind == "frequencies":
                        cells = [("", piece.measured(np.tile(piece.Y.mean(axis=0), (len(piece.Y_test), 1))))]
                    else:
                        cells = list(piece.cells(kind, name))
                rows = [{**own, "predictor": predictor, **values, "failed": ""} for predictor, values in cells]
            except Exception as error:  # noqa: BLE001 - a row of the table
                rows = [{**own, "predictor": "", "ap": np.nan, "f1": np.nan, "failed": str(error)[:200]}]
            table = pd.DataFrame(rows).assign(seconds=round(time.process_time() - started, 1))
            table.to_csv(part, mode="a", header=not part.exists(), index=False, float_format="%.3f")
            print(dataset, name, *table[["ap", "f1", "seconds"]].to_numpy().round(3).tolist(), flush=True)
    return pd.read_csv(part)


def violations(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rules that methods break: method, rule, and the data sets with both values."""
    table = table.fillna({"predictor": "", "failed": ""})
    ap = table.pivot_table(index=["method", "predictor"], columns="dataset", values="ap")
    f1 = table.pivot_table(index=["method", "predictor"], columns="dataset", values="f1")
    family = table.set_index("method")["family"].to_dict()
    found = []

    def add(method: str, rule: str, values: pd.Series, least: pd.Series, where: pd.Series, more_than: int) -> None:
        if where.sum() > more_than:
            cells = [f"{name} {values[name]:.3f} < {least[name]:.3f}" for name in where[where].index]
            found.append({"method": method, "rule": rule, "cells": ", ".join(cells)})

    frequencies = ap.loc["frequencies", ""]
    usual = ap.loc["ridge", ""] > frequencies
    for (method, predictor), values in ap.iterrows():
        kind = family[method]
        if method in CONTROLS or method == "frequencies":
            continue
        if kind in ("predictors", "labelspace"):
            add(method, "label frequencies", values, frequencies, (values < frequencies) & usual, 0)
        else:
            control, most = ("random-features", 2) if kind == "selection" else ("random-projection", 4)
            least = ap.loc[control, predictor]
            add(method, f"{control}, {predictor}", values, least, values < least, most)
    for method, values, least, name in (("kernel-ridge", f1, 0.9, "digits"), ("ridge", ap, 0.39, "languagelog")):
        wanted = pd.Series({name: least})
        add(method, f"at least {least}", values.loc[method, ""], wanted, values.loc[method, ""][[name]] < least, 0)
    rows = pd.DataFrame(found, columns=["method", "rule", "cells"])
    return rows.assign(reason=[REASONS.get(method, "") for method in rows["method"]])


def write_page(rules: pd.DataFrame) -> None:
    """Put the table of violations into the page, between its marks."""
    lines = ["| method | below | on | reason |", "| --- | --- | --- | --- |"]
    lines += [f"| `{row.method}` | {row.rule} | {row.cells} | {row.reason} |" for row in rules.itertuples()]
    PAGE.write_text(fill_block(PAGE.read_text(encoding="utf-8"), "violations", lines), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", help="names separated by commas (default: all)")
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--output", type=Path, default=TABLE)
    parser.add_argument("--judge", action="store_true", help="only judge the output that is there")
    arguments = parser.parse_args()
    if not arguments.judge:
        every = [
            name for kind in ROWS for name in mlreduce.registry.method_names(kind) if not facts_of(name).single_label
        ]
        chosen = arguments.methods.split(",") if arguments.methods else every
        part = arguments.output.with_name(f"{arguments.output.name}.part")
        table = sweep(["frequencies", *chosen], arguments.datasets.split(","), part)
        table = table.sort_values(["family", "method", "dataset", "predictor"], kind="stable")
        table.to_csv(arguments.output, index=False)
        part.unlink()
        if arguments.methods:
            return 0
    rules = violations(pd.read_csv(arguments.output))
    rules.to_csv(arguments.output.with_name(f"{arguments.output.stem}-violations.csv"), index=False)
    if arguments.output == TABLE:
        write_page(rules)
    print(rules.to_string(index=False))
    return int((rules["reason"] == "").any())


if __name__ == "__main__":
    sys.exit(main())
