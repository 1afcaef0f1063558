"""The sweep over defaults: every method without parameters on the data sets of the benchmark, at three sizes.

    make defaults                                         # data sets without cells; hours on one core, or:
    OPENBLAS_NUM_THREADS=1 python benchmarks/defaults.py --jobs 2 --again leml,sleec
    python benchmarks/defaults.py --draw 15               # on 15 of the data sets, drawn by number
    python benchmarks/defaults.py --judge                 # only the rules, from the committed cells

Selectors keep 5, 10 and 20 % of the features and projections 5, 10 and 20 directions, from which ridge regression and
ML-kNN predict; coders have all codes and codes for 50 and 20 % of the labels in a `CodedClassifier`; predictors have
all features. Methods that take one label per instance are left out. 800 rows of a data set are drawn, 70 % of them for
training; features are as published. Label average precision (AP) and micro-averaged F1 are those of the test part.
Random features and random projections are means of ten draws; other methods that draw have the seed 0. A fit that takes
more than `SECONDS` of processor time is ended.

The cells are in docs/performance/defaults.parquet, a row for each method in docs/performance/defaults.csv and in
docs/defaults.md. `summarise` counts the data sets on which the mean over the sizes is below a control; `RULES` are the
shares of the data sets that are allowed, and `REASONS` has a sentence and a test for each method that is above them.
Exit status 1 where one has none. An interrupted run resumes from its output with ``.part``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_regressor

import mlreduce
from mlreduce.labelspace import CodedClassifier
from mlreduce.linalg.utilities import above_half
from mlreduce.methods.facts import facts_of
from mlreduce.metrics import Outcome, find_measure
from mlreduce.registry import kind_of, make, method_names
from mlreduce.validation import FloatArray
from mlreduce.validation.limits import TimeLimitError, within_limits
from mlreduce_studies.tables.layout import fill_block, to_markdown

PROJECT = Path(__file__).parents[1]
MIRROR = os.environ.get("MLREDUCE_MIRROR") or PROJECT.parent / "shared" / "mirror"
CELLS = PROJECT / "docs" / "performance" / "defaults.parquet"
TABLE = CELLS.with_suffix(".csv")
PAGE = PROJECT / "docs" / "defaults.md"
SETS = PROJECT / "comparisons" / "benchmark-sets.csv"
PREDICTORS = ("ridge", "ml-knn")
SIZES: dict[str, tuple[Any, ...]] = {
    "selection": ("5%", "10%", "20%"),
    "projection": (5, 10, 20),
    "labelspace": (None, "50%", "20%"),
    "predictors": ("",),
}
ROWS, DRAWS, SECONDS = 800, 10, 10
MEASURES = {"ap": "average-precision", "f1": "micro-f1"}
#: What others are compared with.
CONTROLS = ("all-features", "majority-labels", "random-features", "random-projection")
#: The share of the data sets on which a family may be below a control: with ridge regression, or by itself.
RULES = {
    ("projection", "random"): 2 / 15,
    ("projection", "frequencies"): 1 / 15,
    ("selection", "random"): 3 / 15,
    ("labelspace", "frequencies"): 3 / 15,
    ("predictors", "frequencies"): 2 / 15,
}

#: Why a method is below a control on more data sets than its family may be: a sentence, and the test that holds it.
REASONS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        ["cca", "opls"],
        (
            "no ridge, by definition: with many features directions fit the training rows; RCCA and MDDMf choose one",
            "tests/projection/test_ridge_of_projections.py"
            "::test_without_a_ridge_directions_fit_the_training_rows_which_a_warning_says",
        ),
    ),
    **dict.fromkeys(
        ["br-knn", "cc-knn"],
        (
            "three votes: a label that one neighbour has comes before a frequent one; ML-kNN weighs both",
            "tests/predictors/test_neighbours.py::test_votes_are_no_ranking",
        ),
    ),
    "linear": (
        "no penalty, by definition: with more features than rows it fits them exactly; RidgeRegressor chooses one",
        "tests/predictors/test_ridge.py::test_without_a_penalty_many_features_fit_any_targets_which_a_warning_says",
    ),
    "rakel": (
        "votes of some random sets of labels: most rows have labels that tie",
        "tests/predictors/test_label_powerset.py::test_votes_of_random_sets_tie_in_most_rows",
    ),
    "sleec": (
        "labels of some near neighbours: labels that none of them has tie, in most rows",
        "tests/predictors/test_sleec.py::test_labels_that_few_neighbours_have_tie_in_most_rows",
    ),
    "mfs-mcdm": (
        "a feature that speaks against many labels ranks last, as useful as it is",
        "tests/selection/test_selection_api.py::test_a_feature_that_speaks_against_all_labels_is_last_by_mfs_mcdm_alone",
    ),
    "pmu": (
        "redundancy is summed and not averaged over the selected features, so that noise is preferred",
        "tests/selection/test_greedy.py::test_redundancy_that_is_summed_and_not_averaged_prefers_noise",
    ),
    "mcls": (
        "scores are those of graphs of the features and depend little on the labels; copies are kept",
        "tests/selection/test_selection_api.py::test_scores_on_graphs_depend_little_on_the_labels",
    ),
    **dict.fromkeys(
        ["ela-chi2", "spec"],
        (
            "features are judged one by one, so that copies of the best are kept",
            "tests/selection/test_selection_api.py::test_features_judged_one_by_one_are_copies_of_the_best",
        ),
    ),
    "mlsi": (
        "by less than 0.03 on each set, while 0.03 and more above on average",
        "tests/unit/test_defaults_sweep.py::test_some_methods_are_below_their_controls_by_little",
    ),
    "m5p": (
        "a tree for each label, without a penalty: with few rows it fits labels that do not depend on the features",
        "tests/unit/test_defaults_sweep.py::test_model_trees_of_few_rows_fit_noise",
    ),
}


def make_seeded(name: str, seed: int = 0, **parameters: Any) -> Any:
    """Make a method, with a seed where it draws."""
    method = make(name, **parameters)
    return method.set_params(random_state=seed) if "random_state" in method.get_params() else method


class Part:
    """Rows of a data set, 70 % of them for training."""

    def __init__(self, name: str) -> None:
        data = mlreduce.load_dataset(name, mirror=MIRROR)
        order = np.random.default_rng(0).permutation(len(data.Y))[:ROWS]
        cut = 7 * len(order) // 10
        self.X, self.X_test = data.X[order[:cut]], data.X[order[cut:]]
        self.Y, self.Y_test = data.Y[order[:cut]], data.Y[order[cut:]]

    def measure(self, scores: FloatArray, predicted: Any = None) -> dict[str, float]:
        """Return average precision and F1 of scores of the test part."""
        scores = np.asarray(scores, dtype=float)
        labels = above_half(scores) if predicted is None else predicted
        outcome = Outcome(self.Y_test, np.asarray(labels, dtype=np.int8), scores=scores)
        return {column: float(find_measure(measure)(outcome)) for column, measure in MEASURES.items()}

    def predict(self, model: Any, X: Any, X_test: Any) -> dict[str, float]:
        """Fit a predictor and measure what it predicts."""
        model.fit(X, self.Y)
        for verb in ("predict_scores", "decision_function", "predict_proba"):
            if hasattr(model, verb):
                return self.measure(getattr(model, verb)(X_test), model.predict(X_test))
        values = self.measure(model.predict(X_test).astype(float))
        return values if is_regressor(model) else {**values, "ap": np.nan}  # nothing ranks the labels

    def predict_reduced(self, reductions: list[Any]) -> Iterator[tuple[str, dict[str, float]]]:
        """Yield the mean over some reductions of the features, for each predictor."""
        pairs = []
        for reduction in reductions:
            reduction.fit(self.X, self.Y)
            pairs.append((reduction.transform(self.X), reduction.transform(self.X_test)))
        for predictor in PREDICTORS:
            draws = pd.DataFrame([self.predict(make(predictor), *pair) for pair in pairs])
            yield predictor, dict(draws.mean())

    def cells(self, kind: str, name: str, size: Any) -> Iterator[tuple[str, dict[str, float]]]:
        """Yield predictors and what is measured with them."""
        if kind == "frequencies":
            yield "", self.measure(np.tile(self.Y.mean(axis=0), (len(self.Y_test), 1)))
        elif kind == "predictors":
            yield "", self.predict(make_seeded(name), self.X, self.X_test)
        elif kind == "labelspace":
            yield "", self.predict(CodedClassifier(make_seeded(name, n_components=size)), self.X, self.X_test)
        else:
            n_components = min(size, self.X.shape[1]) if isinstance(size, int) else size
            parameter = {"k": size} if kind == "selection" else {"n_components": n_components}
            seeds = range(DRAWS if name in ("random-features", "random-projection") else 1)
            yield from self.predict_reduced(
                [make_seeded(name, seed, **({} if name == "all-features" else parameter)) for seed in seeds]
            )


load_part = lru_cache(maxsize=1)(Part)


def measure_method(dataset: str, name: str) -> pd.DataFrame:
    """Measure a method on a data set at each size. A fit that fails or takes too long is a row that says so."""
    piece = load_part(dataset)
    kind = "frequencies" if name == "frequencies" else kind_of(name)
    sizes = SIZES.get(kind, ("",)) if name != "all-features" else ("",)
    rows: list[dict[str, Any]] = []
    slow = ""
    for size in sizes:
        row = {"method": name, "family": kind, "dataset": dataset, "size": "all" if size is None else str(size)}
        started = time.process_time()
        try:
            with within_limits({"seconds": SECONDS}), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if slow:
                    raise TimeLimitError(slow)
                cells = list(piece.cells(kind, name, size))
            rows += [{**row, "predictor": predictor, **values, "failed": ""} for predictor, values in cells]
        except Exception as error:  # noqa: BLE001 - a row of the table
            failed = " ".join(f"{type(error).__name__}: {error}".split())[:160]
            rows.append({**row, "predictor": "", "ap": np.nan, "f1": np.nan, "failed": failed})
            slow = f"more than {SECONDS} s at another size" if isinstance(error, TimeLimitError) else ""
        for cell in rows[-len(PREDICTORS) :]:
            cell.setdefault("seconds", round(time.process_time() - started, 2))
    return pd.DataFrame(rows).round({"ap": 4, "f1": 4})


def sweep(names: list[str], datasets: list[str], part: Path, jobs: int) -> pd.DataFrame:
    """Measure each method on each data set, continuing what is in ``part``."""
    done = pd.read_csv(part, keep_default_na=False) if part.exists() else pd.DataFrame(columns=["method", "dataset"])
    known = set(zip(done["method"], done["dataset"], strict=True))
    with ProcessPoolExecutor(jobs) as pool:
        for dataset in datasets:
            futures = [pool.submit(measure_method, dataset, name) for name in names if (name, dataset) not in known]
            for future in as_completed(futures):
                table = future.result()
                table.to_csv(part, mode="a", header=not part.exists(), index=False)
            print(dataset, len(futures), "methods", flush=True)
    return pd.read_csv(part, keep_default_na=False, na_values={"ap": "", "f1": ""})


def compare_cells(cells: pd.DataFrame, method: str, predictor: str, control: tuple[str, str]) -> pd.Series:
    """Return average precision minus that of a control, for each data set on which both ended at a size."""
    names = ["dataset", "size"]
    ended = cells[(cells["failed"] == "") & cells["ap"].notna()]
    values = ended[(ended["method"] == method) & (ended["predictor"] == predictor)].set_index(names)["ap"]
    least = ended[(ended["method"] == control[0]) & (ended["predictor"] == control[1])]
    if least["size"].nunique() == 1:  # a control without sizes
        difference = values.sub(least.set_index("dataset")["ap"], level="dataset")
    else:
        difference = values.sub(least.set_index(names)["ap"])
    mean: pd.Series = difference.dropna().groupby("dataset").mean()
    return mean


def summarise(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each method: on how many data sets it is below its controls, by how much, and which rules break.

    ``random`` counts the data sets with a mean over the sizes below random features or projections with ridge
    regression, ``random, ML-kNN`` the same with ML-kNN, ``frequencies`` those below the label frequencies of the
    training rows. ``difference`` is the mean difference from the first of these controls that its family has.
    """
    family, n_datasets = cells.drop_duplicates("method").set_index("method")["family"], cells["dataset"].nunique()
    rows = []
    for method, kind in family.items():
        if method in CONTROLS or kind == "frequencies":
            continue
        reduces = kind in ("selection", "projection")
        random = "random-features" if kind == "selection" else "random-projection"
        own = cells[cells["method"] == method]
        compared = {"frequencies": compare_cells(cells, str(method), "ridge" if reduces else "", ("frequencies", ""))}
        if reduces:
            compared["random"] = compare_cells(cells, str(method), "ridge", (random, "ridge"))
            compared["random, ML-kNN"] = compare_cells(cells, str(method), "ml-knn", (random, "ml-knn"))
        row = {"method": method, "family": kind, "sets": len(compared["frequencies"])}
        row |= {control: int((values < -1e-9).sum()) for control, values in compared.items()}
        row["difference"] = round(float(compared["random" if reduces else "frequencies"].mean()), 4)
        row["ended"] = int((own["failed"] == "").sum())
        row["failed"] = int((own["failed"] != "").sum())
        row["broken"] = " and ".join(
            control
            for control in compared
            if (kind, control) in RULES and row[control] > RULES[kind, control] * n_datasets + 1e-9
        )
        rows.append(row)
    table = pd.DataFrame(rows)
    worst = table[["random", "frequencies"]].max(axis=1)
    order = table.assign(worst=worst).sort_values(["worst", "difference", "method"], ascending=[False, True, True])
    counts = ["random", "random, ML-kNN"]
    return order.drop(columns="worst").astype(dict.fromkeys(counts, "Int64")).reset_index(drop=True)


