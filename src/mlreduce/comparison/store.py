"""What a comparison keeps of its jobs: a file each, named by a digest of all that its scores depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import joblib

from mlreduce.datasets.data import MultiLabelData
from mlreduce.datasets.files import replacing
from mlreduce.validation import is_sparse

__all__ = ["Store", "digest", "digest_of_data"]


def digest(*parts: Any) -> str:
    """Return a digest of plain values: text, numbers, lists and dicts, whatever their order."""
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()


def digest_of_data(data: MultiLabelData) -> str:
    """Return a digest of features and labels, without their names."""
    X = data.X
    # A sparse matrix itself remembers what was computed of it.
    arrays = (X.shape, X.data, X.indices, X.indptr) if is_sparse(X) else X
    return str(joblib.hash((arrays, data.Y)))


class Store:
    """A folder of JSON files, or none, where nothing is kept.

    Parameters
    ----------
    folder : path or None
        Made where it is missing.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self._folder = None if folder is None else Path(folder)

    def read(self, key: str) -> dict[str, Any] | None:
        """Return what was kept under a key; None where there is nothing, or nothing whole."""
        if self._folder is None:
            return None
        try:
            kept = json.loads((self._folder / f"{key}.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError):
            return None
        whole = isinstance(kept, dict) and kept.get("digest") == digest(kept.get("content"))
        return kept["content"] if whole else None

    def write(self, key: str, content: Mapping[str, Any]) -> None:
        """Keep plain values under a key."""
        if self._folder is not None:
            with replacing(self._folder / f"{key}.json") as path:
                path.write_text(json.dumps({"digest": digest(content), "content": content}), encoding="utf-8")
