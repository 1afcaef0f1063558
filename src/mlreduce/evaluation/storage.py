"""Fitted estimators as arrays in one file, without pickles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mlreduce.files import read_arrays

__all__ = ["fitted_arrays", "load_arrays", "restore", "save_arrays"]


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


def save_arrays(path: str | Path, groups: Mapping[tuple[str, ...], Mapping[str, Any]]) -> None:
    """Write groups of arrays, each under a tuple of names, to one ``.npz`` file."""
    flat = {"/".join((*key, name)): value for key, group in groups.items() for name, value in group.items()}
    with Path(path).open("wb") as file:
        np.savez(file, **flat)


def load_arrays(path: str | Path) -> dict[tuple[str, ...], dict[str, Any]]:
    """Read what `save_arrays` wrote.

    Raises
    ------
    DataError
        If the file is not whole.
    """
    groups: dict[tuple[str, ...], dict[str, Any]] = {}
    for key, array in read_arrays(path, "file of arrays").items():
        *group, name = key.split("/")
        groups.setdefault(tuple(group), {})[name] = array
    return groups
