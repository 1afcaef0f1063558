"""Figures of a study: a file for each kind, declared by `mlreduce.reporting.figures.kinds.figure`."""

from __future__ import annotations

from mlreduce.reporting.figures.kinds import figure, figure_kinds, figure_source, make_figure
from mlreduce.reporting.figures.layout import save

__all__ = ["figure", "figure_kinds", "figure_source", "make_figure", "save"]
