"""Checks of features, labels and parameters."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError, nearest, unknown_name, warn

__all__ = [
    "as_dense",
    "check_components",
    "check_count",
    "check_features",
    "check_finite",
    "check_known_labels",
    "check_labels",
    "check_memory",
    "check_option",
    "check_options",
    "check_range",
    "check_regression",
    "check_sample_weight",
    "check_size",
    "column_names",
    "fill_unlabelled",
    "is_share",
    "is_sparse",
    "labels_as_y",
    "machine_memory",
    "remember_label_names",
    "warn_of_fraction",
]

FloatArray = NDArray[np.float64]

#: Share of the machine's memory that an array may take.
MEMORY_SHARE = 0.8

_LABEL_SETS = (
    "y holds sets of labels; a matrix of 0 and 1, one column per label, is needed: "
    "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(sets) makes it"
)

_UNKNOWN = (
    "Single unknown labels are for MDDMp, MDDMf, MVMD, PLS and OPLS, for SemiSupervised with one of these as "
    "supervised_part, for the selectors CSFS and MDFS, and for the label propagations"
)

_Method = TypeVar("_Method", bound=Callable[..., Any])

# Size and density of dense labels from which sparse products are faster.
_SMALL_LABELS = 20_000
_RARE = 0.15


def labels_as_y(method: _Method) -> _Method:
    """Let a method whose labels are called ``y`` take them as ``Y`` too, as version 0.1 called them, with a warning."""

    @functools.wraps(method)
    def named(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "Y" in kwargs:
            message = f"{type(self).__name__}.{method.__name__}: the labels are called y; Y goes in version 0.3"
            warn(message, FutureWarning)
            kwargs["y"] = kwargs.pop("Y")
        return method(self, *args, **kwargs)

    return cast(_Method, named)


def column_names(table: Any) -> list[str] | None:
    """Return the column names of a DataFrame as strings, None for anything else."""
    columns = getattr(table, "columns", None)
    return None if columns is None else [str(column) for column in columns]


def machine_memory() -> int | None:
    """Return the bytes of memory of this machine; None where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on Windows
        return None


def check_memory(n_bytes: float, what: str, advice: str) -> None:
    """Refuse what needs more than four fifths of this machine's memory, where the system says how much that is.

    Raises
    ------
    DataError
        With both numbers and the advice.
    """
    memory = machine_memory()
    if memory is not None and n_bytes > MEMORY_SHARE * memory:
        raise DataError(
            f"{what} needs about {n_bytes / 1e9:.3g} GB of memory, and this machine has {memory / 1e9:.3g} GB: {advice}"
        )


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix or array."""
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
    if _is_plain(X) and (reset or _fits(estimator, X)):
        if reset:
            estimator.n_features_in_ = X.shape[1]
            if hasattr(estimator, "feature_names_in_"):
                del estimator.feature_names_in_
        check_finite(X)
        return X
    from sklearn.utils.validation import validate_data  # slow to import, and not needed by jobs that only move data

    names = column_names(X)
    X = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    check_finite(X, names)
    return X


def _is_plain(X: Any) -> bool:
    """Whether X is an array that scikit-learn's checks, which take 0.1 ms, would return as it is."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and X.size > 0


def _fits(estimator: Any, X: FloatArray) -> bool:
    """Whether an array has as many features as the estimator was fitted on, without names."""
    return getattr(estimator, "n_features_in_", None) == X.shape[1] and not hasattr(estimator, "feature_names_in_")


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


def check_sample_weight(weights: Any, n_samples: int) -> FloatArray | None:
    """Return weights of the instances as an array, None if there are none.

    Raises
    ------
    DataError
        If they are not finite numbers >= 0, one per instance, with a positive sum.
    """
    if weights is None:
        return None
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight must hold numbers >= 0, one per row of X") from None
    if array.ndim == 0:
        array = np.full(n_samples, float(array))
    if array.shape != (n_samples,) or not np.isfinite(array).all() or (array < 0).any() or not array.sum() > 0:
        raise DataError(
            f"sample_weight must hold {n_samples} finite numbers >= 0, one per row of X, not all of them zero; got the "
            f"shape {array.shape}"
        )
    return array


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
        ones.sum_duplicates()  # duplicate entries add up
        if np.isin(ones.data, (0, 1)).all():
            _check_rows(ones, n_samples)
            ones.eliminate_zeros()
            return ones
    names = column_names(Y)
    try:
        array = Y.toarray() if is_sparse(Y) else np.asarray(Y)
    except ValueError:  # rows of different lengths
        raise DataError(_LABEL_SETS) from None
    if array.dtype == object and array.size and isinstance(array.flat[0], (set, frozenset, list, tuple)):
        raise DataError(_LABEL_SETS)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(f"y must have the shape (n_samples, n_labels) with at least one label; got {array.shape}")
    _check_rows(array, n_samples)
    if array.dtype.kind not in "biuf":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(
                "y must hold numbers, 0/1 or -1/1; it holds other things (strings?). Names of labels become such a "
                "matrix by sklearn.preprocessing.MultiLabelBinarizer"
            ) from None
    positive = array == 1
    present = np.count_nonzero(positive)
    if np.count_nonzero(array) != present:
        _check_signs(array, positive, names)
    rare = array.size > _SMALL_LABELS and present < _RARE * array.size
    return sp.csr_array(positive, dtype=np.float64) if sparse and rare else positive.astype(np.float64)


