"""Data sets written to files: npz, ARFF of Meka and Mulan, tables and svmlight."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np
import scipy.sparse as sp

from mlreduce.exceptions import ConfigurationError, DataError, from_extra
from mlreduce.files import replacing, write_text
from mlreduce.validation import check_memory, check_option, is_sparse

if TYPE_CHECKING:
    from mlreduce.datasets.data import MultiLabelData

__all__ = ["write"]

_LAYOUTS = ("meka", "mulan")
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
_XMC = ".xmc"
_SVMLIGHT = (".svm", ".svmlight", ".libsvm", _XMC)
_SUFFIXES = (".npz", ".arff", *_SEPARATORS, *_PARQUET, *_SVMLIGHT)
# Rows, and about how many cells, that are dense at once.
_ROWS, _CELLS = 500, 2**24


def write(data: MultiLabelData, path: Path, layout: str = "meka") -> None:
    """Write a data set as `MultiLabelData.save` describes."""
    check_option(layout, "layout", _LAYOUTS)
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise ConfigurationError(
            f"{path}: a data set is written to {', '.join(_SUFFIXES)}; got {suffix or 'no suffix'}"
        )
    if suffix not in (".npz", ".arff"):
        _refuse(data, path, data.sample_weight is not None, "weights of the instances")
    names = [*data.texts, *data.feature_names, *data.label_names]
    if len(set(names)) < len(names) and suffix not in (".npz", *_SVMLIGHT):
        raise DataError(f"{path}: a feature, a label or a text of {data.name!r} share a name; columns must not")
    beside = path.with_suffix(".xml")
    if suffix == ".arff" and layout == "meka" and beside.exists():
        raise DataError(f"{path}: {beside.name} beside it would be taken for its labels; remove it, or layout='mulan'")
    with replacing(path) as partial:
        if suffix == ".npz":
            with partial.open("wb") as file:
                np.savez_compressed(file, **data.arrays())
        elif suffix in _PARQUET:
            _write_parquet(data, partial)
        else:
            if suffix == ".arff":
                lines = _arff(data, layout)
            elif suffix in _SEPARATORS:
                lines = _table(data, _SEPARATORS[suffix])
            else:
                lines = _svmlight(data, path)
            with partial.open("w", encoding="utf-8", newline="") as text:
                text.writelines(lines)
    if suffix == ".arff" and layout == "mulan":
        labels = "".join(f"  <label name={quoteattr(name)}/>\n" for name in data.label_names)
        head = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
        write_text(beside, f"{head}{labels}</labels>\n")


def _refuse(data: MultiLabelData, path: Path, has: bool, what: str) -> None:
    if has:
        raise DataError(
            f"{path}: the data set {data.name!r} has {what}, which {path.suffix} cannot hold; save as .npz or .arff"
        )


def _number(value: float) -> str:
    """Return the shortest text that is the same number; ? for NaN, 1 for 1.0."""
    return "?" if value != value else repr(float(value)).removesuffix(".0")


def _quoted(name: str) -> str:
    return name if re.fullmatch("[A-Za-z][A-Za-z0-9._-]*", name) else _in_quotes(name)


def _in_quotes(text: str) -> str:
    escaped = re.sub(r"(['\\])", r"\\\1", text)
    return "'" + escaped.replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t") + "'"


def _arff(data: MultiLabelData, layout: str) -> Iterator[str]:
    """Yield the lines: labels first, as Meka wants them, then features, then texts."""
    n_labels, n_features = len(data.label_names), len(data.feature_names)
    # An option of Meka's or Weka's in the name would be taken for one of the file.
    name = re.sub(r"-C\b|weka\.filters", "", data.name, flags=re.IGNORECASE)
    yield "@relation " + _in_quotes(name + f": -C {n_labels}" * (layout == "meka")) + "\n\n"
    yield from (f"@attribute {_quoted(label)} {{0,1}}\n" for label in data.label_names)
    yield from (f"@attribute {_quoted(feature)} numeric\n" for feature in data.feature_names)
    yield from (f"@attribute {_quoted(text)} string\n" for text in data.texts)
    yield "\n@data\n"
    sparse = is_sparse(data.X)
    for row in range(data.X.shape[0]):
        labels = _labels(data.Y, row)
        texts = [_in_quotes(values[row]) for values in data.texts.values()]
        if sparse:
            start, stop = data.X.indptr[row : row + 2]
            order = np.argsort(data.X.indices[start:stop], kind="stable") + start
            entries = list(labels.items())
            entries += [
                (int(data.X.indices[i]) + n_labels, _number(data.X.data[i])) for i in order if data.X.data[i] != 0
            ]
            entries += [(n_labels + n_features + place, text) for place, text in enumerate(texts)]
            line = "{" + ",".join(f"{place} {value}" for place, value in entries) + "}"
        else:
            cells = [labels.get(place, "0") for place in range(n_labels)]
            line = ",".join([*cells, *map(_number, data.X[row]), *texts])
        yield line + ("" if data.sample_weight is None else f",{{{_number(data.sample_weight[row])}}}") + "\n"


def _labels(Y: Any, row: int) -> dict[int, str]:
    """Return the labels of a row that are not 0 by their places."""
    if is_sparse(Y):
        return dict.fromkeys(Y.indices[Y.indptr[row] : Y.indptr[row + 1]].tolist(), "1")
    return {int(place): _number(Y[row, place]) for place in np.flatnonzero(Y[row])}


def _frames(data: MultiLabelData) -> Iterator[Any]:
    """Yield DataFrames of some rows each: texts, features, labels."""
    import pandas as pd  # slow to import

    n_rows, n_cells = data.X.shape[0], data.X.shape[1] + data.Y.shape[1]
    step = max(1, min(_ROWS, _CELLS // n_cells))
    for start in range(0, n_rows, step):
        rows = slice(start, start + step)
        Y = data.Y[rows].toarray() if is_sparse(data.Y) else data.Y[rows]
        X = data.X[rows].toarray() if is_sparse(data.X) else data.X[rows]
        parts = [
            pd.DataFrame({name: values[rows] for name, values in data.texts.items()}),
            pd.DataFrame(X, columns=list(data.feature_names)),
            pd.DataFrame(Y, columns=list(data.label_names)),
        ]
        yield pd.concat(parts[not data.texts :], axis=1)


def _table(data: MultiLabelData, sep: str) -> Iterator[str]:
    for number, frame in enumerate(_frames(data)):
        yield frame.to_csv(sep=sep, index=False, header=number == 0, lineterminator="\n")


def _write_parquet(data: MultiLabelData, path: Path) -> None:
    import pandas as pd  # slow to import

    with from_extra("data", "Parquet files"):
        import pyarrow as _  # noqa: F401
    n_cells = data.X.shape[0] * (data.X.shape[1] + data.Y.shape[1])
    check_memory(16.0 * n_cells, f"{data.name} as a dense table", "save it as .npz or .arff")
    pd.concat(list(_frames(data))).to_parquet(path, engine="pyarrow", index=False)


def _svmlight(data: MultiLabelData, path: Path) -> Iterator[str]:
    """Yield the lines; names that number labels or features are written, others replaced by their places."""
    _refuse(data, path, data.Y.dtype.kind == "f", "unknown labels")
    _refuse(data, path, bool(data.texts), "texts")
    places = list(map(str, range(len(data.label_names))))
    if path.suffix.lower() == _XMC:
        labels, first = places, 0
        yield f"{data.X.shape[0]} {data.X.shape[1]} {len(labels)}\n"
    else:
        labels = _numbered(data.label_names) or places
        first = int(list(data.feature_names) == list(map(str, range(1, len(data.feature_names) + 1))))
        yield f"# Column indices are {('zero', 'one')[first]}-based\n"
    X = sp.csr_array(data.X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    for row in range(data.X.shape[0]):
        start, stop = X.indptr[row : row + 2]
        pairs = zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist(), strict=True)
        entries = [f"{index + first}:{repr(value).removesuffix('.0')}" for index, value in pairs]
        present = ",".join(labels[place] for place in _labels(data.Y, row))
        # A line without anything would be no row.
        yield " ".join([present, *(entries or ([] if present else [f"{first}:0"]))]) + "\n"


def _numbered(names: Sequence[str]) -> list[str] | None:
    """Return names that are whole numbers, ascending; None for others."""
    if not all(re.fullmatch("0|[1-9][0-9]{0,14}", name) for name in names):
        return None
    numbers = list(map(int, names))
    return list(names) if all(left < right for left, right in itertools.pairwise(numbers)) else None
