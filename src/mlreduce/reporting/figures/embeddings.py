"""Figures of the study of embeddings: methods by family, proximities of instances as images, costs of fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from mlreduce.exceptions import DataError
from mlreduce.reporting.figures.layout import house_style, panels, shared_legend, style
from mlreduce.reporting.names import measure_name

__all__ = ["cost_curves", "family_comparison", "proximity_images"]

# What grows, by its name on the axis, and the dashes of the kinds of features.
_SWEPT = {"rows": "rows n", "features": "features d", "prototypes": "prototypes p"}
_DASHES = {"original": "-", "relation": "--"}

# Shares of the values of an image between which its greys run.
_GREYS = (0.01, 0.99)


def family_comparison(
    summary: pd.DataFrame, measure: str, families: Mapping[str, Sequence[str]], labels: Mapping[str, str], title: str
) -> Any:
    """Draw a panel a data set: a row a method, its mean and standard error, coloured by family.

    Parameters
    ----------
    summary : DataFrame
        From `mlreduce.reporting.tables.layout.summarise`, of one protocol and one predictor; the rows whose size
        stands for itself are drawn.
    measure : str
        What to draw.
    families : dict of str to list of str
        Name in the legend to methods.
    labels : dict of str to str
        Method to its name on the axis.
    title : str
        Of the whole figure.

    Raises
    ------
    DataError
        If there is nothing to draw, or a method has several values on a data set.
    """
    rows = summary[(summary["measure"] == measure) & (summary["size_percent"] == 0) & (summary["energy"] == 0)]
    methods = [method for own in families.values() for method in own]
    rows = rows[rows["method"].isin(methods)]
    if rows.duplicated(["dataset", "method"]).any():
        raise DataError(f"figure {title!r}: a method has several values on a data set; it needs one size.")
    places = {method: -number for number, method in enumerate(methods)}
    with house_style():
        height = 0.5 + 0.17 * len(methods)
        figure, axes = panels(
            sorted(rows["dataset"].unique()), title, measure_name(measure), columns=3, size=(2.9, height)
        )
        for dataset, axis in axes.items():
            own = rows[rows["dataset"] == dataset].set_index("method")
            for number, (family, members) in enumerate(families.items()):
                there = [method for method in members if method in own.index]
                look = {**style(number), "linestyle": "none"}
                values, errors = own.loc[there, "mean"], own.loc[there, "se"]
                axis.errorbar(
                    values, [places[m] for m in there], xerr=errors, label=family, markersize=4, elinewidth=0.8, **look
                )
            axis.set_yticks(list(places.values()), [labels.get(method, method) for method in places], fontsize=7)
            axis.set_ylim(-len(methods), 1)
        for axis in list(axes.values())[1:]:
            if axis.get_subplotspec().colspan.start:
                axis.set_yticklabels([])
        shared_legend(figure)
    return figure


def proximity_images(
    images: pd.DataFrame, matrices: Sequence[str], labels: Mapping[str, str], title: str, score_name: str
) -> Any:
    """Draw matrices of proximities as images, dark where instances are near; a row of panels a data set.

    Parameters
    ----------
    images : DataFrame
        Columns dataset, method, row, column, value and score: blocks of a matrix whose rows are ordered by likeness of
        their labels, and what its embedding scores.
    matrices : sequence of str
        Methods whose matrices are drawn, in this order.
    labels : dict of str to str
        Method to its name.
    title : str
        Of the whole figure.
    score_name : str
        What the score is.

    Raises
    ------
    DataError
        If there is nothing to draw.
    """
    cells = {(str(name), str(method)): own for (name, method), own in images.groupby(["dataset", "method"])}
    shown = [(name, method) for name in sorted(images["dataset"].unique()) for method in matrices]
    shown = [key for key in shown if key in cells]
    names = []
    for name, method in shown:
        score = cells[name, method]["score"].iloc[0]
        said = "" if np.isnan(score) else f" ({score:.3f})"
        names.append(f"{name}: {labels.get(method, method)}{said}")
    with house_style():
        figure, axes = panels(names, f"{title}; in brackets the {score_name}", columns=5, size=(1.9, 2.0))
        for key, axis in zip(shown, axes.values(), strict=True):
            image = cells[key].pivot(index="row", columns="column", values="value").to_numpy()
            low, high = np.quantile(image, _GREYS)
            axis.imshow(image, cmap="Greys", vmin=low, vmax=max(high, low + 1e-12), interpolation="nearest")
            axis.set(xticks=[], yticks=[])
            axis.grid(visible=False)
            axis.title.set_fontsize(7.5)
    return figure


def cost_curves(costs: pd.DataFrame, methods: Sequence[str], labels: Mapping[str, str], title: str) -> Any:
    """Draw seconds against what grows, a panel a data set and size, a line a method and kind of features.

    Parameters
    ----------
    costs : DataFrame
        With `mlreduce.experiments.costs.COST_COLUMNS`.
    methods : sequence of str
        Which methods, in the order of their styles.
    labels : dict of str to str
        Method to its name in the legend.
    title : str
        Of the whole figure.
    """
    shown = [(str(d), str(s)) for d in sorted(costs["dataset"].unique()) for s in _SWEPT]
    shown = [(d, s) for d, s in shown if len(costs[(costs["dataset"] == d) & (costs["swept"] == s)])]
    with house_style():
        figure, axes = panels(
            [f"{dataset}: {_SWEPT[swept]}" for dataset, swept in shown], title, "", "seconds", columns=3
        )
        for (dataset, swept), axis in zip(shown, axes.values(), strict=True):
            own = costs[(costs["dataset"] == dataset) & (costs["swept"] == swept)]
            for number, method in enumerate(methods):
                for space, dashes in _DASHES.items():
                    line = own[(own["method"] == method) & (own["space"] == space)].sort_values(swept)
                    if len(line):
                        look = {**style(number), "linestyle": dashes}
                        name = f"{labels.get(method, method)}, {space}"
                        axis.plot(line[swept], line["seconds"], label=name, markersize=4, linewidth=1.1, **look)
            axis.set(xscale="log", yscale="log")
            axis.set_xticks(sorted(own[swept].unique()))
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
            axis.xaxis.set_minor_formatter(NullFormatter())
        shared_legend(figure)
    return figure
