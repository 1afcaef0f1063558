"""Text files with several labels and the non-zero features of each row: svmlight, and XMC with its header."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_files

from mlreduce.datasets.arrays import as_labels
from mlreduce.datasets.checksums import check_comment
from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.guards import check_memory, opened, stem
from mlreduce.validation import stored_labels

# Possessive quantifiers and the lookbehind keep matching linear.
_NUMBER = rb"[-+]?(?:\d++\.?\d*+|\.\d++)(?:e[-+]?\d++)?"
_ROW = re.compile(
    rb"\s*+(?:%(n)s(?:,%(n)s)*+(?=\s|$))?(?:\s*+\d++:%(n)s(?=\s|$))*+\s*+" % {b"n": _NUMBER}, re.IGNORECASE
)
# A row whose first feature is 0, and the comment of scikit-learn's `dump_svmlight_file`.
_ZERO = re.compile(rb"\s*+(?:[^\s:#]++\s++)?+0++:")
_SAID = re.compile(rb"^# Column indices are (zero|one)-based[ \t\r]*+$", re.MULTILINE)
_HEAD = 4096
_COLUMN = re.compile(rb"(?<!\d)(\d++):")
# Lines without anything: scikit-learn writes them for instances without labels and features, and skips them.
_EMPTY = re.compile(rb"^(?:[ \t\r\f\v]*+\n|[ \t\r\f\v]++\Z)", re.MULTILINE)
# Notations that only scikit-learn or Python accept: groups of rows (qid:1), 1_000.
_LOOSE = re.compile(rb"[_q]")
#: First line of an XMC file: numbers of rows, features and labels.
XMC_HEADER = re.compile(rb"\s*+(\d{1,18})[ \t]++(\d{1,18})[ \t]++(\d{1,18})\s*+")
#: First line of a sparse matrix, of features or labels alone: numbers of rows and columns.
XMC_SHAPE = re.compile(rb"\s*+(\d{1,18})[ \t]++(\d{1,18})\s*+")
# Bytes of memory per name of a feature or label, in lists and in the check that names differ, as measured.
_BYTES_OF_A_NAME = 120
# If the file does not declare the number of features: SciPy's indices have 32 bits.
_LARGEST_INDEX = 2**31 - 1
_LONGEST_HEADER = 1000
# Bytes that are read at once.
_BLOCK = 2**22


class _Rows(NamedTuple):
    """Some rows of a file."""

    #: Number of features of each row, and their places and values.
    lengths: NDArray[Any]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    #: Number of labels of each row, and the labels.
    n_labels: NDArray[np.int64]
    labels: NDArray[np.float64]


class _Layout(NamedTuple):
    """What the numbers of a file mean."""

    #: Number of the first feature, 0 or 1.
    first: int
    #: None takes the largest number of a feature.
    n_features: int | None
    #: Labels are numbers from 0 to this, exclusive; None allows any number.
    n_labels: int | None = None
    #: Whether an empty line is a row without features, and rows have no labels.
    matrix: bool = False

    @property
    def last(self) -> int:
        return _LARGEST_INDEX if self.n_features is None else self.n_features - 1 + self.first

    def __str__(self) -> str:
        labels = "" if self.n_labels is None else f"labels from 0 to {self.n_labels - 1}, "
        bound = "" if self.n_features is None else f" to {self.last}"
        zero = ", zero_based=True reads features from 0" if self.first and self.n_labels is None else ""
        if self.matrix:
            return f"a row is '3:2 17:1', columns ascending from 0 to {self.last} and all numbers finite"
        return (
            f"a row is '1,5 3:2 17:1', {labels}features ascending from {self.first}{bound} and all numbers finite{zero}"
        )


def read_svmlight(
    paths: Sequence[str | Path],
    n_features: int | None = None,
    name: str = "",
    *,
    zero_based: bool | str | None = None,
) -> MultiLabelData:
    """Read rows of the form ``1,5 3:2 17:1``: numbers of labels, then number and value of each feature that is not 0.

    A row may have no label; ``#`` begins a comment. Features ascend in each row. Labels are the numbers that occur,
    ascending; names are the numbers. Arguments are those of `mlreduce.datasets.read`: ``zero_based`` of "auto" or None
    reads a comment of scikit-learn's `dump_svmlight_file` or of `MultiLabelData.save`, or else whether a row has a
    feature 0. Raises DataError if a file cannot be read so; the message names the file and, where it is a line's fault,
    the line.
    """
    if zero_based not in (None, "auto", True, False):
        raise ConfigurationError(f"zero_based must be 'auto', True or False; got {zero_based!r}")
    files = [Path(path) for path in paths]
    parts: list[_Rows] = []
    from_zero = any(map(_is_zero_based, files)) if zero_based in (None, "auto") else bool(zero_based)
    first = 0 if from_zero else 1
    for file in files:
        with opened(file) as text:
            check_comment(text, file)
            parts += _read(text, file, _Layout(first, n_features))
    if not any(len(part.lengths) for part in parts):
        raise DataError(f"{files[0]}: no rows; a row is '1,5 3:2 17:1'")
    width = n_features or 1 + max(int(part.columns.max(initial=-1)) for part in parts)
    if not width:
        raise DataError(f"{files[0]}: no row has a feature; a row is '1,5 3:2 17:1'")
    check_memory(_BYTES_OF_A_NAME * width, files, f"the names of {width} features")
    # Adding zero turns -0 into 0.
    labels, places = np.unique(np.concatenate([part.labels for part in parts]) + 0.0, return_inverse=True)
    X, Y = _matrices(parts, width, places, len(labels))
    names = list(map(str, range(first, width + first)))
    return MultiLabelData(X, Y, names, [_name(label) for label in labels], name or stem(files[0]))


def read_xmc(
    paths: Sequence[str | Path], name: str = "", labels: str | Path | Sequence[str | Path] | None = None
) -> MultiLabelData:
    """Read the text files of the extreme classification repository: a line ``n d L``, then rows like ``1,5 3:2 17:1``.

    The header has the numbers of rows, features and labels; labels and features of a row are numbered from 0, and named
    by these numbers. A row may have no label, and then begins with a space. Several files are parts of one data set,
    such as training and test rows, stacked in this order.

    ``labels`` are files of labels, one for each file of features: both have a line with the numbers of rows and
    columns, then rows like ``3:2 17:1``; an empty line is a row without any. Raises DataError if a file cannot be read
    so, its rows are not those of its header, or the matrix of labels would not fit into memory; the message names the
    file and, where it is a line's fault, the line.
    """
    files = [Path(path) for path in paths]
    if labels is not None:
        label_files = [labels] if isinstance(labels, (str, Path)) else list(labels)
        if isinstance(labels, Mapping) or not all(isinstance(path, (str, Path)) for path in label_files):
            raise DataError(f"{files[0]}: labels are files of the format xmc; got {labels!r}")
        return _read_matrices(files, [Path(path) for path in label_files], name)
    parts: list[_Rows] = []
    width = n_labels = 0
    for file in files:
        with opened(file) as text:
            header = XMC_HEADER.fullmatch(text.readline(_LONGEST_HEADER))
            if header is None and not text.seek(0) and XMC_SHAPE.fullmatch(text.readline(_LONGEST_HEADER)):
                raise DataError(
                    f"{file}: has features alone, after a line of two numbers; name the file of its labels, as in "
                    "labels='trn_X_Y.txt'"
                )
            if header is None or not all(map(int, header.groups())):
                raise DataError(
                    f"{file}, line 1: an XMC file begins with its numbers of rows, features and labels, as in '6 30 4'"
                )
            rows, features, marks = map(int, header.groups())
            if parts and (features, marks) != (width, n_labels):
                raise DataError(
                    f"{file}, line 1: {features} features and {marks} labels, but {files[0]} has {width} and "
                    f"{n_labels}; parts of one data set must agree"
                )
            width, n_labels = features, marks
            if width > _LARGEST_INDEX:
                raise DataError(f"{file}, line 1: {width} features are more than {_LARGEST_INDEX}")
            check_memory(_BYTES_OF_A_NAME * (width + n_labels), files, f"names of {width} features, {n_labels} labels")
            read = _read(text, file, _Layout(0, width, n_labels))
        number = sum(len(part.lengths) for part in read)
        if number != rows:
            raise DataError(f"{file}: its header declares {rows} rows, and it has {number}; is it truncated?")
        parts += read
    X, Y = _matrices(parts, width, np.concatenate([part.labels for part in parts]).astype(np.int32), n_labels)
    feature_names, label_names = (list(map(str, range(n))) for n in (width, n_labels))
    return MultiLabelData(X, Y, feature_names, label_names, name or stem(files[0]))


def _read_matrices(features: Sequence[Path], labels: Sequence[Path], name: str) -> MultiLabelData:
    """Read features and labels of files of each."""
    if len(features) != len(labels):
        raise DataError(f"{len(features)} files of features and {len(labels)} of labels; each part has one of both")
    matrices = []
    for paths in (features, labels):
        parts = [_read_matrix(path) for path in paths]
        for path, part in zip(paths, parts, strict=True):
            if part.shape[1] != parts[0].shape[1]:
                raise DataError(
                    f"{path}, line 1: {part.shape[1]} columns, but {paths[0]} has {parts[0].shape[1]}; parts of one "
                    "data set must agree"
                )
        matrices.append(sp.csr_array(sp.vstack(parts, format="csr")))
    X, Y = matrices
    if X.shape[0] != Y.shape[0]:
        raise DataError(
            f"{features[0]} has {X.shape[0]} rows, {labels[0]} has {Y.shape[0]}; they must be the same instances"
        )
    feature_names, label_names = (list(map(str, range(n))) for n in (X.shape[1], Y.shape[1]))
    return MultiLabelData(
        X, as_labels(Y, label_names, str(labels[0])), feature_names, label_names, name or stem(features[0])
    )


def _read_matrix(path: Path) -> sp.csr_array:
    """Read a file of a sparse matrix."""
    with opened(path) as text:
        header = XMC_SHAPE.fullmatch(text.readline(_LONGEST_HEADER))
        if header is None or not all(map(int, header.groups())) or int(header[2]) > _LARGEST_INDEX:
            raise DataError(
                f"{path}, line 1: a file of a matrix begins with its numbers of rows and columns, as in '6 30'"
            )
        rows, width = map(int, header.groups())
        check_memory(_BYTES_OF_A_NAME * width, [path], f"the names of {width} columns")
        parts = _read(text, path, _Layout(0, width, 0, matrix=True))
    if (number := sum(len(part.lengths) for part in parts)) != rows:
        raise DataError(f"{path}: its header declares {rows} rows, and it has {number}; is it truncated?")
    X, _ = _matrices(parts, width, np.empty(0, np.int32), 0)
    X.eliminate_zeros()
    return X


def _is_zero_based(path: Path) -> bool:
    with opened(path) as file:
        comment = _SAID.search(file.read(_HEAD))
        file.seek(0)
        return comment[1] == b"zero" if comment else any(map(_ZERO.match, file))


def is_row(line: bytes) -> bool:
    """Whether a line is a row of svmlight that has features or labels, or a comment."""
    return line.startswith(b"#") or (bool(line.strip()) and _is_row(line.partition(b"#")[0], _Layout(0, None)))


def _matrices(parts: list[_Rows], width: int, places: NDArray[Any], n_labels: int) -> tuple[sp.csr_array, Any]:
    """Return features and labels of the parts, which are emptied: there is memory for one copy of each."""
    lengths, n_of = (np.concatenate([getattr(part, key) for part in parts]) for key in ("lengths", "n_labels"))
    values, columns = [part.values for part in parts], [part.columns for part in parts]
    parts.clear()
    data = np.concatenate(values)
    values.clear()
    indices = np.concatenate(columns)
    columns.clear()
    X = sp.csr_array((data, indices, _starts(lengths)), shape=(len(lengths), width))
    Y = sp.csr_array((np.ones(len(places)), places, _starts(n_of)), shape=(len(lengths), n_labels))
    Y.sum_duplicates()
    Y.data[:] = 1
    return X, stored_labels(Y)


def _starts(lengths: NDArray[np.int64]) -> NDArray[Any]:
    starts = np.concatenate(([0], np.cumsum(lengths)))
    return starts.astype(np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64)


def _read(file: BinaryIO, path: Path, layout: _Layout) -> list[_Rows]:
    """Read features and labels of a file from where it is, in blocks of complete lines."""
    start, parts, doubtful, empty = file.tell(), [], False, False
    while block := file.read(_BLOCK):
        block += file.readline()
        if layout.matrix:
            block = _EMPTY.sub(b"0:0\n", block)
        try:
            # Bytes, since a path ending in .gz would be unpacked without a limit.
            X, rows = load_svmlight_files(
                [BytesIO(block)], n_features=layout.n_features, multilabel=True, zero_based=not layout.first
            )
        except (ValueError, OverflowError) as error:
            wrong = _bad_row(file, path, start, layout)
            raise wrong or DataError(f"{path}: cannot be read as text: {error}") from error
        n_labels = np.fromiter(map(len, rows), np.int64, len(rows))
        labels = np.fromiter(chain.from_iterable(rows), np.float64, n_labels.sum())
        valid = (
            layout.n_labels is None or ((np.floor(labels) == labels) & (labels >= 0) & (labels < layout.n_labels)).all()
        )
        finite = np.isfinite(X.data).all() and np.isfinite(labels).all()
        doubtful |= not (valid and finite and X.shape[1] <= _LARGEST_INDEX) or bool(_LOOSE.search(block))
        empty |= _EMPTY.search(block) is not None
        parts.append(_Rows(np.diff(X.indptr), X.indices.astype(np.int32), X.data, n_labels, labels))
    some = any(len(part.lengths) for part in parts)
    if (doubtful or (empty and some)) and (wrong := _bad_row(file, path, start, layout)):
        raise wrong
    return parts


def _bad_row(file: BinaryIO, path: Path, start: int, layout: _Layout) -> DataError | None:
    """Find the first malformed row behind the header, which is a line."""
    file.seek(start)
    empty = 0
    for number, line in enumerate(file, start=2 if start else 1):
        if layout.matrix and not line.strip():
            continue
        if not line.strip(b"\r\n"):  # behind the last row it is none
            empty = empty or number
            continue
        if empty or not line.strip():
            return DataError(
                f"{path}, line {empty or number}: the line is empty; an instance without labels and features is "
                f"' {layout.first}:0', remove the line where it is none"
            )
        if not _is_row(line.partition(b"#")[0], layout):
            return DataError(f"{path}, line {number}: {layout}; got {line[:40].decode('latin-1').strip()!r}")
    return None


def _is_row(row: bytes, layout: _Layout) -> bool:
    if not _ROW.fullmatch(row):
        return False
    columns = [int(column[:20]) for column in _COLUMN.findall(row)]
    if columns and not (layout.first <= columns[0] and columns[-1] <= layout.last):
        return False
    if any(right <= left for left, right in pairwise(columns)):
        return False
    words = row.split()
    labels = [float(label) for label in words[0].split(b",")] if words and b":" not in words[0] else []
    within = layout.n_labels is None or all(label.is_integer() and 0 <= label < layout.n_labels for label in labels)
    return within and all(map(math.isfinite, map(float, row.replace(b":", b" ").replace(b",", b" ").split())))


def _name(label: float) -> str:
    return f"{label:.0f}" if label.is_integer() and abs(label) < 2**53 else repr(float(label))
