"""Multi-label measures: a file for each family of formulas, each measure declared by `mlreduce.metrics.measures`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from mlreduce.metrics.measures import MEASURES, find_measure, higher_is_better, measure, measure_label

if TYPE_CHECKING:
    from mlreduce.metrics.outcome import Outcome
    from mlreduce.metrics.scorers import evaluate, get_scorer
    from mlreduce.metrics.top import propensities

__all__ = [
    "MEASURES",
    "Outcome",
    "evaluate",
    "find_measure",
    "get_scorer",
    "higher_is_better",
    "measure",
    "measure_label",
    "propensities",
]

# Imported on first access: names of measures, and whether larger is better, need no arrays.
_MODULES = {"Outcome": "outcome", "evaluate": "scorers", "get_scorer": "scorers", "propensities": "top"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
