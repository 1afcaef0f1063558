"""How many digits of a result do not depend on the order of rows and columns: each method on several data sets.

    python benchmarks/digits.py --mirror FOLDER                     # or, parts of it:
    python benchmarks/digits.py --datasets enron --methods mope,pca --mirror FOLDER

A method is fitted to the data as they are, with the columns of the features in another order, and with the rows in
another order. Of a projection the sine of the largest angle between the spans of the directions is compared, of a
selector the largest difference of the scores relative to the largest one, or whether the first ten features are the
same. Digits are the negative logarithm. The table has the fewest over the orders, less one, since other processors
round differently, and 12 at most. The column `reason` explains few digits: of rows at equal distances the first are
selected, which differ with the order. Methods that draw random numbers, or only promise one of several optima, are left
out.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import threadpoolctl

import mlreduce
from mlreduce.files import write_text
from mlreduce_studies.tables.layout import fill_block, to_markdown

FILE = Path(__file__).parents[1] / "docs" / "performance" / "digits.csv"
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
# Data sets, with the number of rows; the first comes with the library, and a test repeats it.
SETS = {"digits-300": 300, "enron": 600, "medical": 600, "emotions": 400, "yeast": 400}
COMPONENTS, SEED, ORDERS = 10, 0, 2

#: Methods with one result for one data set, whatever the order: projections, and selectors with scores.
PROJECTIONS = (
    *(
        "pca",
        "lsi",
        "pls",
        "cca",
        "rcca",
        "opls",
        "hsl1",
        "hsl2",
        "hsl3",
        "lda-copy",
        "mlda",
        "wmlda",
        "mddmp",
        "mddmf",
    ),
    *("mvmd", "mlsi", "morp", "dmlda", "sfehs", "lpp", "npp", "olpp", "onpp", "mope", "mesd-dla"),
)
SCORED = ("anova", "chi2", "ela-chi2", "grro", "mlfs", "mlrf", "qpfs")
#: Orders of rows that tie in all are drawn.
SEEDED = {"mope": {"random_state": 0}}
#: By iteration, with their penalty.
REGRESSIONS = {name: {"sparsity": 1.0} for name in ("rfs", "csfs", "mdfs")}
REGRESSIONS["mssl"] = {"smoothness": 1.0, "sparsity": 1.0}
#: With a ranking for scores: the first ten features are compared.
RANKED = ("mim", "mrmr", "ami", "jmi", "cmim", "fimf", "igmf", "scls", "d2f", "mdmr", "lrfs", "tcrfs", "pmu")
SELECTORS = (*SCORED, *REGRESSIONS, *RANKED)

#: Why the order of rows decides, and that of columns.
TIES, EQUAL, TOLERANCE = (
    "rows at equal distances: the first are neighbours",
    "features of equal score: the first is taken",
    "iteration that ends at a tolerance",
)
REASONS = (
    dict.fromkeys(("lpp", "npp", "olpp", "onpp", "mope", "mesd-dla", "mlrf"), TIES)
    | dict.fromkeys(RANKED, EQUAL)
    | dict.fromkeys(REGRESSIONS, TOLERANCE)
)
# A method that has fewer than these on some data set, and no reason, ends the script with an error.
LEAST = 6
# As many as the table says at most.
MOST = 12


def digits(error: float) -> int:
    """Return the number of digits that a relative error leaves, 0 to 16."""
    return int(np.clip(np.floor(-np.log10(max(error, 1e-16))), 0, 16))


def sine(first: np.ndarray, second: np.ndarray) -> float:
    """Return the sine of the largest angle between the spans of the rows."""
    if first.shape != second.shape:
        return 1.0
    left, right = np.linalg.qr(first.T)[0], np.linalg.qr(second.T)[0]
    return float(np.linalg.norm(right - left @ (left.T @ right), 2))


def difference(first: np.ndarray, second: np.ndarray) -> float:
    """Return the largest difference of scores, relative to the largest score."""
    known = np.isfinite(first) & np.isfinite(second)
    if not (first[~known] == second[~known]).all():
        return 1.0
    return float(np.abs(first - second)[known].max(initial=0.0) / max(np.abs(first[known]).max(initial=0.0), 1e-300))


def result_of(name: str, X: Any, Y: np.ndarray) -> np.ndarray:
    """Return directions, or scores, with features last."""
    if name in PROJECTIONS:
        size = min(COMPONENTS, Y.shape[1] - 1)
        return mlreduce.make(name, n_components=size, **SEEDED.get(name, {})).fit(X, Y).components_
    scores: np.ndarray = mlreduce.make(name, **REGRESSIONS.get(name, {})).fit(X, Y).scores_
    if name not in RANKED:
        return scores
    first = np.zeros(len(scores))
    first[np.argsort(-scores, kind="stable")[:COMPONENTS]] = 1.0
    return first


def digits_of(name: str, X: Any, Y: np.ndarray, seed: int = SEED) -> dict[str, int]:
    """Return the fewest digits under orders of the columns and under orders of the rows, before one is taken off."""
    rng = np.random.default_rng(seed)
    compare = sine if name in PROJECTIONS else difference
    plain, found = result_of(name, X, Y), {"columns": 16, "rows": 16}
    for _ in range(ORDERS):
        columns, rows = rng.permutation(X.shape[1]), rng.permutation(X.shape[0])
        found["columns"] = min(
            found["columns"], digits(compare(plain, result_of(name, X[:, columns], Y)[..., np.argsort(columns)]))
        )
        found["rows"] = min(found["rows"], digits(compare(plain, result_of(name, X[rows], Y[rows]))))
    return found


def data_of(dataset: str, mirror: str | None) -> tuple[Any, np.ndarray]:
    """Return the first rows of a data set, without labels that none or all of them have."""
    data, rows = mlreduce.load_dataset(dataset, mirror=mirror), slice(0, SETS[dataset])
    Y = np.asarray(data.Y)[rows]
    return data.X[rows], Y[:, (Y.min(axis=0) < Y.max(axis=0))]


def with_digits(page: str, table: pd.DataFrame) -> str:
    """Return the text of the page with the methods that have the fewest digits, and their reasons."""
    orders = ["columns", "rows"]
    least = table.groupby("method", sort=False)[orders].min().join(table.groupby("method")["reason"].max())
    few = least[least[orders].min(axis=1) < LEAST]
    rows = [[name, str(row["columns"]), str(row["rows"]), row["reason"]] for name, row in few.iterrows()]
    counted = f"{len(least) - len(few)} of {len(least)} methods have {LEAST} digits or more in every order. The others:"
    shown = to_markdown(["method", "digits, order of columns", "order of rows", "because of"], rows)
    return fill_block(page, "digits", [counted, "", *shown.splitlines()])


def main() -> None:
    """Fit, compare, and write the table and the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join((*PROJECTIONS, *SELECTORS)))
    parser.add_argument("--mirror", default=os.environ.get("MLREDUCE_MIRROR"))
    parser.add_argument("--output", type=Path, default=FILE)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, too_few = [], []
    with threadpoolctl.threadpool_limits(1):
        for dataset in options.datasets.split(","):
            X, Y = data_of(dataset, options.mirror)
            for name in options.methods.split(","):
                if name in REGRESSIONS and dataset != next(iter(SETS)):
                    continue  # which would take hours
                try:
                    found = {order: min(max(each - 1, 0), MOST) for order, each in digits_of(name, X, Y).items()}
                except mlreduce.exceptions.DataError as reason:  # such as negative counts
                    print(name, dataset, str(reason)[:80], sep="  ", flush=True)
                    continue
                least = min(found.values())
                reason = REASONS.get(name, "") if least < LEAST else ""
                rows.append({"method": name, "dataset": dataset, **found, "reason": reason})
                print(*rows[-1].values(), sep="  ", flush=True)
                if least < LEAST and not reason:
                    too_few.append(f"{name} on {dataset}: {found}")
    order = {name: place for place, name in enumerate((*PROJECTIONS, *SELECTORS))}
    table = pd.DataFrame(rows)
    if options.output.is_file():  # what was not measured is left as it is
        before = pd.read_csv(options.output, dtype={"reason": str}).fillna({"reason": ""})
        keys = [*zip(table["method"], table["dataset"], strict=True)]
        others = [key not in keys for key in zip(before["method"], before["dataset"], strict=True)]
        table = pd.concat([before[others], table])
    places = {name: place for place, name in enumerate(SETS)}
    table = table.sort_values("dataset", key=lambda names: names.map(places), kind="stable")
    table = table.sort_values("method", key=lambda names: names.map(order), kind="stable")
    write_text(options.output, table.to_csv(index=False))
    if options.output == FILE:
        PAGE.write_text(with_digits(PAGE.read_text(encoding="utf-8"), table), encoding="utf-8")
    if too_few:
        raise SystemExit("fewer digits than promised: " + "; ".join(too_few))


if __name__ == "__main__":
    main()
