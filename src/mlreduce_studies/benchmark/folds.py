"""Folds of the benchmark: row numbers drawn from a seed, and committed digests of them.

Row numbers of all splits would take some megabytes. Drawing them again takes seconds, and a digest shows that they are
the same on every machine.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from mlreduce.datasets.data import MultiLabelData
from mlreduce.evaluation.caching import digest_rows
from mlreduce.evaluation.splitting import Split, take_splits
from mlreduce.exceptions import DataError
from mlreduce.files import replacing
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.study import Study

FOLD_COLUMNS = ("dataset", "split", "train", "test", "sha256")

FoldRow = tuple[str, int, int, int, str]


def folds_of(
    protocol: Protocol, data: MultiLabelData, number: int | None = None, study: Study | None = None
) -> dict[int, Split]:
    """Return the folds of a data set, or so many of the first; they are the same in all studies."""
    study = next(iter(protocol.studies().values())) if study is None else study
    (name,) = study.protocols
    folds = range(number or study.splits_of(next(iter(study.groups)), data.name))
    return take_splits(data.Y, study.rule_of(name, data.name), folds, protocol.config["seed"], data.name, data.X)


def fold_rows(protocol: Protocol, study: Study, data: MultiLabelData) -> list[FoldRow]:
    """Return data set, split, numbers of training and test rows, and the digest of the row numbers, of each split."""
    splits = folds_of(protocol, data, study=study)
    return [(data.name, i, len(split.train), len(split.test), digest_rows(split)) for i, split in splits.items()]


def write_folds(protocol: Protocol, rows: Iterable[FoldRow]) -> None:
    """Write the digests of all splits."""
    with (
        replacing(Path(protocol.project, protocol.folds_file)) as path,
        Path(path).open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FOLD_COLUMNS)
        writer.writerows(rows)


def read_folds(protocol: Protocol) -> dict[str, list[FoldRow]]:
    """Return the committed rows by data set."""
    found: dict[str, list[FoldRow]] = {}
    with Path(protocol.project, protocol.folds_file).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            digests = (row["dataset"], int(row["split"]), int(row["train"]), int(row["test"]), row["sha256"])
            found.setdefault(row["dataset"], []).append(digests)
    return found


def check_folds(protocol: Protocol, study: Study, data: MultiLabelData) -> None:
    """Raise DataError if the splits of a data set are not the committed ones, or it has none of these."""
    committed = read_folds(protocol).get(data.name, [])
    if not committed:
        raise DataError(
            f"{protocol.folds_file} has no folds of {data.name}; write them: python benchmarks/reducebench.py "
            f"folds{f' --version {protocol.version}' if protocol.version > 1 else ''}"
        )
    for row, there in zip(fold_rows(protocol, study, data), committed, strict=False):
        if row != there:
            raise DataError(
                f"{data.name}, split {row[1]}: {row[2]} rows train and {row[3]} test here, with the digest "
                f"{row[4][:8]}; {protocol.folds_file} has {there[2]}, {there[3]} and {there[4][:8]}: the data or the "
                "seed are others"
            )
