"""A multi-label data set in memory and on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.files import read_arrays
from mlreduce.validation import is_sparse

__all__ = ["MultiLabelData"]


@dataclass(frozen=True)
class MultiLabelData:
    """A multi-label data set.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), float64
        Features; sparse where the published file is. Missing values are NaN.
    Y : ndarray of shape (n_samples, n_labels), int8
        Labels in {0, 1}; sums and products of them need a wider type first.
    feature_names : list of str
    label_names : list of str
    name : str
    dropped : list of str
        Attributes of the file that are no features: identifiers.
    """

    X: Any
    Y: NDArray[np.int8]
    feature_names: Sequence[str]
    label_names: Sequence[str]
    name: str
    dropped: Sequence[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        rows, columns = self.X.shape
        if self.Y.shape != (rows, len(self.label_names)) or columns != len(self.feature_names):
            raise DataError(
                f"{self.name}: X {self.X.shape}, Y {self.Y.shape}, {len(self.feature_names)} feature names and "
                f"{len(self.label_names)} label names do not belong together"
            )

    @property
    def cardinality(self) -> float:
        """Mean number of labels of an instance."""
        return float(self.Y.sum(axis=1, dtype=np.int64).mean())

    def __repr__(self) -> str:
        kind = "sparse" if is_sparse(self.X) else "dense"
        return (
            f"MultiLabelData({self.name!r}: {self.X.shape[0]} instances, {self.X.shape[1]} {kind} features, "
            f"{self.Y.shape[1]} labels, cardinality {self.cardinality:.3f})"
        )

    def save(self, path: str | Path) -> None:
        """Write to an ``.npz`` file without pickles."""
        arrays: dict[str, Any] = {
            "Y": self.Y,
            "feature_names": np.array(list(self.feature_names), dtype=np.str_),
            "label_names": np.array(list(self.label_names), dtype=np.str_),
            "dropped": np.array(list(self.dropped), dtype=np.str_),
            "name": np.array(self.name),
        }
        if is_sparse(self.X):
            arrays |= {
                "X_data": self.X.data,
                "X_indices": self.X.indices,
                "X_indptr": self.X.indptr,
                "X_shape": np.array(self.X.shape),
            }
        else:
            arrays["X"] = self.X
        with Path(path).open("wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote.

        Raises
        ------
        DataError
            If the file is not a whole data set.
        """
        arrays = read_arrays(path, "prepared data set", ("Y", "feature_names", "label_names", "name", "dropped"))
        if "X" in arrays:
            X = arrays["X"]
        else:
            parts = (arrays["X_data"], arrays["X_indices"], arrays["X_indptr"])
            X = sp.csr_array(parts, shape=tuple(arrays["X_shape"]))
        return cls(
            X,
            arrays["Y"],
            arrays["feature_names"].tolist(),
            arrays["label_names"].tolist(),
            str(arrays["name"]),
            arrays["dropped"].tolist(),
        )
