"""Model trees compared with Weka's: seconds per tree, and errors on the same splits.

    make benchmark                                        # or, other sets and more directions:
    OPENBLAS_NUM_THREADS=1 python benchmarks/model_trees.py --datasets emotions,genbase --dimensions 6 --agreement

Targets are codes of PLST on random splits, nine tenths of the rows to train. Seconds are those of one thread on the
first split: ours to grow, prune and smooth a tree on columns sorted before, once for all targets ("sort"), the best of
several; Weka's those of buildClassifier in the same run, after two trees that warm its virtual machine up.
"--agreement" trains both on every direction of "--splits" splits, into docs/deviations/m5p-weka.csv. RMSE is pooled
over the splits, a ratio above 1 says that ours is larger; differences of Hamming losses are in standard errors of
Weka's mean over the splits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import mlreduce
from mlreduce.evaluation.scores import percent_size
from mlreduce.evaluation.splitting import random_orders, split_rows
from mlreduce.predictors import M5PRegressor
from mlreduce.predictors._tree_columns import sort_columns
from mlreduce.predictors._tree_growth import grow
from mlreduce.predictors._tree_models import Rows, finish

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from timed import best_of
from weka import M5P, Table, what_is_missing

AGREEMENT = Path(__file__).parents[1] / "docs" / "deviations" / "m5p-weka.csv"
SETS = ("emotions", "yeast", "scene", "medical", "enron", "bibtex")
SLOW = {"bibtex": 1}  # directions at most: Weka takes minutes a tree
SAMPLED = ("emotions", "yeast", "scene", "medical", "enron")
PERCENTS = (20, 40, 60, 80, 100)


def splits(name: str, mirror: str | None, count: int) -> Iterator[tuple]:
    """Yield features, codes and labels of the rows to train and to test, and the coder."""
    data = mlreduce.load_dataset(name, mirror=mirror)
    for order in random_orders(data.X.shape[0], count, 2012, name):
        train, test = split_rows(order, 0.9)[:2]
        coder = mlreduce.PLST().fit(None, data.Y[train])
        codes = coder.encode(data.Y)
        yield data.X[train], codes[train], data.X[test], codes[test], data.Y[test], coder


def build(columns, rows, target) -> None:
    finish(rows, target, grow(columns, target, 4), len(columns.zero_rank), True, True)


def speed(name: str, mirror: str | None, dimensions: int) -> str:
    """Return a line of the table: means over some directions, evenly spread."""
    X, codes, *_ = next(splits(name, mirror, 1))
    count = min(dimensions, SLOW.get(name, dimensions), codes.shape[1])
    chosen = np.linspace(0, codes.shape[1], count, endpoint=False).astype(int)
    sorting, columns, rows = best_of(partial(sort_columns, X), 1.0), sort_columns(X), Rows.from_features(X)
    targets = [np.ascontiguousarray(codes[:, k]) for k in chosen]
    build(columns, rows, targets[0])  # loads what is compiled
    ours = np.mean([best_of(partial(build, columns, rows, target), 1.0) for target in targets])
    table = Table(X)
    theirs = np.mean([M5P().fit(table, target).seconds_ for target in targets])
    return f"| {name} | {count} | {sorting:.4f} | {ours:.4f} | {theirs:.2f} | {theirs / ours:.0f} |"


def agreement(name: str, mirror: str | None, count: int) -> dict[str, float]:
    """Return a row of the table about errors."""
    squares, losses = [], []
    for X, codes, X_new, codes_new, labels, coder in splits(name, mirror, count):
        ours = M5PRegressor().fit(X, codes).predict(X_new)
        table, new = Table(X), Table(X_new)
        theirs = np.column_stack([M5P().fit(table, target).predict(new) for target in codes.T])
        sizes = [percent_size(percent, labels.shape[1]) for percent in PERCENTS]
        squares.append([np.square(predicted - codes_new).sum(axis=0) for predicted in (ours, theirs)])
        losses.append([[np.mean(coder.decode(p[:, :m]) != labels) for m in sizes] for p in (ours, theirs)])
    return {"splits": count} | agreement_of(np.array(squares), np.array(losses))


def agreement_of(squares: np.ndarray, losses: np.ndarray) -> dict[str, float]:
    """Return a row from squared errors (splits, 2, directions) and losses (splits, 2, sizes), ours first."""
    ours, theirs = squares.sum(axis=0)
    ratios = np.sqrt(ours / theirs)
    error = losses[:, 1].std(axis=0, ddof=1) / np.sqrt(len(losses))
    mean = losses.mean(axis=0)
    return {
        **{"directions": len(ratios), "median_ratio": np.median(ratios), "largest_ratio": ratios.max()},
        **{"loss": mean[0, -1], "loss_of_weka": mean[1, -1]},
        "largest_difference": np.abs((mean[0] - mean[1]) / error).max(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", help=f"default {','.join(SETS)}; with --agreement {','.join(SAMPLED)}")
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    parser.add_argument("--dimensions", type=int, default=3)
    parser.add_argument("--agreement", action="store_true")
    parser.add_argument("--splits", type=int, default=10)
    options = parser.parse_args()
    if missing := what_is_missing():
        print(f"skipped, the comparison with Weka's model trees {missing}")
        return
    names = options.datasets.split(",") if options.datasets else SAMPLED if options.agreement else SETS
    if options.agreement:
        found = pd.DataFrame([{"dataset": name} | agreement(name, options.mirror, options.splits) for name in names])
        found.to_csv(AGREEMENT, index=False, float_format="%.4g")
        return
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 20))
    for _ in range(2):
        M5P().fit(Table(X), np.abs(X[:, 0]) + rng.standard_normal(500))
    print("| set | directions | sort, s | ours, s/tree | Weka, s/tree | ratio |")
    print("|:--|--:|--:|--:|--:|--:|")
    with threadpool_limits(1):
        for name in names:
            print(speed(name, options.mirror, options.dimensions), flush=True)


if __name__ == "__main__":
    main()