def check_known_labels(Y: Any, n_samples: int) -> tuple[Any, NDArray[np.bool_] | None]:
    """Check a label matrix of which some cells are unknown.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
        As of `check_labels`; a cell is NaN where a label is not known. A sparse matrix has to store its NaN.
    n_samples : int
        The number of rows it must have.

    Returns
    -------
    labels : ndarray or csr_array of shape (n_samples, n_labels), float64, in {0, 1}
        Any of the two where not known.
    known : ndarray of shape (n_samples, n_labels), bool, or None
        Which cells are known; None if all are.

    Raises
    ------
    DataError
        If no cell is known, or as `check_labels`.
    """
    unknown = None if Y is None else _unknown(Y)
    if unknown is None or unknown.ndim > 2:
        return check_labels(Y, n_samples, sparse=True), None
    _check_rows(unknown, n_samples)
    table = unknown.reshape(len(unknown), -1)
    if table.all():
        raise DataError("no label is known: all cells of y are NaN")
    # A copy in any case: np.array alone makes none of a DataFrame of pandas 2.2.
    cells = np.asarray(Y.toarray() if is_sparse(Y) else Y).reshape(table.shape).copy()
    cells[table] = cells[~table][0]
    filled = type(Y)(cells, columns=Y.columns) if hasattr(Y, "columns") else cells  # errors name the labels
    return check_labels(filled, n_samples), ~table


def fill_unlabelled(Y: Any, n_samples: int | None = None) -> tuple[Any, NDArray[np.bool_] | None]:
    """Fill unlabelled rows with the labels of the first labelled row, so that all can be checked.

    Parameters
    ----------
    Y, n_samples
        As of `check_known_labels`, or a class vector; an unlabelled row is NaN throughout. A sparse matrix has to store
        its NaN, and a row that stores nothing is known to have no label.

    Returns
    -------
    filled : array, sparse matrix or DataFrame
        Without NaN; Y itself where there is none.
    labelled : ndarray of shape (n_samples,), bool, or None
        Which rows have labels of their own; None if all have.

    Raises
    ------
    DataError
        If a row is NaN in part, no row is labelled, or the number of rows differs from ``n_samples``.
    """
    unknown = None if Y is None else _unknown(Y)
    if unknown is None or unknown.ndim > 2:
        return Y, None
    _check_rows(unknown, n_samples)
    table = unknown.reshape(len(unknown), -1)
    unlabelled = np.asarray(table.all(axis=1))
    in_part = np.flatnonzero(table.any(axis=1) & ~unlabelled)
    if len(in_part):
        raise DataError(
            f"row {int(in_part[0])} of y is NaN in part, and {len(in_part) - 1} more; all labels of a row are to be "
            f"known or none. {_UNKNOWN}"
        )
    if unlabelled.all():
        raise DataError("no row of y is labelled: all are NaN")
    rows = np.where(unlabelled, np.argmin(unlabelled), np.arange(len(unlabelled)))
    if hasattr(Y, "iloc"):
        return Y.iloc[rows], ~unlabelled
    return (sp.csr_array(Y) if is_sparse(Y) else np.asarray(Y))[rows], ~unlabelled


def _unknown(Y: Any) -> NDArray[np.bool_] | None:
    """Mask of NaN in Y; None if there are none."""
    if is_sparse(Y):
        entries = Y.tocoo()
        missing = np.isnan(entries.data) if entries.data.dtype.kind == "f" else np.zeros(0, dtype=bool)
        if not missing.any():
            return None
        unknown = np.zeros(Y.shape, dtype=bool)
        unknown[entries.row[missing], entries.col[missing]] = True
        return unknown
    if hasattr(Y, "isna"):
        unknown = np.asarray(Y.isna())
    else:
        try:
            array = np.asarray(Y)
        except ValueError:  # lists of different lengths, which `check_labels` refuses
            return None
        if array.dtype.kind not in "fO":
            return None
        missing = np.isnan if array.dtype.kind == "f" else np.vectorize(_is_missing, otypes=[bool])
        unknown = np.asarray(missing(array))
    return unknown if unknown.any() else None


def _is_missing(value: Any) -> bool:
    return value is None or bool(value != value)


