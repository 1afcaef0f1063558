"""Checks of features, targets and weights of instances."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError, warn
from mlreduce.validation.frames import column_names
from mlreduce.validation.memory import DENSE_CELLS, check_memory

#: An array of 64-bit floats, of any shape.
FloatArray = NDArray[np.float64]

#: Largest magnitude of a number, and least of a feature's largest one: sums of products of four such numbers, which
#: methods compute, stay finite, and squares do not vanish.
LARGEST, SMALLEST = 1e70, 1e-100


#: What the names of types of columns begin with that hold no numbers: of pandas, polars, Arrow and NumPy.
_NO_NUMBERS = {
    r"date|timestamp": "dates",
    r"timedelta|duration": "durations",
    r"time": "times of day",
    r"period": "periods",
    r"interval|month_day_nano_interval": "intervals",
    r"(large_|fixed_size_)?list|array|struct|map|(dense_|sparse_)?union|void|\[\(": "nested values",
}


def check_table(table: Any, what: str) -> None:
    """Refuse what would be read as other numbers than it shows, before anything reads it.

    Parameters
    ----------
    table : array-like, sparse matrix or DataFrame
    what : str
        What the message calls it: "X", "y".

    Raises
    ------
    DataError
        If cells are masked, a column holds dates, durations, periods, intervals or nested values, or a sparse matrix
        has an index beyond its shape.
    """
    if type(table) is np.ndarray and table.dtype.kind in "fiub":
        return
    if is_sparse(table):
        _check_indices(table, what)
        return
    _check_mask(table, what)
    names = column_names(table)
    dtypes: Any = [getattr(table, "dtype", None)]
    if names is not None:
        dtypes = getattr(getattr(table, "schema", None), "types", None) or table.dtypes
    for column, dtype in enumerate(dtypes):
        kind = getattr(getattr(dtype, "categories", None), "dtype", dtype)  # pandas.cut makes categories of intervals
        held = _no_numbers(str(kind))
        if held is None and str(kind).lower() == "object":
            held = _held_by_objects(table, column, names)
        if held is not None:
            place = "" if names is None else f" in {_column(column, names)}"
            raise DataError(
                f"{what} holds {held}{place} (type {kind}), and numbers are needed: leave the column out, or make "
                "numbers of it, such as the days since a date"
            )


def _held_by_objects(table: Any, column: int, names: Sequence[str] | None) -> str | None:
    """Return what objects in a column are, where they are no numbers or text."""
    if names is None:
        values = np.asarray(table, dtype=object).ravel()
    else:
        values = np.asarray(table.iloc[:, column] if hasattr(table, "iloc") else table[names[column]], dtype=object)
    for value in values:
        kind = type(value)
        if kind in (float, int, str, bool) or value is None:
            continue
        if isinstance(value, (list, tuple, set, frozenset, dict, np.ndarray)):
            return "nested values" if names is not None else None
        held = _no_numbers(kind.__name__)
        if held is not None:
            return held
    return None


def _no_numbers(kind: str) -> str | None:
    """Return what values of a type are, by its name, where they are no numbers."""
    return next((held for begins, held in _NO_NUMBERS.items() if re.match(begins, kind.lower())), None)


def _check_mask(table: Any, what: str) -> None:
    """Refuse masked cells, of an array or of the rows of a list."""
    rows = table if isinstance(table, (list, tuple)) else [table]
    masked = sum(int(np.count_nonzero(np.ma.getmaskarray(row))) for row in rows if isinstance(row, np.ma.MaskedArray))
    if masked:
        raise DataError(
            f"{what} is a masked array with {masked} masked cell(s), and masks are not read: {what}.filled(0), or "
            f"another number, fills them; {what}.astype(float).filled(numpy.nan) marks them as missing"
        )


def _check_indices(matrix: Any, what: str) -> None:
    """Refuse a sparse matrix whose indices point beyond it: compiled loops would read other memory.

    SciPy's ``check_format`` changes the matrix.
    """
    kind, wrong = matrix.format, ""
    if kind in ("csr", "csc", "bsr"):
        block = matrix.blocksize if kind == "bsr" else (1, 1)
        major, minor = (n // size for n, size in zip(matrix.shape, block, strict=True))
        if kind == "csc":
            major, minor = minor, major
        starts, indices, n_values = matrix.indptr, matrix.indices, len(matrix.data)
        if len(starts) != major + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
            wrong = "indptr must begin with 0, not decrease, and have an entry more than there are rows"
        elif starts[-1] > min(len(indices), n_values):
            wrong = f"indptr ends at {starts[-1]}, beyond its {min(len(indices), n_values)} values"
        else:
            wrong = _beyond(indices[: starts[-1]], minor)
    elif kind == "coo":
        wrong = next(filter(None, map(_beyond, matrix.coords, matrix.shape)), "")
    if wrong:
        raise DataError(f"{what} is a damaged sparse matrix of shape {matrix.shape}: {wrong}; build it anew")


def _beyond(indices: NDArray[Any], length: int) -> str:
    """Return what is wrong with indices of so many rows or columns."""
    if not len(indices) or (indices.min() >= 0 and indices.max() < length):
        return ""
    wrong = indices[(indices < 0) | (indices >= length)]
    return f"it holds the index {wrong[0]}, where indices are 0 to {length - 1}"


def canonical(X: Any) -> Any:
    """Return a CSR matrix in canonical format, sorted and without duplicates; an array as it is."""
    if is_sparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix or array."""
    return bool(sp.issparse(X))  # a plain bool: SciPy's type guard narrows to a class without methods


