"""Loading of named data sets: download, checks and readers."""

from __future__ import annotations

from typing import Any

from mlreduce.datasets.data import MultiLabelData

__all__ = ["MultiLabelData", "load_dataset", "read_catalogue"]


def __getattr__(name: str) -> Any:
    # Readers and downloads are imported on demand: jobs on prepared data need none.
    if name in {"load_dataset", "read_catalogue"}:
        from mlreduce.datasets import catalogue

        return getattr(catalogue, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
