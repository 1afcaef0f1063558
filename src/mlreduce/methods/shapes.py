"""The shape of a data set: what decides which methods take it."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mlreduce.complexity import Sizes
from mlreduce.exceptions import DataError
from mlreduce.methods.evidence import Traits
from mlreduce.validation import (
    canonical,
    check_finite,
    check_known_labels,
    check_table,
    column_names,
    fill_unlabelled,
    is_sparse,
)

#: The largest number of components or features that an estimate is for, and their share of the possible ones.
MAX_COMPONENTS, SHARE = 100, 0.25


class Shape(NamedTuple):
    """What decides which methods take a data set."""

    #: Of the features and labels; of classes their number.
    sizes: Sizes
    #: Whether the features are a sparse matrix.
    sparse: bool
    #: One of "no", "rows", "cells", "all". Which labels are unknown: none, all of some instances, any, or all.
    unknown: str
    #: Whether every instance with labels has one.
    single_label: bool
    #: Whether labels are a vector of classes other than 0 and 1, or -1 and 1.
    classes: bool
    #: Whether labels are a vector: methods that need two labels take its two values as classes.
    vector: bool
    #: Whether a feature is below 0 somewhere.
    negative: bool
    #: How many instances have the second most frequent set of labels, all known; 0 where all have the same.
    second_set: int
    #: Share of the values of the features that are not zero.
    filled: float

    @property
    def traits(self) -> Traits:
        """What makes other data sets like it."""
        return Traits(self.sizes.n, self.sizes.d, self.sizes.q, self.filled)


def shape_of(X: Any, y: Any, missing: bool = False) -> Shape:
    """Return the shape of a data set, whose features may have missing values (NaN) where these are to be filled.

    Raises DataError if X is no table of finite numbers, or y holds no labels of its instances.
    """
    check_table(X, "X")
    X, sparse = canonical(X), is_sparse(X)
    try:
        features = X if sparse else np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("X must be a table of numbers; encode text and categories first") from None
    if features.ndim != 2 or 0 in features.shape:
        raise DataError(f"X must have the shape (n_samples, n_features), neither of them 0; got {features.shape}")
    check_finite(features, column_names(X), training=True, missing=missing)
    n, d = (int(length) for length in features.shape)
    number, unknown, single, classes, second = _labels(y, n)
    vector = y is not None and _vector(y) is not None
    sizes = Sizes(n, d, number, int(X.nnz) if sparse else n * d, estimated_size(n, d))
    values: Any = sp.csr_array(features).data if sparse else features
    filled = float(np.count_nonzero(values) / (n * d))
    return Shape(sizes, sparse, unknown, single, classes, vector, bool((values < 0).any()), second, filled)


def estimated_size(n_samples: int, n_features: int) -> int:
    """Return the number of components or features that an estimate is for."""
    return min(MAX_COMPONENTS, max(int(SHARE * min(n_samples, n_features)), 1))


def _labels(y: Any, n_samples: int) -> tuple[int, str, bool, bool, int]:
    """Return the number of labels and the fields of `Shape` on them: unknown, single_label, classes, second_set."""
    if y is None:
        return 0, "all", False, False, 0
    vector = _vector(y)
    if vector is not None:
        if len(vector) != n_samples:
            raise DataError(f"y has {len(vector)} rows and X has {n_samples}; there must be one per instance")
        filled, labelled = fill_unlabelled(vector, n_samples)
        values = set(np.asarray(filled).tolist())
        wrong = [value for value in values if isinstance(value, float) and value % 1 != 0]
        if wrong:
            raise DataError(f"y holds {min(wrong):g}; labels are 0 and 1, and classes integers or strings")
        classes = not (values <= {0, 1} or values <= {-1, 1})
        second = _second([repr(label) for label in np.asarray(filled).tolist()])
        return len(values) if classes else 1, "no" if labelled is None else "rows", True, classes, second
    labels, known = check_known_labels(y, n_samples, sparse=True)
    counts = np.asarray(labels.sum(axis=1)).reshape(-1)
    rows = sp.csr_array(labels).tolil().rows
    sets = [tuple(row) for row in rows]
    if known is None:
        return int(labels.shape[1]), "no", bool((counts == 1).all()), False, _second(sets)
    complete, some = known[:, known.any(axis=0)].all(axis=1), known.any(axis=1)
    second = _second([sets[row] for row in np.flatnonzero(complete)])
    unknown = "rows" if (complete == some).all() else "cells"
    return int(labels.shape[1]), unknown, bool((counts[complete] == 1).all()), False, second


def _second(sets: list[Any]) -> int:
    """Return how often the second most frequent of some sets occurs."""
    counts = sorted(Counter(sets).values())
    return counts[-2] if len(counts) > 1 else 0


def _vector(y: Any) -> Any:
    """Return a vector of labels or classes, or a single column; None for a matrix, and for what is neither."""
    check_table(y, "y")
    try:
        values = y if is_sparse(y) else np.asarray(y)
    except ValueError:  # lists of different lengths
        return None
    if values.ndim == 2 and not is_sparse(y) and values.shape[1] == 1:
        values = values[:, 0]
    collections = (set, frozenset, list, tuple, dict)
    return None if values.ndim != 1 or any(isinstance(value, collections) for value in values) else values
