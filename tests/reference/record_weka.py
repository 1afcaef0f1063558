"""Record the predictions of Weka's M5P that our model trees are compared with where Weka is not installed.

    python tests/reference/record_weka.py --mirror ../shared/mirror

Writes weka_m5p.csv beside this file; made with Weka 3.6.14. It holds predictions only, neither features nor targets.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes

import mlreduce
from mlreduce.evaluation.splitting import random_orders, split_rows

RECORD = Path(__file__).with_name("weka_m5p.csv")


class Problem(NamedTuple):
    """Features without those of a single value in the training rows, which Weka drops."""

    data: str
    target: int
    X: np.ndarray
    y: np.ndarray
    X_new: np.ndarray
    y_new: np.ndarray


def problem(data, target, X, y, train, test):
    kept = np.ptp(X[train], axis=0) > 0
    return Problem(data, target, X[train][:, kept], y[train], X[test][:, kept], y[test])


def embedded():
    """Return scikit-learn's diabetes, of which the tree is one leaf, and the diagnosis of breast cancer."""
    for data, load, n in (("diabetes", load_diabetes, 300), ("breast-cancer", load_breast_cancer, 400)):
        X, y = load(return_X_y=True)
        yield problem(data, 0, X, y.astype(float), slice(n), slice(n, None))


def coded(name, mirror, number=0):
    """Return a problem for each direction of PLST on a random split of a published set, and labels and coder.

    Codes are rounded, so that they have the same bits on every machine: Weka's growth depends on all of them.
    """
    data = mlreduce.load_dataset(name, mirror=mirror)
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    train, test = split_rows(random_orders(len(X), number + 1, 2012, name)[number], 0.9)[:2]
    coder = mlreduce.PLST().fit(None, data.Y[train])
    codes = np.round(coder.encode(data.Y), 6)
    return [problem(name, k, X, codes[:, k], train, test) for k in range(codes.shape[1])], data.Y[test], coder


def recorded():
    """Return the recorded predictions and the number of leaves of each (data, target)."""
    predictions, leaves = {}, {}
    with RECORD.open(newline="") as lines:
        for line in csv.DictReader(lines):
            key = line["data"], int(line["target"])
            predictions.setdefault(key, []).append(float(line["prediction"]))
            leaves[key] = int(line["leaves"])
    return {key: (np.array(predictions[key]), leaves[key]) for key in predictions}


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from weka import M5P, Table, what_is_missing

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", required=True)
    mirror = parser.parse_args().mirror
    if missing := what_is_missing():
        raise SystemExit(missing)
    with RECORD.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["data", "target", "row", "prediction", "leaves"])
        for one in [*embedded(), *coded("emotions", mirror)[0][:3]]:
            tree = M5P().fit(Table(one.X), one.y)
            for row, value in enumerate(tree.predict(Table(one.X_new)).tolist()):
                writer.writerow([one.data, one.target, row, repr(value), tree.n_leaves_])


if __name__ == "__main__":
    main()
