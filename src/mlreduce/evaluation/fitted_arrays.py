"""Fitted estimators as arrays in one file, without pickles."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlreduce.exceptions import ConfigurationError
from mlreduce.files import named_damage, opened_arrays
from mlreduce.validation import is_sparse

Arrays = Mapping[str, Any]

_WHAT = "file of arrays"

# Of a CSR array.
_PARTS = ("data", "indices", "indptr", "shape")

# Name of an estimator among arrays.
_ESTIMATOR = "estimator"

#: Name among arrays of the classes of warnings of the fit.
WARNED = "warned"


def fitted_arrays(estimator: Any) -> dict[str, Any]:
    """Return the attributes of a fitted estimator that end in an underscore, as arrays; of a CSR array its parts.

    Those that are None, as `edge_` of a parameter that was given, are left out.
    """
    arrays: dict[str, Any] = {}
    for name, value in vars(estimator).items():
        if name.endswith("_") and not name.startswith("_") and value is not None:
            parts = {f"{name}.{part}": getattr(value, part) for part in _PARTS} if is_sparse(value) else {name: value}
            arrays |= {key: np.asarray(part) for key, part in parts.items()}
    return arrays


def fitted_estimator(estimator: Any) -> dict[str, Any]:
    """Return a fitted estimator itself, which may keep what is no array, for `restore`; no file holds it."""
    box = np.empty((), dtype=object)
    box[()] = estimator
    return {_ESTIMATOR: box}


def restore(estimator: Any, arrays: Mapping[str, Any]) -> Any:
    """Give an unfitted estimator the attributes that `fitted_arrays` took from a fitted one."""
    if _ESTIMATOR in arrays:
        return arrays[_ESTIMATOR].item()
    for key, value in arrays.items():
        name, _, part = key.partition(".")
        if not part:
            setattr(estimator, name, value.item() if value.ndim == 0 else value)
        elif not hasattr(estimator, name):
            *entries, shape = (arrays[f"{name}.{each}"] for each in _PARTS)
            setattr(estimator, name, sp.csr_array(tuple(entries), shape=tuple(shape)))
    return estimator


@contextmanager
def saved_arrays(path: str | Path) -> Iterator[Callable[[tuple[str, ...], Arrays], None]]:
    """Open a ``.npz`` file and give a function that writes a group of arrays to it, under a tuple of names.

    The function raises ConfigurationError if the group is a fitted estimator, as of `fitted_estimator`.
    """
    with zipfile.ZipFile(path, "w") as archive:

        def keep(key: tuple[str, ...], arrays: Arrays) -> None:
            if _ESTIMATOR in arrays:
                raise ConfigurationError(
                    f"{key[-1]}: {type(arrays[_ESTIMATOR].item()).__name__} overrides fit, and a study stores the "
                    "arrays of the library's fits between its jobs; mlreduce.compare takes it"
                )
            for name, array in arrays.items():
                with archive.open(zipfile.ZipInfo("/".join((*key, name)) + ".npy"), "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)

        yield keep


class StoredArrays(Mapping[tuple[str, ...], Arrays]):
    """What `saved_arrays` wrote, open until the ``with`` block ends; a group is read on access.

    Raises DataError if the file is incomplete, when it is opened or when a group is read.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._open = ExitStack()
        self._stored = self._open.enter_context(opened_arrays(path, _WHAT))
        self._names: dict[tuple[str, ...], list[str]] = {}
        for key in self._stored.files:
            *group, name = key.split("/")
            self._names.setdefault(tuple(group), []).append(name)

    def __enter__(self) -> StoredArrays:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def __getitem__(self, key: tuple[str, ...]) -> Arrays:
        names = self._names[key]
        with named_damage(self._path, _WHAT):
            return {name: self._stored["/".join((*key, name))] for name in names}

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
