"""Stratified folds compared with other packages: docs/performance/folds.csv, and the table of docs/model-selection.md.

    MLREDUCE_MIRROR=... python benchmarks/stratification.py
    python benchmarks/stratification.py page                # the table of the page, from the file

scikit-multilearn comes with the extra `dev`; `iterative-stratification` is used where it can be imported, such as from
a folder of PYTHONPATH into which ``pip install --no-deps --target FOLDER iterative-stratification`` has put it.
"""

from __future__ import annotations

import importlib.util
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

import mlreduce
from mlreduce.model_selection import MultilabelStratifiedKFold
from mlreduce_studies.tables.layout import fill_block, to_markdown

FOLDS = 10
DATASETS = ("medical", "enron", "yeast", "cal500", "corel5k", "rcv1s1", "bibtex", "delicious")
PAGE = Path(__file__).parents[1] / "docs" / "model-selection.md"
FILE = PAGE.parent / "performance" / "folds.csv"


def theirs(name: str, **options: Any) -> Any:
    """Make a splitter of another package."""
    if name == "iterative-stratification":
        from iterstrat.ml_stratifiers import MultilabelStratifiedKFold as Theirs

        return Theirs(FOLDS, shuffle=True, random_state=0)
    from skmultilearn.model_selection import IterativeStratification

    np.random.seed(0)  # noqa: NPY002 -- the seed of scikit-multilearn is NumPy's own
    return IterativeStratification(FOLDS, **options)


SPLITTERS: dict[str, Callable[[], Any]] = {
    "by chance": lambda: KFold(FOLDS, shuffle=True, random_state=0),
    "first order": lambda: MultilabelStratifiedKFold(FOLDS),
    "second order": lambda: MultilabelStratifiedKFold(FOLDS, order=2),
    "iterative-stratification 0.1.9": lambda: theirs("iterative-stratification"),
    "scikit-multilearn 0.2.0, first": lambda: theirs("scikit-multilearn", order=1),
    "scikit-multilearn 0.2.0, second": lambda: theirs("scikit-multilearn", order=2),
}


def quality(labels: np.ndarray, folds: list[np.ndarray]) -> tuple[float, float, float, int]:
    """Return LD, the shares of folds without a label or pair that has a row for each, and the spread of the sizes."""
    counts = np.array([labels[rows].sum(axis=0) for rows in folds])
    sizes, total = np.array(list(map(len, folds))), labels.sum(axis=0)
    odds = counts / (sizes[:, np.newaxis] - counts)
    deviation = np.abs(odds - total / (len(labels) - total)).mean()
    table = labels.astype(np.float32)
    pairs = np.triu(table.T @ table, 1) >= FOLDS
    pairs_missing = np.mean([((table[rows].T @ table[rows])[pairs] == 0).mean() for rows in folds])
    return float(deviation), float((counts[:, total >= FOLDS] == 0).mean()), float(pairs_missing), int(np.ptp(sizes))


def measure() -> pd.DataFrame:
    """Return a row for each data set and splitter; shares of folds without a row in percent."""
    rows = []
    for name in DATASETS:
        labels = mlreduce.load_dataset(name).Y.astype(int)
        for splitter, made in SPLITTERS.items():
            folds_of, began = made(), time.perf_counter()
            with np.errstate(all="ignore"):
                folds = [test for _, test in folds_of.split(labels, labels)]
                seconds = time.perf_counter() - began
                deviation, missing, pairs_missing, spread = quality(labels, folds)
            shares = [f"{100 * share:.1f}" for share in (missing, pairs_missing)]
            rows.append([name, *labels.shape, splitter, f"{deviation:.4f}", *shares, spread, f"{seconds:.2f}"])
    sizes = ["dataset", "rows", "labels", "splitter"]
    return pd.DataFrame(rows, columns=[*sizes, "deviation", "labels_missing", "pairs_missing", "spread", "seconds"])


def table() -> list[str]:
    """Return a row for each splitter in Markdown: the median or mean over the data sets, the largest, and the sum."""
    cells = pd.read_csv(FILE)
    header = ["folds", "deviation", "labels missing, %", "pairs missing, %", "largest difference of sizes", "seconds"]
    rows = [
        [
            *(str(splitter), f"{part['deviation'].median():.4f}", f"{part['labels_missing'].mean():.1f}"),
            *(f"{part['pairs_missing'].mean():.1f}", f"{part['spread'].max()}", f"{part['seconds'].sum():.1f}"),
        ]
        for splitter, part in cells.groupby("splitter", sort=False)
    ]
    return to_markdown(header, rows).splitlines()


def main() -> None:
    """Measure, unless only the page is wanted, and write the table into the page."""
    if sys.argv[1:] != ["page"]:
        warnings.simplefilter("ignore")
        if importlib.util.find_spec("iterstrat") is None:
            del SPLITTERS["iterative-stratification 0.1.9"]
        pairs = np.array([[1, 1, 1, 0, 0, 0], [1, 0, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 1, 1]])
        list(MultilabelStratifiedKFold(2, order=2).split(pairs, pairs))  # compiles all loops: no two folds have all
        measure().to_csv(FILE, index=False)
    PAGE.write_text(fill_block(PAGE.read_text("utf-8"), "folds", table()), "utf-8")


if __name__ == "__main__":
    main()
