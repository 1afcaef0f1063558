"""GMBA on many rows, and selectors compared with plain loops over instances, pairs and features.

    make benchmark                                        # or, parts of it:
    OPENBLAS_NUM_THREADS=1 python benchmarks/selection.py --parts sets --datasets emotions

"rows": GMBA on 20,000 generated instances with 120 features and 101 labels, in a separate process; its memory must stay
below 4 GB.
"sets": seconds to fit on the first of ten training folds, standardised, the best of several; those of the loops of
tests/selection_by_the_book.py, which run once, in the same process. GMBA and SPEC build the label graph first, and so
do the loops: "of it graph" are the seconds of that. Required are 50 times for the graph, GMBA and MLRF, and 20 times
for SPEC and MLFS. "difference" is the greatest of a score, relative to the largest score; "moved" counts the features
that have another rank.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

import mlreduce
from mlreduce.evaluation.splitting import fold_rows, random_orders
from mlreduce.preprocessing.scaling import scale_parts
from mlreduce.selection.label_graph import label_similarity

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import selection_by_the_book as book
from timed import best_of

SETS = ("emotions", "yeast")
METHODS = ("gmba", "mlrf", "spec", "mlfs")
REQUIRED = {"graph": 50, "gmba": 50, "mlrf": 50, "spec": 20, "mlfs": 20}
ROWS = (5_000, 10_000, 20_000)
GIGABYTES = 4


def training_fold(name: str, mirror: str | None) -> tuple[np.ndarray, np.ndarray]:
    data = mlreduce.load_dataset(name, mirror=mirror)
    (order,) = random_orders(data.X.shape[0], 1, 2016, name)
    train, test = fold_rows(order, 10, 0)[:2]
    return scale_parts(data.X[train], data.X[test], "standard").train, np.asarray(data.Y[train])


def timed(function: Callable[[], np.ndarray]) -> tuple[np.ndarray, float]:
    start = time.perf_counter()
    result = function()
    return result, time.perf_counter() - start


def line(name: str, method: str, ours: float, theirs: float, graph: float | None, same: str) -> str:
    ratio = theirs / ours
    verdict = "" if ratio >= REQUIRED[method] else ", too slow"
    building = "" if graph is None else f"{graph:.2f}"
    figures = f"{ours:.4f} | {theirs:.2f} | {building} | {ratio:.0f} | {REQUIRED[method]}{verdict}"
    return f"| {name} | {method} | {figures} | {same} |"


def on_set(name: str, mirror: str | None) -> None:
    """Print a line of the table for the graph and each selector."""
    X, Y = training_fold(name, mirror)
    own = partial(label_similarity, Y)
    graph, building = timed(partial(book.label_similarity, Y))
    same = f"{np.abs(own() - graph).max():.0e} |"
    print(line(name, "graph", best_of(own), building, None, same), flush=True)
    for method in METHODS:
        drawn = {"n_orders": 1, "visits": "position", "random_state": 0} if method == "gmba" else {}
        selector = mlreduce.make(method, **drawn).fit(X, Y)  # loads what is compiled
        ours = best_of(partial(selector.fit, X, Y))
        with_graph = method in ("gmba", "spec")
        known = {"s": graph} if with_graph else {}
        scores, theirs = timed(partial(getattr(book, method), X, Y, **known, **drawn))
        difference = np.abs(selector.scores_ - scores).max() / np.abs(scores).max()
        moved = np.count_nonzero(np.argsort(-selector.scores_, kind="stable") != np.argsort(-scores, kind="stable"))
        theirs += building if with_graph else 0.0
        print(
            line(name, method, ours, theirs, building if with_graph else None, f"{difference:.0e} | {moved}"),
            flush=True,
        )


def generated(n_samples: int, n_features: int = 120, n_labels: int = 101) -> tuple[np.ndarray, np.ndarray]:
    """Return features that follow the labels, and labels of which common sets and rare ones occur."""
    rng = np.random.default_rng(0)
    popularity = 0.5 / np.arange(1, n_labels + 1) ** 0.7
    sets = rng.random((n_samples // 10, n_labels)) < popularity
    Y = sets[(len(sets) * rng.random(n_samples) ** 2).astype(int)]
    X = Y @ rng.standard_normal((n_labels, n_features)) + 2 * rng.standard_normal((n_samples, n_features))
    return (X - X.mean(axis=0)) / X.std(axis=0), Y.astype(np.int8)


def one_fit(n_samples: int) -> None:
    """Fit once in this process, and print seconds and memory."""
    X, Y = generated(n_samples)
    mlreduce.make("gmba").fit(X[:100], Y[:100])  # imports are no part of a fit
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    selector, seconds = timed(partial(mlreduce.make("gmba", n_orders=1, random_state=0).fit, X, Y))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    verdict = "" if peak < GIGABYTES else ", too much"
    shape = f"{n_samples} x {X.shape[1]}, {Y.shape[1]} labels"
    print(f"| {shape} | {seconds:.1f} | {peak:.2f}{verdict} | {before / 1e6:.2f} | {selector.n_skipped_} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="rows,sets")
    parser.add_argument("--datasets", default=",".join(SETS))
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one_fit(options.one)
        return
    parts = options.parts.split(",")
    if "rows" in parts:  # first: a new process starts with the peak of the one that starts it
        print("| GMBA on | s | peak, GB | of it before | skipped |", flush=True)
        print("|:--|--:|--:|--:|--:|", flush=True)
        for n_samples in ROWS:
            subprocess.run([sys.executable, __file__, "--one", str(n_samples)], check=True)
    if "sets" in parts:
        print("\n| set | method | ours, s | loops, s | of it graph | ratio | required | difference | moved |")
        print("|:--|:--|--:|--:|--:|--:|--:|--:|--:|")
        with threadpool_limits(1):
            for name in options.datasets.split(","):
                on_set(name, options.mirror)


if __name__ == "__main__":
    main()