def as_dense(X: Any) -> FloatArray:
    """Return a sparse matrix or array as a dense float64 array."""
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


def as_precise(values: FloatArray, X: Any) -> Any:
    """Return what was computed of features in their precision: float32 where all of them are, otherwise as it is.

    It stays float64 where a number is beyond the range of float32, in which it would be infinite.
    """
    kinds = set(X.dtypes) if hasattr(X, "dtypes") else {getattr(X, "dtype", None)}
    if kinds != {np.dtype(np.float32)} or np.abs(values).max(initial=0.0) > np.finfo(np.float32).max:
        return values
    return values.astype(np.float32)


def check_finite(
    X: Any, names: Sequence[str] | None = None, what: str = "X", *, training: bool = False, missing: bool = False
) -> None:
    """Refuse NaN, infinity and magnitudes above `LARGEST`, naming the first column that has one, and its row.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_columns)
    names : sequence of str or None, default=None
        Names of the columns.
    what : str, default="X"
        What the message calls X.
    training : bool, default=False
        Whether X is to be fitted to: then a column must not vanish, be below `SMALLEST` everywhere and not zero.
    missing : bool, default=False
        Whether NaN is allowed: it is to be filled.

    Raises
    ------
    DataError
        If there is such a value or column.
    """
    X = X.copy() if missing else X
    values = X.data if is_sparse(X) else X
    if missing:
        values[np.isnan(values)] = 0
    if not values.size or (values.min() >= -LARGEST and values.max() <= LARGEST):  # false for NaN
        if training and values.size:
            _check_vanishing(X, names, what)
        return
    entries = X.tocoo() if is_sparse(X) else None
    values = X if entries is None else entries.data
    infinite = not np.isfinite(values).all()
    bad = ~np.isfinite(values) if infinite else np.abs(values) > LARGEST
    if entries is not None:
        rows, columns, values = entries.row[bad], entries.col[bad], values[bad]
    else:
        rows, columns = np.nonzero(bad)
        values = X[rows, columns]
    first = np.lexsort((rows, columns))[0]
    value, place = values[first], f"in {_column(int(columns[first]), names)}, row {int(rows[first])}"
    more = f"and {len(rows) - 1} more such value(s)"
    if infinite:
        kind = "NaN" if np.isnan(value) else "infinity"
        raise DataError(
            f"{what} contains {kind} {place}, {more}; this method takes finite numbers only: impute or drop them first"
            + (" (scikit-learn's SimpleImputer; mlreduce.compare by impute=)" if kind == "NaN" else "")
        )
    raise DataError(
        f"{what} holds {value:g} {place}, {more}; numbers may be at most {LARGEST:g}, so that products of four of them "
        "stay finite: impute or drop codes of missing values, or scale the column"
    )


def _check_vanishing(X: Any, names: Sequence[str] | None, what: str) -> None:
    if is_sparse(X):
        if X.data.min() >= SMALLEST or not ((np.abs(X.data) < SMALLEST) & (X.data != 0)).any():
            return
        X = abs(X).max(axis=0).toarray().reshape(1, -1)
    doubtful = np.flatnonzero(np.abs(X[:64]).max(axis=0) < SMALLEST)  # the first rows decide on most columns
    largest = np.abs(X[:, doubtful]).max(axis=0)
    vanish = (largest < SMALLEST) & (largest > 0)
    tiny, largest = doubtful[vanish], largest[vanish]
    if len(tiny):
        raise DataError(
            f"{what} holds nothing beyond {largest[0]:g} in {_column(int(tiny[0]), names)}, and is as small in "
            f"{len(tiny) - 1} more column(s); the largest number of a column must be 0 or at least {SMALLEST:g}, since "
            "products of smaller ones vanish: scale or drop the column"
        )


def _column(column: int, names: Sequence[str] | None) -> str:
    return f"column {column}" + ("" if names is None else f" ({names[column]!r})")


