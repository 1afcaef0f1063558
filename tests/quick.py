"""Parameters that make a fit quicker, for tests of what does not depend on them."""

from __future__ import annotations

from typing import Any

from mlreduce import registry
from mlreduce.selection.row_sparse import RowSparseSelector


def quick(name: str) -> dict[str, Any]:
    """Numbers in place of those that are chosen on rows held out, dozens of fits."""
    if issubclass(registry.method_class(name), RowSparseSelector):
        return {"gamma": "10%"}
    return {"leml": {"penalty": 1.0}, "sleec": {"n_components": "50%", "n_neighbors": 3, "alpha": 1.0}}.get(name, {})
