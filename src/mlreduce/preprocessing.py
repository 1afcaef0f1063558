"""Features made comparable before a method sees them, by what the training rows say."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import DataError, unknown_name
from mlreduce.validation import FloatArray, as_dense

__all__ = ["SCALINGS", "ScaledParts", "scale_parts"]

#: What a study may say of the scale of features.
SCALINGS = ("none", "standard")


class ScaledParts(NamedTuple):
    """Training and test rows on one scale.

    Attributes
    ----------
    train, test : ndarray or csr_array of shape (n_rows, n_kept)
    kept : ndarray of int, shape (n_kept,)
        Which columns they are; those that are constant in the training rows are left out.
    """

    train: Any
    test: Any
    kept: NDArray[np.intp]


def scale_parts(train: Any, test: Any, scaling: str) -> ScaledParts:
    """Scale training and test rows by the training rows alone.

    Parameters
    ----------
    train, test : ndarray or csr_array of shape (n_rows, n_features)
    scaling : {"none", "standard"}
        "standard" leaves out features that are constant in the training rows, and gives the others mean zero and
        variance one there; the result is dense. "none" takes the features as they are.

    Raises
    ------
    DataError
        If the scaling is unknown or no feature varies.
    """
    if scaling not in SCALINGS:
        raise DataError(unknown_name("scaling", scaling, SCALINGS))
    if scaling == "none":
        return ScaledParts(train, test, np.arange(train.shape[1]))
    from sklearn.preprocessing import StandardScaler

    rows: FloatArray = as_dense(train)
    kept = np.flatnonzero((rows != rows[:1]).any(axis=0))
    if not len(kept):
        raise DataError("no feature varies in the training rows: nothing to scale")
    scaler = StandardScaler(copy=False).fit(rows[:, kept])
    return ScaledParts(scaler.transform(rows[:, kept]), scaler.transform(as_dense(test)[:, kept]), kept)
