"""Multi-label measures: a file for each family of formulas, each measure declared by `mlreduce.metrics.measures`."""

from __future__ import annotations

from mlreduce.metrics.measures import MEASURES, find_measure, higher_is_better, measure, measure_label
from mlreduce.metrics.outcome import Outcome

__all__ = ["MEASURES", "Outcome", "find_measure", "higher_is_better", "measure", "measure_label"]
