"""Fits every method at two common sizes, each with a minute and a gigabyte: which ones end there?

    OPENBLAS_NUM_THREADS=1 python benchmarks/sizes.py             # make sizes; an hour, resumes where it was stopped
    python benchmarks/sizes.py --methods lpp,mope --again         # these, measured anew
    python benchmarks/sizes.py --draw                             # the table of docs/scale.md from what there is

Data are generated as those of `benchmarks/growth.py`. Projections are fitted with 20 directions, selectors with a tenth
of the features, 100 at most, as users do; everything else has its defaults. Each fit runs in a separate process on one
thread, after a fit of small data that compiles and imports. Seconds are the processor's, gigabytes the peak above what
the process began with. A fit *ends* within both limits; it is *slow* or *large* beyond one of them; it *refuses* where
it raises a `DataError` at once, whose sentence names the bytes or what would fit; everything else has *failed*.
"""

from __future__ import annotations

import argparse
import csv
import re
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
from growth import alone, documents, fitted_within, job, methods

import mlreduce
from mlreduce.validation.limits import MemoryLimitError
from mlreduce_studies.tables.layout import fill_block, to_markdown

PROJECT = Path(__file__).parents[1]
MEASURED, PAGE = PROJECT / "docs" / "scale" / "sizes.csv", PROJECT / "docs" / "scale.md"
#: Instances, features, labels and whether all features are filled.
SIZES = {
    "text": {"n": 5000, "d": 20_000, "c": 100, "dense": False},
    "embeddings": {"n": 20_000, "d": 500, "c": 50, "dense": True},
}
SECONDS, GIGABYTES = 60, 1.0
#: Numbers of directions and of features that users choose: all directions, the default, are 0.8 GB of text.
DIRECTIONS, MOST_FEATURES = 20, 100
#: A refusal comes before the work, so within so many seconds.
REFUSAL = 2.0
#: Gigabytes of address space that a fit may add; `mlreduce.validation.check_memory` gives an array four fifths of them.
ADDED = 1.25
COLUMNS = ("size", "family", "method", "outcome", "seconds", "gigabytes", "reason")


def requested(family: str, n_features: int) -> dict[str, Any]:
    """Return the numbers of directions and of features that are set."""
    numbers = {"projection": {"n_components": DIRECTIONS}, "selection": {"k": min(n_features // 10, MOST_FEATURES)}}
    return numbers.get(family, {})


def measured(sender: Any, family: str, name: str, X: Any, Y: Any) -> None:
    """Send outcome, processor seconds, gigabytes and the reason of one fit."""
    warnings.simplefilter("ignore")
    job(family, name, *documents(100, 60, 8, dense=not hasattr(X, "nnz")), sparse=True)()  # compiles and imports
    fit = job(family, name, X, Y, sparse=True, parameters=requested(family, X.shape[1]))
    outcome, error, seconds, gigabytes = fitted_within(fit, SECONDS, ADDED)
    reasons = {"refuses": str(error), "fails": f"{type(error).__name__}: {error}"}
    if isinstance(error, MemoryLimitError):
        reasons["large"] = str(error.__cause__)
    reason = reasons.get(outcome, "")
    if outcome == "refuses" and not (seconds <= REFUSAL and re.search(r"\d.*\b([MG]B|fit)\b", reason)):
        outcome = "fails"
    if outcome == "ends" and seconds > SECONDS:
        outcome = "slow"
    if outcome == "ends" and gigabytes > GIGABYTES:
        outcome = "large"
    sender.send((outcome, f"{seconds:.3g}", f"{gigabytes:.3g}", " ".join(reason.split())[:300]))


def end(*fit: Any) -> tuple[str, str, str, str]:
    """Measure in a separate process: its death is a failure of the fit, ten minutes on the clock are slow."""
    start, most = time.monotonic(), 600.0
    result = alone(measured, *fit, most=most)
    return result or ("slow" if time.monotonic() - start >= most else "fails", "", "", "no answer")


def measure(only: list[str], sizes: list[str], again: bool, jobs: int) -> None:
    """Fit what has no row yet, and write a row after each fit."""
    table = pd.read_csv(MEASURED) if MEASURED.exists() else pd.DataFrame(columns=list(COLUMNS))
    if again:
        table = table[~((table["method"].isin(only) | (not only)) & table["size"].isin(sizes))]
    table.to_csv(MEASURED, index=False)
    done = set(zip(table["size"], table["method"], strict=True))
    with MEASURED.open("a", newline="") as file, ThreadPoolExecutor(jobs) as pool:
        writer = csv.writer(file, lineterminator="\n")
        for size in sizes:
            X, Y = documents(**SIZES[size])

            def one(family: str, name: str, size: str = size, X: Any = X, Y: Any = Y) -> None:
                row = (size, family, name, *end(family, name, X, Y))
                print(f"{size:10} {name:18} {row[3]:8} {row[4]:>6} s {row[5]:>6} GB {row[6][:80]}", flush=True)
                writer.writerow(row)
                file.flush()

            wanted = [each for each in methods() if (size, each[1]) not in done and (not only or each[1] in only)]
            list(pool.map(lambda each: one(*each), wanted))


def page(table: pd.DataFrame, most: int = 10) -> list[str]:
    """Return in Markdown how many methods end at each size, and the worst: those that do not end, or take most."""
    counts = pd.crosstab(table["size"], table["outcome"])
    outcomes = [name for name in ("ends", "refuses", "slow", "large", "fails") if name in counts]
    rows = []
    for size, shape in SIZES.items():
        if size in counts.index:
            title = f"{shape['n']:,} x {shape['d']:,}{'' if shape['dense'] else ' sparse'} x {shape['c']}"
            rows.append([title, *(str(counts.loc[size, name]) for name in outcomes)])
    shares = table.assign(share=table["seconds"] / SECONDS).groupby("method")["share"].max()
    bad = set(table.loc[table["outcome"] != "ends", "method"])
    order = sorted(shares.index, key=lambda name: (name not in bad, -shares[name], name))
    header = ["method", *(f"{title}, {size}" for size in SIZES for title in ("outcome", "s", "GB"))]
    places = {(row.method, row.size_): row for row in table.rename(columns={"size": "size_"}).itertuples()}
    cells = [[name, *(text for size in SIZES for text in _cells(places.get((name, size))))] for name in order[:most]]
    lines = to_markdown(["size", *outcomes], rows).splitlines()
    return [*lines, "", *to_markdown(header, cells).splitlines()]


def _cells(row: Any) -> list[str]:
    """Return outcome, seconds and gigabytes of a fit; nothing where it was not measured."""
    if row is None:
        return ["", "", ""]
    return [row.outcome, *("" if pd.isna(value) else f"{value:.2g}" for value in (row.seconds, row.gigabytes))]


def draw() -> None:
    """Write the table into the page."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(fill_block(text, "sizes", page(pd.read_csv(MEASURED))), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="", help="only these, with commas")
    parser.add_argument("--size", choices=SIZES, help="only this one")
    parser.add_argument("--again", action="store_true", help="measure anew what has a row")
    parser.add_argument("--jobs", type=int, default=1, help="so many fits side by side")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    options = parser.parse_args()
    unknown = set(only := [name for name in options.methods.split(",") if name]) - set(mlreduce.registry.method_names())
    if unknown:
        parser.error(f"unknown methods: {', '.join(sorted(unknown))}")
    if not options.draw:
        measure(only, [options.size] if options.size else list(SIZES), options.again, options.jobs)
    draw()


if __name__ == "__main__":
    main()
