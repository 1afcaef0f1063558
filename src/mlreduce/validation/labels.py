"""Checks of labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.validation.features import check_some_known, check_table, is_sparse, unknown_cells
from mlreduce.validation.frames import as_pandas, column_names
from mlreduce.validation.memory import DENSE_CELLS, check_memory

_LABEL_SETS = (
    "{what} holds sets of labels; a matrix of 0 and 1, one column per label, is needed: "
    "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(sets) makes it"
)

_UNKNOWN = 'mlreduce.list_methods(unknown_labels="cells") lists the methods that take single unknown labels (NaN)'

_ADVICE = "give fewer rows or labels, or use a method that takes sparse labels"

# Size and density of dense labels from which sparse products are faster.
_SMALL_LABELS = 20_000

_RARE = 0.15


def class_vector(Y: Any) -> tuple[NDArray[Any], NDArray[np.intp]] | None:
    """Return the classes of a vector of integers, strings or Booleans, sorted, and the index of each instance's.

    None where Y is no vector, or of the shape (n_samples, 1).

    Raises
    ------
    DataError
        If a number is no integer, or values cannot be ordered.
    """
    if Y is None or is_sparse(Y):
        return None
    check_table(Y, "y")
    try:
        y = np.asarray(Y)
    except ValueError:  # lists of different lengths, which `check_labels` refuses
        return None
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1 or not len(y) or isinstance(y[0], (set, frozenset, list, tuple)):
        return None
    if y.dtype.kind == "f":
        wrong = np.flatnonzero(y % 1 != 0)  # NaN and infinity, too
        if len(wrong):
            raise DataError(f"y holds {y[wrong[0]]:g} in row {wrong[0]}: classes must be integers or strings")
    try:
        return np.unique(y, return_inverse=True)
    except TypeError:
        raise DataError("y mixes types that cannot be ordered: classes must be integers or strings") from None


def one_hot(Y: Any, *, both: bool = False) -> tuple[Any, NDArray[Any] | None]:
    """Return labels for a vector of classes: one for each of three or more, one that is the second of two.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame
        Labels, or a vector of integers or strings.
    both : bool, default=False
        Whether each of two classes is a label, of a vector in {0, 1} or {-1, 1} too.

    Returns
    -------
    labels : array-like, sparse matrix or DataFrame
        Y itself where it is no vector, or is a vector of labels in {0, 1} or {-1, 1}.
    classes : ndarray of shape (n_classes,) or None
        Sorted; None where Y itself is returned.
    """
    shape: tuple[int, ...] | None = getattr(Y, "shape", None)
    if Y is None or is_sparse(Y) or (shape is not None and len(shape) == 2 and shape[1] != 1):
        return Y, None
    try:
        values = np.asarray(as_pandas(Y))
    except ValueError:  # lists of different lengths, which `check_labels` refuses
        return Y, None
    if values.ndim != 1 and (values.ndim != 2 or values.shape[1] != 1 or isinstance(Y, (list, tuple))):
        return Y, None  # lists of lists are sets of labels
    if values.dtype.kind == "f" and not (values[np.isfinite(values)] % 1 == 0).all():
        return Y, None  # refused as continuous
    if not both and values.dtype.kind in "biuf" and np.isin(values[~(values != values)], (-1, 0, 1)).all():
        return Y, None
    found = class_vector(Y)
    if found is None:
        return Y, None
    classes, places = found
    if len(classes) <= 2 and not both:
        return (places == 1).astype(np.int64), classes
    return (places[:, np.newaxis] == np.arange(len(classes))).astype(np.int64), classes


def check_labels(Y: Any, n_samples: int | None = None, *, sparse: bool = False, what: str = "y") -> Any:
    """Check a label matrix and return it in {0, 1}.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
        Values in {0, 1} or in {-1, 1}, or Booleans. One dimension is one label.
    n_samples : int or None, default=None
        The number of rows it must have.
    sparse : bool, default=False
        Return a CSR array where ``Y`` is sparse, or large and labels are rare; a sparse matrix is never made dense.
    what : str, default="y"
        What messages call it.

    Returns
    -------
    Y : ndarray or csr_array of shape (n_samples, n_labels), float64, in {0, 1}

    Raises
    ------
    DataError
        If Y is None, a value is not a label, the shape is wrong, the number of rows differs from ``n_samples``, or a
        dense array is too large for the memory.
    """
    if Y is None:
        raise DataError(f"a multi-label method requires {what} to be passed, but the target {what} is None")
    check_table(Y, what)
    names = column_names(Y)
    Y = _sparse_frame(as_pandas(Y))
    if is_sparse(Y) and Y.ndim == 2 and Y.shape[1]:
        ones = _check_stored(Y, n_samples, names, what)
        if sparse:
            return ones
        check_memory(8.0 * np.prod(Y.shape), "a dense matrix of the labels", _ADVICE, (Y.shape[1], "labels"))
        return ones.toarray()
    try:
        array = Y.toarray() if is_sparse(Y) else np.asarray(Y)
    except ValueError:  # rows of different lengths
        raise DataError(_LABEL_SETS.format(what=what)) from None
    if array.dtype == object and array.size and isinstance(array.flat[0], (set, frozenset, list, tuple)):
        raise DataError(_LABEL_SETS.format(what=what))
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError(f"{what} must have the shape (n_samples, n_labels) with at least one label; got {array.shape}")
    _check_rows(array, n_samples, what)
    if array.dtype.kind not in "biuf":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"{what} must hold numbers, 0/1 or -1/1; it holds other things (strings?). Names of labels become such "
                "a matrix by sklearn.preprocessing.MultiLabelBinarizer"
            ) from None
    positive = array == 1
    present = np.count_nonzero(positive)
    if np.count_nonzero(array) != present:
        _check_signs(array, positive, names, what)
    rare = array.size > _SMALL_LABELS and present < _RARE * array.size
    if sparse and rare:
        return sp.csr_array(positive, dtype=np.float64)
    check_memory(8.0 * array.size, "a dense matrix of the labels", _ADVICE, (array.shape[1], "labels"))
    return positive.astype(np.float64)


def check_known_labels(
    Y: Any, n_samples: int | None = None, *, sparse: bool = False, what: str = "y"
) -> tuple[Any, NDArray[np.bool_] | None]:
    """Check a label matrix of which some cells may be unknown: for what declares ``takes_unknown_cells = True``.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
        As of `check_labels`; a cell is NaN where a label is not known. A sparse matrix has to store its NaN.
    n_samples : int or None, default=None
        The number of rows it must have.
    sparse : bool, default=False
        As of `check_labels`, where all cells are known.
    what : str, default="y"
        What messages call it.

    Returns
    -------
    labels : ndarray or csr_array of shape (n_samples, n_labels), float64, in {0, 1}
        What `check_labels` returns where all cells are known; otherwise an ndarray, 0 where not known.
    known : ndarray of shape (n_samples, n_labels), bool, or None
        Which cells are known; None if all are.

    Raises
    ------
    DataError
        If no cell is known, or as `check_labels`.

    Warns
    -----
    UserWarning
        If a label is known of no instance: it has no information, and is ignored.
    """
    if Y is not None:
        check_table(Y, what)
    Y = _sparse_frame(as_pandas(Y))
    unknown = None if Y is None else unknown_cells(Y)
    if unknown is None or unknown.ndim > 2:
        return check_labels(Y, n_samples, sparse=sparse, what=what), None
    _check_rows(unknown, n_samples, what)
    table = unknown.reshape(len(unknown), -1)
    check_some_known(table, "label", column_names(Y), what)
    # A copy in any case: np.array alone makes none of a DataFrame of pandas 2.2.
    cells = np.asarray(Y.toarray() if is_sparse(Y) else Y).reshape(table.shape).copy()
    cells[table] = cells[~table][0]
    filled = type(Y)(cells, columns=Y.columns) if hasattr(Y, "columns") else cells  # errors name the labels
    labels = check_labels(filled, n_samples, what=what)
    labels[table] = 0
    return labels, ~table


def label_values(Y: Any) -> NDArray[Any]:
    """Return the values by which a matrix of labels says that a label is absent and present.

    Parameters
    ----------
    Y : array-like, sparse matrix or table of shape (n_samples, n_labels) or (n_samples,)
        Labels that `check_labels` or `check_known_labels` takes.

    Returns
    -------
    ndarray of shape (2,)
        ``[-1, 1]`` where a value is negative, ``[0, 1]`` otherwise, for Booleans too.
    """
    table = sp.coo_array(Y).data if is_sparse(Y) else as_pandas(Y)
    unknown = unknown_cells(table)
    values = np.asarray(table) if unknown is None else np.asarray(table)[~unknown]
    return np.array([-1 if (values == -1).any() else 0, 1])


def stored_labels(labels: Any) -> Any:
    """Return labels in {0, 1} as a data set keeps them: int8, CSR where they are many and rare.

    Parameters
    ----------
    labels : ndarray or sparse matrix of shape (n_samples, n_labels)
        Of an ndarray with NaN, unknown, nothing is changed.

    Returns
    -------
    ndarray or csr_array
        CSR where there are more than `DENSE_CELLS` cells and the CSR is smaller.
    """
    if not is_sparse(labels) and (labels.dtype.kind == "f" or labels.size <= DENSE_CELLS):
        return labels
    cells, filled = math.prod(labels.shape), labels.nnz if is_sparse(labels) else np.count_nonzero(labels)
    if cells <= DENSE_CELLS or 5 * filled + 4 * labels.shape[0] >= cells:
        return labels.astype(np.int8).toarray() if is_sparse(labels) else labels
    return sp.csr_array(labels, dtype=np.int8)


def split_known(labels: Any) -> tuple[Any, NDArray[np.bool_] | None]:
    """Divide checked labels that are NaN where not known into what `check_known_labels` returns.

    Parameters
    ----------
    labels : ndarray or csr_array of shape (n_samples, n_labels), float64
        In {0, 1}; NaN in an array alone.

    Returns
    -------
    labels, known
        As of `check_known_labels`; the labels themselves and None where there is no NaN.
    """
    if is_sparse(labels) or not np.isnan(labels).any():
        return labels, None
    known = ~np.isnan(labels)
    return np.where(known, labels, 0.0), known


def join_known(labels: Any, known: NDArray[np.bool_] | None) -> Any:
    """Return what `check_known_labels` returns as one array, NaN where not known: the inverse of `split_known`.

    Parameters
    ----------
    labels, known
        As of `check_known_labels`.

    Returns
    -------
    ndarray or csr_array of shape (n_samples, n_labels)
        The labels themselves where all are known.
    """
    return labels if known is None else np.where(known, labels, np.nan)


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
        Which rows have labels; None if all have.

    Raises
    ------
    DataError
        If a row is NaN in part, no row is labelled, or the number of rows differs from ``n_samples``.
    """
    if Y is not None:
        check_table(Y, "y")
        Y = as_pandas(Y)
    unknown = None if Y is None else unknown_cells(Y)
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


