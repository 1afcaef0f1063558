"""Information of all pairs of columns, and selectors by it compared with plain loops.

    make benchmark                                        # or, parts of it:
    OPENBLAS_NUM_THREADS=1 python benchmarks/information.py --parts selectors --datasets emotions,birds

"pairs": mutual information of all pairs of a set's features, in three bins, and labels, in a separate process; it must
take less than 5 seconds and 1 GB.
"pmu": seconds to select the best fifth, the best of several, and those of loops over the formula's terms, each term
once, by tests/information_by_the_book.py. Loops that would take minutes are not run in full: a sample of the terms is
timed and multiplied. Required is 20 times. "redundant" adds that the plain formula computes terms again at every step.
"selectors": seconds to select the best fifth by the methods of Table II of Lim, Lee and Kim (2016), by the exact
program and by Nystrom's method, how many weights are above zero, and the residual of the conditions of a minimum.
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
from mlreduce.datasets import MultiLabelData
from mlreduce.preprocessing.discretisation import Discretiser
from mlreduce.selection.information import mutual_information

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import information_by_the_book as book
from timed import best_of

SETS = ("emotions", "yeast", "birds")
PAIRS = ("bibtex",)
SECONDS, GIGABYTES, FASTER = 5, 1, 20
SELECTORS = {
    "rfs": {"sparsity": 1.0, "solver": "reweighted"},
    "pmu": {},
    "qpfs-approx": {"random_state": 0},
    "qpfs": {},
    "qpfs-nystrom": {"random_state": 0},
}
SAMPLE = 100


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def pairs(name: str, mirror: str | None) -> None:
    """Compute once in this process, and print seconds and memory."""
    data = mlreduce.load_dataset(name, mirror=mirror)
    columns = np.hstack([Discretiser().fit_transform(data.X), data.Y])
    mutual_information(columns[:50, :3])  # loads what is compiled
    before, start = peak(), time.perf_counter()
    found = mutual_information(columns)
    seconds, memory = time.perf_counter() - start, peak()
    verdict = "" if seconds < SECONDS and memory < GIGABYTES else " | too much"
    print(f"| {name} | {columns.shape[0]} x {found.shape[0]} | {seconds:.2f} | {memory:.2f} | {before:.2f} |{verdict}")


def of_one(function: Callable[..., float], columns: list[tuple[np.ndarray, ...]]) -> float:
    """Mean seconds of a call."""
    start = time.perf_counter()
    for each in columns:
        function(*each)
    return (time.perf_counter() - start) / len(columns)


def pmu(data: MultiLabelData) -> None:
    """Print a line of the table on PMU."""
    F, Y = Discretiser().fit_transform(data.X), np.asarray(data.Y)
    d, q, taken = F.shape[1], Y.shape[1], max(1, F.shape[1] // 5)
    ours = best_of(partial(mlreduce.make("pmu", k=taken).fit, data.X, Y))
    rng = np.random.default_rng(0)
    triples = [
        (F[:, f], F[:, s], Y[:, y]) for f, s, y in zip(*rng.integers((d, d, q), size=(SAMPLE, 3)).T, strict=True)
    ]
    two, three = of_one(book.information, [each[::2] for each in triples]), of_one(book.interaction, triples)
    fixed = d * q * two + d * q * (q - 1) / 2 * three
    once = fixed + sum(d - step for step in range(1, taken)) * q * three
    redundant = sum(d - step for step in range(taken)) / d * fixed
    redundant += sum((d - step) * step for step in range(taken)) * q * three
    verdict = "" if once / ours >= FASTER else ", too slow"
    figures = f"{ours:.3f} | {once:.1f} | {once / ours:.0f}{verdict} | {redundant:.0f}"
    print(f"| {data.name} | {taken} of {d} | {figures} |", flush=True)


def selectors(data: MultiLabelData) -> None:
    """Print a line of the table for each selector."""
    for name, parameters in SELECTORS.items():
        selector = mlreduce.make(name, k=0.2, **parameters)
        seconds = best_of(partial(selector.fit, data.X, data.Y))
        program = hasattr(selector, "weights_")
        positive = np.count_nonzero(selector.weights_) if program else ""
        residual = f"{selector.kkt_residual_:.0e}" if program else ""
        print(f"| {data.name} | {name} | {seconds:.4f} | {positive} | {residual} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="pairs,pmu,selectors")
    parser.add_argument("--datasets", default=",".join(SETS))
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        pairs(options.one, options.mirror)
        return
    parts = options.parts.split(",")
    if "pairs" in parts:  # first: a new process starts with the peak of the one that starts it
        print("| all pairs of | rows and columns | s | peak, GB | of it before |", flush=True)
        print("|:--|--:|--:|--:|--:|", flush=True)
        mirror = ["--mirror", options.mirror] if options.mirror else []
        for name in PAIRS:
            subprocess.run([sys.executable, __file__, "--one", name, *mirror], check=True)
    data = [mlreduce.load_dataset(name, mirror=options.mirror) for name in options.datasets.split(",")]
    with threadpool_limits(1):
        if "pmu" in parts:
            print("\n| PMU on | best | ours, s | loops, s | ratio | redundant loops, s |")
            print("|:--|--:|--:|--:|--:|--:|")
            for each in data:
                pmu(each)
        if "selectors" in parts:
            print("\n| set | method | s | weights above 0 | residual |")
            print("|:--|:--|--:|--:|--:|")
            for each in data:
                selectors(each)


if __name__ == "__main__":
    main()
