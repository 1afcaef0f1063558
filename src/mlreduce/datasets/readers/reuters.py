"""Reuters-21578 as a multi-label data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.sgml import MARKS, SPLITS, Document, read_sgml
from mlreduce.datasets.readers.text import count_terms
from mlreduce.exceptions import DataError, check_known_name
from mlreduce.guards import check_memory


def read_reuters(
    paths: Sequence[str | Path],
    categories: Sequence[str] | Mapping[str, int],
    name: str = "",
    *,
    fields: Sequence[str] = ("topics",),
    marks: Sequence[str] = MARKS,
    splits: Sequence[str] = SPLITS,
    copies: bool = False,
    min_df: int = 1,
    tokens: str = "spaced",
) -> MultiLabelData:
    """Read Reuters-21578: the documents that have one of the categories, as counts of stems.

    Features are the counts themselves. Weights by inverse document frequency belong to a training part: see ``tf-idf``
    of `mlreduce.preprocessing.scale_parts`. ``paths`` are files ``reut2-*.sgm``; documents stay in this order.

    ``categories`` are the labels: names in this order, or with ``{"top": number}`` the most frequent ones, by falling
    frequency (ties by name), among the documents whose attributes TOPICS and LEWISSPLIT have one of the values in
    ``marks`` and ``splits``. Documents without any of them are left out. ``fields`` are the elements with the
    categories: of "topics", "places", "people", "orgs" and "exchanges". ``copies`` repeats a document for each of its
    labels, with all its labels each time: what mope-mesd-2012 counts as its articles are pairs of an article and a
    category. Copies of one document may then both train and test. ``min_df`` and ``tokens`` are those of
    `mlreduce.datasets.readers.text.count_terms`; documents are counted among the selected ones, of every part of a
    later split, and labels are not used.

    Raises DataError if a file deviates from the format, two documents have one number, or no document has a category
    that is listed.
    """
    selected = [d for d in _documents(paths) if d.mark in marks and d.split in splits]
    listed = [{category for field in fields for category in document.categories[field]} for document in selected]
    frequency = Counter(category for categories_of in listed for category in categories_of)
    if isinstance(categories, Mapping):
        ranked = sorted(frequency, key=lambda category: (-frequency[category], category))
        labels = ranked[: categories["top"]]
    else:
        labels = list(categories)
    for label in labels:
        check_known_name("category", label, frequency, f"{name}: {' and '.join(fields)}", error=DataError)
    check_memory(2 * len(selected) * len(labels), paths, f"{len(labels)} categories of {len(selected)} documents")
    Y = np.zeros((len(selected), len(labels)), dtype=np.int8)
    places = {label: place for place, label in enumerate(labels)}
    for row, categories_of in enumerate(listed):
        Y[row, [places[category] for category in categories_of if category in places]] = 1
    rows = np.flatnonzero(Y.any(axis=1))
    if not len(rows):
        raise DataError(f"{name}: no document has a category among the {len(selected)} that the entry selects")
    X, terms = count_terms([selected[row].text for row in rows], min_df, tokens)
    times = Y[rows].sum(axis=1) if copies else np.ones(len(rows), dtype=int)
    lengths = len(labels) + (X.data.itemsize + X.indices.itemsize) * np.diff(X.indptr)
    check_memory(int(times @ lengths), paths, f"{times.sum()} copies of {len(rows)} documents")
    repeated = np.repeat(np.arange(len(rows)), times)
    return MultiLabelData(X[repeated], Y[rows[repeated]], terms, labels, name)


def _documents(paths: Sequence[str | Path]) -> list[Document]:
    documents: dict[int, Document] = {}
    for path in paths:
        for document in read_sgml(path):
            if document.number in documents:
                raise DataError(f"{path}: a document with NEWID {document.number} was read before; numbers are unique")
            documents[document.number] = document
    return list(documents.values())