def _sparse_frame(Y: Any) -> Any:
    """Return a DataFrame of many sparse columns as a sparse matrix; anything else as it is."""
    if column_names(Y) is None or Y.size < DENSE_CELLS:
        return Y
    sparse = all(getattr(kind, "fill_value", None) == 0 for kind in Y.dtypes)
    return Y.sparse.to_coo() if sparse else Y


def _check_stored(Y: Any, n_samples: int | None, names: Sequence[str] | None, what: str) -> sp.csr_array:
    """Check a sparse matrix by its entries and return those that are 1."""
    labels = sp.csr_array(Y, dtype=bool if Y.dtype == bool else np.float64, copy=True)
    labels.sum_duplicates()  # duplicate entries add up
    labels = labels.astype(np.float64)
    _check_rows(labels, n_samples, what)
    values = labels.data
    if not np.isin(values, (0, 1)).all():
        wrong = ~np.isin(values, (-1, 0, 1))
        signs = not wrong.any()
        if signs and (np.count_nonzero(values) < np.prod(labels.shape)):
            wrong = values == -1
        if wrong.any():
            place = int(np.argmax(wrong))
            row = int(np.searchsorted(labels.indptr, place, side="right")) - 1
            continuous = not np.all(values[np.isfinite(values)] % 1 == 0)
            raise _wrong_label(values[place], row, int(labels.indices[place]), names, continuous, what)
        labels.data[values == -1] = 0
    labels.eliminate_zeros()
    return labels


