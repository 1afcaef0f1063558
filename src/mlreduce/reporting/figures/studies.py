"""Figures of a study on several data sets: a panel a data set, a line a method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from mlreduce.exceptions import DataError
from mlreduce.reporting.figures.layout import house_style, panels, shared_legend, style
from mlreduce.reporting.names import measure_name

__all__ = ["approximation_curves", "dimension_curves", "fit_times", "one_value_each", "parameter_curves", "spectra"]

_LINE = {"markersize": 4, "linewidth": 1.1}
_DASHES = ((0, (5, 1.5)), (0, (1.5, 1.5)), (0, (6, 1.5, 1.5, 1.5)))


def one_value_each(summary: pd.DataFrame, measure: str, energy: float, by: Sequence[str]) -> pd.DataFrame:
    """Take the rows of one measure and energy threshold, of which there may be one per ``by``.

    Raises
    ------
    DataError
        If there are several.
    """
    rows = summary[(summary["measure"] == measure) & (summary["energy"] == energy)]
    rows = rows[rows["size_percent"] > 0] if "size_percent" in by else rows[rows["size_percent"] == 0]
    repeated = rows[rows.duplicated(list(by))]
    if len(repeated):
        cell = repeated.iloc[0]
        raise DataError(
            f"method {cell['method']!r} has several values of {measure} on data set {cell['dataset']!r}; "
            "a figure needs one protocol, one predictor and one way to choose the size."
        )
    return rows


def _lines(
    axes: Mapping[str, Any], rows: pd.DataFrame, methods: Sequence[str], labels: Mapping[str, str]
) -> Iterator[tuple[Any, pd.DataFrame, dict[str, Any]]]:
    """Yield panel, rows and look of every line: one a data set and method that there is."""
    for dataset, axis in axes.items():
        for number, method in enumerate(methods):
            line = rows[(rows["dataset"] == dataset) & (rows["method"] == method)]
            if len(line):
                yield axis, line, {"label": labels.get(method, method), **_LINE, **style(number)}


def dimension_curves(
    summary: pd.DataFrame, measure: str, methods: Sequence[str], labels: Mapping[str, str], title: str
) -> Any:
    """Draw a panel a data set: mean of a measure against the dimensions in percent of the features, a line a method.

    Parameters
    ----------
    summary : DataFrame
        From `mlreduce.reporting.tables.layout.summarise`, of one protocol and one predictor.
    measure : str
        What to draw.
    methods : sequence of str
        Which methods, in the order of their styles.
    labels : dict of str to str
        Method to its name in the legend.
    title : str
        Of the whole figure.

    Raises
    ------
    DataError
        If there is nothing to draw, or a point has several values.
    """
    rows = one_value_each(summary[summary["method"].isin(methods)], measure, 0.0, ["dataset", "method", "size_percent"])
    with house_style():
        figure, axes = panels(
            sorted(rows["dataset"].unique()), title, "dimensions, % of the features", measure_name(measure)
        )
        for axis, own, look in _lines(axes, rows, methods, labels):
            line = own.sort_values("size_percent")
            axis.plot(line["size_percent"], line["mean"], **look)
        shared_legend(figure)
    return figure


def approximation_curves(errors: pd.DataFrame, methods: Sequence[str], labels: Mapping[str, str], title: str) -> Any:
    """Draw a panel a data set: mean error against the number of sampled features, a line an approximation.

    Bars are one standard error. Every panel has axes of its own, the vertical one from 0.

    Parameters
    ----------
    errors : DataFrame
        With the columns dataset, method, size, mean and se.
    methods : sequence of str
        Which approximations, in the order of their styles.
    labels : dict of str to str
        Approximation to its name in the legend.
    title : str
        Of the whole figure.

    Raises
    ------
    DataError
        If there is nothing to draw.
    """
    rows = errors[errors["method"].isin(methods)]
    with house_style():
        figure, axes = panels(sorted(rows["dataset"].unique()), title, "sampled features", "squared Frobenius error")
        for axis, own, look in _lines(axes, rows, methods, labels):
            # In a small data set two percentages may be the same number of features.
            line = own.drop_duplicates("size").sort_values("size")
            axis.errorbar(line["size"], line["mean"], yerr=line["se"], capsize=1.5, elinewidth=0.8, **look)
        for axis in axes.values():
            axis.set_ylim(bottom=0)
            axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        shared_legend(figure)
    return figure


def spectra(spectra: pd.DataFrame, methods: Sequence[str], labels: Mapping[str, str], title: str) -> Any:
    """Draw a panel a data set: eigenvalues over the largest of the method, on logarithmic axes.

    The marker at the end of a line stands at the number of positive eigenvalues, which is how many directions the
    method has.

    Parameters
    ----------
    spectra : DataFrame
        With the columns dataset, method, split, index and eigenvalue, of one protocol. The first split is drawn.
    methods : sequence of str
        Which methods, in the order of their styles.
    labels : dict of str to str
        Method to its name in the legend.
    title : str
        Of the whole figure.

    Raises
    ------
    DataError
        If there is nothing to draw.
    """
    rows = spectra[spectra["method"].isin(methods) & (spectra["eigenvalue"] > 0)]
    rows = rows[rows["split"] == rows.groupby("dataset", observed=True)["split"].transform("min")]
    with house_style():
        figure, axes = panels(
            sorted(rows["dataset"].unique()), title, "index of the eigenvalue", "eigenvalue / largest"
        )
        for axis in axes.values():
            axis.set(xscale="log", yscale="log")
        for axis, own, look in _lines(axes, rows, methods, labels):
            line = own.sort_values("index")
            relative = line["eigenvalue"] / line["eigenvalue"].max()
            axis.plot(line["index"], relative, markevery=[len(line) - 1], **look)
        shared_legend(figure, "A marker stands at the last positive eigenvalue.")
    return figure


def parameter_curves(
    summary: pd.DataFrame,
    measure: str,
    points: Mapping[str, float],
    references: Mapping[str, str],
    x_label: str,
    title: str,
    *,
    energy: float,
) -> Any:
    """Draw a panel a data set: mean of a measure against a parameter, with other methods as horizontal lines.

    The values of the parameter stand side by side, whatever lies between them.

    Parameters
    ----------
    summary : DataFrame
        From `mlreduce.reporting.tables.layout.summarise`, of one protocol and one predictor.
    measure : str
        What to draw.
    points : dict of str to float
        Method to the value of its parameter.
    references : dict of str to str
        Method without the parameter to its name in the legend.
    x_label : str
        Name of the parameter.
    title : str
        Of the whole figure.
    energy : float
        Threshold by which the dimensions were chosen.

    Raises
    ------
    DataError
        If there is nothing to draw, or a point has several values.
    """
    of_methods = summary[summary["method"].isin([*points, *references])]
    rows = one_value_each(of_methods, measure, energy, ["dataset", "method"])
    ticks = sorted(set(points.values()))
    with house_style():
        figure, axes = panels(sorted(rows["dataset"].unique()), title, x_label, measure_name(measure))
        for dataset, axis in axes.items():
            means = rows[rows["dataset"] == dataset].set_index("method")["mean"]
            line = [(ticks.index(x), means[method]) for method, x in points.items() if method in means.index]
            if line:
                axis.plot(*zip(*sorted(line), strict=True), label=f"varying {x_label}", **_LINE, **style(0))
            axis.set_xticks(range(len(ticks)), [f"{value:g}" for value in ticks], rotation=90)
            for number, (method, label) in enumerate(references.items(), start=1):
                if method in means.index:
                    plain = {**style(number), "marker": "", "linestyle": _DASHES[number % len(_DASHES)]}
                    axis.axhline(means[method], label=label, linewidth=1.2, **plain)
        shared_legend(figure)
    return figure


def fit_times(times: pd.DataFrame, methods: Sequence[str], labels: Mapping[str, str], title: str) -> Any:
    """Draw a panel a data set: seconds to fit, mean over splits, a row a method, on one logarithmic axis.

    Parameters
    ----------
    times : DataFrame
        With the columns dataset, method, split and seconds.
    methods : sequence of str
        Which methods, from the top.
    labels : dict of str to str
        Method to its name.
    title : str
        Of the whole figure.

    Raises
    ------
    DataError
        If there is nothing to draw.
    """
    timed = times[times["method"].isin(methods)].dropna(subset="seconds")
    means = timed.groupby(["dataset", "method"], observed=True)["seconds"].mean()
    names = sorted(means.index.unique("dataset"))
    with house_style():
        figure, axes = panels(names, title, "seconds to fit", size=(2.4, 0.7 + 0.17 * len(methods)))
        limits = 10.0 ** np.array([np.floor(np.log10(means.min())), np.ceil(np.log10(means.max()) + 1e-9)])
        for dataset, axis in axes.items():
            for number, method in enumerate(methods):
                if (dataset, method) in means.index:
                    axis.plot([means[dataset, method]], [number], **{**_LINE, **style(number), "linestyle": "none"})
            axis.set(xscale="log", xlim=limits, ylim=(len(methods) - 0.5, -0.5))
            axis.xaxis.set_major_locator(LogLocator(numticks=6))
            axis.xaxis.set_minor_formatter(NullFormatter())
            first = axis.get_subplotspec().is_first_col()
            axis.set_yticks(range(len(methods)), [labels.get(method, method) if first else "" for method in methods])
    return figure
