"""A multi-label data set in memory and on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.files import read_arrays
from mlreduce.datasets.guards import check_names
from mlreduce.exceptions import DataError
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

    Raises
    ------
    DataError
        If the shapes do not match, or names are not as `mlreduce.datasets.guards.check_names` wants them.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.datasets import MultiLabelData
    >>> X, Y = np.array([[0.5, 1.0], [2.0, 0.0]]), np.array([[1, 0], [1, 1]], dtype=np.int8)
    >>> MultiLabelData(X, Y, ["tempo", "loudness"], ["calm", "happy"], "songs")
    MultiLabelData('songs': 2 instances, 2 dense features, 2 labels, cardinality 1.500)
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
                f"{len(self.label_names)} label names do not match"
            )
        where = self.name or "the data set"
        check_names([self.name], "data set", where)
        check_names(self.feature_names, "feature", where)
        check_names(self.label_names, "label", where)
        check_names(self.dropped, "dropped attribute", where)

    @property
    def cardinality(self) -> float:
        """Mean number of labels of an instance."""
        return float(self.Y.sum(axis=1, dtype=np.int64).mean())

    @property
    def zeros(self) -> float:
        """Share of zeros among the values of X."""
        filled = np.count_nonzero(self.X.data if is_sparse(self.X) else self.X)
        return float(1 - filled / max(np.prod(self.X.shape), 1))

    def describe(self) -> dict[str, int | float]:
        """Return the statistics by which the literature compares multi-label data sets.

        Returns
        -------
        dict
            ``instances``, ``features``, ``labels``; ``cardinality``, the mean number of labels of an instance, and
            ``density``, that over the number of labels; ``label_sets``, how many different ones occur; ``unlabelled``,
            the share of instances without a label; ``mean_imbalance``, the mean over the labels that occur of the
            number of instances of the most frequent label over theirs (MeanIR, Charte et al. 2015, Neurocomputing 163);
            ``zeros``, the share of zeros among the values of X.

        Examples
        --------
        >>> import mlreduce
        >>> mlreduce.load_dataset("digits-300").describe()["labels"]
        8
        """
        counts = self.Y.sum(axis=0, dtype=np.int64)
        occurring = counts[counts > 0]
        return {
            "instances": self.X.shape[0],
            "features": self.X.shape[1],
            "labels": self.Y.shape[1],
            "cardinality": self.cardinality,
            "density": self.cardinality / self.Y.shape[1],
            "label_sets": len(np.unique(self.Y, axis=0)),
            "unlabelled": float(np.mean(~self.Y.any(axis=1))),
            "mean_imbalance": float(np.mean(occurring.max() / occurring)) if len(occurring) else np.nan,
            "zeros": self.zeros,
        }

    def as_frame(self) -> tuple[Any, Any]:
        """Return features and labels as DataFrames with their names; sparse features in sparse columns.

        Returns
        -------
        X, Y : DataFrame
            With ``feature_names`` and ``label_names`` as columns.
        """
        import pandas as pd  # slow to import, and jobs on arrays need it not

        table: Any = pd.DataFrame  # whose types lack `sparse`
        if is_sparse(self.X):
            features = table.sparse.from_spmatrix(sp.csr_matrix(self.X), columns=list(self.feature_names))
        else:
            features = table(self.X, columns=list(self.feature_names))
        return features, table(self.Y, columns=list(self.label_names))

    def __repr__(self) -> str:
        kind = "sparse" if is_sparse(self.X) else "dense"
        return (
            f"MultiLabelData({self.name!r}: {self.X.shape[0]} instances, {self.X.shape[1]} {kind} features, "
            f"{self.Y.shape[1]} labels, cardinality {self.cardinality:.3f})"
        )

    def save(self, path: str | Path) -> None:
        """Write to an ``.npz`` file without pickles.

        Parameters
        ----------
        path : path
            Of the file; an existing one is replaced.
        """
        arrays: dict[str, Any] = {
            "Y": self.Y,
            "feature_names": _packed(self.feature_names),
            "label_names": _packed(self.label_names),
            "dropped": _packed(self.dropped),
            "name": _packed([self.name]),
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

        Parameters
        ----------
        path : path
            Of a file that `save` wrote.

        Raises
        ------
        DataError
            If the file is not a whole data set.
        """
        arrays = read_arrays(path, "prepared data set", ("Y", "feature_names", "label_names", "name", "dropped"))
        try:
            X = arrays["X"] if "X" in arrays else _sparse(arrays)
            features, labels, names, dropped = (
                _unpacked(arrays[key]) for key in ("feature_names", "label_names", "name", "dropped")
            )
            (name,) = names
            if X.dtype != np.float64 or arrays["Y"].dtype != np.int8 or {X.ndim, arrays["Y"].ndim} != {2}:
                raise ValueError("X or Y is no matrix of its type")
            if arrays["Y"].size and not 0 <= arrays["Y"].min() <= arrays["Y"].max() <= 1:
                raise ValueError("Y holds other numbers than 0 and 1")
            return cls(X, arrays["Y"], features, labels, name, dropped)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{path}: not a whole prepared data set ({error}); delete it and run again") from error


def _packed(names: Sequence[str]) -> NDArray[np.uint8]:
    """Join names, none of which has a line break, as bytes: an array of texts would pad all to the longest."""
    return np.frombuffer("".join(f"{name}\n" for name in names).encode(), dtype=np.uint8)


def _unpacked(text: NDArray[np.uint8]) -> list[str]:
    return text.astype(np.uint8, casting="no").tobytes().decode().split("\n")[:-1]


def _sparse(arrays: dict[str, Any]) -> sp.csr_array:
    """Build a sparse matrix and check its indices."""
    matrix = sp.csr_array(
        (arrays["X_data"], arrays["X_indices"], arrays["X_indptr"]), shape=tuple(arrays["X_shape"].tolist())
    )
    matrix.check_format(full_check=True)
    if (np.diff(matrix.indptr) < 0).any():  # which SciPy checks only where it ends with values
        raise ValueError("X_indptr descends")
    return matrix
