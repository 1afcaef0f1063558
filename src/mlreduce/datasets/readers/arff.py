"""Multi-label data in ARFF files, with Mulan's XML list of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.readers.arff_syntax import read_table
from mlreduce.datasets.readers.attributes import Table
from mlreduce.datasets.readers.columns import Columns, Labels, chosen_labels, counted_labels, encoded
from mlreduce.exceptions import ConfigurationError, DataError
from mlreduce.guards import check_memory, stem
from mlreduce.validation import is_sparse

#: Orders of the labels that an XML file lists.
LABEL_ORDERS = ("file", "list")


def _merge(paths: Sequence[Path], encoding: str | None) -> Table:
    texts: dict[str, dict[str, float]] = {}
    tables = [read_table(path, encoding, texts) for path in paths]
    first = tables[0]
    for path, table in zip(paths[1:], tables[1:], strict=True):
        for expected, attribute in zip(first.attributes, table.attributes, strict=False):
            if expected != attribute:
                raise DataError(
                    f"{path}: its attribute {attribute.name!r} is not {expected.name!r} of {paths[0]} at the same "
                    "place with the same values; parts of one data set must agree"
                )
        if len(first.attributes) != len(table.attributes):
            raise DataError(f"{path}: has {len(table.attributes)} attributes, {paths[0]} has {len(first.attributes)}")
        if is_sparse(first.values) != is_sparse(table.values):
            raise DataError(f"{path}: one of it and {paths[0]} is sparse ARFF and the other dense; parts must agree")
    stack = partial(sp.vstack, format="csr") if is_sparse(first.values) else np.vstack
    weights = None
    if any(table.weights is not None for table in tables):
        parts = [np.ones(table.values.shape[0]) if table.weights is None else table.weights for table in tables]
        weights = np.concatenate(parts)
    values = stack([table.values for table in tables])
    return Table(first.attributes, values, first.relation, weights, outputs=first.outputs)


def read_arff(
    paths: Sequence[str | Path],
    labels: Labels = None,
    name: str = "",
    *,
    n_labels: int | None = None,
    encoding: str | None = None,
    label_order: str | None = None,
    **columns: Any,
) -> tuple[MultiLabelData, int]:
    """Read a multi-label data set from one or several ARFF files, whose rows are stacked.

    Numeric attributes are features as they are. A nominal attribute with two values is one 0/1 column (yes and true are
    1; two numbers are themselves; else the second value of the list is 1); with more values it is one column per value,
    named ``attribute=value``. A nominal attribute whose value differs in each of more than ten rows is an identifier
    and is dropped. ``?`` becomes NaN, in labels too. Strings and dates are refused unless ``columns`` gives their
    treatment. ``labels`` of None takes KEEL's ``@outputs``, or Meka's option ``-C n`` in the relation's name: the first
    n, the last where n is negative. Other arguments are those of `mlreduce.datasets.read`.

    Also returns the number of declared attributes that are not labels, identifiers included, as papers count them.

    Raises DataError if a file is truncated, a value is not in its attribute's list, a label is no attribute or not 0/1,
    nothing declares which attributes are labels, or Meka's option names others; the message names file and line.
    """
    if label_order not in (None, *LABEL_ORDERS):
        raise ConfigurationError(f"label_order must be one of {', '.join(LABEL_ORDERS)}; got {label_order!r}")
    files = [Path(path) for path in paths]
    table = _merge(files, encoding)
    how = Columns(**columns)
    declared = [attribute.name for attribute in table.attributes]
    remaining = [attribute for attribute in declared if attribute not in how.drop]
    labels = counted_labels(labels, n_labels, files[0])
    if labels is None and table.outputs:
        labels = table.outputs
    # A caller counts the attributes that are left, Meka's option those that are in the file.
    names = remaining if isinstance(labels, (int, Mapping)) else declared
    label_names = chosen_labels(labels, names, files[0], table.relation)
    if isinstance(labels, (str, Path)) and label_order != "list":
        listed = set(label_names)
        label_names = [attribute for attribute in declared if attribute in listed]
    label_names = [label for label in label_names if label not in how.drop]
    check = partial(check_memory, paths=files)
    data = encoded(table, label_names, name or stem(files[0]), str(files[0]), check, how)
    return data, len(declared) - len(label_names)
