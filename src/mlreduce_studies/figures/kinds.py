"""The decorator that declares a kind of figure, and the making of figures that a study file asks for.

A kind is a function that draws rows of a file of results, in a module of this package::

    @figure("times", source="times.csv")
    def fit_times(times, spec): ...

Modules of figures import Matplotlib inside functions, so that the kinds can be listed without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from mlreduce.plot.layout import NothingToDraw, empty_figure, house_style
from mlreduce.registry import Declarations
from mlreduce_studies.gathering.failed_cells import without_gaps
from mlreduce_studies.options import FIGURES, Options, Spec, kept, kind_of

__all__ = ["Figure", "Spec", "figure", "figure_kinds", "label_of", "make_figure"]

_Draw: TypeAlias = Callable[[pd.DataFrame, Spec], Any]


@dataclass(frozen=True)
class Figure:
    """A kind of figure as its decorator declares it; see `figure`."""

    source: str
    required: Options
    optional: Options
    draw: _Draw
    per_dataset: bool
    with_gaps: bool


def figure(
    name: str,
    *,
    source: str,
    required: Options | None = None,
    optional: Options | None = None,
    per_dataset: bool = False,
    with_gaps: bool = False,
) -> Callable[[_Draw], _Draw]:
    """Declare a function that draws a study's results as a kind of figure.

    The function is given the rows of one protocol and, where the entry names one, of its predictor.

    Parameters
    ----------
    name : str
        The ``kind`` in a study file.
    source : str
        File of a study's results that the function is given.
    required, optional : dict of str to schema, default=None
        Options of the entry beside caption, methods, labels, protocols and leave_out.
    per_dataset : bool, default=False
        A figure for each data set: the function is given its rows, and the title as caption.
    with_gaps : bool, default=False
        The function is also given the rows of failed cells, which have no value.
    """

    def declare(draw: _Draw) -> _Draw:
        declared = Figure(source, required or {}, optional or {}, draw, per_dataset, with_gaps)
        FIGURES.add(name, declared, draw.__module__)
        return draw

    return declare


def figure_kinds() -> list[str]:
    """Return the names of the kinds of figures, sorted."""
    return list(FIGURES)


def _kind(spec: Spec) -> Figure:
    declared: Declarations[Figure] = FIGURES
    return declared.find(kind_of(FIGURES, spec))


def label_of(spec: Spec, method: str) -> str:
    """Return the name of a method in a figure."""
    label: str = spec.get("labels", {}).get(method, method)
    return label


def make_figure(source: pd.DataFrame, spec: Spec, protocol: str, dataset: str | None = None) -> Any:
    """Make a figure that a study file asks for.

    Parameters
    ----------
    source : DataFrame
        The table that `mlreduce_studies.options.source_of` names.
    spec : dict
        The entry of the study file; for the kind "parameter" with ``points``, method to value of the parameter.
    protocol : str
    dataset : str or None, default=None
        For kinds that are drawn for each data set.

    Returns
    -------
    figure
        Where nothing is left to draw because cells failed, one that says so.
    """
    kind, rows = _kind(spec), kept(source, spec)
    for column, value in (("protocol", protocol), ("predictor", spec.get("predictor"))):
        if column in rows and value is not None:
            rows = rows[rows[column] == value]
    if not kind.with_gaps:
        rows = without_gaps(rows)
    if kind.per_dataset:
        rows = rows[rows["dataset"] == dataset]
        title = f"{dataset}, {protocol}: mean over {rows['splits'].max()} random splits"
        spec = {**spec, "caption": title}
    try:
        with house_style():
            return kind.draw(rows, spec)
    except NothingToDraw:
        if "reason" not in source:
            raise
        return empty_figure(spec["caption"], "nothing to draw: every cell failed")
