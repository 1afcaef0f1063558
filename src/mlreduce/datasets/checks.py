"""What looks wrong in a data set: labels among the features, labels lost, identifiers, duplicates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.datasets.built_in import BUILT_IN, FURTHER, read_entries
from mlreduce.datasets.duplicates import column_digests
from mlreduce.validation import is_sparse

# In fewer rows a feature counts them, or equals a label, by chance.
_LEAST_ROWS = 10
# Names that a sentence lists.
_SHOWN = 5


def counting_columns(X: Any) -> list[int]:
    """Return the columns of more than ten rows that count them from 0 or 1; none of a sparse matrix."""
    if is_sparse(X) or len(X) <= _LEAST_ROWS:
        return []
    steps = np.arange(len(X))[:, np.newaxis]
    head = X[:_LEAST_ROWS] - steps[:_LEAST_ROWS]
    candidates = np.flatnonzero(((head == 0).all(axis=0)) | ((head == 1).all(axis=0)))
    rest = X[:, candidates] - steps
    return [int(column) for column in candidates[(rest == rest[0]).all(axis=0)]]


def checked(data: Any) -> list[str]:
    """Return what `MultiLabelData.check` does."""
    labels, features = list(data.label_names), list(data.feature_names)
    n_rows, n_labels = data.Y.shape
    known = ~np.isnan(data.Y) if data.Y.dtype.kind == "f" else None
    counts = (data.Y == 1).sum(axis=0)
    totals = np.full(n_labels, n_rows) if known is None else known.sum(axis=0)
    findings = list(data.notes)

    def add_finding(which: Any, names: Sequence[str], sentence: str) -> None:
        if len(which):
            listed = ", ".join(repr(names[index][:40]) for index in which[:_SHOWN])
            findings.append(f"{len(which)} {sentence}: {listed}{', ...' if len(which) > _SHOWN else ''}")

    add_finding(np.flatnonzero((counts == 0) & (totals > 0)), labels, "label(s) that no instance has")
    add_finding(np.flatnonzero((counts == totals) & (totals > 0)), labels, "label(s) that every instance has")
    add_finding(np.flatnonzero(totals == 0), labels, "label(s) of which nothing is known")
    if known is not None and not known.all():
        findings.append(f"{(~known).sum():,} of {known.size:,} labels are unknown ({1 - known.mean():.2%})")
    columns = column_digests(data.X)
    if n_rows > _LEAST_ROWS:
        varied, partly = (counts > 0) & (counts < totals), totals < n_rows
        varied, partly = np.flatnonzero(varied & ~partly), np.flatnonzero(varied & partly & (totals > _LEAST_ROWS))
        labels_hashed = column_digests(data.Y.astype(np.float64))
        of_labels = set(np.array(labels_hashed)[varied].tolist())
        equal = [index for index, column in enumerate(columns) if column in of_labels]
        if len(partly):
            equal = sorted({*equal, *_equal_where_known(data.X, data.Y[:, partly])})
        add_finding(equal, features, "feature(s) equal to a label; are there labels among the features?")
        add_finding(_repeated(labels_hashed, varied), labels, "label(s) equal to an earlier one")
    add_finding(counting_columns(data.X), features, "feature(s) that count the rows; identifiers?")
    empty = column_digests(np.zeros((n_rows, 1)))[0]
    constant = [index for index, column in enumerate(columns) if column == empty]
    add_finding(constant, features, "feature(s) that are 0 throughout")
    varying = [index for index, column in enumerate(columns) if column != empty]
    add_finding(_repeated(columns, varying), features, "feature(s) equal to an earlier one")
    rows = column_digests(data.X.T)
    repeated = len(rows) - len(set(rows))
    if repeated:
        findings.append(f"{repeated} row(s) of features ({repeated / len(rows):.1%}) equal to an earlier one")
    return findings + _unlike_catalogue(data)


def _equal_where_known(X: Any, labels: NDArray[Any]) -> list[int]:
    """Return the columns that equal one of the labels wherever it is known."""
    present, absent = (labels == 1).astype(np.float64), (labels == 0).astype(np.float64)
    ones, filled = ((X == 1).T.astype(np.float64), (X != 0).T.astype(np.float64))
    equal = ((ones @ present) == present.sum(axis=0)) & ((filled @ absent) == 0)
    return [int(column) for column in np.flatnonzero(equal.any(axis=1))]


def _repeated(hashes: Sequence[bytes], which: Any) -> list[int]:
    """Return the columns, of these, that equal an earlier one."""
    first: dict[bytes, int] = {}
    return [int(index) for index in which if first.setdefault(hashes[index], index) != index]


def _unlike_catalogue(data: Any) -> list[str]:
    """Compare the numbers with those of the set of the catalogue whose name the data set's begins with."""
    catalogue = _expected_numbers()
    name = _plain(data.name)
    names = [other for other in catalogue if len(_plain(other)) > 3 and name.startswith(_plain(other))]
    if not names:
        return []
    nearest = max(names, key=lambda other: len(_plain(other)))
    expected = catalogue[nearest]
    numbers = {"instances": data.X.shape[0], "attributes": data.X.shape[1], "labels": data.Y.shape[1]}
    unlike = [
        f"{number} {key} ({expected[key]})" for key, number in numbers.items() if expected.get(key, number) != number
    ]
    cardinality = expected.get("cardinality")
    if cardinality is not None and abs(cardinality - data.cardinality) > 0.0015:
        unlike.append(f"cardinality {data.cardinality:.3f} ({cardinality:.3f})")
    if not unlike:
        return []
    return [f"unlike {nearest} of the catalogue, whose numbers are in brackets: {', '.join(unlike)}"]


@cache
def _expected_numbers() -> dict[str, Mapping[str, Any]]:
    """Return the statistics that the catalogue states of each data set, without the catalogue's code."""
    contents = map(read_entries, (BUILT_IN, FURTHER))
    return {name: entry.get("expect", {}) for content in contents for name, entry in content["datasets"].items()}


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())