def _check_signs(labels: Any, positive: NDArray[np.bool_], names: Sequence[str] | None, what: str) -> None:
    """Refuse labels other than -1 and 1."""
    wrong = ~(positive | (labels == 0) | (labels == -1))
    if not wrong.any():
        if (labels == 0).any():
            raise DataError(f"{what} mixes 0 and -1; labels are either 0/1 or -1/1 throughout")
        return
    row, column = (int(i) for i in np.argwhere(wrong)[0])
    raise _wrong_label(labels[row, column], row, column, names, not np.all(labels % 1 == 0), what)


def _wrong_label(
    value: float, row: int, column: int, names: Sequence[str] | None, continuous: bool, what: str
) -> DataError:
    place = f"column {column}" + (f" ({names[column]!r})" if names is not None else "") + f", row {row}"
    if np.isnan(value):
        return DataError(f"{what} is NaN in {place}: all labels have to be known here. {_UNKNOWN}")
    if value == -1:
        return DataError(
            f"{what} mixes 0 and -1; labels are either 0/1 or -1/1 throughout: it stores -1 in {place}, and what a "
            "sparse matrix does not store is 0"
        )
    kind = f"{what} is continuous: " if continuous else ""
    return DataError(f"{kind}{what} holds {value:g} in {place}; labels must be 0/1 or -1/1")


def _check_rows(Y: Any, n_samples: int | None, what: str = "y") -> None:
    if n_samples is not None and Y.shape[0] != n_samples:
        raise DataError(
            f"X and {what} have inconsistent numbers of samples: X has {n_samples} rows, {what} has {Y.shape[0]}"
        )


def remember_label_names(estimator: Any, Y: Any) -> None:
    """Set ``label_names_`` from a table of labels; forget those of an earlier fit otherwise."""
    names = column_names(Y)
    if names is not None:
        estimator.label_names_ = names
    elif hasattr(estimator, "label_names_"):
        del estimator.label_names_
