"""Plot of the features that selectors keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError
from mlreduce.plot.colours import FAINT
from mlreduce.plot.figure import axes, without_middle
from mlreduce.plot.layout import style
from mlreduce.stats.stability import stability_index
from mlreduce.validation import FloatArray


def features(selectors: Any, *, number: int = 20, feature_names: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Draw which features a selector keeps, in the order of its ranking, or how often those of several folds keep them.

    Parameters
    ----------
    selectors : estimator or sequence of estimators
        Fitted selectors with ``get_support``, of this package or of scikit-learn. Of one the bars are its scores, or
        its ranks where it has no scores; of several they are the share of the selectors that keep a feature.
    number : int, default=20
        How many features are shown, the best first.
    feature_names : sequence of str or None, default=None
        None takes those that the selectors were fitted with, or numbers from 0.
    ax : Axes or None, default=None
        None makes a figure.

    Returns
    -------
    Axes
        With a bar per feature, faint where it is not selected. Of several selectors the title has the stability [1]_: 1
        where all keep the same features, about 0 where these are drawn at random.

    Raises
    ------
    DataError
        If an estimator selects no features, the selectors are of different numbers of features, or the names do not
        fit.

    References
    ----------
    .. [1] S. Nogueira, K. Sechidis and G. Brown, "On the stability of feature selection algorithms", Journal of Machine
       Learning Research 18, 1-54, 2018.

    Examples
    --------
    >>> import mlreduce
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.pipeline import make_pipeline
    >>> data = mlreduce.load_dataset("planted-300")
    >>> axes = mlreduce.plot.features(mlreduce.MLFS(k=5).fit(data.X, data.Y), number=10)
    >>> len(axes.patches)
    10
    >>> model = make_pipeline(mlreduce.MLFS(k=5), mlreduce.MLKNN())
    >>> folds = cross_validate(model, data.X, data.Y, cv=5, return_estimator=True)["estimator"]
    >>> axes = mlreduce.plot.features([fold[0] for fold in folds])
    >>> axes.get_xlabel()
    'share of 5 selectors that keep it'
    """
    fitted = list(selectors) if isinstance(selectors, (list, tuple)) else [selectors]
    selected, ranks = _selected_and_ranks(fitted)
    names = feature_names if feature_names is not None else getattr(fitted[0], "feature_names_in_", None)
    names = [f"x{place}" for place in range(selected.shape[1])] if names is None else list(map(str, names))
    if len(names) != selected.shape[1]:
        raise DataError(f"{len(names)} feature names, but {selected.shape[1]} features")
    shares = selected.mean(axis=0)
    scores = getattr(fitted[0], "scores_", None)
    title, values, label = type(fitted[0]).__name__, ranks[0], "rank"
    axis = axes(ax, (5.0, 1.0 + 0.22 * min(number, len(names))))
    if len(fitted) > 1:
        values, label = shares, f"share of {len(fitted)} selectors that keep it"
        axis.set_xlim(0, 1)
        stable = stability_index(selected)
        title += "" if np.isnan(stable) else f", stability {stable:.2f}"
    elif scores is not None:
        values, label = np.asarray(scores, dtype=np.float64), "score"
    shown = np.lexsort((ranks.mean(axis=0), -shares))[:number]
    colours = [style(1)["color"] if shares[place] > 0 else FAINT for place in shown]
    axis.barh(range(len(shown)), values[shown], color=colours, height=0.75)
    axis.set_yticks(range(len(shown)), [without_middle(names[place]) for place in shown], fontsize=8)
    axis.invert_yaxis()
    axis.set(xlabel=label, title=f"{title}: {np.sum(shares > 0)} of {len(names)} features selected")
    axis.grid(visible=False, axis="y")
    return axis


def _selected_and_ranks(fitted: Sequence[Any]) -> tuple[Any, FloatArray]:
    """Return which features each selector keeps, and their ranks; those that it keeps first where it has no ranks."""
    selected, ranks = [], []
    for one in fitted:
        if not hasattr(one, "get_support"):
            raise DataError(
                f"{type(one).__name__} selects no features; of a pipeline give its selector, such as model[0]"
            )
        check_is_fitted(one)
        selected.append(np.asarray(one.get_support()))
        scores = getattr(one, "scores_", None)
        rank = ~selected[-1] if scores is None else (-np.asarray(scores)).argsort(kind="stable").argsort()
        ranks.append(np.asarray(getattr(one, "ranking_", rank), dtype=np.float64))
    if len({len(one) for one in selected}) != 1:
        raise DataError("the selectors are of different numbers of features, or there is none")
    return np.array(selected), np.array(ranks)