def _check_signs(labels: Any, positive: NDArray[np.bool_], names: Sequence[str] | None) -> None:
    """Refuse labels other than -1 and 1."""
    wrong = ~(positive | (labels == 0) | (labels == -1))
    if not wrong.any():
        if (labels == 0).any():
            raise DataError("y mixes 0 and -1; labels are either 0/1 or -1/1 throughout")
        return
    row, column = (int(i) for i in np.argwhere(wrong)[0])
    named = f" ({names[column]!r})" if names is not None else ""
    if np.isnan(labels[row, column]):
        raise DataError(f"y is NaN in column {column}{named}, row {row}: all labels have to be known here. {_UNKNOWN}")
    kind = "" if np.all(labels % 1 == 0) else "y is continuous: "
    raise DataError(
        f"{kind}y holds {labels[row, column]:g} in column {column}{named}, row {row}; labels must be 0/1 or -1/1"
    )


def _check_rows(Y: Any, n_samples: int | None) -> None:
    if n_samples is not None and Y.shape[0] != n_samples:
        raise DataError(f"X and y have inconsistent numbers of samples: X has {n_samples} rows, y has {Y.shape[0]}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def check_option(value: Any, name: str, options: Collection[str | None]) -> Any:
    """Return a parameter if it is one of some words, or None if that is one of the options.

    Raises
    ------
    DataError
        If it is something else; the message names the nearest.
    """
    if not isinstance(value, (str, type(None))) or value not in options:
        *others, last = map(repr, options)
        near = nearest(value, [word for word in options if word])
        raise DataError(f"{name} must be {', '.join(others)} or {last}; got {value!r}{near}")
    return value


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


def check_options(options: Any, cls: Any, name: str, taken: Collection[str] = ()) -> dict[str, Any]:
    """Return a mapping of parameters of an estimator's class as a dict; None is an empty one.

    Parameters
    ----------
    options : mapping or None
    cls : type
        A scikit-learn estimator's.
    name : str
        Name of the parameter, for the message.
    taken : collection of str, default=()
        Parameters that are said elsewhere.

    Raises
    ------
    DataError
        If it is none, or a parameter is unknown.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise DataError(f"{name} must be a dict of parameters of {cls.__name__}, or None; got {options!r}")
    known = [parameter for parameter in cls._get_param_names() if parameter not in taken]
    for parameter in options:
        if parameter not in known:
            raise DataError(unknown_name(f"parameter of {name}", parameter, known))
    return dict(options)


def remember_label_names(estimator: Any, Y: Any) -> None:
    """Set ``label_names_`` from a DataFrame of labels; forget those of an earlier fit otherwise."""
    names = column_names(Y)
    if names is not None:
        estimator.label_names_ = names
    elif hasattr(estimator, "label_names_"):
        del estimator.label_names_


def is_share(size: Any) -> bool:
    """Whether a requested number is a float."""
    return isinstance(size, (float, np.floating))


def check_size(size: int | float | str | None, largest: int, what: str, name: str = "n_components") -> int:
    """Turn a requested number into an integer between 1 and the largest possible.

    Parameters
    ----------
    size : int, float, str or None
        A number; a percentage such as ``"50%"`` or a fraction in (0, 1), rounded down but never to zero; or None for
        all.
    largest : int
        Largest allowed number.
    what : str
        Noun for the message: "labels".
    name : str, default="n_components"
        Name of the parameter, for the message.

    Raises
    ------
    DataError
        If the number is not in 1..largest, the fraction not in (0, 1) or the percentage not in (0, 100].
    """
    if size is None:
        return largest
    if isinstance(size, str):
        return max(1, int(_percentage(size, name) * largest / 100))
    if not _is_number(size):
        raise DataError(f"{name} must be a number, a percentage such as '50%' or None; got {size!r}")
    if isinstance(size, (int, np.integer)):
        if not 1 <= size <= largest:
            raise DataError(f"{name} must be between 1 and {largest}, the number of {what}; got {size}")
        return int(size)
    if not 0 < size < 1:
        raise DataError(f"{name} as a fraction must lie between 0 and 1; got {size}")
    return max(1, int(size * largest))


def _percentage(text: str, name: str) -> Decimal:
    """Return the number of a percentage, which is exact: 7 % of 100 are 7."""
    try:
        number = Decimal(text.strip().removesuffix("%")) if text.strip().endswith("%") else Decimal("nan")
    except InvalidOperation:
        number = Decimal("nan")
    if not (number.is_finite() and 0 < number <= 100):
        raise DataError(
            f"{name} must be a number, a percentage such as '50%', above 0 and up to 100, or None; got {text!r}"
        )
    return number


def check_components(size: int | float | str | None, largest: int, what: str, who: str) -> int:
    """Return ``n_components`` as `check_size` does, and announce the end of fractions.

    Warns
    -----
    FutureWarning
        If it is a fraction: elsewhere a float is a share of the sum of the eigenvalues.
    """
    number = check_size(size, largest, what)
    if is_share(size):
        warn_of_fraction(size, what, who)
    return number


def warn_of_fraction(size: Any, what: str, who: str) -> None:
    """Warn of ``n_components`` as a fraction of something."""
    warn(
        f"{who}: n_components={size:g} as a fraction of the {what} goes in version 0.3: write "
        f"n_components='{100 * size:g}%'",
        FutureWarning,
    )
