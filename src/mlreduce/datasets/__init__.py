"""Loading of named data sets: download, checks and readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlreduce.datasets.data import MultiLabelData

__all__ = ["MultiLabelData", "list_datasets", "load_dataset", "read", "read_catalogue"]


def __getattr__(name: str) -> Any:
    # Imported on demand: jobs on prepared data need neither readers nor downloads, a plan of jobs needs names alone.
    if name == "MultiLabelData":
        from mlreduce.datasets import data

        return data.MultiLabelData
    if name in {"list_datasets", "load_dataset", "read_catalogue"}:
        from mlreduce.datasets import catalogue

        return getattr(catalogue, name)
    if name == "read":
        from mlreduce.datasets import reading

        return reading.read
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
