"""Plots of fitted methods, labels and comparisons, with Matplotlib.

Each function draws into ``ax``, or into a new figure, and returns the axes, so that titles, limits and colours can be
changed afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError
from mlreduce.metrics import higher_is_better, measure_label
from mlreduce.validation import check_labels

__all__ = [
    "comparison_matrix",
    "critical_differences",
    "label_cooccurrence",
    "label_map",
    "model_tree",
    "quality_against_size",
    "spectrum",
]

# Labels whose names still can be read beside a heat map.
_NAMED = 40
_GREY = "#c8c8c8"


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def _style(position: int) -> dict[str, Any]:
    from mlreduce.reporting.figures.layout import style

    return style(position)


def spectrum(estimator: Any, *, share: float | None = 0.95, ax: Any = None) -> Any:
    """Draw the eigenvalues of a fitted projection, embedding or label coder, and their cumulative share.

    Parameters
    ----------
    estimator : estimator
        Fitted, with ``eigenvalues_``; fit it with ``n_components=None`` to see all.
    share : float or None, default=0.95
        Mark how many directions hold this share of the sum; in (0, 1). None marks nothing.
    ax : Axes or None, default=None
        None makes a figure.

    Returns
    -------
    Axes
        Of the eigenvalues; those of the share are its twin.

    Raises
    ------
    DataError
        If it has no positive eigenvalue.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce import plot
    >>> X, y = mlreduce.load_dataset("digits", return_X_y=True)
    >>> ax = plot.spectrum(mlreduce.PCA().fit(X))
    >>> ax.get_ylabel()
    'eigenvalue'
    """
    check_is_fitted(estimator)
    values = np.asarray(getattr(estimator, "eigenvalues_", []), dtype=np.float64)
    values = values[values > 0]
    if not len(values):
        raise DataError(f"{type(estimator).__name__} has no positive eigenvalue to draw")
    index, cumulative = np.arange(1, len(values) + 1), np.cumsum(values) / values.sum()
    axis = _axes(ax, (5.0, 3.2))
    axis.bar(index, values, width=0.8, color=_style(1)["color"], alpha=0.8)
    axis.set(xlabel="direction", ylabel="eigenvalue", title=type(estimator).__name__)
    axis.xaxis.get_major_locator().set_params(integer=True)
    twin = axis.twinx()
    twin.plot(index, cumulative, color=_style(0)["color"], marker="." if len(values) <= 60 else None)
    twin.set(ylabel="share of the sum", ylim=(0, 1.03))
    if share is not None:
        enough = int(np.searchsorted(cumulative, share - 1e-12)) + 1
        twin.axvline(enough, color="#606060", linewidth=1, linestyle=":")
        # On the side where there is room.
        left = enough > 0.7 * len(values)
        twin.annotate(
            f"{enough} hold {share:.0%}", (enough, 0.05), xytext=(-4 if left else 4, 0), textcoords="offset points",
            ha="right" if left else "left", fontsize=9,
        )  # fmt: skip
    return axis


def label_map(
    Z: Any, y: Any, *, label_names: Sequence[str] | None = None, n_sets: int = 7, size: float = 14, ax: Any = None
) -> Any:
    """Draw instances in the first two columns of an embedding, coloured by their label sets.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        From ``transform``; at least two columns.
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        Labels in {0, 1} or {-1, 1}; a DataFrame has names.
    label_names : sequence of str or None, default=None
        None takes those of ``y``, or numbers from 1.
    n_sets : int, default=7
        The most frequent label sets have colours and stand in the legend; all others are grey. In 1..8.
    size : float, default=14
        Of the points, in square points.
    ax : Axes or None, default=None

    Returns
    -------
    Axes

    Raises
    ------
    DataError
        If there are fewer than two columns, or not as many rows as labels.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce import plot
    >>> data = mlreduce.load_dataset("digits")
    >>> Z = mlreduce.MDDMp(n_components=2).fit_transform(data.X, data.Y)
    >>> ax = plot.label_map(Z, data.Y, label_names=data.label_names)
    """
    points = np.asarray(Z, dtype=np.float64)
    labels, names = _labels(y, label_names)
    if points.ndim != 2 or points.shape[1] < 2 or len(points) != len(labels):
        raise DataError(
            f"a map needs two columns and a row per instance; got {points.shape} of {len(labels)} instances"
        )
    sets, which, counts = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
    which = which.ravel()
    shown = np.argsort(-counts, kind="stable")[: min(max(n_sets, 1), 8)]
    axis = _axes(ax, (6.2, 4.2))
    others = ~np.isin(which, shown)
    if others.any():
        text = f"{len(sets) - len(shown)} other sets ({others.sum()})"
        axis.scatter(*points[others, :2].T, s=size, color=_GREY, linewidths=0, label=text)
    for position, number in enumerate(shown):
        rows = which == number
        text = ", ".join(names[column] for column in np.flatnonzero(sets[number])) or "no label"
        own = _style(position)
        axis.scatter(
            *points[rows, :2].T, s=size, color=own["color"], marker=own["marker"], linewidths=0, alpha=0.85,
            label=f"{_short(text)} ({counts[number]})",
        )  # fmt: skip
    axis.set(xlabel="first direction", ylabel="second direction", xticks=[], yticks=[])
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8, title="label sets")
    return axis


def _short(text: str, length: int = 40) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _labels(y: Any, label_names: Sequence[str] | None) -> tuple[NDArray[np.int8], list[str]]:
    labels = check_labels(y).astype(np.int8)
    known = list(y.columns) if isinstance(y, pd.DataFrame) else range(1, labels.shape[1] + 1)
    names = list(map(str, known if label_names is None else label_names))
    if len(names) != labels.shape[1]:
        raise DataError(f"{len(names)} label names, but {labels.shape[1]} labels")
    return labels, names


def label_cooccurrence(y: Any, *, label_names: Sequence[str] | None = None, order: bool = True, ax: Any = None) -> Any:
    """Draw how often labels occur together: the share of a row's instances that have the column's label too.

    Parameters
    ----------
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels)
        Labels in {0, 1} or {-1, 1}.
    label_names : sequence of str or None, default=None
        None takes those of ``y``, or numbers from 1.
    order : bool, default=True
        Put labels that occur together beside each other, by average linkage of their cosines. False keeps the order.
    ax : Axes or None, default=None

    Returns
    -------
    Axes

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce import plot
    >>> data = mlreduce.load_dataset("digits")
    >>> ax = plot.label_cooccurrence(data.Y, label_names=data.label_names)
    """
    labels, names = _labels(y, label_names)
    counts = labels.T.astype(np.float64) @ labels
    frequency = np.diag(counts)
    share = np.divide(counts, frequency[:, np.newaxis], out=np.zeros_like(counts), where=frequency[:, np.newaxis] > 0)
    at: NDArray[Any] = np.arange(len(names))
    if order and len(names) > 2:
        from scipy.cluster import hierarchy
        from scipy.spatial.distance import squareform

        norms = np.sqrt(np.outer(frequency, frequency))
        cosine = np.divide(counts, norms, out=np.zeros_like(counts), where=norms > 0)
        distance = squareform(np.clip(1 - cosine, 0, None), checks=False)
        at = hierarchy.leaves_list(hierarchy.linkage(distance, "average", optimal_ordering=len(names) <= 200))
    side = min(2.2 + 0.28 * len(names), 9.0)
    axis = _axes(ax, (side + 0.8, side))
    image = axis.imshow(share[np.ix_(at, at)], cmap="viridis", vmin=0, vmax=1, interpolation="nearest")
    if len(names) <= _NAMED:
        shown = [_short(names[number], 24) for number in at]
        axis.set_xticks(range(len(at)), shown, rotation=90, fontsize=8)
        axis.set_yticks(range(len(at)), shown, fontsize=8)
    axis.set(xlabel="also has", ylabel="instances with the label")
    axis.figure.colorbar(image, ax=axis, shrink=0.8, label="share")
    return axis


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

    Returns
    -------
    Axes

    Raises
    ------
    DataError
        If there are no such scores.
    """
    table = getattr(scores, "scores", scores)
    measure = measure or str(table["measure"].iloc[0])
    predictor = predictor or str(table["predictor"].iloc[0])
    own = table[(table["measure"] == measure) & (table["predictor"] == predictor)]
    if own.empty:
        raise DataError(f"there are no scores of {measure!r} with the predictor {predictor!r}")
    cells = own.groupby(["method", "size_percent"])["value"].agg(["mean", "sem"]).reset_index()
    last = cells.sort_values("size_percent", kind="stable").groupby("method")["mean"].last()
    shown = list(methods) if methods else list(last.sort_values(ascending=not higher_is_better(measure)).index)
    axis = _axes(ax, (6.2, 3.8))
    for position, method in enumerate(shown):
        line = cells[cells["method"] == method].sort_values("size_percent")
        if len(line) == 1:  # no curve: what is not reduced, or has one size
            axis.axhline(
                line["mean"].item(), label=method, linewidth=1.2, color=_style(position)["color"], linestyle=":"
            )
            continue
        axis.errorbar(
            line["size_percent"], line["mean"], yerr=line["sem"], label=method, markersize=4, linewidth=1.2,
            elinewidth=0.7, capsize=2, **_style(position),
        )  # fmt: skip
    axis.set(xlabel="size, %", ylabel=measure_label(measure), title=predictor)
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)
    return axis


