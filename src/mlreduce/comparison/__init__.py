"""Comparison of methods on one's own data: cross-validation, paired statistics, plots and a page."""

from __future__ import annotations

from mlreduce.comparison.result import Comparison
from mlreduce.comparison.run import DEFAULT_MEASURES, DEFAULT_METHODS, DEFAULT_PREDICTORS, compare

__all__ = ["DEFAULT_MEASURES", "DEFAULT_METHODS", "DEFAULT_PREDICTORS", "Comparison", "compare"]
