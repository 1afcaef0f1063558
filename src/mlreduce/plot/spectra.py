"""Plot of eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError
from mlreduce.plot.figure import axes
from mlreduce.plot.layout import style
from mlreduce.validation import FloatArray


def spectrum(estimator: Any, *, share: float | None = 0.95, ax: Any = None) -> Any:
    """Draw the eigenvalues of a fitted projection, embedding or label coder, and their cumulative share.

    Parameters
    ----------
    estimator : estimator
        Fitted, with ``eigenvalues_``; fit it with ``n_components=None`` to see all. Of fewer directions, shares are
        those of the sum of all eigenvalues where the estimator knows it, as `PCA` does; where not, the axis and the
        mark show that they are shares of the directions computed.
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
        If it has no positive eigenvalue, or the share is not in (0, 1).

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
    if share is not None and not 0 < share < 1:
        raise DataError(f"share must be in (0, 1) or None; got {share!r}")
    total, of_all = _total(estimator, values)
    index, cumulative = np.arange(1, len(values) + 1), np.cumsum(values) / total
    axis = axes(ax, (5.0, 3.2))
    axis.bar(index, values, width=0.8, color=style(1)["color"], alpha=0.8)
    axis.set(xlabel="direction", ylabel="eigenvalue", title=type(estimator).__name__)
    axis.xaxis.get_major_locator().set_params(integer=True)
    twin = axis.twinx()
    twin.plot(index, cumulative, color=style(0)["color"], marker="." if len(values) <= 60 else None)
    part = "" if of_all else f" of these {len(values)}"
    twin.set(ylabel=f"share of the sum{part}", ylim=(0, 1.03))
    if share is not None:
        enough = int(np.searchsorted(cumulative, share - 1e-12)) + 1
        if enough > len(values):  # there are more directions than were computed
            enough, share = len(values), float(cumulative[-1])
        twin.axvline(enough, color="#606060", linewidth=1, linestyle=":")
        # On the side where there is room.
        left = enough > 0.7 * len(values)
        twin.annotate(
            f"{enough} hold {share:.0%}{part}",
            (enough, 0.05),
            xytext=(-4 if left else 4, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )
    return axis


def _total(estimator: Any, values: FloatArray) -> tuple[float, bool]:
    """Return the sum of all positive eigenvalues and True, or that of those computed and whether they are all."""
    total = getattr(estimator, "_total", None)
    if total is not None:
        return float(total), True
    every = getattr(estimator, "n_components", None) is None
    n_labels = getattr(estimator, "n_labels_", None)  # of a label coder, which has no more directions than labels
    return float(values.sum()), every or getattr(estimator, "n_components_", 0) == n_labels
