"""Plots of fitted methods, labels and comparisons, with Matplotlib: ``pip install mlreduce[plot]``.

Each function draws into ``ax``, or into a new figure, and returns the axes, so that titles, limits and colours can be
changed afterwards.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlreduce.plot.comparisons import comparison_matrix, critical_differences, quality_against_size
    from mlreduce.plot.labels import label_cooccurrence, label_map
    from mlreduce.plot.spectra import spectrum
    from mlreduce.plot.trees import model_tree

__all__ = [
    "comparison_matrix",
    "critical_differences",
    "label_cooccurrence",
    "label_map",
    "model_tree",
    "quality_against_size",
    "spectrum",
]
# Modules by the functions in them: figures of studies that need a layout alone do not import all.
_MODULES = {
    **dict.fromkeys(("comparison_matrix", "critical_differences", "quality_against_size"), "comparisons"),
    **dict.fromkeys(("label_cooccurrence", "label_map"), "labels"),
    **{"spectrum": "spectra", "model_tree": "trees"},
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
