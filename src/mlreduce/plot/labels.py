"""Plots of labels: instances by their label sets, and labels that occur together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.plot.figure import axes, labels_and_names, short
from mlreduce.plot.layout import style

# Labels whose names still can be read next to a heat map.
_NAMED = 40
_GREY = "#c8c8c8"


def label_map(
    Z: Any, y: Any, *, label_names: Sequence[str] | None = None, n_sets: int = 7, size: float = 14, ax: Any = None
) -> Any:
    """Draw instances in the first two columns of an embedding, coloured by their label sets.

    Parameters
    ----------
    Z : array-like of shape (n_samples, n_components)
        From ``transform``; at least two columns.
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or MultiLabelData
        Labels in {0, 1} or {-1, 1}; a DataFrame and a data set have names.
    label_names : sequence of str or None, default=None
        None takes those of ``y``, or numbers from 1.
    n_sets : int, default=7
        The most frequent label sets have colours and are in the legend; all others are grey. In 1..8.
    size : float, default=14
        Of the points, in square points.
    ax : Axes or None, default=None
        None makes a figure.

    Returns
    -------
    Axes
        One point per instance.

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
    >>> ax = plot.label_map(Z, data)
    """
    points = np.asarray(Z, dtype=np.float64)
    labels, names = labels_and_names(y, label_names)
    if points.ndim != 2 or points.shape[1] < 2 or len(points) != len(labels):
        raise DataError(
            f"a map needs two columns and a row per instance; got {points.shape} of {len(labels)} instances"
        )
    sets, which, counts = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
    which = which.ravel()
    shown = np.argsort(-counts, kind="stable")[: min(max(n_sets, 1), 8)]
    axis = axes(ax, (6.2, 4.2))
    others = ~np.isin(which, shown)
    if others.any():
        text = f"{len(sets) - len(shown)} other sets ({others.sum()})"
        axis.scatter(*points[others, :2].T, s=size, color=_GREY, linewidths=0, label=text)
    for position, number in enumerate(shown):
        rows = which == number
        text = ", ".join(names[column] for column in np.flatnonzero(sets[number])) or "no label"
        look = style(position)
        axis.scatter(
            *points[rows, :2].T, s=size, color=look["color"], marker=look["marker"], linewidths=0, alpha=0.85,
            label=f"{short(text)} ({counts[number]})",
        )  # fmt: skip
    axis.set(xlabel="first direction", ylabel="second direction", xticks=[], yticks=[])
    axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8, title="label sets")
    return axis


def label_cooccurrence(y: Any, *, label_names: Sequence[str] | None = None, order: bool = True, ax: Any = None) -> Any:
    """Draw how often labels occur together: the share of a row's instances that have the column's label too.

    Parameters
    ----------
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or MultiLabelData
        Labels in {0, 1} or {-1, 1}; a DataFrame and a data set have names.
    label_names : sequence of str or None, default=None
        None takes those of ``y``, or numbers from 1.
    order : bool, default=True
        Put labels that occur together next to each other, by average linkage of their cosines. False keeps the order.
    ax : Axes or None, default=None
        None makes a figure.

    Returns
    -------
    Axes
        One cell per pair of labels.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce import plot
    >>> data = mlreduce.load_dataset("digits")
    >>> ax = plot.label_cooccurrence(data)
    """
    labels, names = labels_and_names(y, label_names)
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
    axis = axes(ax, (side + 0.8, side))
    image = axis.imshow(share[np.ix_(at, at)], cmap="viridis", vmin=0, vmax=1, interpolation="nearest")
    if len(names) <= _NAMED:
        shown = [short(names[number], 24) for number in at]
        axis.set_xticks(range(len(at)), shown, rotation=90, fontsize=8)
        axis.set_yticks(range(len(at)), shown, fontsize=8)
    axis.set(xlabel="also has", ylabel="instances with the label")
    axis.figure.colorbar(image, ax=axis, shrink=0.8, label="share")
    return axis
