"""Columns whose cells have several labels, as 0/1 columns: lists of Parquet, and texts such as ``a;b``."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.arrays import numbered
from mlreduce.datasets.readers.attributes import NUMBER, Attribute, Table
from mlreduce.exceptions import DataError
from mlreduce.validation import is_sparse

#: What ``label_sep`` may be that separates nothing: lists as Python and JSON write them, and labels in angle brackets.
LIST, ANGLES = "[]", "<>"
# Possessive quantifiers never backtrack: matching takes linear time.
_ITEM = r"""('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^\s,'"\[\]]++)\s*+"""
_LAYOUTS = {
    LIST: (re.compile(rf"\[\s*+(?:{_ITEM}(?:,\s*+{_ITEM})*+)?+\]"), re.compile(_ITEM)),
    ANGLES: (re.compile(r"(?:<[^<>]++>\s*+)*+"), re.compile(r"<([^<>]++)>")),
}


def with_label_columns(table: Table, which: Sequence[int], sep: str | None, where: str) -> tuple[Table, list[str]]:
    """Return the chosen columns, each list and, where there is a separator, each text as a column for every label.

    Also return notes on cells without a value. Raises DataError if a cell is not written as ``sep`` says, or no cell
    has a label.
    """
    attributes: list[Attribute] = []
    blocks, notes = [], []
    for index in which:
        attribute = table.attributes[index]
        column = table.values[:, [index]]
        part = Table([attribute], sp.csr_array(column))
        if attribute.name in table.lists:
            part = table.lists[attribute.name]
        elif sep is not None:
            cells = np.asarray(column.toarray() if is_sparse(column) else column).ravel()
            part = _split(attribute, cells, sep, where)
            if missing := int(np.isnan(cells).sum()):
                notes.append(empty_note(where, attribute.name, missing))
        attributes += part.attributes
        blocks.append(part.values)
    return Table(attributes, sp.csr_array(sp.hstack(blocks, format="csr"))), notes


def empty_note(where: str, name: str, missing: int) -> str:
    """Return a sentence on cells without a value."""
    return f"{where}: {missing} rows have nothing in the column {name!r} and were read as rows without a label"


def listed_labels(column: Any, name: str, names: Sequence[str] | None, where: str) -> tuple[Table, list[str]]:
    """Return a column of lists, an array of Arrow's in chunks, as a column for every label, and notes.

    Lists of texts have the names of the labels. Lists of integers have their numbers, which are places in ``names``
    where these are known; or, where all lists have the same length and the values 0 and 1 alone, a value for every
    label. Raises DataError if a list has a missing value, or a number that is no label.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    about = f"{where}: a list in the column {name[:40]!r}"
    flat, notes = pc.list_flatten(column), []
    if flat.null_count:
        raise DataError(f"{about} has a missing value; lists hold the labels that an instance has")
    if column.null_count:
        notes = [empty_note(where, name, column.null_count)]
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy()
    if pa.types.is_dictionary(flat.type):
        chunks = flat.unify_dictionaries().chunks
        texts = chunks[0].dictionary.to_pylist() if chunks else []
        codes = [chunk.indices.to_numpy() for chunk in chunks]
        return _columns(lengths, np.concatenate(codes) if codes else np.empty(0, int), texts, where, name), notes
    numbers = flat.cast(pa.float64(), safe=False).to_numpy()
    known = lengths[pc.is_valid(column).to_numpy()]
    if names is None and len(known) and known.min() == known.max() > 1 and np.isin(numbers, (0, 1)).all():
        values = np.zeros((len(lengths), known[0]))
        values[lengths > 0] = numbers.reshape(-1, known[0])
        notes.append(
            f"{where}: the lists in the column {name!r} all have {known[0]} values 0 or 1, and were read as a value "
            "for every label"
        )
        return Table([Attribute(label, None) for label in numbered(known[0])], sp.csr_array(values)), notes
    wrong = numbers[~((np.floor(numbers) == numbers) & (np.abs(numbers) < 2**53))]
    if names is not None and not len(wrong):
        wrong = numbers[(numbers < 0) | (numbers >= len(names))]
    if len(wrong):
        bound = "integers" if names is None else f"from 0 to {len(names) - 1}, as the file declares {len(names)} names"
        raise DataError(f"{about} has the number {wrong[0]:g}; numbers of labels are {bound}")
    if names is not None:
        return _columns(lengths, numbers.astype(int), names, where, name, all_names=True), notes
    different, codes_of = np.unique(numbers, return_inverse=True)
    return _columns(lengths, codes_of, [f"{number:.0f}" for number in different], where, name), notes


def class_names(metadata: dict[bytes, bytes] | None) -> dict[str, list[str]]:
    """Return the names of classes that the library datasets of Hugging Face writes, by the columns that have them."""
    try:
        features = json.loads((metadata or {})[b"huggingface"])["info"]["features"]
        items = {name: feature[0] if isinstance(feature, list) else feature for name, feature in features.items()}
        items = {name: item.get("feature", item) for name, item in items.items()}
        return {name: list(map(str, item["names"])) for name, item in items.items() if "names" in item}
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, RecursionError):
        return {}


def _split(attribute: Attribute, cells: NDArray[np.float64], sep: str, where: str) -> Table:
    """Return the labels in the cells of a column."""
    known = ~np.isnan(cells)
    different, places = np.unique(cells[known], return_inverse=True)
    texts = list(attribute.places or ())
    each = [
        _labels_in(texts[int(value)] if attribute.places is not None else f"{value:.15g}", attribute.name, sep, where)
        for value in different
    ]
    codes: dict[str, int] = {}
    flat = [codes.setdefault(label, len(codes)) for labels in each for label in labels]
    cell = _columns(np.array(list(map(len, each)), int), np.array(flat, int), list(codes), where, attribute.name)
    rows = np.flatnonzero(known)
    chosen = sp.csr_array((np.ones(len(rows)), (rows, places)), shape=(len(cells), len(each)))
    return cell._replace(values=sp.csr_array(chosen @ cell.values))


def _labels_in(cell: str, name: str, sep: str, where: str) -> list[str]:
    """Return the labels in a cell, of which some may be there twice."""
    cell = cell.strip()
    if sep not in _LAYOUTS:
        return [label for label in map(str.strip, cell.split(sep)) if label]
    layout, item = _LAYOUTS[sep]
    try:
        if not layout.fullmatch(cell):
            raise ValueError
        labels = item.findall(cell[1:-1] if sep == LIST else cell)
        return [ast.literal_eval(label) if label[0] in "'\"" else label for label in labels] if sep == LIST else labels
    except (ValueError, SyntaxError):
        example = "['a', 'b']" if sep == LIST else "<a><b>"
        raise DataError(
            f"{where}: the column {name[:40]!r} has the cell {cell[:40]!r}; with label_sep={sep!r} cells are like "
            f"{example}"
        ) from None


def _columns(
    lengths: NDArray[Any],
    codes: NDArray[Any],
    names: Sequence[str],
    where: str,
    column: str,
    *,
    all_names: bool = False,
) -> Table:
    """Return a column for each name that is used, or for all; rows have as many codes as ``lengths`` says."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    values = sp.csr_array((np.ones(len(codes)), codes, starts), shape=(len(lengths), len(names)))
    values.sum_duplicates()
    values.data[:] = 1
    order = list(range(len(names)))
    if not all_names:
        order = [code for code in np.unique(codes).tolist() if names[code]]
        numeric = all(NUMBER.fullmatch(names[code]) for code in order)
        order.sort(key=lambda code: (float(names[code]) if numeric else 0, names[code]))
    if not order:
        raise DataError(f"{where}: no cell of the column {column[:40]!r} has a label")
    return Table([Attribute(names[code], None) for code in order], sp.csr_array(values[:, order]))
