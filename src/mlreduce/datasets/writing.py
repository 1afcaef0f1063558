"""Data sets written to files: npz, ARFF of Meka and Mulan, tables and svmlight."""

from __future__ import annotations

import gzip
import itertools
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias
from xml.sax.saxutils import quoteattr

import numpy as np
import scipy.sparse as sp

from mlreduce.datasets.arrays import check_indices
from mlreduce.datasets.checksums import checksum_comment
from mlreduce.datasets.readers.attributes import (
    PARQUET_KEY,
    Attribute,
    Table,
    is_index_name,
    is_missing_cell,
    is_number_cell,
    table_checksum,
)
from mlreduce.exceptions import ConfigurationError, DataError, from_extra
from mlreduce.files import replacing, write_text
from mlreduce.guards import uncompressed
from mlreduce.validation import check_memory, check_option, is_sparse

#: `MultiLabelData`, whose module imports this one.
Data: TypeAlias = Any

_LAYOUTS = ("meka", "mulan")
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
_XMC = ".xmc"
_SVMLIGHT = (".svm", ".svmlight", ".libsvm", _XMC)
_SUFFIXES = (".npz", ".arff", *_SEPARATORS, *_PARQUET, *_SVMLIGHT)
_TEXTS = (".arff", *_SEPARATORS, *_SVMLIGHT)
# Rows, and about how many cells, that are dense at once.
_ROWS, _CELLS = 500, 2**24


def write(data: Data, path: Path, layout: str = "meka") -> None:
    """Write a data set as `MultiLabelData.save` describes."""
    check_option(layout, "layout", _LAYOUTS)
    compressed = path.suffix.lower() == ".gz"
    suffix = (path.with_suffix("") if compressed else path).suffix.lower()
    if suffix not in _SUFFIXES or (compressed and suffix not in _TEXTS):
        raise ConfigurationError(
            f"{path}: a data set is written to {', '.join(_SUFFIXES)}, or to a text with .gz behind the suffix; got "
            f"{path.suffix or 'no suffix'}"
        )
    data = _as_read(data, path, suffix)
    xml = uncompressed(path).with_suffix(".xml")
    if suffix == ".arff" and layout == "meka" and xml.exists():
        raise DataError(f"{path}: {xml.name} in its folder would be taken for its labels; remove it, or layout='mulan'")
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
                lines = _svmlight(data, path, suffix)
            with partial.open("wb") as file:
                if compressed:  # which has another checksum
                    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                        packed.writelines(line.encode() for line in lines if line is not None)
                else:
                    _write_text(file, lines, "%" if suffix == ".arff" else "#", data.X.shape[0])
    if suffix == ".arff" and layout == "mulan":
        labels = "".join(f"  <label name={quoteattr(name)}/>\n" for name in data.label_names)
        head = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
        write_text(xml, f"{head}{labels}</labels>\n")


def _write_text(file: BinaryIO, lines: Iterable[str | None], sign: str, n_rows: int) -> None:
    """Write lines, and the checksum in the place of None."""
    crc, place = 0, None
    for line in lines:
        if line is None:
            place = file.tell()
            file.write(checksum_comment(sign, n_rows, 0))
        else:
            content = line.encode()
            crc = zlib.crc32(content, crc)
            file.write(content)
    if place is not None:
        file.seek(place)
        file.write(checksum_comment(sign, n_rows, crc))


