"""What decisions do to micro-averaged F1 and Hamming loss, and what they cost: docs/performance/decisions.csv.

The means are in docs/decisions.md.

    python benchmarks/decisions.py --mirror ../shared/mirror                # a quarter of an hour
    python benchmarks/decisions.py scores --datasets emotions,birds --splits 1 --no-write
    python benchmarks/decisions.py page                                     # the table of the page, from the files

Seven in ten rows train, the others test; `CodedClassifier` and `MLKNN` with their defaults but the decision. The cost
is processor time of a fit with one threshold over that of a fit with one half, both the shortest of some in turn.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from sklearn.model_selection import ShuffleSplit

import mlreduce
from mlreduce.metrics import evaluate
from mlreduce.predictors.decision import DECISIONS
from mlreduce_studies.tables.layout import fill_block, to_markdown

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "decisions.md"
DATASETS = "corel5k,languagelog,bibtex,birds,cal500,enron,emotions,medical"
MODELS = {"CodedClassifier": mlreduce.CodedClassifier, "MLKNN": mlreduce.MLKNN}


def parts(data, splits: int) -> Iterator[tuple]:
    return ShuffleSplit(splits, train_size=0.7, random_state=0).split(data.Y)


def scores(data, splits: int) -> Iterator[list[str]]:
    """Yield a row for each classifier and decision: means of micro-averaged F1 and Hamming loss."""
    for name, make in MODELS.items():
        for rule in DECISIONS:
            found = pd.DataFrame(columns=["micro-f1", "hamming-loss"])
            for train, test in parts(data, splits):
                predicted = make(decision=rule).fit(data.X[train], data.Y[train]).predict(data.X[test])
                found.loc[len(found)] = [evaluate(measure, data.Y[test], predicted) for measure in found]
            f1, loss = found.mean()
            yield [name, rule, f"{f1:.3f}", f"{loss:.4f}"]


def costs(data, splits: int) -> Iterator[list[str]]:
    """Yield a row for each classifier: seconds with one half, and how many times as many with one threshold."""
    train, _ = next(parts(data, 1))
    for name, make in MODELS.items():
        seconds: dict[str, list[float]] = {"one-threshold": [], "half": []}
        while len(seconds["half"]) < 2 or (sum(seconds["half"]) < 1 and len(seconds["half"]) < 20):
            for rule, own in seconds.items():
                start = time.process_time()
                make(decision=rule).fit(data.X[train], data.Y[train])
                own.append(time.process_time() - start)
        half, tuned = min(seconds["half"]), min(seconds["one-threshold"])
        yield [name, f"{half:.3f}", f"{tuned / half:.2f}"]


TABLES = {
    "scores": (scores, DOCS / "performance" / "decisions.csv", ("classifier", "decision", "micro-f1", "hamming-loss")),
    "costs": (costs, DOCS / "performance" / "decision-costs.csv", ("classifier", "half_seconds", "times")),
}


def table() -> list[str]:
    """Return means over the data sets by classifier and decision in Markdown: micro-averaged F1 / Hamming loss."""
    means = pd.read_csv(TABLES["scores"][1]).groupby(["classifier", "decision"])[["micro-f1", "hamming-loss"]].mean()
    rows = [[name, *("{:.3f} / {:.4f}".format(*means.loc[name, rule]) for rule in DECISIONS)] for name in MODELS]
    return to_markdown(["classifier", *DECISIONS], rows).splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=list(TABLES), choices=[*TABLES, "page"])
    parser.add_argument("--datasets", default=DATASETS)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    parser.add_argument("--no-write", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in (name for name in options.tables if name != "page"):
        compute, file, columns = TABLES[name]
        rows = []
        for dataset in options.datasets.split(","):
            for row in compute(mlreduce.load_dataset(dataset, mirror=options.mirror), options.splits):
                rows.append([dataset, *row])
                print(*rows[-1], flush=True)
        if not options.no_write:
            pd.DataFrame(rows, columns=["dataset", *columns]).to_csv(file, index=False)
    if not options.no_write:
        PAGE.write_text(fill_block(PAGE.read_text(encoding="utf-8"), "scores", table()), encoding="utf-8")


if __name__ == "__main__":
    main()
