"""Scaling of features, fitted on the training rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError, check_known_name
from mlreduce.validation import FloatArray, as_dense

__all__ = ["SCALINGS", "ScaledParts", "scale_parts"]

#: Names of the scalings.
SCALINGS = ("none", "standard", "unit", "rows", "tf-idf")


class ScaledParts(NamedTuple):
    """Training and test rows on one scale.

    Attributes
    ----------
    train, test : ndarray or csr_array of shape (n_rows, n_selected)
    columns : ndarray of int, shape (n_columns,)
        Indices of the columns that remain: those without information in the training rows are dropped, see
        `scale_parts`.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.preprocessing import scale_parts
    >>> parts = scale_parts(np.array([[1.0], [3.0]]), np.array([[2.0]]), "none")
    >>> parts.train.shape, parts.test.shape, parts.columns
    ((2, 1), (1, 1), array([0]))
    """

    train: Any
    test: Any
    columns: NDArray[np.intp]


def scale_parts(train: Any, test: Any, scaling: str) -> ScaledParts:
    """Scale training and test rows by the training rows alone.

    Parameters
    ----------
    train, test : ndarray or csr_array of shape (n_rows, n_features)
        Features of both parts, with the same columns.
    scaling : {"none", "standard", "unit", "rows", "tf-idf"}
        "standard" leaves out features that are constant in the training rows, and gives the others mean zero and
        variance one there; the result is dense. "unit" leaves out the same and moves the others to [0, 1], the smallest
        value of the training rows to 0 and the largest to 1; the result is dense. "rows" gives each row the Euclidean
        length one, or leaves it zero; sparse features stay sparse. "tf-idf" takes counts of terms, leaves out those
        that no training row has, and weights each by 1 + ln((1 + n) / (1 + the number of training rows that have it)),
        with n training rows; rows then have length one, or zero where they are empty, and the result is sparse. "none"
        takes the features as they are.

    Returns
    -------
    ScaledParts
        Both parts on one scale, and the columns that remain.

    Raises
    ------
    DataError
        If the scaling is unknown, no feature varies (is in a training row, for "tf-idf"), or a count is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.preprocessing import scale_parts
    >>> train, test = np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([[2.0, 5.0], [5.0, 6.0]])
    >>> parts = scale_parts(train, test, "standard")
    >>> parts.columns  # the other column is constant in the training rows
    array([0])
    >>> parts.test[:, 0]
    array([0., 3.])
    """
    check_known_name("scaling", scaling, SCALINGS, error=DataError)
    if scaling == "none":
        return ScaledParts(train, test, np.arange(train.shape[1]))
    if scaling == "tf-idf":
        return _weight(train, test)
    from sklearn.preprocessing import MinMaxScaler, StandardScaler, normalize

    if scaling == "rows":
        return ScaledParts(normalize(train), normalize(test), np.arange(train.shape[1]))

    rows: FloatArray = as_dense(train)
    columns = np.flatnonzero((rows != rows[:1]).any(axis=0))
    if not len(columns):
        raise DataError("no feature varies in the training rows: nothing to scale")
    kind = MinMaxScaler if scaling == "unit" else StandardScaler
    scaler = kind(copy=False).fit(rows[:, columns])
    return ScaledParts(scaler.transform(rows[:, columns]), scaler.transform(as_dense(test)[:, columns]), columns)


def _weight(train: Any, test: Any) -> ScaledParts:
    from sklearn.feature_extraction.text import TfidfTransformer

    counts, others = sp.csr_array(train), sp.csr_array(test)
    if min(counts.min(), others.min()) < 0:
        raise DataError("tf-idf weights counts of terms, which are not negative; this set has negative features")
    columns = np.flatnonzero(np.asarray(counts.sum(axis=0)))
    if not len(columns):
        raise DataError("no term is in a training row: nothing to weight")
    transformer = TfidfTransformer().fit(counts[:, columns])
    weighted = [sp.csr_array(transformer.transform(part[:, columns])) for part in (counts, others)]
    return ScaledParts(weighted[0], weighted[1], columns)
