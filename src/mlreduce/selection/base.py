"""Base of the feature selectors: ranking and selection from scores."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.features import constant_columns
from mlreduce.preprocessing.discretisation import Bins, discretise
from mlreduce.registry import has_shortcut
from mlreduce.validation import (
    FloatArray,
    Size,
    check_features,
    check_fit_memory,
    check_known_labels,
    check_labels,
    check_memory,
    check_option,
    check_percentage,
    check_range,
    check_size,
    check_table,
    is_sparse,
    one_hot,
    remember_label_names,
    rows_by_weight,
)
from mlreduce.validation.estimator import Estimator

#: Values of ``variant`` where a paper's published code differs from its equations.
VARIANTS = ("equations", "published-code")


def check_variant(variant: Any, *others: str) -> bool:
    """Check ``variant``, one of `VARIANTS` or of a method's others, and return whether it is the published code.

    Raises DataError if the variant is unknown.
    """
    return bool(check_option(variant, "variant", (*VARIANTS, *others)) == VARIANTS[1])


def weigh(value: Any, name: str, unit: float, open_ends: bool = False) -> float:
    """Return a weight >= 0, which is a number or a percentage of a unit.

    Raises DataError if it is neither; of a number with ``open_ends``, if it is 0.
    """
    if isinstance(value, str):
        return float(check_percentage(value, name)) / 100.0 * unit
    return check_range(value, name, 0, open_ends=open_ends)


def check_not_negative(X: Any, method: str, names: Any) -> None:
    """Raise DataError if a feature is below zero, naming the first column that has such a value."""
    lowest = np.asarray(X.min(axis=0).toarray() if is_sparse(X) else X.min(axis=0)).reshape(-1)
    if (lowest < 0).any():
        column = int((lowest < 0).argmax())
        named = f" ({names[column]!r})" if names is not None else ""
        raise DataError(
            f"Negative values in data passed to {method}: X holds {lowest[column]:g} in column {column}{named}; it "
            "takes features >= 0, such as counts, or values scaled to [0, 1] by sklearn.preprocessing.MinMaxScaler"
        )


def check_some_vary(varying: NDArray[np.intp], n_samples: int) -> NDArray[np.intp]:
    """Return the labels that some instances have and others do not; raise DataError if there are none."""
    if not len(varying):
        raise DataError(
            f"no label has both values among the {n_samples} instances: a score compares those that have a label with "
            "those that do not, and all labels are of one class"
        )
    return varying


def check_pairs(n_features: int, method: str) -> None:
    """Raise DataError if three matrices of all pairs of features do not fit into memory, with the number that would."""
    advice = "select some of the features before, by MIM, SCLS or chi2, which need no pairs of features"
    what = f"{method}, which compares all pairs of {n_features} features,"
    check_memory(24.0 * n_features**2, what, advice, (n_features, "features"), power=2)


def varying_labels(labels: Any) -> Any:
    """Return the columns of the labels that some instances have and others do not; raise DataError without any."""
    sizes = np.asarray(labels.sum(axis=0)).reshape(-1)
    varying = np.flatnonzero((sizes > 0) & (sizes < labels.shape[0]))
    return labels[:, check_some_vary(varying, labels.shape[0])]


class Selector(SelectorMixin, Estimator):
    """Base of the feature selectors; methods implement `_scores`, larger is better.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The larger, the better the feature.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Features that are constant in ``X`` come
        last, and do not change the order of the others.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> from mlreduce.selection import Selector
    >>> class LargestVariance(Selector):
    ...     def __init__(self, k=0.5):
    ...         self.k = k
    ...     def _scores(self, X, labels):
    ...         return np.var(X, axis=0)
    >>> X, Y = np.array([[0.0, 0.0], [0.0, 9.0], [1.0, 0.0]]), np.array([[1], [0], [1]])
    >>> LargestVariance(k=1).fit(X, Y).ranking_
    array([2, 1])
    """

    #: Whether what is fitted is linear in the features.
    linear = True
    #: What a fit costs.
    complexity: Complexity
    #: Whether `fit` needs labels.
    supervised = True
    #: Whether single labels of an instance may be unknown: cells of NaN.
    takes_unknown_cells = False
    #: Whether labels may be a csr_array; where not, sparse ones are made dense.
    takes_sparse_labels = False
    #: Whether features are selected; False for the control that keeps all features.
    selects = True

    #: Fitted arrays with a row per feature, in addition to the scores and the ranking.
    by_feature: tuple[str, ...] = ()

    k: Size

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.supervised
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Score and rank the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None
            Labels in {0, 1} or {-1, 1}, NaN where not known for methods that take it. A label that is known nowhere is
            ignored. The controls `AllFeatures` and `RandomFeatures` ignore ``y``.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How many equal rows each row stands for: whole numbers >= 0.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1 or -1/1, a weight is no whole number >= 0, or a parameter is
            impossible; if a label is NaN and the method takes no unknown ones, or no label is known.
        """
        check_fit_memory(self, X, y)
        features = check_features(self, X, reset=True)
        labels = np.empty((features.shape[0], 0))
        if self.supervised:
            labels = self._check_labels(y, features.shape[0])
            remember_label_names(self, y)
        if self.__sklearn_tags__().input_tags.positive_only:
            check_not_negative(features, type(self).__name__, getattr(self, "feature_names_in_", None))
        if sample_weight is not None:
            rows = rows_by_weight(sample_weight, *features.shape)
            features, labels = features[rows], labels[rows]
            if not is_sparse(labels) and np.isnan(labels).any():  # a label may be known in rows of weight zero alone
                labels = labels[:, ~np.isnan(labels).all(axis=0)]
        size, varying = self._size(features.shape[1]), np.flatnonzero(~constant_columns(features))
        self.n_informative_ = len(varying)
        if 0 < len(varying) < features.shape[1]:
            self._rank(features[:, varying], labels, min(size, len(varying)))
            self._widen(varying, features.shape[1])
        else:
            self._rank(features, labels, size)
        return self

    def transform(self, X: Any) -> Any:
        """Return the selected features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        X : ndarray or sparse matrix of shape (n_samples, n_selected)
            The columns that `get_support` marks, in the order of ``X``.

        Raises
        ------
        DataError
            If cells are masked, a column holds no numbers, or a sparse matrix is damaged.
        """
        check_table(X, "X")
        with np.errstate(invalid="ignore"):  # of sums of float32 near its end, by which scikit-learn looks for NaN
            return super().transform(X)

    def inverse_transform(self, X: Any) -> Any:
        """Return features in their columns, with zeros in those that were not selected.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_selected)
            Selected features.

        Returns
        -------
        X : ndarray or sparse matrix of shape (n_samples, n_features)
            As before the selection, but for the zeros.

        Raises
        ------
        DataError
            As `transform`.
        """
        check_table(X, "X")
        with np.errstate(invalid="ignore"):
            return super().inverse_transform(X)

    def _rank(self, features: Any, labels: Any, size: int) -> None:
        """Score and rank features, of which ``size`` are to be selected."""
        self._n_selected = size
        # Of a penalised regression so many features are to have a score: as many as instances fit any labels.
        self._n_wanted = min(size, features.shape[0])
        self.scores_ = self._scores(features, labels)
        self.ranking_ = np.empty(len(self.scores_), dtype=np.intp)
        self.ranking_[self._best_first(self.scores_)] = np.arange(1, len(self.scores_) + 1)

    def _widen(self, places: NDArray[np.intp], n_features: int) -> None:
        """Extend what was fitted to the features at some places to all; the others are constant and rank last.

        Their rows of the arrays `by_feature` are 0; none has a score above one that varies.
        """
        others = np.setdiff1d(np.arange(n_features), places)
        for name in ("scores_", "ranking_", *self.by_feature):
            narrow = getattr(self, name)
            wide = np.zeros((n_features, *narrow.shape[1:]), dtype=narrow.dtype)
            wide[places] = narrow
            setattr(self, name, wide)
        self.scores_[others] = min(0.0, self.scores_[places].min())
        self.ranking_[others] = np.arange(len(places), n_features) + 1

    def _check_labels(self, y: Any, n_samples: int) -> Any:
        """Return the labels as `_scores` takes them: a column for each label that is known somewhere."""
        y, sparse = one_hot(y)[0], is_sparse(y) and self.takes_sparse_labels
        if not self.takes_unknown_cells:
            return check_labels(y, n_samples, sparse=sparse)
        labels, known = check_known_labels(y, n_samples, sparse=sparse)
        return labels if known is None else np.where(known, labels, np.nan)[:, known.any(axis=0)]

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        """Return a score per feature, larger is better, for a checked array or CSR matrix and labels in {0, 1}.

        Where the method takes unknown labels they are NaN, and a csr_array where it takes sparse ones and these are.
        """
        raise NotImplementedError  # abstract: a selector is this choice

    def _best_first(self, scores: FloatArray) -> NDArray[np.intp]:
        """Return the features by descending score; methods may override the order of ties."""
        return np.argsort(-scores, kind="stable")

    def _size(self, n_features: int) -> int:
        return check_size(self.k, n_features, "features", name="k")

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "ranking_")
        return self.ranking_ <= self._size(len(self.ranking_))


def selects_by_ranking(cls: type) -> bool:
    """Return whether a selector's class selects by its ranking; a class may override this."""
    return has_shortcut(cls, "_rank", "transform", "fit_transform", "get_support", "_get_support_mask")


class DiscretisingSelector(Selector):
    """Base of the selectors by information theory, which take discrete features."""

    def __init__(self, k: Size = 0.5, discretise: str | None = "equal-width", n_bins: int = 3) -> None:
        self.k = k
        self.discretise = discretise
        self.n_bins = n_bins

    def _bins(self, X: Any, labels: Any) -> Bins:
        return discretise(X, labels, self.discretise, self.n_bins)