def page_of(text: str, table: pd.DataFrame) -> str:
    """Return the page with the methods that break a rule, worst first, and the reason of each."""
    broken = table[table["broken"] != ""]
    shown = broken[["method", "family", "random", "frequencies"]].astype(object)
    shown["difference"] = broken["difference"].map("{:+.3f}".format)
    rows = [[*("" if pd.isna(one) else str(one) for one in row), REASONS[row[0]][0]] for row in shown.to_numpy()]
    counted = (
        f"{len(table) - len(broken)} of {len(table)} methods keep to these numbers. The others, each with its reason:"
    )
    header = ["method", "family", "below random", "below frequencies", "difference", "reason"]
    return fill_block(text, "defaults", [counted, "", *to_markdown(header, rows).splitlines()])


def names_of_methods() -> list[str]:
    """Return the names of all methods that take several labels, controls first."""
    names = [name for kind in SIZES for name in method_names(kind) if not facts_of(name).single_label]
    return ["frequencies", *CONTROLS, *(name for name in names if name not in CONTROLS)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", help="names separated by commas (default: all)")
    parser.add_argument("--datasets", default=",".join(pd.read_csv(SETS)["dataset"]))
    parser.add_argument("--output", type=Path, default=CELLS)
    parser.add_argument("--again", help="methods whose cells are measured again, separated by commas, or 'all'")
    parser.add_argument("--judge", action="store_true", help="only judge the output that is there")
    parser.add_argument("--draw", type=int, metavar="N", help="only N of the data sets, drawn with seed 0")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    datasets = arguments.datasets.split(",")
    if arguments.draw:
        datasets = [datasets[place] for place in np.random.default_rng(0).permutation(len(datasets))[: arguments.draw]]
    if not arguments.judge:
        part = arguments.output.with_suffix(".part")
        names = arguments.methods.split(",") if arguments.methods else names_of_methods()
        if arguments.output.exists() and not part.exists():  # what is committed is not measured again
            committed = pd.read_parquet(arguments.output)
            again = names if arguments.again == "all" else (arguments.again or "").split(",")
            committed[~committed["method"].isin(again)].to_csv(part, index=False)
        cells = sweep(names, datasets, part, arguments.jobs)
        cells = cells.sort_values(["family", "method", "dataset", "predictor", "size"], kind="stable")
        cells.reset_index(drop=True).to_parquet(arguments.output, compression="zstd")
        part.unlink()
    cells = pd.read_parquet(arguments.output)
    table = summarise(cells[cells["dataset"].isin(datasets)])
    if arguments.output == CELLS and not arguments.judge:
        table.to_csv(TABLE, index=False)
        PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")
    print(table.to_string(index=False))
    return int(any(row.broken and row.method not in REASONS for row in table.itertuples()))


if __name__ == "__main__":
    sys.exit(main())
