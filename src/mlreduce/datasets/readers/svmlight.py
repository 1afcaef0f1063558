"""Files in svmlight format with several labels per row."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_files

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.guards import check_memory, opened
from mlreduce.exceptions import DataError

__all__ = ["read_svmlight"]

# Possessive quantifiers and the lookbehind keep matching linear.
_NUMBER = rb"[-+]?(?:\d++\.?\d*+|\.\d++)(?:e[-+]?\d++)?"
_ROW = re.compile(
    rb"\s*+(?:%(n)s(?:,%(n)s)*+(?=\s|$))?(?:\s*+\d++:%(n)s(?=\s|$))*+\s*+" % {b"n": _NUMBER}, re.IGNORECASE
)
_COLUMN = re.compile(rb"(?<!\d)(\d++):")
# Notations that only scikit-learn or Python accept: groups of rows (qid:1), 1_000.
_LOOSE = re.compile(rb"[_q]")
# Bytes of memory per feature name.
_BYTES_OF_A_NAME = 64


def read_svmlight(paths: Sequence[str | Path], n_features: int, name: str = "") -> MultiLabelData:
    """Read rows of the form ``1,5 3:2 17:1``: numbers of labels, then number and value of each feature that is not 0.

    A row may have no label; ``#`` begins a comment.

    Parameters
    ----------
    paths : sequence of paths
        Parts of one data set, stacked in this order.
    n_features : int
        Features are numbered from 1 to this, ascending in each row.
    name : str, default=""
        Name of the data set.

    Returns
    -------
    MultiLabelData
        X is sparse. The labels are the numbers that occur, ascending. Names are the numbers.

    Raises
    ------
    DataError
        If a file cannot be read so; the message names the file and, where it is a line's fault, the line.
    """
    files = [Path(path) for path in paths]
    matrices: list[Any] = []
    labels_of: list[Any] = []
    for file in files:
        matrix, labels = _read(file, n_features)
        matrices.append(matrix)
        labels_of += map(np.asarray, labels)
    if not labels_of:
        raise DataError(f"{files[0]}: no rows; a row is '1,5 3:2 17:1'")
    # Adding zero turns -0 into 0.
    labels, columns = np.unique(np.concatenate(labels_of) + 0.0, return_inverse=True)
    check_memory(_BYTES_OF_A_NAME * n_features, files, f"the names of {n_features} features")
    check_memory(len(labels_of) * len(labels), files, f"{len(labels)} labels of {len(labels_of)} rows")
    Y = np.zeros((len(labels_of), len(labels)), dtype=np.int8)
    Y[np.repeat(np.arange(len(labels_of)), list(map(len, labels_of))), columns] = 1
    X = sp.csr_array(sp.vstack(matrices, format="csr"))
    return MultiLabelData(X, Y, list(map(str, range(1, n_features + 1))), [_name(label) for label in labels], name)


def _read(path: Path, n_features: int) -> tuple[Any, Any]:
    """Read features and labels of one file."""
    with opened(path) as file:
        try:
            # An open file, since a path ending in .gz would be unpacked without a limit.
            X, labels = load_svmlight_files([file], n_features=n_features, multilabel=True, zero_based=False)
        except (ValueError, OverflowError) as error:
            raise _bad_row(file, path, n_features) or DataError(
                f"{path}: cannot be read as svmlight: {error}"
            ) from error
        file.seek(0)
        loose = any(_LOOSE.search(block) for block in iter(lambda: file.read(2**20), b""))
        finite = np.isfinite(X.data).all() and all(map(math.isfinite, chain.from_iterable(labels)))
        wrong = _bad_row(file, path, n_features) if loose or not finite else None
    if wrong:
        raise wrong
    return X, labels


def _bad_row(file: BinaryIO, path: Path, n_features: int) -> DataError | None:
    """Find the first malformed row."""
    file.seek(0)
    for number, line in enumerate(file, start=1):
        if not _is_row(line.partition(b"#")[0], n_features):
            return DataError(
                f"{path}, line {number}: a row is '1,5 3:2 17:1', features ascending from 1 to {n_features} and all "
                f"numbers finite; got {line[:40].decode('latin-1').strip()!r}"
            )
    return None


def _is_row(row: bytes, n_features: int) -> bool:
    if not _ROW.fullmatch(row):
        return False
    columns = [int(column[:20]) for column in _COLUMN.findall(row)]
    ascending = [0, *columns] == sorted({0, *columns}) and columns[-1:] <= [n_features]
    return ascending and all(map(math.isfinite, map(float, row.replace(b":", b" ").replace(b",", b" ").split())))


def _name(label: float) -> str:
    return f"{label:.0f}" if label.is_integer() and abs(label) < 2**53 else repr(float(label))
