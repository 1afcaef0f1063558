"""Columns and rows with the same values."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.validation import is_sparse


def column_digests(X: Any) -> list[bytes]:
    """Return a digest of the values of each column, of which -0 is 0."""
    if not is_sparse(X):
        columns = np.ascontiguousarray(np.asarray(X).T) + 0.0  # -0 is 0
        return [_digest(np.flatnonzero(column), column[column != 0]) for column in columns]
    matrix = sp.csc_array(X, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    pairs = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    return [_digest(matrix.indices[start:stop], matrix.data[start:stop]) for start, stop in pairs]


def _digest(places: NDArray[Any], values: NDArray[Any]) -> bytes:
    return hashlib.blake2b(
        places.astype(np.int64).tobytes() + values.astype(np.float64).tobytes(), digest_size=16
    ).digest()


def first_equal_rows(X: Any) -> NDArray[np.int64]:
    """Return for each row the first row with the same values."""
    seen: dict[bytes, int] = {}
    return np.array([seen.setdefault(digest, row) for row, digest in enumerate(column_digests(X.T))], dtype=np.int64)
