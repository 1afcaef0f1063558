"""Features and labels as users bring them, checked once and turned into arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError

__all__ = [
    "as_dense",
    "check_count",
    "check_features",
    "check_finite",
    "check_labels",
    "check_range",
    "check_regression",
    "check_size",
    "column_names",
    "is_sparse",
    "remember_label_names",
]

FloatArray = NDArray[np.float64]

# Dense labels are made sparse where products with them cost less then: from this many entries, below this density.
_SMALL_LABELS = 20_000
_RARE = 0.15


def column_names(table: Any) -> list[str] | None:
    """Return the column names of a DataFrame as strings, None for anything else."""
    columns = getattr(table, "columns", None)
    return None if columns is None else [str(column) for column in columns]


def is_sparse(X: Any) -> bool:
    """Say whether X is a SciPy sparse matrix or array."""
    return bool(sp.issparse(X))  # a plain bool: SciPy's type guard narrows to a class without methods


def as_dense(X: Any) -> FloatArray:
    """Return a sparse matrix or array as a dense float64 array."""
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


def check_finite(X: Any, names: Sequence[str] | None = None, what: str = "X") -> None:
    """Refuse NaN and infinity, naming the first column that has one.

    Raises
    ------
    DataError
        If a value is not finite.
    """
    values = X.data if is_sparse(X) else X
    if np.isfinite(values).all():
        return
    if is_sparse(X):
        entries = X.tocoo()
        bad = ~np.isfinite(entries.data)
        rows, columns, values = entries.row[bad], entries.col[bad], entries.data[bad]
    else:
        rows, columns = np.nonzero(~np.isfinite(X))
        values = X[rows, columns]
    first = np.lexsort((rows, columns))[0]
    column = int(columns[first])
    named = f" ({names[column]!r})" if names is not None else ""
    kind = "NaN" if np.isnan(values[first]) else "infinity"
    raise DataError(
        f"{what} contains {kind} in column {column}{named}, row {int(rows[first])}, and {len(rows) - 1} more "
        "such value(s); this method takes finite numbers only: impute or drop them first"
    )


def check_features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Check a feature matrix for an estimator and remember (or compare) its number of columns and their names.

    Parameters
    ----------
    estimator : BaseEstimator
        Gets ``n_features_in_`` and ``feature_names_in_`` when ``reset`` is true.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Dense, CSR, or anything that turns into one of them.
    reset : bool
        True in ``fit``, False afterwards.

    Returns
    -------
    X : ndarray or csr_array, float64

    Raises
    ------
    DataError
        If a value is NaN or infinite.
    ValueError
        If the shape is not what scikit-learn's estimators take.
    """
    from sklearn.utils.validation import validate_data  # slow to import, and stations that only move data need none

    names = column_names(X)
    X = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    check_finite(X, names)
    return X


def check_regression(estimator: Any, X: Any, y: Any) -> tuple[Any, FloatArray]:
    """Check features and targets for a regressor's ``fit``.

    Returns
    -------
    X : ndarray or csr_array, float64
    y : ndarray of shape (n_samples,) or (n_samples, n_targets), float64

    Raises
    ------
    DataError
        If a feature is NaN or infinite.
    ValueError
        If the shapes are not what scikit-learn's estimators take.
    """
    from sklearn.utils.validation import validate_data

    names = column_names(X)
    X, y = validate_data(
        estimator,
        X,
        y,
        accept_sparse="csr",
        dtype=np.float64,
        multi_output=True,
        y_numeric=True,
        ensure_all_finite=False,
    )
    check_finite(X, names)
    return X, np.asarray(y, dtype=np.float64)


