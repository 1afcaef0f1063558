"""Plots of fitted methods, labels and comparisons, with Matplotlib: ``pip install 'mlreduce[plot]'``.

Each function draws into ``ax``, or into a new figure, and returns the axes, so that titles, limits and colours can be
changed afterwards.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = [
    "comparison_matrix",
    "critical_differences",
    "label_cooccurrence",
    "label_map",
    "model_tree",
    "quality_against_size",
    "spectrum",
]

ON_DEMAND = {
    "comparison_matrix": "mlreduce.plot.comparisons",
    "critical_differences": "mlreduce.plot.comparisons",
    "label_cooccurrence": "mlreduce.plot.labels",
    "label_map": "mlreduce.plot.labels",
    "model_tree": "mlreduce.plot.trees",
    "quality_against_size": "mlreduce.plot.comparisons",
    "spectrum": "mlreduce.plot.spectra",
}


def __getattr__(name: str) -> Any:
    # Imported on demand: figures of studies that need a layout alone do not import all.
    if name in ON_DEMAND:
        return getattr(importlib.import_module(ON_DEMAND[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
