"""Multi-label data in ARFF files, with Mulan's XML list of labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree.ElementTree import ParseError

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.guards import check_memory, check_names, opened
from mlreduce.datasets.readers.arff_syntax import Attribute, Table, read_table
from mlreduce.exceptions import DataError, from_extra, unknown_name
from mlreduce.validation import is_sparse

__all__ = ["Labels", "chosen_labels", "counted_labels", "encoded", "read_arff", "read_label_names"]

#: What says which attributes are labels: a file, how many of the last, ``{"first": n}``, or names.
Labels: TypeAlias = str | Path | int | Mapping[str, int] | Sequence[str] | None

# What Meka writes behind the name: how many attributes are labels, from the front; from the back if negative.
_MEKA = re.compile(r"-C\s+(-?[0-9]{1,9})\b", re.IGNORECASE)
# What Weka adds when it removes or moves attributes: the option is copied, though it may hold no longer.
_MOVED = re.compile(r"weka\.filters\.\w+\.attribute\.", re.IGNORECASE)
_TRUE_WORDS = {"yes", "true", "y", "t"}
_FALSE_WORDS = {"no", "false", "n", "f"}


def read_label_names(path: str | Path) -> list[str]:
    """Return the label names of a Mulan XML file, in its order; nested labels count too.

    Raises
    ------
    DataError
        If it is not well-formed XML, declares entities or a document type, or names no or a repeated label.
    """
    with from_extra("data", "XML lists of labels"):
        import defusedxml
        import defusedxml.ElementTree

    with opened(path) as file:
        content = file.read()
    try:
        root = defusedxml.ElementTree.fromstring(content, forbid_dtd=True)
    except ParseError as error:
        raise DataError(f"{path}: not well-formed XML: {error}") from error
    except defusedxml.DefusedXmlException as error:
        raise DataError(
            f"{path}: declares a document type or an entity, which a list of labels never needs; refused"
        ) from error
    except (UnicodeDecodeError, LookupError, ValueError) as error:
        raise DataError(f"{path}: the text cannot be decoded: {error}") from error
    names = [element.get("name") for element in root.iter() if element.tag.rpartition("}")[2] == "label"]
    if not names or None in names:
        raise DataError(f'{path}: expected elements <label name="...">; found {len(names)}, one without a name')
    labels = [str(name) for name in names]
    check_names(labels, "label", str(path))
    return labels


def _merge(paths: Sequence[Path]) -> Table:
    tables = [read_table(path) for path in paths]
    first = tables[0]
    for path, table in zip(paths[1:], tables[1:], strict=True):
        for (name, places), (own_name, own_places) in zip(first.attributes, table.attributes, strict=False):
            if (name, places) != (own_name, own_places):
                raise DataError(
                    f"{path}: its attribute {own_name!r} is not {name!r} of {paths[0]} at the same place with the "
                    "same values; parts of one data set must agree"
                )
        if len(first.attributes) != len(table.attributes):
            raise DataError(f"{path}: has {len(table.attributes)} attributes, {paths[0]} has {len(first.attributes)}")
        if is_sparse(first.values) != is_sparse(table.values):
            raise DataError(f"{path}: one of it and {paths[0]} is sparse ARFF and the other dense; parts must agree")
    if is_sparse(first.values):
        return Table(first.attributes, sp.vstack([table.values for table in tables], format="csr"), first.relation)
    return Table(first.attributes, np.vstack([table.values for table in tables]), first.relation)


def _two_values(attribute: Attribute) -> tuple[float, float]:
    """Return the numbers for the first and second value of a nominal attribute."""
    words = [value.strip().lower() for value in attribute.places or ()]
    if words[0] in _TRUE_WORDS and words[1] in _FALSE_WORDS:
        return 1.0, 0.0
    try:
        numbers = float(words[0]), float(words[1])
    except ValueError:
        return 0.0, 1.0
    return numbers if all(map(np.isfinite, numbers)) else (0.0, 1.0)


def _is_identifier(attribute: Attribute, column: NDArray[np.float64]) -> bool:
    return len(attribute.places or ()) >= len(column) > 2 and len(np.unique(column)) == len(column)


def _column(values: Any, index: int) -> NDArray[np.float64]:
    column = values[:, [index]]
    return np.asarray(column.toarray() if is_sparse(column) else column).ravel()


def _recoded(column: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Recode the two values of a list; missing values stay NaN."""
    return np.where(np.isnan(column), column, np.where(column == 0, low, high))


def _one_hot(column: NDArray[np.float64], n_values: int, sparse: bool) -> Any:
    """Return one column per value of a list; NaN in all where the value is missing."""
    missing, known = np.flatnonzero(np.isnan(column)), np.flatnonzero(~np.isnan(column))
    rows = np.concatenate([known, np.repeat(missing, n_values)])
    columns = np.concatenate([column[known].astype(np.int64), np.tile(np.arange(n_values), len(missing))])
    values = np.repeat([1.0, np.nan], [len(known), len(missing) * n_values])
    shape = len(column), n_values
    if sparse:
        return sp.csc_array((values, (rows, columns)), shape=shape)
    block = np.zeros(shape)
    block[rows, columns] = values
    return block


