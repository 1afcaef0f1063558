"""Seconds per random split of bibtex (7395 x 1836, 159 labels), compared with a plain NumPy script in the same run.

    make benchmark                                          # or, with another set or mirror:
    OPENBLAS_NUM_THREADS=1 python benchmarks/bibtex_split.py --dataset corel5k --mirror ../shared/mirror

"all methods" is what the rules reduce and predict do: six label-space methods, five sizes, four measures. The plain
script does PLST and CPLST with the Hamming loss, from a downdated Gram matrix; "same work" is ours for just that, and
the ratio compares these two. Both predict the same labels.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np

import mlreduce
from mlreduce.evaluation.label_space import LabelSpaceStrategy
from mlreduce.evaluation.scores import resolve_sizes
from mlreduce.evaluation.splitting import random_orders, split_rows
from mlreduce.evaluation.strategy import Measured
from mlreduce.linalg.utilities import TIE
from mlreduce.metrics.measures import MEASURES

METHODS = {"br": {}, "pbr": {}, "plst": {}, "occa": {}, "cplst": {}, "cca-code": {}}
PERCENTS = [20, 40, 60, 80, 100]


def plain(design, gram, Y, split, sizes):
    """PLST and CPLST on one split, written straight from the paper; returns the Hamming losses."""
    train, test = split[:2]
    training_gram = gram - design[test].T @ design[test]
    values, vectors = np.linalg.eigh(training_gram)
    kept = values > 1e-12 * values[-1]
    half = vectors[:, kept] / np.sqrt(values[kept])
    mean = Y[train].mean(axis=0)
    Z = Y[train] - mean
    projected = half.T @ (design[train].T @ Z)
    predicted = design[test] @ (half @ projected)
    losses = {}
    for name, matrix in (("plst", Z.T @ Z), ("cplst", projected.T @ projected)):
        V = np.linalg.eigh(matrix)[1][:, ::-1]
        for size in sizes:
            decoded = predicted @ V[:, :size] @ V[:, :size].T + mean > 0.5 + TIE
            losses[name, size] = np.mean(decoded != (Y[test] == 1))
    return losses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="bibtex")
    parser.add_argument("--mirror", default="../shared/mirror" if Path("../shared/mirror").is_dir() else None)
    parser.add_argument("--splits", type=int, default=20)
    options = parser.parse_args()

    start = time.perf_counter()
    data = mlreduce.load_dataset(options.dataset, mirror=options.mirror)
    read = time.perf_counter() - start
    print(data)
    sizes = resolve_sizes(PERCENTS, data.Y.shape[1])
    orders = random_orders(len(data.Y), options.splits, 2012, options.dataset)
    start = time.perf_counter()
    strategy = LabelSpaceStrategy(data, seed=2012)
    _ = strategy._design  # computed once
    factorised = time.perf_counter() - start
    print(f"once a data set: read {read:.2f} s, factorise {factorised:.2f} s")

    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    augmented = np.column_stack([np.ones(len(X)), X])
    gram = augmented.T @ augmented
    Y = data.Y.astype(float)
    print("train  all methods  same work  plain script  ratio  greatest difference of a Hamming loss")
    for fraction in (0.9, 0.8):
        splits = {i: split_rows(order, fraction) for i, order in enumerate(orders)}
        seconds = []
        for methods, measures in ((METHODS, list(MEASURES)), ({"plst": {}, "cplst": {}}, ["hamming-loss"])):
            start = time.perf_counter()
            fitted, measured = dict(strategy.fit(splits, methods)), Measured(measures, PERCENTS)
            scores = strategy.score(splits, fitted, methods, ("linear", {}), measured)
            seconds.append((time.perf_counter() - start) / options.splits)
        everything, same = seconds
        start = time.perf_counter()
        expected = plain(augmented, gram, Y, splits[0], sizes)
        theirs = time.perf_counter() - start
        first = scores[(scores.split == 0) & (scores.measure == "hamming-loss")].set_index(["method", "size"]).value
        difference = max(abs(first[key] - loss) for key, loss in expected.items())
        times = f"{everything:9.3f} s  {same:7.3f} s  {theirs:10.2f} s"
        print(f"{fraction:5}  {times}  {theirs / same:5.1f}  {difference:.1e}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