def _as_read(data: Data, path: Path, suffix: str) -> Data:
    """Return the data as they will be read, or refuse what would be read otherwise or not at all."""
    X, Y, weights = as_float64(data.X, "X", path), _as_labels(data, path), data.sample_weight
    if weights is not None:
        weights = as_float64(weights, "sample_weight", path)
        if weights.ndim != 1 or not (np.isfinite(weights) & (weights >= 0)).all():
            raise DataError(f"{path}: sample_weight of {data.name!r} is no row of finite numbers >= 0")
    if suffix == ".npz":
        return replace(data, X=X, Y=Y, sample_weight=weights)
    if 0 in (*X.shape, Y.shape[1]):
        raise DataError(f"{path}: the data set {data.name!r} has no instances, features or labels; only .npz holds it")
    stored = X.data if is_sparse(X) else X
    _refuse(data, path, np.isinf(stored).any(), "infinite numbers", ".npz")
    if suffix != ".arff":
        _refuse(data, path, weights is not None, "weights of the instances")
    if suffix in _SVMLIGHT:
        _refuse(data, path, Y.dtype.kind == "f", "unknown labels")
        _refuse(data, path, bool(data.texts), "texts")
        _refuse(data, path, np.isnan(stored).any(), "missing values")
        absent = suffix != _XMC and bool((abs(Y).sum(axis=0) == 0).any())
        _refuse(data, path, absent, "labels that no instance has", ".xmc, .npz or .arff")
        return replace(data, X=X, Y=Y)
    names = [*data.texts, *data.feature_names, *data.label_names]
    if len(set(names)) < len(names):
        raise DataError(f"{path}: a feature, a label or a text of {data.name!r} share a name; columns must not")
    table = suffix != ".arff"
    if table and ("" in names or (suffix not in _PARQUET and is_index_name(names[0]))):
        name = "" if "" in names else names[0]
        raise DataError(f"{path}: a column called {name!r} would be read as one without a name; rename it")
    for name, texts in data.texts.items():
        if suffix in _SEPARATORS and all(is_number_cell(text) for text in texts):
            raise DataError(f"{path}: the texts of {name[:40]!r} are all numbers or empty and would be read as numbers")
        for row, text in enumerate(texts, start=1):
            stripped = text.strip() if suffix in _SEPARATORS else text
            changed = text == "?" if not table else stripped != text or (text and is_missing_cell(text))
            if changed or not _is_encodable(text):
                raise DataError(
                    f"{path}: the text {text[:40]!a} of {name[:40]!r} in row {row} would be read otherwise; save it "
                    "as .npz"
                )
    return replace(data, X=X, Y=Y, sample_weight=weights)


def _is_encodable(text: str) -> bool:
    return "\0" not in text and text.encode("utf-8", "ignore").decode() == text


def as_float64(values: Any, what: str, where: str | Path) -> Any:
    """Return numbers as a float64 array or CSR array that holds the same, in native byte order.

    Raises DataError if they are masked or no real numbers, float64 cannot hold one of them, or a sparse matrix is
    damaged.
    """
    if np.ma.isMaskedArray(values):
        raise DataError(f"{where}: {what} is a masked array; its filled(numpy.nan) has missing values as NaN")
    if is_sparse(values):
        try:
            if hasattr(values, "check_format"):
                check_indices(values, what)
            if isinstance(values, sp.csr_array) and values.dtype == np.float64 and values.dtype.isnative:
                added = values.copy()
                added.sum_duplicates()
                return values if added.nnz == values.nnz else added  # the same bytes where nothing is there twice
            entries = values.tocoo()
            data = as_float64(entries.data, what, where)
            return sp.csr_array((data, (entries.row, entries.col)), shape=values.shape)  # adds what is there twice
        except DataError:
            raise
        except ValueError as error:
            raise DataError(f"{where}: {what} is a damaged sparse matrix: {error}") from error
    array = np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise DataError(f"{where}: {what} holds {array.dtype}, no real numbers; {what}.astype(float) makes them, if so")
    with np.errstate(over="ignore"):
        numbers = np.asarray(array, dtype=np.float64)
    if array.dtype.kind in "iu":
        exact = array.dtype.itemsize < 8 or bool(((array <= 2**53) & (array >= -(2**53))).all())
    else:
        exact = array.dtype.itemsize <= 8 or bool(((numbers == array) | np.isnan(array)).all())
    if not exact:
        raise DataError(f"{where}: {what} of {array.dtype} holds a number that float64 cannot hold exactly; scale it")
    return numbers


def _as_labels(data: Data, path: Path) -> Any:
    """Return labels as int8, and float64 where some are unknown."""
    if is_sparse(data.Y):
        return data.Y  # the data set has checked them
    Y = data.Y if type(data.Y) is np.ndarray and data.Y.dtype == np.int8 else as_float64(data.Y, "Y", path)
    unknown = np.isnan(Y) if Y.dtype.kind == "f" else np.zeros(1, dtype=bool)
    if not ((Y == 0) | (Y == 1) | unknown).all():
        raise DataError(
            f"{path}: the labels of {data.name!r} are other numbers than 0 and 1; where a positive number is a label, "
            "dataclasses.replace(data, Y=(data.Y > 0).astype('int8')) has them"
        )
    return Y if unknown.any() else Y.astype(np.int8, copy=False)


