"""The front door: named data sets, fetched, checked and read."""

from __future__ import annotations

from typing import Any

from mlreduce.datasets.data import MultiLabelData

__all__ = ["MultiLabelData", "load_dataset", "read_catalogue"]


def __getattr__(name: str) -> Any:
    # Readers and downloads are loaded when asked for: jobs that take prepared data need none of them.
    if name in {"load_dataset", "read_catalogue"}:
        from mlreduce.datasets import catalogue

        return getattr(catalogue, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
