"""Plots of fitted methods, labels and comparisons, with Matplotlib: ``pip install mlreduce[plot]``.

Each function draws into ``ax``, or into a new figure, and returns the axes, so that titles, limits and colours can be
changed afterwards.
"""

from __future__ import annotations

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