def _encode(
    table: Table, which: Sequence[int], keep_identifiers: bool, check: Callable[[int, str], None]
) -> tuple[Any, list[str], list[str]]:
    """Turn attributes into numeric columns; return them, their names and the dropped identifiers."""
    sparse = is_sparse(table.values)
    values = table.values.tocsc() if sparse else table.values
    n_rows = values.shape[0]
    blocks: list[Any] = []
    names: list[str] = []
    dropped: list[str] = []
    plain: list[int] = []
    needed = 0

    def flush() -> None:
        if plain:
            blocks.append(values[:, list(plain)])
            plain.clear()

    for index in which:
        attribute = table.attributes[index]
        name, places = attribute
        if places is None or (len(places) == 2 and _two_values(attribute) == (0.0, 1.0)):
            plain.append(index)
            names.append(name)
            continue
        flush()
        column = _column(values, index)
        if not keep_identifiers and _is_identifier(attribute, column):
            dropped.append(name)
            continue
        # Memory per value, including rows of sparse files without any text.
        missing = np.count_nonzero(np.isnan(column)) if sparse else n_rows
        needed += 8 * max(n_rows, (missing + 1) * len(places))
        check(needed, f"a column for each value of the attributes to {name[:40]!r} and {n_rows} rows")
        if len(places) <= 2:
            low, high = _two_values(attribute) if len(places) == 2 else (0.0, 0.0)
            blocks.append(_recoded(column, low, high)[:, np.newaxis])
            names.append(name)
        else:
            blocks.append(_one_hot(column, len(places), sparse))
            names.extend(f"{name}={value}" for value in places)
    flush()
    if not blocks:
        return np.empty((n_rows, 0)), names, dropped
    if sparse:
        return sp.csr_array(sp.hstack([sp.csc_array(block) for block in blocks], format="csr")), names, dropped
    return np.hstack(blocks), names, dropped


def read_arff(
    paths: Sequence[str | Path],
    labels: Labels = None,
    name: str = "",
    keep_identifiers: bool = False,
    *,
    n_labels: int | None = None,
) -> tuple[MultiLabelData, int]:
    """Read a multi-label data set from one or several ARFF files.

    Numeric attributes are features as they are. A nominal attribute with two values is one 0/1 column (yes and true
    are 1; two numbers are themselves; else the second value of the list is 1); with more values it is one column per
    value, named ``attribute=value``. A nominal attribute whose value differs in every row is an identifier and is
    dropped. ``?`` becomes NaN.

    Parameters
    ----------
    paths : sequence of paths
        Parts of one data set with the same attributes; the rows are stacked in this order.
    labels : path, int, dict, sequence of str or None, default=None
        Mulan's XML file; ``{"first": n}`` or ``{"last": n}`` of the attributes, or n for the last; "first" or "last"
        with ``n_labels``; their names; or None: Meka's option ``-C n`` (the first n; the last where n is negative) in
        the relation's name.
    name : str, default=""
        Name of the data set.
    keep_identifiers : bool, default=False
        Encode identifiers like any nominal attribute.
    n_labels : int or None, default=None
        How many attributes are labels, where ``labels`` is "first" or "last".

    Returns
    -------
    data : MultiLabelData
    n_attributes : int
        Number of declared attributes that are not labels, identifiers included, as papers count them.

    Raises
    ------
    DataError
        If a file is truncated, a value is not in its attribute's list, a label is no attribute or not 0/1, nothing
        says which attributes are labels, or Meka's option says others; the sentence names file and line.
    """
    files = [Path(path) for path in paths]
    table = _merge(files)
    attribute_names = [attribute for attribute, _ in table.attributes]
    labels = counted_labels(labels, n_labels, files[0])
    label_names = chosen_labels(labels, attribute_names, files[0], table.relation)
    return encoded(
        table,
        label_names,
        name or files[0].stem,
        str(files[0]),
        lambda needed, what: check_memory(needed, files, what),
        keep_identifiers,
    )


def encoded(
    table: Table,
    label_names: Sequence[str],
    name: str,
    where: str,
    check: Callable[[int, str], None],
    keep_identifiers: bool = False,
) -> tuple[MultiLabelData, int]:
    """Make a data set of a table with nominal values, as `read_arff` describes.

    Parameters
    ----------
    table : Table
    label_names : sequence of str
        Attributes that are labels.
    name : str
        Name of the data set.
    where : str
        The file, for messages.
    check : callable
        Called with the bytes that arrays will need and a text that names them; raises DataError where that is too much.
    keep_identifiers : bool, default=False
        As in `read_arff`.

    Returns
    -------
    data, n_attributes
        As `read_arff`.
    """
    position = {attribute: index for index, (attribute, _) in enumerate(table.attributes)}
    label_columns = [position[label] for label in label_names]
    chosen = set(label_columns)
    feature_columns = [index for index in range(len(table.attributes)) if index not in chosen]
    check(9 * table.values.shape[0] * len(label_names), f"{len(label_names)} labels of {table.values.shape[0]} rows")
    Y = _labels(table, label_columns, where)
    X, feature_names, dropped = _encode(table, feature_columns, keep_identifiers, check)
    if X.shape[1] == 0:
        raise DataError(f"{where}: no attribute is left as a feature")
    check_names(feature_names, "feature", where)
    check_names(label_names, "label", where)
    check_names(dropped, "dropped attribute", where)
    return MultiLabelData(X, Y, feature_names, list(label_names), name, dropped), len(feature_columns)


