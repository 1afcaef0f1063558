"""Files in svmlight's format with several labels a row: for features too many for a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_files

from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import DataError

__all__ = ["read_svmlight"]

_NUMBER = rb"[-+]?(?:\d+\.?\d*+|\.\d++)(?:e[-+]?\d++)?"
_ROW = re.compile(
    rb"\s*+(?:%(n)s(?:,%(n)s)*+(?=\s|$))?(?:\s*+\d++:%(n)s(?=\s|$))*+\s*+" % {b"n": _NUMBER}, re.IGNORECASE
)
_COLUMN = re.compile(rb"(\d+):")


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
        What to call the data set.

    Returns
    -------
    MultiLabelData
        X is sparse. The labels are the numbers that occur, ascending. Names are the numbers.

    Raises
    ------
    DataError
        If a file cannot be read so; the sentence names the file and, where it is a line's fault, the line.
    """
    files = [Path(path) for path in paths]
    try:
        parts = load_svmlight_files(
            [str(file) for file in files], n_features=n_features, multilabel=True, zero_based=False
        )
    except OSError as error:
        raise DataError(f"{error.filename}: cannot be read: {error.strerror}") from error
    except (ValueError, OverflowError) as error:
        raise _reason(files, n_features, error) from error
    X = sp.csr_array(sp.vstack(parts[::2], format="csr"))
    labels_of = [np.asarray(labels) for part in parts[1::2] for labels in part]
    if not labels_of:
        raise DataError(f"{files[0]}: no rows; a row is '1,5 3:2 17:1'")
    labels, columns = np.unique(np.concatenate(labels_of), return_inverse=True)
    Y = np.zeros((len(labels_of), len(labels)), dtype=np.int8)
    Y[np.repeat(np.arange(len(labels_of)), list(map(len, labels_of))), columns] = 1
    return MultiLabelData(X, Y, list(map(str, range(1, n_features + 1))), [f"{label:g}" for label in labels], name)


def _reason(files: Sequence[Path], n_features: int, error: Exception) -> DataError:
    """Find the first row that is not as it should be."""
    for file in files:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                row = line.partition(b"#")[0]
                columns = [int(column[:20]) for column in _COLUMN.findall(row)]
                ascending = [0, *columns] == sorted({0, *columns}) and columns[-1:] <= [n_features]
                if not _ROW.fullmatch(row) or not ascending:
                    return DataError(
                        f"{file}, line {number}: a row is '1,5 3:2 17:1', features ascending from 1 to {n_features}; "
                        f"got {line[:40].decode('latin-1').strip()!r}"
                    )
    return DataError(f"{', '.join(map(str, files))}: cannot be read as svmlight: {error}")