def check_labels(Y: Any, n_samples: int | None = None, *, sparse: bool = False) -> Any:
    """Check a label matrix and return it in {0, 1}.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
        Values in {0, 1} or in {-1, 1}, or Booleans. One dimension is one label.
    n_samples : int or None, default=None
        The number of rows it must have.
    sparse : bool, default=False
        Return a CSR array where ``Y`` is sparse, or large and labels are rare.

    Returns
    -------
    Y : ndarray or csr_array of shape (n_samples, n_labels), float64, in {0, 1}

    Raises
    ------
    DataError
        If Y is None, a value is not a label, the shape is wrong, or the number of rows differs from ``n_samples``.
    """
    if Y is None:
        raise DataError("a multi-label method requires y to be passed, but the target y is None")
    if sparse and is_sparse(Y) and Y.ndim == 2 and Y.shape[1]:
        ones = sp.csr_array(Y, dtype=np.float64, copy=True)
        ones.sum_duplicates()  # entries of one place add up, and are judged by their sum
        if np.isin(ones.data, (0, 1)).all():
            _check_rows(ones, n_samples)
            ones.eliminate_zeros()
            return ones
    names = column_names(Y)
    array = Y.toarray() if is_sparse(Y) else np.asarray(Y)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(f"Y must have the shape (n_samples, n_labels) with at least one label; got {array.shape}")
    _check_rows(array, n_samples)
    if array.dtype.kind not in "biuf":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError("Y must hold numbers, 0/1 or -1/1; it holds other things (strings?)") from None
    positive = array == 1
    present = np.count_nonzero(positive)
    if present + np.count_nonzero(array == 0) < array.size:
        _check_signs(array, positive, names)
    rare = array.size > _SMALL_LABELS and present < _RARE * array.size
    return sp.csr_array(positive, dtype=np.float64) if sparse and rare else positive.astype(np.float64)


def _check_signs(labels: Any, positive: NDArray[np.bool_], names: Sequence[str] | None) -> None:
    """Refuse labels that are not -1 or 1 throughout."""
    wrong = ~(positive | (labels == 0) | (labels == -1))
    if not wrong.any():
        if (labels == 0).any():
            raise DataError("Y mixes 0 and -1; labels are either 0/1 or -1/1 throughout")
        return
    row, column = (int(i) for i in np.argwhere(wrong)[0])
    named = f" ({names[column]!r})" if names is not None else ""
    kind = "" if np.all(labels % 1 == 0) else "Y is continuous: "
    raise DataError(
        f"{kind}Y holds {labels[row, column]:g} in column {column}{named}, row {row}; labels must be 0/1 or -1/1"
    )


def _check_rows(Y: Any, n_samples: int | None) -> None:
    if n_samples is not None and Y.shape[0] != n_samples:
        raise DataError(f"X and Y have inconsistent numbers of samples: X has {n_samples} rows, Y has {Y.shape[0]}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def check_count(value: Any, name: str) -> int:
    """Return a parameter as an int if it is a whole number from 1 on.

    Raises
    ------
    DataError
        If it is something else.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise DataError(f"{name} must be an integer >= 1; got {value!r}")
    return int(value)


def check_range(value: Any, name: str, low: float, high: float = np.inf, *, open_ends: bool = False) -> float:
    """Return a parameter as a float if it lies between two numbers, ends included unless said.

    Raises
    ------
    DataError
        If it is no number or lies outside.
    """
    inside = _is_number(value) and np.isfinite(value) and (low < value < high if open_ends else low <= value <= high)
    if not inside:
        inner = f"in {'(' if open_ends else '['}{low:g}, {high:g}{')' if open_ends else ']'}"
        allowed = f"{'>' if open_ends else '>='} {low:g}" if high == np.inf else inner
        raise DataError(f"{name} must be a number {allowed}; got {value!r}")
    return float(value)


def remember_label_names(estimator: Any, Y: Any) -> None:
    """Set ``label_names_`` from a DataFrame of labels; forget those of an earlier fit otherwise."""
    names = column_names(Y)
    if names is not None:
        estimator.label_names_ = names
    elif hasattr(estimator, "label_names_"):
        del estimator.label_names_


def check_size(size: int | float | None, largest: int, what: str, name: str = "n_components") -> int:
    """Turn a requested number into an integer between 1 and the largest possible.

    Parameters
    ----------
    size : int, float or None
        A number; a fraction in (0, 1), rounded down but never to zero; or None for all.
    largest : int
        How many there can be.
    what : str
        What is counted, for the message: "labels".
    name : str, default="n_components"
        Of the parameter, for the message.

    Raises
    ------
    DataError
        If the number is not in 1..largest or the fraction not in (0, 1).
    """
    if size is None:
        return largest
    if not _is_number(size):
        raise DataError(f"{name} must be a number or None; got {size!r}")
    if isinstance(size, (int, np.integer)):
        if not 1 <= size <= largest:
            raise DataError(f"{name} must be between 1 and {largest}, the number of {what}; got {size}")
        return int(size)
    if not 0 < size < 1:
        raise DataError(f"{name} as a fraction must lie between 0 and 1; got {size}")
    return max(1, int(size * largest))
