"""Multi-label measures: a file for each family of formulas, each measure declared by `mlreduce.metrics.measures`."""

from __future__ import annotations

from mlreduce.metrics.measures import MEASURES, find_measure, higher_is_better, measure, measure_label
from mlreduce.metrics.outcome import Outcome
from mlreduce.metrics.scorers import evaluate, get_scorer

__all__ = [
    "MEASURES",
    "Outcome",
    "evaluate",
    "find_measure",
    "get_scorer",
    "higher_is_better",
    "measure",
    "measure_label",
]
