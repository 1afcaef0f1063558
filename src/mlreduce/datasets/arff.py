"""ARFF files, dense or sparse, with Mulan's XML list of labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

import arff
import defusedxml
import defusedxml.ElementTree
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.data import MultiLabelData
from mlreduce.exceptions import DataError, unknown_name
from mlreduce.validation import is_sparse

__all__ = ["read_arff", "read_label_names"]

_TRUE_WORDS = {"yes", "true", "y", "t"}
_FALSE_WORDS = {"no", "false", "n", "f"}
_SPARSE = re.compile(r"^\s*@data\b[^\n]*\n(?:\s*(?:%[^\n]*)?\n)*\s*\{", re.IGNORECASE | re.MULTILINE)

_ESCAPED = re.compile(r"""\\(['"%\\])""")


class _Table(NamedTuple):
    """A decoded file: nominal values as positions in their lists, ``?`` as NaN."""

    attributes: list[tuple[str, Any]]
    values: Any


def read_label_names(path: str | Path) -> list[str]:
    """Return the label names of a Mulan XML file, in its order; nested labels count too.

    Raises
    ------
    DataError
        If it is not well-formed XML, declares entities or a document type, or names no or a repeated label.
    """
    try:
        root = defusedxml.ElementTree.parse(path, forbid_dtd=True).getroot()
    except ParseError as error:
        raise DataError(f"{path}: not well-formed XML: {error}") from error
    except defusedxml.DefusedXmlException as error:
        raise DataError(
            f"{path}: declares a document type or an entity, which a list of labels never needs; refused"
        ) from error
    except (UnicodeDecodeError, LookupError, ValueError) as error:
        raise DataError(f"{path}: the text cannot be decoded: {error}") from error
    elements = [] if root is None else list(root.iter())
    names = [element.get("name") for element in elements if element.tag.rpartition("}")[2] == "label"]
    if not names or None in names:
        raise DataError(f'{path}: expected elements <label name="...">; found {len(names)}, one without a name')
    repeated = sorted({name for name in names if names.count(name) > 1}, key=str)
    if repeated:
        raise DataError(f"{path}: the label {repeated[0]!r} is listed twice")
    return [str(name) for name in names]


def _decode(path: Path) -> _Table:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text (byte {error.start})") from error
    sparse = _SPARSE.search(text) is not None
    decoder = arff.ArffDecoder()
    try:
        content = decoder.decode(text, encode_nominal=True, return_type=arff.LOD if sparse else arff.DENSE)
    except (arff.ArffException, ValueError, IndexError, KeyError, AttributeError, StopIteration) as error:
        # Only liac-arff's own errors know their line; the decoder knows where it stood at any other.
        line = max(int(getattr(error, "line", -1)), 0) or int(getattr(decoder, "_current_line", 0))
        raise DataError(f"{path}, line {line}: {_reason(error, text, line)}") from error
    # liac-arff takes the quotes off an attribute's name but leaves the escapes inside them.
    attributes = [(_ESCAPED.sub(r"\1", name), kind) for name, kind in content["attributes"]]
    rows = content["data"]
    if not rows:
        raise DataError(f"{path}, line {len(text.splitlines())}: no rows of data after @DATA; is the file truncated?")
    types = [kind for _, kind in attributes]
    unnamed = [name for name, kind in attributes if isinstance(kind, list) and None in kind]
    if unnamed:
        raise DataError(f"{path}: the attribute {unnamed[0]!r} lists ? or nothing as one of its values")
    texts = [name for name, kind in attributes if kind == "STRING"]
    if texts:
        raise DataError(f"{path}: the attribute {texts[0]!r} is a string; features are numeric or nominal")
    if not sparse:
        return _Table(attributes, np.array(rows, dtype=np.float64))
    for number, row in enumerate(rows, start=1):  # liac-arff does not look at the position of a missing value
        if row and max(row) >= len(types):
            raise DataError(f"{path}: data row {number} names attribute {max(row)}; there are {len(types)}, from 0 on")
    lengths = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    total = int(lengths.sum())
    columns = np.fromiter((key for row in rows for key in row), dtype=np.int64, count=total)
    values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    matrix = sp.csr_array((values, columns, np.r_[0, lengths.cumsum()]), shape=(len(rows), len(types)))
    matrix.sort_indices()
    return _Table(attributes, matrix)


def _reason(error: Exception, text: str, line: int) -> str:
    """Say in words what liac-arff's exception means."""
    row = (text.splitlines() or [""])[min(line, len(text.splitlines())) - 1]
    if isinstance(error, arff.BadNominalValue):
        value = error.message.removeprefix("Data value ").partition(" not found in nominal declaration")[0]
        return f"the value {value!r} is not in its attribute's list"
    if isinstance(error, arff.BadDataFormat):
        return f"the row has the wrong number of values or is cut off: {row[:60]!r}"
    if isinstance(error, arff.BadNumericalValue):
        return f"a value is not a number, nor ? for a missing one: {row[:60]!r}"
    if isinstance(error, arff.BadLayout):
        return f"the file is cut off or not laid out as ARFF: {row[:60]!r}"
    if isinstance(error, arff.ArffException):
        return f"not ARFF ({type(error).__name__}): {row[:60]!r}"
    return f"cannot be read as ARFF ({type(error).__name__}: {error}): {row[:60]!r}"


def _merge(paths: Sequence[Path]) -> _Table:
    tables = [_decode(path) for path in paths]
    first = tables[0]
    for path, table in zip(paths[1:], tables[1:], strict=True):
        for (name, kind), (own_name, own_kind) in zip(first.attributes, table.attributes, strict=False):
            if (name, kind) != (own_name, own_kind):
                raise DataError(
                    f"{path}: its attribute {own_name!r} is not {name!r} of {paths[0]} at the same place with the "
                    "same values; parts of one data set must agree"
                )
        if len(first.attributes) != len(table.attributes):
            raise DataError(f"{path}: has {len(table.attributes)} attributes, {paths[0]} has {len(first.attributes)}")
        if is_sparse(first.values) != is_sparse(table.values):
            raise DataError(f"{path}: one of it and {paths[0]} is sparse ARFF and the other dense; parts must agree")
    if is_sparse(first.values):
        return _Table(first.attributes, sp.vstack([table.values for table in tables], format="csr"))
    return _Table(first.attributes, np.vstack([table.values for table in tables]))


def _two_values(kind: Sequence[str]) -> tuple[float, float]:
    """Return the numbers that a nominal attribute's first and second value stand for."""
    words = [value.strip().lower() for value in kind]
    if words[0] in _TRUE_WORDS and words[1] in _FALSE_WORDS:
        return 1.0, 0.0
    try:
        numbers = float(words[0]), float(words[1])
    except ValueError:
        return 0.0, 1.0
    return numbers if all(map(np.isfinite, numbers)) else (0.0, 1.0)


def _is_identifier(kind: Any, column: NDArray[np.float64]) -> bool:
    return isinstance(kind, list) and len(kind) >= len(column) > 2 and len(np.unique(column)) == len(column)


def _column(values: Any, index: int) -> NDArray[np.float64]:
    column = values[:, [index]]
    return np.asarray(column.toarray() if is_sparse(column) else column).ravel()


def _encode(table: _Table, which: Sequence[int], keep_identifiers: bool) -> tuple[Any, list[str], list[str]]:
    """Turn attributes into numeric columns; return them, their names and the dropped identifiers."""
    sparse = is_sparse(table.values)
    values = table.values.tocsc() if sparse else table.values
    blocks: list[Any] = []
    names: list[str] = []
    dropped: list[str] = []
    plain: list[int] = []

    def flush() -> None:
        if plain:
            blocks.append(values[:, list(plain)])
            plain.clear()

    for index in which:
        name, kind = table.attributes[index]
        if not isinstance(kind, list) or (len(kind) == 2 and _two_values(kind) == (0.0, 1.0)):
            plain.append(index)
            names.append(name)
            continue
        flush()
        column = _column(values, index)
        if not keep_identifiers and _is_identifier(kind, column):
            dropped.append(name)
        elif len(kind) <= 2:
            low, high = _two_values(kind) if len(kind) == 2 else (0.0, 0.0)
            blocks.append((low + (high - low) * column)[:, np.newaxis])
            names.append(name)
        else:
            one_hot = (column[:, np.newaxis] == np.arange(len(kind))).astype(np.float64)
            one_hot[np.isnan(column)] = np.nan
            blocks.append(one_hot)
            names.extend(f"{name}={value}" for value in kind)
    flush()
    if not blocks:
        return np.empty((values.shape[0], 0)), names, dropped
    if sparse:
        return (
            sp.csr_array(sp.hstack([sp.csc_array(block) for block in blocks], format="csr")),
            names,
            dropped,
        )
    return np.hstack(blocks), names, dropped


def read_arff(
    paths: Sequence[str | Path], labels: str | Path | int, name: str = "", keep_identifiers: bool = False
) -> tuple[MultiLabelData, int]:
    """Read a multi-label data set from one or several ARFF files.

    Numeric attributes are features as they are. A nominal attribute with two values is one 0/1 column (yes and true
    are 1; two numbers are themselves; else the second value of the list is 1); with more values it is one column a
    value, named ``attribute=value``. A nominal attribute whose value differs in every row is an identifier and is
    dropped. ``?`` becomes NaN.

    Parameters
    ----------
    paths : sequence of paths
        Parts of one data set with the same attributes; the rows are stacked in this order.
    labels : path or int
        Mulan's XML file, or how many of the last attributes are labels.
    name : str, default=""
        What to call the data set.
    keep_identifiers : bool, default=False
        Encode identifiers like any nominal attribute.

    Returns
    -------
    data : MultiLabelData
    n_attributes : int
        How many attributes that are no labels the files declare, identifiers included: what papers count.

    Raises
    ------
    DataError
        If a file is truncated, a value is not in its attribute's list, a label is no attribute or not 0/1; the
        sentence names file and line.
    """
    files = [Path(path) for path in paths]
    table = _merge(files)
    attribute_names = [attribute for attribute, _ in table.attributes]
    position = {attribute: index for index, attribute in enumerate(attribute_names)}
    if isinstance(labels, int):
        if not 0 < labels < len(attribute_names):
            raise DataError(f"{files[0]}: cannot take the last {labels} of {len(attribute_names)} attributes as labels")
        label_names = attribute_names[-labels:]
    else:
        label_names = read_label_names(labels)
        for label in label_names:
            if label not in position:
                raise DataError(unknown_name(f"attribute of {files[0].name}", label, position, str(labels)))
    label_columns = [position[label] for label in label_names]
    chosen = set(label_columns)
    feature_columns = [index for index in range(len(attribute_names)) if index not in chosen]
    Y = np.column_stack([_label(table, index, files[0]) for index in label_columns])
    X, feature_names, dropped = _encode(table, feature_columns, keep_identifiers)
    if X.shape[1] == 0:
        raise DataError(f"{files[0]}: no attribute is left as a feature")
    return MultiLabelData(X, Y, feature_names, label_names, name or files[0].stem, dropped), len(feature_columns)


def _label(table: _Table, index: int, path: Path) -> NDArray[np.int8]:
    name, kind = table.attributes[index]
    column = _column(table.values, index)
    if isinstance(kind, list) and len(kind) == 2:
        low, high = _two_values(kind)
        column = np.where(np.isnan(column), column, low + (high - low) * column)
    elif isinstance(kind, list):
        raise DataError(f"{path}: the label {name!r} has {len(kind)} values; a label has two, 0 and 1")
    wrong = ~((column == 0) | (column == 1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        value = "missing" if np.isnan(column[row]) else f"{column[row]:g}"
        raise DataError(f"{path}: the label {name!r} is {value} in data row {row + 1}; a label is 0 or 1")
    return column.astype(np.int8)
