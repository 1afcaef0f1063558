"""Files of the study: named tuples of arrays, CSR arrays, numbers and texts, as archives of arrays without pickles."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp

from mlreduce.files import read_arrays, replacing

_PARTS = ("data", "indices", "indptr")


def write(path: str, *items: Any) -> None:
    """Write named tuples."""
    arrays: dict[str, Any] = {}
    rest: list[dict[str, Any]] = []
    for number, item in enumerate(items):
        rest.append({})
        for name, value in item._asdict().items():
            key = f"{number}.{name}"
            if hasattr(value, "indptr"):
                arrays |= {f"{key}.{part}": getattr(value, part) for part in _PARTS}
                rest[-1][name] = list(value.shape)
            elif isinstance(value, np.ndarray):
                arrays[key] = value
            else:
                rest[-1][name] = value
    with replacing(path) as temporary:
        np.savez(temporary, rest=np.array(json.dumps(rest)), **arrays)


def read(path: str, kind: Any) -> list[Any]:
    """Return the named tuples of a file, which are of one kind."""
    arrays = read_arrays(path, "results")
    items = []
    for number, rest in enumerate(json.loads(str(arrays["rest"]))):
        values = {}
        for name in kind._fields:
            key = f"{number}.{name}"
            if f"{key}.data" in arrays:
                values[name] = sp.csr_array(tuple(arrays[f"{key}.{part}"] for part in _PARTS), shape=rest[name])
            else:
                values[name] = arrays[key] if key in arrays else rest[name]
        items.append(kind(**values))
    return items


def bytes_of(*models: Any) -> int:
    """Return the bytes of a file of fitted models."""
    buffer = io.BytesIO()
    joblib.dump(models, buffer)
    return buffer.tell()


def stacked(parts: Sequence[Any]) -> Any:
    """Return rows below each other, sparse where they are."""
    return sp.csr_array(sp.vstack(parts, format="csr")) if sp.issparse(parts[0]) else np.concatenate(parts)