def counted_labels(labels: Labels, n_labels: int | None, path: str | Path) -> Labels:
    """Return ``labels``, and ``{"first": n_labels}`` for "first", with "last" alike.

    Raises
    ------
    DataError
        If one of both is given without the other.
    """
    end = labels if isinstance(labels, str) and labels in ("first", "last") else None
    if (end is None) != (n_labels is None):
        raise DataError(
            f'{path}: labels="first" or "last" and n_labels, their number, go together; got labels={labels!r} and '
            f"n_labels={n_labels!r}"
        )
    return labels if end is None or n_labels is None else {end: n_labels}


def chosen_labels(labels: Labels, names: Sequence[str], path: str | Path, relation: str = "") -> list[str]:
    """Return which attributes, or columns, are labels.

    Parameters
    ----------
    labels
        As in `read_arff`, but for "first" and "last".
    names : sequence of str
        All attributes.
    path : path
        The file, for messages.
    relation : str, default=""
        What may have Meka's option.

    Raises
    ------
    DataError
        If nothing says it, or what does names other attributes.
    """
    if isinstance(labels, (int, Mapping)) or labels is None:
        return _at_an_end(labels, relation, names, path)
    source = "the names given"
    if isinstance(labels, (str, Path)):
        found, source = read_label_names(labels), str(labels)
    else:
        found = list(labels)
        check_names(found, "label", source)
    if not found:
        raise DataError(f"{path}: labels names no attribute")
    known = set(names)
    for label in found:
        if label not in known:
            raise DataError(unknown_name(f"attribute of {Path(path).name}", label, names, source))
    return found


def _at_an_end(
    asked: int | Mapping[str, int] | None, relation: str, names: Sequence[str], path: str | Path
) -> list[str]:
    """Return the names of the labels, which are the first or the last attributes."""
    written, moved, added = relation.partition("weka.filters")
    meka = _MEKA.search(written)
    said = 0 if meka is None else int(meka.group(1))
    if said and _MOVED.search(moved + added):
        if asked is None:
            raise DataError(
                f"{path}: its relation has the option -C {said} of Meka's, but Weka removed or moved attributes since. "
                "Name Mulan's XML file, or say how many are the first or the last"
            )
        said = 0
    if asked is None:
        if not said:
            raise DataError(
                f"{path}: nothing says which attributes are labels: its relation has no option -C of Meka's. Name "
                "Mulan's XML file, or say how many are the first or the last"
            )
        end, number = "first" if said > 0 else "last", abs(said)
    else:
        ends = {"last": asked} if isinstance(asked, int) else dict(asked)
        if len(ends) != 1 or not set(ends) <= {"first", "last"}:
            raise DataError(f"labels must be {{'first': n}} or {{'last': n}}; got {ends!r}")
        end, number = next(iter(ends.items()))
    if not 0 < number < len(names):
        raise DataError(f"{path}: cannot take the {end} {number} of {len(names)} attributes as labels")
    if said and (said > 0, abs(said)) != (end == "first", number):
        raise DataError(
            f"{path}: the {end} {number} attributes are asked for as labels, but the option -C {said} of Meka's in "
            f"its relation says that the {'first' if said > 0 else 'last'} {abs(said)} are"
        )
    return list(names[:number] if end == "first" else names[-number:])


def _labels(table: Table, which: Sequence[int], where: str) -> NDArray[np.int8]:
    columns = table.values.tocsc()[:, which].toarray() if is_sparse(table.values) else table.values[:, which]
    Y = np.empty(columns.shape, dtype=np.int8)
    for place, index in enumerate(which):
        Y[:, place] = _label(table.attributes[index], columns[:, place], where)
    return Y


def _label(attribute: Attribute, column: NDArray[np.float64], where: str) -> NDArray[np.float64]:
    name, places = attribute
    if places is not None:
        if len(places) != 2:
            raise DataError(f"{where}: the label {name!r} has {len(places)} values; a label has two, 0 and 1")
        column = _recoded(column, *_two_values(attribute))
    wrong = ~((column == 0) | (column == 1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        value = "missing" if np.isnan(column[row]) else f"{column[row]:g}"
        raise DataError(f"{where}: the label {name!r} is {value} in data row {row + 1}; a label is 0 or 1")
    return column
