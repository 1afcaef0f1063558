"""A multi-label data set in memory and on disk."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.datasets.arrays import as_labels, check_indices
from mlreduce.exceptions import DataError, unknown_name
from mlreduce.files import read_arrays
from mlreduce.guards import check_names, stem
from mlreduce.validation import check_labels, is_sparse

#: How missing values may be filled.
IMPUTATIONS = ("mean", "median", "most-frequent")


@dataclass(frozen=True)
class MultiLabelData:
    """A multi-label data set.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), float64
        Features; sparse where the published file is. Missing values are NaN.
    Y : ndarray or csr_array of shape (n_samples, n_labels), int8 or float64
        Labels in {0, 1}, int8 (sums and products of them need a wider type first); float64 where some are NaN, unknown.
        Readers return a CSR array where there are more than 2**25 cells and it is smaller; a sparse matrix that is
        given stays one.
    feature_names : list of str, default=()
    label_names : list of str, default=()
        Without names the columns are numbered: x0, x1, ..., and y0, y1, ...
    name : str, default="data"
    dropped : list of str
        Attributes of the file that are no features: identifiers.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the instances, where the file has some.
    texts : dict of str to list of str
        Columns of text, by name; "" where a value is missing.
    notes : list of str
        What the reader left out or assumed, in sentences; not stored.
    impute : {"mean", "median", "most-frequent"} or None
        What of the training rows of each split fills missing values, in studies and in `mlreduce.compare`; None: they
        are refused.

    Raises
    ------
    DataError
        If the shapes do not match, names are not as `mlreduce.guards.check_names` wants them, or ``impute`` is
        unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.datasets import MultiLabelData
    >>> X, Y = np.array([[0.5, 1.0], [2.0, 0.0]]), np.array([[1, 0], [1, 1]], dtype=np.int8)
    >>> MultiLabelData(X, Y, ["tempo", "loudness"], ["calm", "happy"], "songs")
    MultiLabelData('songs': 2 instances, 2 dense features, 2 labels, cardinality 1.500)
    """

    X: Any
    Y: Any
    feature_names: Sequence[str] = ()
    label_names: Sequence[str] = ()
    name: str = "data"
    dropped: Sequence[str] = field(default_factory=list)
    sample_weight: NDArray[np.float64] | None = None
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    impute: str | None = None

    def __post_init__(self) -> None:
        for key, names, letter in (("X", "feature_names", "x"), ("Y", "label_names", "y")):
            if not hasattr(getattr(self, key), "shape"):
                object.__setattr__(self, key, np.asarray(getattr(self, key)))
            shape = getattr(self, key).shape
            if len(shape) != 2:
                raise DataError(f"{self.name}: {key} has the shape {shape}; it is a matrix with a row per instance")
            if len(getattr(self, names)) == 0:
                object.__setattr__(self, names, [f"{letter}{place}" for place in range(shape[1])])
        rows, columns = self.X.shape
        if is_sparse(self.Y) and not (
            self.Y.dtype == np.int8 and self.Y.has_canonical_format and (self.Y.data == 1).all()
        ):
            object.__setattr__(self, "Y", check_labels(self.Y, sparse=True).astype(np.int8))
        if self.Y.shape != (rows, len(self.label_names)) or columns != len(self.feature_names):
            raise DataError(
                f"{self.name}: X {self.X.shape}, Y {self.Y.shape}, {len(self.feature_names)} feature names and "
                f"{len(self.label_names)} label names do not match"
            )
        others: list[Any] = [*self.texts.values(), *([] if self.sample_weight is None else [self.sample_weight])]
        if any(len(other) != rows for other in others):
            raise DataError(f"{self.name}: weights or texts do not have {rows} rows, as X has")
        where = self.name or "the data set"
        if self.impute not in (None, *IMPUTATIONS):
            raise DataError(unknown_name("imputation", self.impute, IMPUTATIONS, where))
        check_names([self.name], "data set", where)
        check_names(self.feature_names, "feature", where)
        check_names(self.label_names, "label", where)
        check_names(self.dropped, "dropped attribute", where)

    @property
    def cardinality(self) -> float:
        """Mean number of labels of an instance; where labels are unknown, sum of their means over the known ones."""
        if self.Y.dtype.kind == "f":
            known = ~np.isnan(self.Y)
            return float(((self.Y == 1).sum(axis=0) / np.maximum(known.sum(axis=0), 1)).sum())
        return float(self.Y.sum(axis=1, dtype=np.int64).mean())

    @property
    def has_unknown_labels(self) -> bool:
        """Whether some labels are not known: NaN."""
        return self.Y.dtype.kind == "f" and bool(np.isnan(self.Y).any())

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
            frequency of the most frequent label over theirs (MeanIR, Charte et al. 2015, Neurocomputing 163);
            ``zeros``, the share of zeros among the values of X; and ``unknown``, the share of unknown labels, where
            there are some. Frequencies are then those among the known labels, label sets those of instances whose
            labels are all known, and ``unlabelled`` is a share of the instances with a known label.

        Examples
        --------
        >>> import mlreduce
        >>> mlreduce.load_dataset("digits-300").describe()["labels"]
        8
        """
        counts, complete, some = (self.Y == 1).sum(axis=0), self.Y, self.Y
        unknown = np.isnan(self.Y) if self.Y.dtype.kind == "f" else np.zeros(1, dtype=bool)
        if unknown.any():
            counts = counts / np.maximum((~unknown).sum(axis=0), 1)
            complete, some = self.Y[~unknown.any(axis=1)], self.Y[~unknown.all(axis=1)]
        occurring = counts[counts > 0]
        return {
            "instances": self.X.shape[0],
            "features": self.X.shape[1],
            "labels": self.Y.shape[1],
            "cardinality": self.cardinality,
            "density": self.cardinality / self.Y.shape[1],
            "label_sets": _n_different(complete),
            "unlabelled": float(np.mean((some == 1).sum(axis=1) == 0)) if some.shape[0] else np.nan,
            "mean_imbalance": float(np.mean(occurring.max() / occurring)) if len(occurring) else np.nan,
            "zeros": self.zeros,
            **({"unknown": float(unknown.mean())} if unknown.any() else {}),
        }

    def check(self) -> list[str]:
        """Look for what is often wrong in copies of data sets.

        Returns
        -------
        list of str
            A sentence for each finding, none without findings: what the reader left out; labels that no instance
            or every one has, or that are unknown; features equal to a label, columns that count the rows, columns and
            rows that repeat; numbers unlike those of the set of the catalogue whose name it has.

        Examples
        --------
        >>> import numpy as np
        >>> from mlreduce.datasets import MultiLabelData
        >>> X, Y = np.arange(6.0).reshape(3, 2), np.array([[1, 0], [0, 0], [1, 0]], dtype=np.int8)
        >>> MultiLabelData(X, Y, ["tempo", "loudness"], ["calm", "happy"], "my songs").check()
        ["1 label(s) that no instance has: 'happy'"]
        """
        from mlreduce.datasets.checks import checked  # jobs on prepared data need neither this nor `write`

        return checked(self)

    def as_frame(self) -> tuple[Any, Any]:
        """Return features and labels as DataFrames with their names; what is sparse in sparse columns.

        Returns
        -------
        X, Y : DataFrame
            With ``feature_names`` and ``label_names`` as columns.
        """
        import pandas as pd  # slow to import, and jobs on arrays need it not

        table: Any = pd.DataFrame  # whose types lack `sparse`
        features, labels = (
            table.sparse.from_spmatrix(sp.csr_matrix(values), columns=list(names))
            if is_sparse(values)
            else table(values, columns=list(names))
            for values, names in ((self.X, self.feature_names), (self.Y, self.label_names))
        )
        return features, labels

    def __repr__(self) -> str:
        kind = "sparse" if is_sparse(self.X) else "dense"
        return (
            f"MultiLabelData({self.name!r}: {self.X.shape[0]} instances, {self.X.shape[1]} {kind} features, "
            f"{self.Y.shape[1]} labels, cardinality {self.cardinality:.3f})"
        )

    def save(self, path: str | Path, *, layout: str = "meka") -> None:
        """Write to a file, in the format of its suffix.

        ======================== =================================================================================
        suffix                   what is in the file
        ======================== =================================================================================
        .npz                     everything, without pickles; read fastest
        .arff                    everything but ``dropped``; sparse where X is
        .csv, .tsv, .parquet     texts, features and labels as columns, the labels last; dense
        .svm, .svmlight, .libsvm labels and features by number, without names, weights and unknown labels
        .xmc                     the same after a line with the numbers of rows, features and labels
        ======================== =================================================================================

        What is read again is equal: features as float64, labels as 0 and 1. All but .csv, .tsv and .xmc hold a
        checksum, so that a file that was damaged later is refused. ``.gz`` behind the suffix of a text, as in
        "songs.csv.gz", compresses it with a checksum.

        Parameters
        ----------
        path : path
            Of the file; an existing one is replaced, completely or not at all.
        layout : {"meka", "mulan"}, default="meka"
            How an ARFF file declares the labels: Meka's option ``-C n`` in the relation's name, or Mulan's
            XML file, which is written to the same folder with the suffix .xml.

        Raises
        ------
        ConfigurationError
            If the suffix or the layout is unknown.
        DataError
            If the format cannot hold the data as they are: weights or unknown labels, as the table shows;
            labels other than 0 and 1; numbers that float64 cannot hold; texts or names that would be read otherwise.
        StorageError
            If the file cannot be written.

        Examples
        --------
        >>> import mlreduce, pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "digits.arff")
        >>> mlreduce.load_dataset("digits-300").save(path)
        >>> mlreduce.read(path)
        MultiLabelData('digits': 300 instances, 64 dense features, 8 labels, cardinality 3.300)
        """
        from mlreduce.datasets.writing import write

        write(self, Path(path), layout)

    def arrays(self) -> dict[str, Any]:
        """Return what an ``.npz`` file holds.

        Returns
        -------
        dict of str to ndarray
            The arrays by name.

        Examples
        --------
        >>> import mlreduce
        >>> sorted(mlreduce.load_dataset("digits-300").arrays())
        ['X', 'Y', 'dropped', 'feature_names', 'label_names', 'name']
        """
        arrays: dict[str, Any] = {
            "feature_names": _packed(self.feature_names),
            "label_names": _packed(self.label_names),
            "dropped": _packed(self.dropped),
            "name": _packed([self.name]),
        }
        if self.sample_weight is not None:
            arrays["sample_weight"] = self.sample_weight
        if self.texts:
            text = json.dumps({name: list(values) for name, values in self.texts.items()})
            arrays["texts"] = np.frombuffer(text.encode(), dtype=np.uint8)
        if self.impute is not None:
            arrays["impute"] = _packed([self.impute])
        for key, values in (("X", self.X), ("Y", self.Y)):
            if is_sparse(values):  # labels are ones
                arrays |= {f"{key}_data": values.data} if key == "X" else {}
                arrays |= {f"{key}_indices": values.indices, f"{key}_indptr": values.indptr}
                arrays[f"{key}_shape"] = np.array(values.shape)
            else:
                arrays[key] = values
        return arrays

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read an ``.npz`` file that `save` wrote, or that holds two matrices X and Y.

        Parameters
        ----------
        path : path
            Of the file. ``numpy.savez(path, X=X, Y=Y)`` writes the matrices; columns are then numbered.

        Raises
        ------
        DataError
            If the file is not a complete data set.
        """
        remedy = "save it anew, or where the workflow made it: delete it and run again"
        arrays = read_arrays(path, "prepared data set", remedy=remedy)
        if "feature_names" not in arrays:
            return cls._from_matrices(path, arrays)
        try:
            X = arrays["X"] if "X" in arrays else _sparse(arrays, "X", arrays["X_data"])
            features, labels, names, dropped = (
                _unpacked(arrays[key]) for key in ("feature_names", "label_names", "name", "dropped")
            )
            (name,) = names
            weights = arrays.get("sample_weight")
            Y: Any = arrays["Y"] if "Y" in arrays else _sparse(arrays, "Y", np.ones(arrays["Y_indices"].shape, np.int8))
            if X.dtype != np.float64 or Y.dtype not in (np.int8, np.float64) or {X.ndim, Y.ndim} != {2}:
                raise ValueError("X or Y is no matrix of its type")
            if is_sparse(Y):
                if not Y.has_canonical_format:
                    raise ValueError("Y holds a label of a row twice, or labels that do not ascend")
            elif not (np.isin(Y, (0, 1)) | np.isnan(Y)).all() or (Y.dtype.kind == "f" and not np.isnan(Y).any()):
                raise ValueError("Y holds other numbers than 0 and 1, or floats without need")
            if weights is not None and not (weights.dtype == np.float64 and weights.ndim == 1 and (weights >= 0).all()):
                raise ValueError("sample_weight holds other numbers than weights")
            (impute,) = _unpacked(arrays["impute"]) if "impute" in arrays else (None,)
            texts = _texts(arrays.get("texts"))
            return cls(X, Y, features, labels, name, dropped, weights, texts, impute=impute)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{path}: not a complete prepared data set ({error}); {remedy}") from error

    @classmethod
    def _from_matrices(cls, path: str | Path, arrays: Mapping[str, Any]) -> Self:
        """Return the data set of two matrices that `numpy.savez` wrote."""
        from mlreduce.datasets.writing import as_float64

        if set(arrays) != {"X", "Y"} or {array.ndim for array in arrays.values()} != {2}:
            shapes = ", ".join(f"{ascii(key)[1:-1][:40]} {array.shape}" for key, array in sorted(arrays.items()))
            raise DataError(
                f"{path}: no prepared data set, it holds {shapes[:400] or 'no array'}; the matrices X and Y are read, "
                "as numpy.savez(path, X=X, Y=Y) writes them"
            )
        if arrays["Y"].dtype.kind not in "biuf":
            raise DataError(f"{path}: Y holds {arrays['Y'].dtype}; labels are 0/1 or -1/1")
        return cls(as_float64(arrays["X"], "X", path), as_labels(arrays["Y"], None, f"{path}, Y"), name=stem(path))


def _packed(names: Sequence[str]) -> NDArray[np.uint8]:
    """Join names, none of which has a line break, as bytes: an array of texts would pad all to the longest."""
    return np.frombuffer("".join(f"{name}\n" for name in names).encode(), dtype=np.uint8)


def _unpacked(text: NDArray[np.uint8]) -> list[str]:
    return text.astype(np.uint8, casting="no").tobytes().decode().split("\n")[:-1]


def _texts(text: NDArray[np.uint8] | None) -> dict[str, list[str]]:
    """Return what is stored of texts, which others may have written."""
    if text is None:
        return {}
    texts = json.loads(text.astype(np.uint8, casting="no").tobytes().decode())
    lists = texts.values() if isinstance(texts, dict) else [None]
    if not all(isinstance(values, list) and all(isinstance(value, str) for value in values) for values in lists):
        raise ValueError("texts are not lists of texts by name")
    return dict(texts)


def _sparse(arrays: dict[str, Any], key: str, data: NDArray[Any]) -> sp.csr_array:
    """Build a sparse matrix and check its indices."""
    matrix = sp.csr_array(
        (data, arrays[f"{key}_indices"], arrays[f"{key}_indptr"]), shape=tuple(arrays[f"{key}_shape"].tolist())
    )
    check_indices(matrix, key)
    return matrix


def _n_different(labels: Any) -> int:
    """Return the number of different rows."""
    if not is_sparse(labels):
        return len({row.tobytes() for row in labels})
    return len({labels.indices[start:stop].tobytes() for start, stop in itertools.pairwise(labels.indptr)})