def _refuse(data: Data, path: Path, has: bool, what: str, remedy: str = ".npz or .arff") -> None:
    if has:
        raise DataError(
            f"{path}: the data set {data.name!r} has {what}, which {uncompressed(path).suffix} cannot hold; save as "
            f"{remedy}"
        )


def _number(value: float) -> str:
    """Return the shortest text that is the same number; ? for NaN, 1 for 1.0."""
    return "?" if value != value else repr(float(value)).removesuffix(".0")


def _quoted(name: str) -> str:
    return name if re.fullmatch("[A-Za-z][A-Za-z0-9._-]*", name) else _in_quotes(name)


def _in_quotes(text: str) -> str:
    escaped = re.sub(r"(['\\])", r"\\\1", text)
    return "'" + escaped.replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t") + "'"


def _arff(data: Data, layout: str) -> Iterator[str | None]:
    """Yield the lines: labels first, as Meka wants them, then features, then texts; None for the checksum."""
    n_labels, n_features = len(data.label_names), len(data.feature_names)
    # An option of Meka's or Weka's in the name would be taken for one of the file.
    name = re.sub(r"-C\b|weka\.filters", "", data.name, flags=re.IGNORECASE)
    yield "@relation " + _in_quotes(name + f": -C {n_labels}" * (layout == "meka")) + "\n"
    yield None
    yield "\n"
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


def _frames(data: Data) -> Iterator[Any]:
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


def _table(data: Data, sep: str) -> Iterator[str]:
    for number, frame in enumerate(_frames(data)):
        yield frame.to_csv(sep=sep, index=False, header=number == 0, lineterminator="\n")


def _write_parquet(data: Data, path: Path) -> None:
    import pandas as pd  # slow to import

    with from_extra("data", "Parquet files"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    n_cells = data.X.shape[0] * (data.X.shape[1] + data.Y.shape[1])
    check_memory(24.0 * n_cells, f"{data.name} as a dense table", "save it as .npz or .arff")
    frame = pd.concat(list(_frames(data)))
    values, attributes = np.empty(frame.shape), []
    for place, name in enumerate(frame.columns):
        known, column = None, frame[name]
        if name in data.texts:
            known = {"": 0.0}
            column = [np.nan if is_missing_cell(text) else known.setdefault(text, float(len(known))) for text in column]
        values[:, place] = column
        attributes.append(Attribute(name, known, known is not None))
    table = pa.Table.from_pandas(frame, preserve_index=False)
    metadata = (table.schema.metadata or {}) | {PARQUET_KEY: table_checksum(Table(attributes, values))}
    pq.write_table(table.replace_schema_metadata(metadata), path, write_page_checksum=True)


def _svmlight(data: Data, path: Path, suffix: str) -> Iterator[str | None]:
    """Yield the lines; names that number labels or features are written, others replaced by their places."""
    places = list(map(str, range(len(data.label_names))))
    width = data.X.shape[1]
    if suffix == _XMC:
        labels, first = places, 0
        yield f"{data.X.shape[0]} {width} {len(labels)}\n"
    else:
        labels = _numbered(data.label_names) or places
        first = int(list(data.feature_names) == list(map(str, range(1, width + 1))))
        yield f"# Column indices are {('zero', 'one')[first]}-based\n"
        yield None
    X = sp.csr_array(data.X, copy=True)
    X.eliminate_zeros()
    last = [f"{width - 1 + first}:0"] * (not (X.indices == width - 1).any())  # so that it is counted
    for row in range(data.X.shape[0]):
        start, stop = X.indptr[row : row + 2]
        pairs = zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist(), strict=True)
        entries = [f"{index + first}:{repr(value).removesuffix('.0')}" for index, value in pairs]
        entries += last if row == 0 else []
        present = ",".join(labels[place] for place in _labels(data.Y, row))
        # A line without anything would be no row.
        yield " ".join([present, *(entries or ([] if present else [f"{first}:0"]))]) + "\n"


def _numbered(names: Sequence[str]) -> list[str] | None:
    """Return names that are integers, ascending; None for others."""
    if not all(re.fullmatch("0|[1-9][0-9]{0,14}", name) for name in names):
        return None
    numbers = list(map(int, names))
    return list(names) if all(left < right for left, right in itertools.pairwise(numbers)) else None
