"""Plot of model trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from mlreduce.plot.figure import axes, without_middle


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
        Nodes below it are drawn as one with the number of its leaves.
    ax : Axes or None, default=None
        None makes a figure as wide as the tree needs.

    Returns
    -------
    Axes
        With the tree.

    Raises
    ------
    DataError
        If there is no such target, or the names are not as many as the features.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> tree = mlreduce.M5PRegressor().fit(data.X, data.X[:, 0] ** 2)
    >>> axes = mlreduce.plot.model_tree(tree, feature_names=data.feature_names, max_depth=1)
    >>> any("x0" in text.get_text() for text in axes.texts)  # the only feature that matters
    True
    """
    check_is_fitted(tree)
    known = feature_names if feature_names is not None else getattr(tree, "feature_names_in_", None)
    names = None if known is None else [without_middle(str(name)) for name in known]
    return tree.plot(output, names, max_depth, ax=axes(ax, (2.0 + 1.6 * 2**max_depth, 1.5 + max_depth)))
