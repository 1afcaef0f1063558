"""Plots of compared methods: quality against size, ranks over data sets, and all pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mlreduce.exceptions import DataError, unknown_name
from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.plot.figure import axes
from mlreduce.plot.layout import style

__all__ = ["comparison_matrix", "critical_differences", "quality_against_size"]


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
        None takes the first.
    predictor : str or None, default=None
        None takes the first.
    methods : sequence of str or None, default=None
        Which, in the order of the legend; None takes all, the best at the largest size first.
    ax : Axes or None, default=None
        None makes a figure.

    Returns
    -------
    Axes
        One line per method.

    Raises
    ------
    DataError
        If there are no such scores, or none of a method.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> found = mlreduce.compare(data, methods=["pca", "mvmd"], predictors=["linear"], cv=3, sizes=[10, 50], n_jobs=1)
    >>> axes = mlreduce.plot.quality_against_size(found)
    >>> sorted(text.get_text() for text in axes.get_legend().get_texts())
    ['mvmd', 'pca']
    """
    table, settings = getattr(scores, "scores", scores), getattr(scores, "settings", None)
    measure = measure or str(settings["measures"][0] if settings else table["measure"].iloc[0])
    predictor = predictor or str(next(iter(settings["predictors"])) if settings else table["predictor"].iloc[0])
    own = table[(table["measure"] == measure) & (table["predictor"] == predictor)]
    if own.empty:
        raise DataError(f"there are no scores of {measure!r} with the predictor {predictor!r}")
    cells = own.groupby(["method", "size_percent"])["value"].agg(["mean", "sem"]).reset_index()
    last = cells.sort_values("size_percent", kind="stable").groupby("method")["mean"].last()
    unknown = set(methods or []) - set(last.index)
    if unknown:
        raise DataError(unknown_name("method", min(unknown), last.index))
    shown = list(methods) if methods else list(last.sort_values(ascending=not higher_is_better(measure)).index)
    axis = axes(ax, (7.2, 4.0))
    handles, sizes = [], set()
    for position, method in enumerate(shown):
        line = cells[cells["method"] == method].sort_values("size_percent")
        own = style(position)
        if len(line) == 1:  # no curve: what is not reduced, or has one size
            handles.append(
                axis.axhline(line["mean"].item(), color=own["color"], linewidth=1.6, linestyle=":", label=method)
            )
        else:
            look = {"markersize": 4, "linewidth": 1.2, "elinewidth": 0.6, "capsize": 2, "label": method, **own}
            sizes.update(line["size_percent"])
            handles.append(axis.errorbar(line["size_percent"], line["mean"], yerr=line["sem"], **look))
    axis.set_xticks(sorted(sizes))
    axis.set(xlabel="size, %", ylabel=measure_label(measure), title=predictor)
    axis.legend(handles, shown, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)
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
    from mlreduce.plot.diagram import draw_diagram
    from mlreduce.stats.ranks import compare

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
        One cell per pair.

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
    >>> found = mlreduce.compare(data, methods=["pca", "mvmd"], predictors=["linear"], cv=3, sizes=[10], n_jobs=1)
    >>> axes = mlreduce.plot.comparison_matrix(found)
    >>> [label.get_text() for label in axes.get_yticklabels()]  # the better one first
    ['mvmd', 'pca']
    """
    from mlreduce.plot.matrix import draw_matrix

    table = pairs if isinstance(pairs, pd.DataFrame) else pairs.pairs()
    methods = list(table["method"].unique())
    if len(methods) < 2:
        raise DataError("a comparison needs two methods")
    side = 1.2 + 0.85 * len(methods)
    axis = axes(ax, (side + 0.8, side))
    draw_matrix(axis, table, {method: (names or {}).get(method, method) for method in methods})
    return axis
