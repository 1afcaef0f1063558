"""Fitted estimators as arrays in one file, without pickles."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mlreduce.datasets.files import opened_arrays

__all__ = ["Arrays", "StoredArrays", "fitted_arrays", "restore", "save_arrays"]

Arrays = Mapping[str, Any]


def fitted_arrays(estimator: Any) -> dict[str, Any]:
    """Return what fitting an estimator left behind: its attributes that end in an underscore, as arrays."""
    return {
        name: np.asarray(value)
        for name, value in vars(estimator).items()
        if name.endswith("_") and not name.startswith("_")
    }


def restore(estimator: Any, arrays: Mapping[str, Any]) -> Any:
    """Give an unfitted estimator the attributes that `fitted_arrays` took from a fitted one."""
    for name, value in arrays.items():
        setattr(estimator, name, value.item() if value.ndim == 0 else value)
    return estimator


def save_arrays(path: str | Path, groups: Iterable[tuple[tuple[str, ...], Arrays]]) -> None:
    """Write groups of arrays, each under a tuple of names, to one ``.npz`` file, each group as it comes."""
    with zipfile.ZipFile(path, "w") as archive:
        for key, group in groups:
            for name, array in group.items():
                with archive.open(zipfile.ZipInfo("/".join((*key, name)) + ".npy"), "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)


class StoredArrays(Mapping[tuple[str, ...], Arrays]):
    """What `save_arrays` wrote; a group is read when it is asked for.

    Parameters
    ----------
    path : path

    Raises
    ------
    DataError
        If the file is not whole.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._names: dict[tuple[str, ...], list[str]] = {}
        with opened_arrays(path, "file of arrays") as stored:
            for key in stored.files:
                *group, name = key.split("/")
                self._names.setdefault(tuple(group), []).append(name)

    def __getitem__(self, key: tuple[str, ...]) -> Arrays:
        names = self._names[key]
        with opened_arrays(self._path, "file of arrays") as stored:
            return {name: stored["/".join((*key, name))] for name in names}

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