def check_features(estimator: Any, X: Any, *, reset: bool, missing: bool = False) -> Any:
    """Check a feature matrix for an estimator and remember (or compare) its number of columns and their names.

    Parameters
    ----------
    estimator : BaseEstimator
        Gets ``n_features_in_`` and ``feature_names_in_`` when ``reset`` is true.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Dense, CSR, or anything that turns into one of them.
    reset : bool
        True in ``fit``, False afterwards.
    missing : bool, default=False
        Whether NaN is allowed.

    Returns
    -------
    X : ndarray or csr_array, float64

    Raises
    ------
    DataError
        If a value is text, NaN, infinite, or above `LARGEST` in magnitude; in ``fit`` also if a feature is `SMALLEST`
        nowhere and not zero.
    ValueError
        If the shape is not what scikit-learn's estimators take.
    """
    numbers = _plain_numbers(X)
    check_table(X if numbers is None else numbers, "X")
    fitted = getattr(estimator, "n_features_in_", None), hasattr(estimator, "feature_names_in_")
    if numbers is not None and (reset or fitted == (numbers.shape[1], False)):
        if reset:
            estimator.n_features_in_ = numbers.shape[1]
            if hasattr(estimator, "feature_names_in_"):
                del estimator.feature_names_in_
        names, X = None, canonical(numbers)
    else:
        names = column_names(X)
        X = canonical(_with_short_indices(_validated(estimator, X, reset=reset)))
    check_finite(X, names, training=reset, missing=missing)
    return X


def _plain_numbers(X: Any) -> Any:
    """Return X as float64 where scikit-learn's checks, which take 0.1 ms, do just that; None for anything else."""
    if isinstance(X, sp.csr_array | sp.csr_matrix):
        plain = X.ndim == 2 and X.dtype == np.float64 and X.indices.dtype == X.indptr.dtype == np.int32
        return X if plain and 0 not in X.shape else None
    if type(X) is list and not any(isinstance(row, np.ma.MaskedArray) for row in X):
        try:
            X = np.asarray(X)
        except ValueError:  # rows of different lengths
            return None
    plain = type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "fiub"
    return X.astype(np.float64, copy=False) if plain else None


def _with_short_indices(X: Any) -> Any:
    """Return a sparse matrix with indices of 32 bits where they suffice: trees of scikit-learn take no others."""
    if not is_sparse(X) or X.indices.dtype != np.int64 or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def _validated(estimator: Any, X: Any, **options: Any) -> Any:
    """Return what scikit-learn's ``validate_data`` does; text is a DataError that names its column."""
    from sklearn.utils.validation import validate_data  # slow to import, and not needed by jobs that only move data

    try:
        return validate_data(
            estimator, X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False, **options
        )  # fmt: skip
    except ValueError as error:
        if not str(error).startswith("could not convert string to float"):
            raise
        text, names = str(error).partition(": ")[2][:40], column_names(X)
        for column, values in enumerate(np.atleast_2d(np.asarray(X, dtype=object)).T):
            try:
                np.asarray(values, dtype=np.float64)
            except (TypeError, ValueError):
                named = f" ({names[column]!r})" if names is not None else ""
                raise DataError(
                    f"X holds the text {text} in column {column}{named}; features are numbers: leave the column out, "
                    "or make a 0/1 column of each of its values"
                ) from None
        raise DataError(f"y holds the text {text}; targets are numbers") from None


def unknown_cells(Y: Any) -> NDArray[np.bool_] | None:
    """Mask of NaN in Y; None if there are none."""
    if is_sparse(Y):
        entries = Y if Y.format in ("csr", "csc", "coo") else Y.tocoo()
        missing = np.isnan(entries.data) if entries.data.dtype.kind == "f" else np.zeros(0, dtype=bool)
        if not missing.any():
            return None
        what = "a dense matrix of y, of which some cells are NaN,"
        check_memory(10.0 * np.prod(Y.shape), what, "leave rows or columns out", (Y.shape[-1], "columns"))
        entries = Y.tocoo()
        unknown = np.zeros(Y.shape, dtype=bool)
        unknown[entries.row[missing], entries.col[missing]] = True
        return unknown
    if hasattr(Y, "isna"):
        unknown = np.asarray(Y.isna())
    else:
        try:
            array = np.asarray(Y)
        except ValueError:  # lists of different lengths, which are refused elsewhere
            return None
        if array.dtype.kind not in "fO":
            return None
        missing = np.isnan if array.dtype.kind == "f" else np.vectorize(_is_missing, otypes=[bool])
        unknown = np.asarray(missing(array))
    return unknown if unknown.any() else None


def _is_missing(value: Any) -> bool:
    return value is None or bool(value != value)


