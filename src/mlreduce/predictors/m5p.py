"""M5' model trees: regression trees with a linear model in every leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import joblib
import numpy as np
import threadpoolctl
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import known_together, rows_of
from mlreduce.predictors._base import Regressor
from mlreduce.predictors._tree_columns import Columns, sort_columns
from mlreduce.predictors._tree_growth import grow
from mlreduce.predictors._tree_models import Rows, Tree, finish
from mlreduce.predictors._tree_use import draw, leaves_of, predict, tree_text
from mlreduce.registry import register
from mlreduce.validation import FloatArray, check_features


@register("m5p")
class M5PRegressor(Regressor):
    """M5' model tree: a regression tree with a linear model in every leaf.

    As Weka 3.6 builds it with its defaults, in a variant of which the tree does not depend on the order of the rows: a
    tie goes to the first column and to the lowest threshold. Predictions differ from Weka's where that is decided by
    rounding there; errors on new rows do not, but for chance (docs/deviations.md).

    Features are not scaled and need not be. Targets should be of the order of one: splits whose gains differ by less
    than 1e-6 count as equal, in the targets' unit to the power of two fifths. Several targets get a tree each; the
    columns are sorted once for all. A target that is NaN somewhere has the tree of the other rows.

    Parameters
    ----------
    min_samples_split : int, default=4
        Nodes with fewer training rows are not split; at least 1. Of fewer than four rows no split is allowed anyway.
    smoothing : bool, default=True
        Mix each leaf's model with those of the nodes above it, the more the fewer rows a node has.
    pruning : bool, default=True
        Turn a node into a leaf where its linear model is expected to be no worse than the subtree below.
    n_jobs : int or None, default=None
        Threads, each for one target at a time; None is 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    trees_ : list of Tree
        One a target: nodes in preorder, models of the leaves; see `mlreduce.predictors._tree_models.Tree`.
    n_leaves_ : list of int
        Number of leaves, which is that of linear models, a target.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Only when ``X`` was a DataFrame with text as column names.

    Notes
    -----
    The first fit after an installation compiles its loops, about fifteen seconds of a processor, and stores them, which
    the logger ``mlreduce`` reports; the command ``mlreduce doctor --compile`` does so ahead.

    References
    ----------
    Quinlan (1992), "Learning with continuous classes". Wang and Witten (1997), "Inducing model trees for continuous
    classes". Section 4.2 of Chen and Lin (2012), cplst-2012, predicts the codes of labels with it.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.predictors import M5PRegressor
    >>> x = np.linspace(-1, 1, 41)[:, np.newaxis]
    >>> tree = M5PRegressor(smoothing=False).fit(x, np.where(x[:, 0] < 0, 3 + x[:, 0], 5 - 2 * x[:, 0]))
    >>> print(tree.export_text(feature_names=["x"], digits=3))
    x <= -0.025: model 1 (20 rows)
    x > -0.025: model 2 (21 rows)
    <BLANKLINE>
    model 1: 3 + 1 x
    model 2: 5 - 2 x
    """

    complexity = Complexity("s q", "s")
    independent_targets = True
    takes_unknown_cells = True
    _fitted = "trees_"

    def __init__(
        self, min_samples_split: int = 4, smoothing: bool = True, pruning: bool = True, n_jobs: int | None = None
    ) -> None:
        self.min_samples_split = min_samples_split
        self.smoothing = smoothing
        self.pruning = pruning
        self.n_jobs = n_jobs

    def _fit(self, features: Any, targets: FloatArray) -> None:
        self._check_parameters()
        table = targets.reshape(len(targets), -1)
        table = np.where(np.isnan(table).all(axis=0), 0.0, table)  # a target known nowhere gets a leaf
        trees: dict[int, Tree] = {}
        # One BLAS thread: the matrices are small, and the bits must not depend on the number of cores.
        with threadpoolctl.threadpool_limits(1, user_api="blas"):
            for known, chosen in known_together(table):
                part = rows_of(features, known)
                columns, rows = sort_columns(part), Rows.from_features(part)
                built = joblib.Parallel(n_jobs=self.n_jobs, require="sharedmem")(
                    joblib.delayed(self._build)(columns, rows, np.require(target, None, ["C", "W"]))
                    for target in table[known][:, chosen].T
                )
                trees |= zip(np.arange(table.shape[1])[chosen].tolist(), built, strict=True)
        self.trees_ = [trees[target] for target in range(table.shape[1])]
        self.n_leaves_ = [int(np.count_nonzero(tree.feature < 0)) for tree in self.trees_]
        self._one_dimension = targets.ndim == 1

    def _check_parameters(self) -> None:
        value: Any = self.min_samples_split
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 1:
            raise DataError(
                f"min_samples_split, the rows that a node needs to be split, must be an integer >= 1; got {value!r}"
            )

    def _build(self, columns: Columns, rows: Rows, target: FloatArray) -> Tree:
        growth = grow(columns, target, int(self.min_samples_split))
        return finish(rows, target, growth, len(columns.zero_rank), bool(self.pruning), bool(self.smoothing))

    def _predict(self, features: Any) -> FloatArray:
        rows = Rows.from_features(features)
        predicted = np.column_stack([predict(tree, rows, self.n_features_in_) for tree in self.trees_])
        return predicted[:, 0] if self._one_dimension else predicted

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the node of the leaf that each row falls into, of the shape that ``predict`` returns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        ndarray of int, shape (n_samples, n_targets) or (n_samples,)
            Indices into the nodes of each tree of ``trees_``.
        """
        check_is_fitted(self, "trees_")
        rows = Rows.from_features(check_features(self, X, reset=False))
        leaves = np.column_stack([leaves_of(tree, rows, self.n_features_in_) for tree in self.trees_])
        return leaves[:, 0] if self._one_dimension else leaves

    def export_text(self, output: int = 0, feature_names: Sequence[str] | None = None, digits: int = 4) -> str:
        """Return a tree as text: its tests, indented by depth, and the linear models of its leaves.

        Parameters
        ----------
        output : int, default=0
            Which target's tree.
        feature_names : sequence of str or None, default=None
            None takes those that ``fit`` saw, or else "x0", "x1" and so on.
        digits : int, default=4
            Significant digits of thresholds and coefficients.

        Returns
        -------
        str
            One line per leaf and per test, then one per model.

        Raises
        ------
        DataError
            If there is no such target, or the names are not as many as the features.
        """
        return tree_text(self._tree(output), self._names(feature_names), digits)

    def plot(
        self, output: int = 0, feature_names: Sequence[str] | None = None, max_depth: int = 4, ax: Any = None
    ) -> Any:
        """Draw a tree: tests at the nodes, number of rows and of coefficients at the leaves.

        Parameters
        ----------
        output, feature_names
            As for `export_text`.
        max_depth : int, default=4
            Nodes below it are drawn as one with the number of its leaves.
        ax : matplotlib Axes or None, default=None
            None makes one.

        Returns
        -------
        ax : matplotlib Axes
            With the tree.

        Raises
        ------
        DataError
            As `export_text`.
        ImportError
            If matplotlib is not installed.
        """
        return draw(self._tree(output), self._names(feature_names), max_depth, ax)

    def _tree(self, output: int) -> Tree:
        check_is_fitted(self, "trees_")
        if not 0 <= output < len(self.trees_):
            raise DataError(f"output must be one of 0..{len(self.trees_) - 1}, the targets of fit; got {output}")
        return self.trees_[output]

    def _names(self, names: Sequence[str] | None) -> list[str]:
        if names is None:
            names = getattr(self, "feature_names_in_", None)
        if names is None:
            return [f"x{number}" for number in range(self.n_features_in_)]
        if len(names) != self.n_features_in_:
            raise DataError(f"feature_names has {len(names)} names, but the trees were grown on {self.n_features_in_}")
        return [str(name) for name in names]
