"""Data with many labels, generated: what reading, fits and predictions take, in seconds and memory.

    OPENBLAS_NUM_THREADS=1 python benchmarks/extreme.py               # all rows of docs/performance/extreme.csv
    python benchmarks/extreme.py --tasks read-amazon                  # some of them; the others stay
    python benchmarks/extreme.py --run read-wiki10                    # one of them, printed
    python benchmarks/extreme.py --data 20000x5000x20000 --write set.xmc

Words and labels are drawn by Zipf's law; a third of the words of a row belong to its labels, each of which has ten
words. Each measurement runs in a separate process whose address space may grow by the limit of its target and no
further. Seconds are the processor's; memory is the peak above what the process has before, data included.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import scipy.sparse as sp

from mlreduce_studies.experiments.memory import begin_peak, process_bytes
from mlreduce_studies.many_labels.data import SIZES, Sizes, generate, sizes_of

DOCS = Path(__file__).parents[1] / "docs"
FILE = DOCS / "performance" / "extreme.csv"
PAGE = DOCS / "methods" / "label-tree.md"
COLUMNS = ("name", "n", "d", "q", "seconds", "most_seconds", "megabytes", "most_megabytes", "result")


def write(path: Path, X: sp.csr_array, Y: sp.csr_array) -> None:
    """Write in the text format of the extreme classification repository."""
    from mlreduce.datasets import MultiLabelData

    names = [list(map(str, range(width))) for width in (X.shape[1], Y.shape[1])]
    MultiLabelData(X, Y, *names, path.stem).save(path)


def read(path: Path) -> str:
    import mlreduce

    return repr(mlreduce.read(path, format="xmc"))


def label_trees(path: Path, n_estimators: int = 3) -> str:
    """Fit trees to four fifths of a file's rows, and predict 2,000 of the others, then 100 of them one by one."""
    import mlreduce
    from mlreduce.metrics import evaluate

    data = mlreduce.read(path, format="xmc")
    cut = int(0.8 * data.X.shape[0])
    model = mlreduce.LabelTreeClassifier(n_estimators, C=0.1, n_jobs=n_estimators, random_state=0)
    start = time.process_time()
    model.fit(data.X[:cut], data.Y[:cut])
    fit = (time.process_time() - start) / n_estimators
    X, Y = (table[cut : cut + 2000] for table in (data.X, data.Y))
    best = model.predict_top(X, k=5)
    start = time.process_time()
    for row in range(min(100, X.shape[0])):
        model.predict_top(X[row : row + 1], k=5)
    one = 1000 * (time.process_time() - start) / min(100, X.shape[0])
    precisions = ", ".join(f"P@{k} {evaluate(f'precision-at-{k}', Y, best):.3f}" for k in (1, 3, 5))
    megabytes = sum(part.nbytes for tree in model.trees_ for part in tree) / 1e6
    return f"{precisions}; {fit:.0f} s a tree, one row {one:.1f} ms, model {megabytes:.0f} MB"


def label_tree(path: Path) -> str:
    return label_trees(path, 1)


def majority(X: Any, Y: Any) -> str:
    import mlreduce

    return f"{mlreduce.MajorityLabels().fit(X, Y).majority_.sum()} labels"


def plst(X: Any, Y: Any) -> str:
    from mlreduce.labelspace import PLST

    return f"{PLST(n_components=100, random_state=0).fit(None, Y).encode(Y[:1000]).shape}"


def plst_default(X: Any, Y: Any) -> str:
    from mlreduce.labelspace import PLST, CodedClassifier

    return _precision(CodedClassifier(PLST(n_components=100, random_state=0)).fit(X, Y), X, Y)


def plst_ridge(X: Any, Y: Any) -> str:
    import mlreduce
    from mlreduce.labelspace import PLST, CodedClassifier

    regressor = mlreduce.RidgeRegressor(alpha=1.0)
    model = CodedClassifier(PLST(n_components=100, random_state=0), regressor)
    return _precision(model.fit(X, Y), X, Y)


def ml_knn(X: Any, Y: Any) -> str:
    import mlreduce

    return _precision(mlreduce.MLKNN().fit(X, Y), X, Y)


def chi2(X: Any, Y: Any) -> str:
    import mlreduce

    return f"best features {mlreduce.make('chi2', k=100).fit(X, Y).ranking_.argsort()[:5].tolist()}"


def mddmp(X: Any, Y: Any) -> str:
    import mlreduce

    return f"{mlreduce.make('mddmp', n_components=50).fit(X, Y).transform(X[:1000]).shape}"


def _precision(model: Any, X: Any, Y: Any, n_rows: int = 1000) -> str:
    """Predict some of the training rows: what is measured is the cost."""
    from mlreduce.metrics import evaluate

    best = model.predict_top(X[:n_rows], k=5)
    return f"precision-at-5 of training rows {evaluate('precision-at-5', Y[:n_rows], best):.3f}"


class Task(NamedTuple):
    """What is measured, on which data, and the most that it may take."""

    run: Callable[..., str]
    data: str
    seconds: float = 60.0
    megabytes: float = 4096.0


