"""What is known of the methods: a table of their facts, a description of each, and which of them suit a data set."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["Description", "Facts", "MethodList", "Recommendation"]

ON_DEMAND = {
    "Description": "mlreduce.methods.description",
    "Facts": "mlreduce.methods.facts",
    "MethodList": "mlreduce.methods.table",
    "Recommendation": "mlreduce.methods.recommendation",
}


def __getattr__(name: str) -> Any:
    # Imported on demand: a list of names needs neither estimators nor evidence.
    if name in ON_DEMAND:
        return getattr(importlib.import_module(ON_DEMAND[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
