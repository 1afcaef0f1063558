"""The decorator that declares a kind of figure, and the function that makes the figures of a study file.

A kind is a function that draws rows of a file of results, in a module of this package::

    @figure("times", source="times.csv")
    def fit_times(times, spec): ...

The function is given the rows that have values. `make_figure` names the failed cells below the figure.

Modules of figures import Matplotlib inside functions, so that the kinds can be listed without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from mlreduce.exceptions import DataError
from mlreduce.metrics import higher_is_better
from mlreduce.plot.colours import MOST, is_control
from mlreduce.plot.layout import NothingToDraw, empty_figure, house_style, say_below, say_narrow
from mlreduce.registry import Declarations
from mlreduce.stats.ranking import MARGIN, highlighted, rank
from mlreduce_studies.gathering.failed_cells import failed_cells, failed_sentence, without_gaps
from mlreduce_studies.gathering.rankings import sized_cells
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
    """Declare a function that draws a study's results as a kind of figure, by the ``kind`` in a study file.

    The function is given the rows of one protocol and, where the entry names one, of its predictor, in the file
    ``source`` of the study's results. ``required`` and ``optional`` are schemas of options of the entry in addition to
    caption, methods, labels, protocols and leave_out. ``per_dataset`` draws a figure for each data set: the function is
    given its rows, and the title as caption. ``with_gaps`` also gives it the rows of failed cells, which have no value.
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
    return spec.get("labels", {}).get(method, method)


def _named(rows: pd.DataFrame, spec: Spec) -> list[str]:
    """Return the methods with colours: the best by the figure's measure, the study's subjects and the controls.

    Without a measure they are the first methods.
    """
    methods, measure = spec["methods"], spec.get("measure") or spec.get("measures", [None])[0]
    if measure is None or "measure" not in rows:
        return list(methods[:MOST])
    cells = sized_cells(rows[(rows["measure"] == measure) & rows["method"].isin(methods)])
    try:
        table = rank(cells.drop(columns=["protocol", "measure"]), higher_is_better(measure)).table
    except DataError:
        return list(methods[:MOST])
    return highlighted(table, [name for name in methods if is_control(name)], most=MOST, own=spec.get("own", ()))


def make_figure(source: pd.DataFrame, spec: Spec, protocol: str, dataset: str | None = None) -> Any:
    """Make a figure of a study file, of a data set for kinds that are drawn for each.

    The source is the table that `mlreduce_studies.options.source_of` names. ``spec`` is the entry of the study file;
    for the kind "parameter" with ``points``, method to value of the parameter. The failed cells are below the figure.
    Where all cells failed, a text says that there is nothing to draw.
    """
    kind, rows = _kind(spec), kept(source, spec, [protocol])
    if kind.per_dataset:
        rows = rows[rows["dataset"] == dataset]
        title = f"{dataset}, {protocol}: mean over {rows['splits'].max()} random splits"
        spec = {**spec, "caption": title}
    failed = failed_cells(rows, spec)
    if not kind.with_gaps:
        rows = without_gaps(rows)
    if len(spec["methods"]) > MOST:
        spec = {**spec, "named": _named(rows, spec)}
    try:
        with house_style():
            drawn = kind.draw(rows, spec)
            if "measure" in spec or "measures" in spec:
                say_narrow(drawn, spec.get("margin", MARGIN))
    except NothingToDraw:
        if failed.empty:
            raise
        drawn = empty_figure(spec["caption"], "nothing to draw: every cell failed")
    if len(failed):
        with house_style():
            say_below(drawn, failed_sentence(failed.assign(method=[label_of(spec, name) for name in failed["method"]])))
    return drawn