TASKS = {
    "read-wiki10": Task(read, "wiki10", megabytes=200),
    "majority-wiki10": Task(majority, "wiki10", seconds=0.01, megabytes=1000),
    "plst-wiki10": Task(plst, "wiki10", megabytes=1000),
    "chi2": Task(chi2, "20000x5000x20000"),
    "mddm-mddmp": Task(mddmp, "20000x5000x20000"),
    "plst-ridge": Task(plst_ridge, "20000x5000x20000"),
    "plst-ridge-chosen": Task(plst_default, "20000x5000x20000"),
    "ml-knn": Task(ml_knn, "20000x5000x20000"),
    "read-amazon": Task(read, "amazon", seconds=600, megabytes=2000),
    "label-tree-amazon-30th": Task(label_tree, "amazon-30th", seconds=60),
    "label-trees-amazon-30th": Task(label_trees, "amazon-30th", seconds=180),
    "label-tree-amazon-10th": Task(label_tree, "amazon-10th", seconds=180),
    "label-trees-amazon-10th": Task(label_trees, "amazon-10th", seconds=540),
    "label-tree-amazon": Task(label_tree, "amazon", seconds=600, megabytes=12_000),
    "label-trees-amazon": Task(label_trees, "amazon", seconds=1800, megabytes=12_000),
}
# Those that begin with a file.
FROM_FILE = (read, label_tree, label_trees)


def measure(name: str, folder: Path) -> dict[str, Any]:
    """Run one task in this process."""
    warnings.simplefilter("ignore")
    task, sizes = TASKS[name], sizes_of(TASKS[name].data)
    import mlreduce

    tiny = generate(Sizes(60, 50, 20, 10, 2))
    arguments: tuple[Any, ...] = generate(sizes)
    if task.run in FROM_FILE:
        small, path = folder / "tiny.xmc", folder / f"{task.data}.xmc"
        write(small, *tiny)
        if not path.exists():
            write(path, *arguments)
        tiny, arguments = (small,), (path,)  # type: ignore[assignment]
    try:
        task.run(*tiny)  # what is imported and compiled first
    except Exception:  # noqa: BLE001 - of so few rows
        mlreduce.registry.method_names()
    begin_peak()
    before = process_bytes("VmRSS")
    most = int(process_bytes("VmSize") + task.megabytes * 2**20)
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    start = time.process_time()
    try:
        result = task.run(*arguments)
    except Exception as error:  # noqa: BLE001 - is what is measured
        result = f"{type(error).__name__}: {error}".splitlines()[0][:160]
    taken = time.process_time() - start
    data = 0.0 if task.run in FROM_FILE else sum(part.nbytes for M in arguments for part in (M.data, M.indices)) / 2**20
    values = (
        name,
        *sizes[:3],
        f"{taken:.3g}",
        task.seconds,
        round((process_bytes("VmHWM") - before) / 2**20 + data),
        task.megabytes,
    )
    return dict(zip(COLUMNS, (*values, result), strict=True))


def page_of(rows: list[dict[str, str]]) -> str:
    """Return the page of label trees with their rows."""
    from mlreduce_studies.tables.layout import fill_block

    lines = ["| instances | labels | trees | processor | memory | precision, seconds, model |", "| --- " * 6 + "|"]
    for row in rows:
        if row["name"].startswith("label-tree") and row["n"]:
            trees = 3 if row["name"].startswith("label-trees") else 1
            costs = f"{float(row['seconds']):.0f} s | {int(row['megabytes']):,} MB"
            lines.append(f"| {int(row['n']):,} | {int(row['q']):,} | {trees} | {costs} | {row['result']} |")
    return fill_block(PAGE.read_text(encoding="utf-8"), "amazon", lines)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Write a generated set, measure one task, or all of them into the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", choices=TASKS, help="one task, in this process")
    parser.add_argument("--tasks", default=",".join(TASKS), help="those that are measured; rows of others stay")
    parser.add_argument("--data", default="eurlex", help=f"what --write writes: {', '.join(SIZES)}, or NxDxQ")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "mlreduce-extreme")
    parser.add_argument("--output", type=Path, default=FILE)
    options = parser.parse_args()
    if options.write:
        write(options.write, *generate(sizes_of(options.data), options.seed))
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    if options.run:
        writer.writerow(measure(options.run, options.folder))
        return
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    rows = {}
    if options.output.exists():
        lines = options.output.read_text(encoding="utf-8").splitlines(keepends=True)[1:]
        rows = {line.partition(",")[0]: line for line in lines}
    for name in options.tasks.split(","):
        command = [sys.executable, __file__, "--run", name, "--folder", str(options.folder)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        error = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        rows[name] = done.stdout if done.returncode == 0 else f'{name},,,,,,,,"{error}"\n'
        print(rows[name], end="", flush=True)
        options.output.parent.mkdir(parents=True, exist_ok=True)
        lines = [rows[task] for task in TASKS if task in rows]
        options.output.write_text(",".join(COLUMNS) + "\n" + "".join(lines), encoding="utf-8")
    if options.output == FILE:
        PAGE.write_text(page_of(rows_of(FILE)), encoding="utf-8")


if __name__ == "__main__":
    main()