def critical_differences(values: pd.DataFrame, *, higher_is_better: bool = True, ax: Any = None) -> Any:
    """Draw a critical-difference diagram of methods over data sets, after Demsar [1]_.

    Parameters
    ----------
    values : DataFrame of shape (n_datasets, n_methods)
        A value of each method on each data set; at least three methods and two data sets.
    higher_is_better : bool, default=True
    ax : Axes or None, default=None

    Returns
    -------
    Axes

    Raises
    ------
    DataError
        If a value is missing, or there are too few methods or data sets.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning
       Research 7, 1-30, 2006.
    """
    from mlreduce.reporting.figures.critical_differences import draw_diagram
    from mlreduce.reporting.statistics import compare

    if values.shape[0] < 2 or values.shape[1] < 3:
        raise DataError(f"a diagram needs two data sets and three methods; got {values.shape[0]} and {values.shape[1]}")
    made = compare(values, higher_is_better)
    axis = _axes(ax, (6.5, 1.4 + 0.2 * values.shape[1]))
    axis.grid(visible=False)
    draw_diagram(axis, made, {str(method): str(method) for method in values})
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

    Returns
    -------
    Axes

    References
    ----------
    .. [1] A. Ismail-Fawaz et al., "An approach to multiple comparison benchmark evaluations that is stable under
       manipulation of the comparate set", 2023.
    """
    from mlreduce.reporting.figures.comparisons import draw_matrix

    table = pairs if isinstance(pairs, pd.DataFrame) else pairs.pairs()
    methods = list(table["method"].unique())
    if len(methods) < 2:
        raise DataError("a comparison needs two methods")
    side = 1.2 + 0.85 * len(methods)
    axis = _axes(ax, (side + 0.8, side))
    draw_matrix(axis, table, {method: (names or {}).get(method, method) for method in methods})
    return axis


def model_tree(
    tree: Any, *, output: int = 0, feature_names: Sequence[str] | None = None, max_depth: int = 2, ax: Any = None
) -> Any:
    """Draw a fitted M5' model tree: tests, leaves and their rows.

    Parameters
    ----------
    tree : M5PRegressor
        Fitted.
    output : int, default=0
        Which target's tree.
    feature_names : sequence of str or None, default=None
        None takes those that it was fitted with. Long ones lose their middle.
    max_depth : int, default=2
        Nodes below it are drawn as one that says how many leaves it has.
    ax : Axes or None, default=None
        None makes a figure as wide as the tree needs.

    Returns
    -------
    Axes

    Raises
    ------
    DataError
        If there is no such target, or the names are not as many as the features.
    """
    check_is_fitted(tree)
    known = feature_names if feature_names is not None else getattr(tree, "feature_names_in_", None)
    names = None if known is None else [_without_middle(str(name)) for name in known]
    return tree.plot(output, names, max_depth, ax=_axes(ax, (2.0 + 1.6 * 2**max_depth, 1.5 + max_depth)))


def _without_middle(text: str, length: int = 22) -> str:
    half = length // 2
    return text if len(text) <= length else f"{text[:half]}…{text[-half:]}"
