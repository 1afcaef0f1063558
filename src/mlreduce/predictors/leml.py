"""Low-rank empirical risk minimisation for multi-label learning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.linalg.features import Features
from mlreduce.linalg.lsqr import is_large
from mlreduce.linalg.penalties import find_edge
from mlreduce.linalg.utilities import scores_of_rows
from mlreduce.predictors._base import DecidingClassifier
from mlreduce.predictors._choice import best_candidate
from mlreduce.predictors._low_rank import LOSSES, Factors, alternate, alternate_squared, squared_system
from mlreduce.registry import register
from mlreduce.validation import (
    FloatArray,
    as_dense,
    check_components,
    check_count,
    check_features,
    check_memory,
    check_option,
    check_range,
    split_known,
)

#: Shares of the largest penalty that "cv" compares.
SHARES = tuple(float(10.0 ** (-half / 2)) for half in range(1, 11))

# Most iterations, and the tolerance, of the fits that are compared.
_ROUGH = (50, 1e-3)


@register("leml")
class LEML(DecidingClassifier):
    """Low-rank empirical risk minimisation for multi-label learning (LEML): linear scores of all labels of low rank.

    The scores ``XWH' + b`` minimise ``sum of loss(y, score) + penalty / 2 (||W||^2 + ||H||^2)`` over the known labels,
    with W of shape d x k and H of shape q x k. At full rank the penalty is the trace norm of ``WH'``, and the problem
    is convex; below it the rank is limited as well.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Rank k: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    penalty : float or "cv", default="cv"
        Lambda, > 0. As a weight of the trace norm it is in the units of the singular values of ``X'Y``, unlike the
        penalty of a ridge regression; from the largest of these on all coefficients are 0. "cv" chooses a share of it,
        of 0.32 to 1e-5 in steps of half a power of ten, by the average precision in three folds of at most 3000 rows.
    loss : {"squared", "logistic", "squared-hinge"}, default="squared"
        Of a label y in {0, 1} and its score z: ``(z - y)^2 / 2``; ``log(1 + exp(-sz))`` or ``max(0, 1 - sz)^2 / 2``
        with ``s = 2y - 1``.
    max_iter : int, default=200
        Most iterations, each of which solves for W and then for H and b.
    tol : float, default=1e-6
        Relative decrease of the objective in an iteration that ends them, >= 0.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        ``HW'``.
    intercept_ : ndarray of shape (n_labels,)
        b, for features that are not centred.
    feature_factors_ : ndarray of shape (n_features, rank)
        W, columns of descending norm.
    label_factors_ : ndarray of shape (n_labels, rank)
        H; its columns have the norms of those of W.
    objective_ : ndarray of shape (n_iter,)
        After each iteration, never increasing.
    n_iter_ : int
    penalty_ : float
        Lambda itself, whatever ``penalty`` is.
    edge_ : {"lowest", "highest"} or None
        Which end of the shares compared was chosen, if any: others beyond may be better.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels,)
        The numbers of the labels; 0 and 1 where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Raises
    ------
    DataError
        If a parameter is out of range, or the rank is above n_labels.

    Warns
    -----
    UserWarning
        If a label is known of no instance: the fit ignores it, and it is never predicted.

    Notes
    -----
    It starts from the leading eigenvectors of the labels' scatter; nothing is random. After each iteration the factors
    are replaced by those of the singular vectors of ``WH'``, which are the smallest of the same product. The paper has
    no intercept; it is not penalised here.

    Cost: with the squared loss and all labels known, O(n d² + d³) once, or O(n² d + n³) where n is below d, then
    O(d q k) per iteration; for sparse features above 6000 rows and columns up to 50 products with X of k columns per
    iteration instead. Sparse features and labels stay sparse. Otherwise up to 50 such products and O(n q k²) per
    iteration, and arrays of the shape of the labels.

    References
    ----------
    Yu, Jain, Kar and Dhillon (2014), "Large-scale multi-label learning with missing labels", equation (4) and
    algorithm 1.

    Examples
    --------
    >>> import mlreduce, numpy as np
    >>> data = mlreduce.load_dataset("digits")
    >>> Y = np.where(np.random.default_rng(0).random(data.Y.shape) < 0.3, np.nan, data.Y)  # three in ten are missing
    >>> model = mlreduce.LEML(n_components=4).fit(data.X[:1000], Y[:1000])
    >>> float((model.predict(data.X[1000:]) == data.Y[1000:]).mean().round(1))
    0.9
    """

    complexity = Complexity("s m + m^3 + 50 d q k", "m^2 + d q + q^2", iterated="1000 s k", iterates_on="sparse")
    takes_unknown_cells = True
    takes_sparse_labels = True

    def __init__(
        self,
        n_components: int | str | None = None,
        penalty: float | str = "cv",
        loss: str = "squared",
        max_iter: int = 200,
        tol: float = 1e-6,
        decision: str = "half",
        measure: str = "micro-f1",
    ) -> None:
        self.n_components = n_components
        self.penalty = penalty
        self.loss = loss
        self.max_iter = max_iter
        self.tol = tol
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any) -> None:
        chosen = isinstance(self.penalty, str) and self.penalty == "cv"
        if not chosen:
            check_range(self.penalty, "penalty, if not 'cv',", 0, open_ends=True)
        tol = check_range(self.tol, "tol", 0)
        check_option(self.loss, "loss", LOSSES)
        max_iter = check_count(self.max_iter, "max_iter")
        labels, known = split_known(labels)
        rank = check_components(self.n_components, labels.shape[1], "labels")
        start = _leading_labels(labels, known, rank)
        X = Features(features, centred=True)
        if chosen:
            best = self._best_share(features, labels, known, rank)
            self.penalty_ = SHARES[best] * _largest_penalty(X, labels, known)
            self.edge_ = find_edge(len(SHARES) - 1 - best, len(SHARES))
        else:
            self.penalty_, self.edge_ = float(self.penalty), None
        factors = next(self._factors(X, labels, known, start, [self.penalty_], max_iter, tol))
        self.feature_factors_, self.label_factors_ = factors.features, factors.labels
        self.coef_ = factors.labels @ factors.features.T
        self.intercept_ = factors.intercept - self.coef_ @ X.mean
        self.objective_ = np.array(factors.objective)
        self.n_iter_ = len(factors.objective)

    def _factors(
        self,
        features: Features,
        labels: Any,
        known: Any,
        start: FloatArray,
        penalties: Iterable[float],
        max_iter: int,
        tol: float,
    ) -> Iterator[Factors]:
        """Yield the solution for each penalty."""
        if self.loss == "squared" and known is None:
            system = squared_system(features, labels, large=is_large(features.X))
            for penalty in penalties:
                yield alternate_squared(system, labels, penalty, start, max_iter, tol)
        else:
            check_memory(
                64.0 * np.prod(labels.shape),
                f"LEML with loss={self.loss!r}, by arrays of {labels.shape[1]} labels for {labels.shape[0]} rows,",
                "take loss='squared', which makes none where all labels are known, or fewer labels",
            )
            dense = as_dense(labels)
            for penalty in penalties:
                yield alternate(features, dense, known, LOSSES[self.loss], penalty, start, max_iter, tol)

    def _best_share(self, X: Any, labels: Any, known: Any, rank: int) -> int:
        """Return the number of the best of `SHARES`, whatever the unit of the features is: a power of two is exact."""
        size = float(np.sqrt(Features(X, centred=True).squared_norms.sum() / X.shape[0]))
        X = X / 2.0 ** np.floor(np.log2(size)) if size > 0 else X

        def scores(train: Any, held_out: Any) -> Iterator[FloatArray]:
            features, part = Features(X[train], centred=True), None if known is None else known[train]
            largest = _largest_penalty(features, labels[train], part)
            start = _leading_labels(labels[train], part, rank)
            penalties = [share * largest for share in SHARES]
            rows = X[held_out]
            for factors in self._factors(features, labels[train], part, start, penalties, *_ROUGH):
                projected = rows @ factors.features - features.mean @ factors.features
                yield projected @ factors.labels.T + factors.intercept

        return best_candidate(scores, X, labels, known)

    def _scores(self, X: Any) -> FloatArray:
        check_is_fitted(self, "coef_")
        scores = scores_of_rows(check_features(self, X, reset=False), self.coef_) + self.intercept_
        return scores if self.loss == "squared" else scores + 0.5


def _largest_penalty(features: Features, labels: Any, known: Any) -> float:
    """Return the largest singular value of ``X'Y`` for centred labels, 0 where unknown: coefficients are 0 from it on.

    That is so with the squared loss. With the others it is the scale of the penalty alone. 1 where it is zero.
    """
    if known is not None:
        labels = _centred(labels, known)
    product = features.transposed_dot(labels)
    largest = float(np.linalg.norm(product, 2))
    return largest if largest > 0 else 1.0


def _centred(labels: Any, known: Any) -> FloatArray:
    """Return labels less the mean of the known of each, 0 where not known."""
    means = (labels * known).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.where(known, labels - means, 0.0)


def _leading_labels(labels: Any, known: Any, rank: int) -> FloatArray:
    """Return the leading eigenvectors of the scatter of the labels, unknown ones replaced by the mean of the known."""
    n_labels = labels.shape[1]
    check_memory(24.0 * n_labels**2, f"the scatter of {n_labels} labels, from which LEML starts,", "take fewer labels")
    if known is None:
        products = as_dense(labels.T @ labels)
        sizes = products.diagonal()
        scatter = products - np.outer(sizes, sizes) / labels.shape[0]
    else:
        centred = _centred(labels, known)
        scatter = centred.T @ centred
    return np.linalg.eigh(scatter)[1][:, ::-1][:, :rank]
