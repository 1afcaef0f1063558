"""Classifiers of MEKA beside ours, run as programs: docs/performance/meka.csv, and the table of docs/programs.md.

MEKA is built from its source, with the archives of Weka and Jama:

    git clone https://github.com/Waikato/meka && cd meka/src/main/java
    javac -d classes -cp weka.jar:jama.jar -sourcepath . meka/classifiers/multilabel/BR.java
    javac -d classes -cp weka.jar:jama.jar -sourcepath . meka/classifiers/multilabel/CC.java
    MLREDUCE_MIRROR=... python benchmarks/meka.py --classpath meka/src/main/java/classes:weka.jar:jama.jar
    python benchmarks/meka.py                                 # the table from what is measured
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler

import mlreduce
from mlreduce.files import write_text
from mlreduce.metrics import evaluate
from mlreduce.model_selection import multilabel_train_test_split
from mlreduce.validation import as_dense
from mlreduce_studies.tables.layout import fill_block, to_markdown

PROJECT = Path(__file__).parents[1]
PAGE, FILE = PROJECT / "docs" / "programs.md", PROJECT / "docs" / "performance" / "meka.csv"
PROGRAM = PROJECT / "examples" / "programs" / "java" / "Meka.java"
DATASETS = ("flags", "emotions", "scene", "yeast")
#: Ours, to MEKA's class with its options; both with three neighbours.
CLASSIFIERS = {"br-knn": "BR", "cc-knn": "CC -S 0"}


def by_its_ranges(X: Any, Y: Any, rows: Any) -> Any:
    """Return labels by three neighbours as Weka finds them: test rows that were seen extend the ranges of features."""
    low, high = X.min(axis=0), X.max(axis=0)
    labels = []
    for row in rows:
        low, high = np.minimum(low, row), np.maximum(high, row)
        distances = np.square((X - row) / np.where(high > low, high - low, 1)).sum(axis=1)
        third = np.partition(distances, 2)[2]
        labels.append(Y[distances <= third * (1 + 1e-9)].mean(axis=0) > 0.5)
    return np.array(labels)


def measured(classpath: str, dataset: str, ours: str) -> dict[str, Any]:
    """Return micro-F1 of both, on a third of the rows, and how often they differ."""
    data = mlreduce.load_dataset(dataset)
    X, X_test, Y, Y_test = multilabel_train_test_split(as_dense(data.X), data.Y, random_state=0)
    scaler = MinMaxScaler().fit(X)  # as their distances do
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    options = f"meka.classifiers.multilabel.{CLASSIFIERS[ours]} -W weka.classifiers.lazy.IBk -- -K 3"
    command = f"java -cp {classpath} {PROGRAM.name} {options}"
    program = mlreduce.Program(command=command, files=[str(PROGRAM)], exchange="csv")
    began = time.monotonic()
    theirs = mlreduce.ProgramClassifier(program).fit(X, Y).predict(X_test)
    seconds = time.monotonic() - began
    mine = mlreduce.make(ours, n_neighbors=3).fit(X, Y).predict(X_test) > 0.5
    values = [evaluate("micro-f1", Y_test, np.asarray(labels, dtype=int)) for labels in (theirs, mine)]
    row = {"dataset": dataset, "ours": ours, "MEKA": CLASSIFIERS[ours]}
    row |= {"micro-F1, MEKA": values[0], "micro-F1, ours": values[1], "labels that differ": np.mean(theirs != mine)}
    if ours == "br-knn":
        row["by Weka's ranges"] = np.mean(theirs != by_its_ranges(X, Y, X_test))
    return row | {"seconds": seconds}


def table() -> list[str]:
    """Return what is measured in Markdown."""
    rows = pd.read_csv(FILE)
    header = ["data set", "ours", "MEKA", "micro-F1, MEKA", "micro-F1, ours", "labels that differ", "by Weka's ranges"]
    lines = [
        [*row[:3], *(f"{value:.3f}" for value in row[3:5]), *(f"{value:.1%}".replace("nan%", "") for value in row[5:7])]
        for row in rows.itertuples(index=False, name=None)
    ]
    return to_markdown(header, lines).splitlines()


def main() -> None:
    """Measure, where there is a class path, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classpath", help="absolute paths of MEKA's classes, Weka and Jama, with colons between them")
    options = parser.parse_args()
    if options.classpath:
        rows = [measured(options.classpath, dataset, ours) for dataset in DATASETS for ours in CLASSIFIERS]
        pd.DataFrame(rows).to_csv(FILE, index=False, float_format="%.4g")
    write_text(PAGE, fill_block(PAGE.read_text(encoding="utf-8"), "meka measured", table()))


if __name__ == "__main__":
    main()