def check_some_known(unknown: NDArray[np.bool_], what: str, names: Sequence[str] | None, of: str = "y") -> None:
    """Raise DataError if no cell of y is known; warn of columns of which none is.

    ``what`` is "label" or "target", names are those of the columns, and ``of`` is what messages call the table.
    """
    nowhere = np.flatnonzero(unknown.all(axis=0))
    if len(nowhere) == unknown.shape[1]:
        raise DataError(f"no {what} is known: all cells of {of} are NaN")
    if len(nowhere):
        more = f", and so are {len(nowhere) - 1} more" if len(nowhere) > 1 else ""
        warn(f"{of} is NaN throughout {_column(int(nowhere[0]), names)}{more}: such a {what} is ignored", UserWarning)


def check_regression(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Check features and targets for a regressor's ``fit``.

    Returns
    -------
    X : ndarray or csr_array, float64
    y : ndarray of shape (n_samples,) or (n_samples, n_targets), or csr_array, float64
        NaN where not known, for a regressor that declares ``takes_unknown_cells = True``. A sparse matrix of more than
        `DENSE_CELLS` cells stays one for a regressor that declares ``takes_sparse_targets = True``, unless it stores
        NaN; else it is made dense, so that the digits are the same whatever the storage.

    Raises
    ------
    DataError
        As `check_features` in ``fit``, and if a target is above `LARGEST` in magnitude.
    ValueError
        If the shapes are not what scikit-learn's estimators take.
    """
    check_table(X, "X")
    check_table(y, "y")
    names, target_names = column_names(X), column_names(y)
    if is_sparse(y):
        stays = getattr(estimator, "takes_sparse_targets", False) and np.prod(y.shape, dtype=float) > DENSE_CELLS
        if not (stays and unknown_cells(y) is None):
            check_memory(8.0 * np.prod(y.shape, dtype=float), "a dense matrix of the targets", "fit fewer at once")
            y = np.ascontiguousarray(as_dense(y))
    unknown = unknown_cells(y) if getattr(estimator, "takes_unknown_cells", False) else None
    if unknown is not None and 0 < unknown.ndim < 3:
        check_some_known(unknown.reshape(len(unknown), -1), "target", target_names)
        y = np.where(unknown, 0.0, np.asarray(y))
    X, y = _validated(estimator, X, y=y, multi_output=True, y_numeric=True)
    X = canonical(X)
    check_finite(X, names, training=True)
    if is_sparse(y):
        check_finite(y, target_names, "y")
        stored = sp.csr_array(y, dtype=np.float64, copy=True)
        stored.sum_duplicates()
        return X, stored
    targets = np.asarray(y, dtype=np.float64)
    check_finite(targets.reshape(len(targets), -1), target_names, "y")
    return X, targets if unknown is None else np.where(unknown.reshape(targets.shape), np.nan, targets)


def known_targets(targets: Any) -> FloatArray:
    """Return the targets of a fit with weights as an array.

    Raises
    ------
    DataError
        If a target is not known.
    """
    table = as_dense(targets)
    if np.isnan(table).any():
        raise DataError("sample_weight needs targets that are all known; y holds NaN: leave such rows out")
    return table


def check_sample_weight(weights: Any, n_samples: int) -> FloatArray | None:
    """Return weights of the instances as an array, None if there are none.

    Raises
    ------
    DataError
        If they are not numbers >= 0 of at most `LARGEST`, one per instance, the largest at least `SMALLEST`.
    """
    if weights is None:
        return None
    check_table(weights, "sample_weight")
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight must hold numbers >= 0, one per row of X") from None
    if array.ndim == 0:
        array = np.full(n_samples, float(array))
    if array.shape != (n_samples,) or not (array.min() >= 0 and SMALLEST <= array.max() <= LARGEST):
        raise DataError(
            f"sample_weight must hold {n_samples} finite numbers >= 0, one per row of X, not all of them zero, the "
            f"largest of {SMALLEST:g} to {LARGEST:g}; got the shape {array.shape}"
        )
    return array


def rows_by_weight(weights: Any, n_samples: int, n_columns: int) -> NDArray[np.intp]:
    """Return the number of each row as often as its weight says.

    Parameters
    ----------
    weights : array-like of shape (n_samples,)
        Whole numbers >= 0.
    n_samples, n_columns : int
        Of the table that gets these rows.

    Raises
    ------
    DataError
        If a weight is no such number, or memory does not suffice for the table.
    """
    counts = check_sample_weight(weights, n_samples)
    assert counts is not None
    (wrong,) = np.nonzero(counts % 1)
    if len(wrong):
        raise DataError(
            f"sample_weight must hold whole numbers, since this method counts rows; got {counts[wrong[0]]:g} for row "
            f"{wrong[0]}: multiply the weights by a number that makes the smallest about 1, and round them"
        )
    total = float(counts.sum())
    check_memory(8.0 * total * n_columns, f"a table of {total:.0f} rows, the sum of sample_weight,", "divide them")
    return np.repeat(np.arange(n_samples), counts.astype(np.intp))
