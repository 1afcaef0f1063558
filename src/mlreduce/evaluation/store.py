"""What a comparison keeps of its jobs: a file each, named by a digest of all that its scores depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import joblib

from mlreduce.datasets.data import MultiLabelData
from mlreduce.files import write_text
from mlreduce.validation import is_sparse


def digest(*parts: Any) -> str:
    """Return a digest of plain values: text, numbers, lists and dicts, whatever their order."""
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()


def digest_of_data(data: MultiLabelData) -> str:
    """Return a digest of features and labels, without their names."""
    # A sparse matrix itself remembers what was computed of it.
    arrays = tuple(
        (table.shape, table.data, table.indices, table.indptr) if is_sparse(table) else table
        for table in (data.X, data.Y)
    )
    return str(joblib.hash(arrays))


class Store:
    """A folder of JSON files, made where it is missing, or none, where nothing is saved.

    ``form`` is that of the content: a type, a list with the form of all its elements, a tuple or dict with that of
    each.
    """

    def __init__(self, folder: str | Path | None, form: Any) -> None:
        self._folder = None if folder is None else Path(folder)
        self._form = {"digest": str, "content": form}

    def read(self, key: str) -> dict[str, Any] | None:
        """Return what was written under a key; None where there is no complete file."""
        if self._folder is None:
            return None
        try:
            stored = json.loads((self._folder / f"{key}.json").read_text(encoding="utf-8"))
            valid = _has_form(stored, self._form) and stored["digest"] == digest(key, stored["content"])
        except (OSError, ValueError, RecursionError):  # also of a folder, of long numbers, of deep lists
            return None
        return stored["content"] if valid else None

    def write(self, key: str, content: Mapping[str, Any]) -> None:
        """Keep plain values under a key."""
        path = None if self._folder is None else self._folder / f"{key}.json"
        if path is not None and not path.is_dir():
            write_text(path, json.dumps({"digest": digest(key, content), "content": content}))


def _has_form(value: Any, form: Any) -> bool:
    if isinstance(form, dict):
        return (
            isinstance(value, dict) and value.keys() == form.keys() and all(_has_form(value[k], form[k]) for k in form)
        )
    if isinstance(form, list):
        return isinstance(value, list) and all(_has_form(one, form[0]) for one in value)
    if isinstance(form, tuple):
        return isinstance(value, list) and len(value) == len(form) and all(map(_has_form, value, form))
    return type(value) is form
