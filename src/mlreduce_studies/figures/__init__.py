"""Figures of a study: a file for each kind, declared by `mlreduce_studies.figures.kinds.figure`."""

from __future__ import annotations

from mlreduce.plot.layout import save
from mlreduce_studies.figures.kinds import figure, figure_kinds, make_figure

__all__ = ["figure", "figure_kinds", "make_figure", "save"]
