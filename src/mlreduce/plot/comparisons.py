"""Plots of compared methods: quality against size, ranks over data sets, and all pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mlreduce.exceptions import DataError, from_extra, unknown_name
from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.plot.colours import method_styles
from mlreduce.plot.figure import axes
from mlreduce.stats.margins import DECIDED
from mlreduce.stats.ranking import WHOLE
from mlreduce.stats.ranks import RankComparison, compare

#: Methods of a matrix, at most: the numbers of 900 pairs cannot be read.
LARGEST = 16

# Above the axis, in units of the distance of two names: clear of the numbers at the ticks.
_CD_HEIGHT = 2.2

# Points of the smallest text: eleven pixels on a page.
_SMALL = 8.5

# Ranks that have a number at most; the numbers of more run into each other.
_TICKS = 16


def quality_against_size(
    scores: Any, measure: str | None = None, predictor: str | None = None, *, methods: Sequence[str] | None = None,
    ax: Any = None,
) -> Any:  # fmt: skip
    """Draw a measure against the size of the reduction: mean over the splits, and its standard error.

    Parameters
    ----------
    scores : Comparison or DataFrame
        From `mlreduce.compare`, or tidy scores with the columns method, predictor, measure, size_percent, split and
        value, such as a study's scores.parquet of one data set and protocol.
    measure : str or None, default=None
        None takes the first of a comparison; of scores alone "micro-f1", or the first by name where it is missing.
    predictor : str or None, default=None
        None takes the first.
    methods : sequence of str or None, default=None
        Which, in the order of the legend; None takes all, the best at the largest size first.
    ax : Axes or None, default=None
        None makes a figure.

    Returns
    -------
    Axes
        One line per method, at the sizes that it has; for what is not reduced a dotted line at all sizes.

    Raises
    ------
    DataError
        If there are no such scores, or none of a method.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> methods = ["pca", "mvmd"]
    >>> comparison = mlreduce.compare(data, methods=methods, predictors=["linear"], cv=3, sizes=[10, 50], n_jobs=1)
    >>> axes = mlreduce.plot.quality_against_size(comparison)
    >>> sorted(text.get_text() for text in axes.get_legend().get_texts())
    ['mvmd', 'pca']
    """
    table, settings = getattr(scores, "scores", scores), getattr(scores, "settings", None)
    measures = (
        settings["measures"] if settings else sorted(set(table["measure"]), key=lambda name: (name != "micro-f1", name))
    )
    measure = measure or str(measures[0])
    predictor = predictor or str(next(iter(settings["predictors"])) if settings else table["predictor"].iloc[0])
    rows = table[(table["measure"] == measure) & (table["predictor"] == predictor)]
    if rows.empty:
        raise DataError(f"there are no scores of {measure!r} with the predictor {predictor!r}")
    # A method that returns fewer than the size, such as directions of labels, has its largest size once.
    reached = rows["size"] if "size" in rows else rows["size_percent"]
    cells = rows.assign(reached=reached).groupby(["method", "size_percent"], as_index=False).agg(
        mean=("value", "mean"), sem=("value", "sem"), reached=("reached", "max")
    ).drop_duplicates(["method", "reached"])  # fmt: skip
    last = cells.groupby("method")["mean"].last().sort_values(ascending=not higher_is_better(measure), kind="stable")
    unknown = set(methods or []) - set(last.index)
    if unknown:
        raise DataError(unknown_name("method", min(unknown), last.index))
    # Colours are by all methods of the table, so that charts of other predictors and measures have the same.
    styles = method_styles(list(dict.fromkeys(table["method"])))
    axis = axes(ax, (7.2, 4.0))
    shown = list(methods or last.index)
    for method in shown:
        line = cells[cells["method"] == method]
        if method in WHOLE:  # what reduces nothing is a level for all sizes
            axis.axhline(line["mean"].item(), color=styles[method]["color"], linestyle=":", label=method)
            continue
        drawn = {"markersize": 5, "linewidth": 1.2, "elinewidth": 0.6, "capsize": 2, **styles[method]}
        axis.errorbar(line["size_percent"], line["mean"], yerr=line["sem"], label=method, **drawn)
    axis.set_xticks(sorted(set(cells.loc[cells["method"].isin({*shown} - {*WHOLE}), "size_percent"])))
    axis.set(xlabel="size, %", ylabel=measure_label(measure), title=predictor)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=_SMALL)
    return axis


def critical_differences(values: pd.DataFrame, *, higher_is_better: bool = True, ax: Any = None) -> Any:
    """Draw a critical-difference diagram of methods over data sets, after Demsar [1]_.

    Parameters
    ----------
    values : DataFrame of shape (n_datasets, n_methods)
        A value of each method on each data set; at least three methods and two data sets.
    higher_is_better : bool, default=True
        False for losses.
    ax : Axes or None, default=None
        None makes a figure.

    Returns
    -------
    Axes
        With the average ranks, and bars over methods that do not differ at 5 %.

    Raises
    ------
    DataError
        If a value is missing, or there are too few methods or data sets.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning
       Research 7, 1-30, 2006.

    Examples
    --------
    >>> import mlreduce, pandas as pd
    >>> values = pd.DataFrame({"pca": [0.5, 0.6], "mvmd": [0.6, 0.7], "cca": [0.3, 0.5]}, index=["yeast", "scene"])
    >>> axes = mlreduce.plot.critical_differences(values)
    >>> [text.get_text().strip() for text in axes.texts if "mvmd" in text.get_text()]
    ['mvmd (1.00)']
    """
    if values.shape[0] < 2 or values.shape[1] < 3:
        raise DataError(f"a diagram needs two data sets and three methods; got {values.shape[0]} and {values.shape[1]}")
    axis = axes(ax, (6.5, 1.4 + 0.2 * values.shape[1]))
    axis.grid(visible=False)
    names = [str(method) for method in values.columns]
    ranked = compare(values.set_axis(names, axis=1), higher_is_better)
    draw_diagram(axis, ranked, dict(zip(names, names, strict=True)))
    return axis


def comparison_matrix(pairs: Any, *, names: Mapping[str, str] | None = None, ax: Any = None) -> Any:
    """Draw methods by methods: mean difference, wins, ties and losses, and the largest probability [1]_.

    Parameters
    ----------
    pairs : Comparison or DataFrame
        From `mlreduce.compare`, or its ``pairs()``.
    names : dict of str to str or None, default=None
        What is shown of the methods.
    ax : Axes or None, default=None
        None makes a figure.

    Returns
    -------
    Axes
        One cell per pair; of more than 16 methods of the best 16.

    Raises
    ------
    DataError
        If there are fewer than two methods.

    References
    ----------
    .. [1] A. Ismail-Fawaz et al., "An approach to multiple comparison benchmark evaluations that is stable under
       manipulation of the comparate set", 2023.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> comparison = mlreduce.compare(data, methods=["pca", "mvmd"], predictors=["linear"], cv=3, sizes=[10], n_jobs=1)
    >>> axes = mlreduce.plot.comparison_matrix(comparison)
    >>> [label.get_text() for label in axes.get_yticklabels()]  # the better one first
    ['mvmd', 'pca']
    """
    table = pairs if isinstance(pairs, pd.DataFrame) else pairs.pairs()
    methods = list(table["method"].unique())
    if len(methods) < 2:
        raise DataError("a comparison needs two methods")
    shown = min(len(methods), LARGEST)
    axis = axes(ax, (2.0 + 0.95 * shown, 1.2 + 0.55 * shown))
    draw_matrix(axis, table, {method: (names or {}).get(method, method) for method in methods})
    axis.set_aspect("auto")
    for text in (*axis.texts, *axis.get_xticklabels(), *axis.get_yticklabels()):
        text.set_fontsize(_SMALL)
    for text in axis.texts:  # on the colour of its cell, light or dark, on any page
        text.set_color("#FFFFFF" if text.get_color() == "white" else "#111111")
    return axis


def draw_diagram(axis: Any, made: RankComparison, names: Mapping[str, str]) -> None:
    """Draw a critical-difference diagram; names are what is shown of the methods."""
    with from_extra("plot", "critical-difference diagrams"):
        from matplotlib.ticker import MaxNLocator
        from scikit_posthocs import critical_difference_diagram

    # Numbers instead of names: bars are drawn from sets, and the order of a set of names changes with every run.
    methods = list(made.average.index)
    p_values = made.p_values.loc[methods, methods].set_axis(range(len(methods))).set_axis(range(len(methods)), axis=1)
    drawn = critical_difference_diagram(
        made.average.set_axis(range(len(methods))), p_values, cd=made.critical_difference, ax=axis,
        label_fmt_left="{label}", label_fmt_right="{label}", text_h_margin=0.15, label_props={"fontsize": 8},
        elbow_props={"color": "#606060", "linewidth": 0.8, "clip_on": False},
        marker_props={"color": "#000000", "s": 10, "clip_on": False},
        crossbar_props={"color": "#0072B2", "linewidth": 2.5, "clip_on": False},
    )  # fmt: skip
    for text in drawn["labels"]:
        method = methods[int(text.get_text())]
        text.set(text=f" {names[method]} ({made.average[method]:.2f}) ", color="#000000")
    _move_critical_difference(axis, made.critical_difference)
    axis.spines["top"].set_visible(True)
    axis.set_xlim(1, max(len(methods), 1 + made.critical_difference))
    axis.xaxis.set_major_locator(MaxNLocator(nbins=_TICKS, integer=True, steps=[1, 2, 5, 10]))
    lowest = min(text.get_position()[1] for text in drawn["labels"])
    axis.set_ylim(lowest - 0.6, _CD_HEIGHT + 1.2)


def _move_critical_difference(axis: Any, critical_difference: float) -> None:
    """Put the critical difference above the numbers of the axis, where the library draws it across them."""
    bar, text = axis.lines[-1], axis.texts[-1]
    bar.set(xdata=[1, 1 + critical_difference], ydata=[_CD_HEIGHT] * 2, color="#000000", linewidth=1.5)
    bar.set(marker="|", markersize=6)
    text.set(position=(1 + critical_difference / 2, _CD_HEIGHT + 0.2), va="bottom")
    text.set_text(f"critical difference {critical_difference:.2f}")


def draw_matrix(axis: Any, pairs: pd.DataFrame, names: Mapping[str, str]) -> None:
    """Draw methods by methods, sorted by their mean difference to the others: the best ones, as many as fit.

    Pairs are those of `mlreduce.evaluation.comparison.Comparison.pairs`; names are what is shown of the methods.
    """
    order = pairs.groupby("method")["mean_difference"].mean().sort_values(ascending=False, kind="stable").index.tolist()
    order = order[:LARGEST]
    cells = {(c["method"], c["than"]): c for c in pairs.to_dict("records")}
    # Off the diagonal, pairs without common values have none.
    matrix = np.array([[cells[a, b]["mean_difference"] if (a, b) in cells else np.nan for b in order] for a in order])
    largest = float(np.nanmax(np.abs(matrix))) or 1.0
    axis.grid(visible=False)
    axis.imshow(matrix, cmap="RdBu", vmin=-largest, vmax=largest, aspect="equal")
    axis.set_xticks(range(len(order)), [names[method] for method in order], rotation=45, ha="right", fontsize=8)
    axis.set_yticks(range(len(order)), [names[method] for method in order], fontsize=8)
    for row, method in enumerate(order):
        for column, other in enumerate(order):
            if (method, other) in cells:
                dark = abs(matrix[row, column]) > 0.6 * largest
                _write_cell(axis, column, row, cells[method, other], dark)


def _write_cell(axis: Any, column: int, row: int, cell: Mapping[Any, Any], dark: bool) -> None:
    chances = {"better": cell["better"], "similar": cell["similar"], "worse": cell["worse"]}
    word = max(chances, key=lambda name: chances[name])
    counts = f"{cell['wins']}/{cell['ties']}/{cell['losses']}"
    text = f"{cell['mean_difference']:+.3f}\n{counts}\n{word} {chances[word]:.2f}"
    emphasis = {"weight": "bold" if chances[word] >= DECIDED else "normal", "color": "white" if dark else "black"}
    axis.text(column, row, text, ha="center", va="center", fontsize=6, **emphasis)
