"""Fisher's linear discriminant for each label, from one factorisation for all labels and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.linalg.features import Features, WeightedFeatures
from mlreduce.linalg.penalties import choose_penalty
from mlreduce.linalg.utilities import known_together, scores_of_rows
from mlreduce.predictors._base import DecidingClassifier
from mlreduce.predictors.ridge import (
    _check_nested,
    _coefficients,
    _Factor,
    _plus_diagonal,
    check_coefficients,
    nested_parts,
)
from mlreduce.registry import register
from mlreduce.validation import FloatArray, as_dense, check_features, check_option, check_range, is_sparse

# Default ridge, relative to the mean diagonal of the scatter.
_RIDGE = 1e-3

# Smallest within-class share of a label's scatter, which bounds the discriminant of separable classes.
_LEAST_WITHIN = 1e-12


class _Sides(NamedTuple):
    """Class sizes of each label, and the scale and offset of its discriminant."""

    #: Of shape (n_labels,). Numbers of rows with and without the label.
    present: FloatArray
    absent: FloatArray
    #: Whether the threshold uses the class sizes.
    prior: bool

    @classmethod
    def from_labels(cls, labels: Any, threshold: Any, weights: FloatArray | None = None) -> Self:
        check_option(threshold, "threshold", ("midpoint", "prior"))
        present = np.asarray(labels.sum(axis=0) if weights is None else weights @ labels)
        total = labels.shape[0] if weights is None else weights.sum()
        return cls(present, total - present, threshold == "prior")

    def scale_and_shift(self, explained: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scale and shift from regressions on labels to log odds, each of shape (n_labels,).

        With S_t the scatter of all rows plus the ridge, a = n_0 n_1 / n and d the difference of the class means,
        ``b = S_t^-1 X'y = a S_t^-1 d`` is the regression, and ``explained`` its part ``q = y'Xb`` of the label's
        scatter. The scatter inside the classes is ``S_t - a dd'``, whose inverse times d is ``b / (a - q)`` by
        Sherman and Morrison. Class means projected on b are at ``q / n_1`` and ``-q / n_0``.
        """
        known = (self.present > 0) & (self.absent > 0)
        present, absent = (np.where(sizes > 0, sizes, 1.0) for sizes in (self.present, self.absent))
        n_samples = self.present + self.absent
        between = present * absent / n_samples
        scale = np.where(known, n_samples / np.maximum(between - explained, _LEAST_WITHIN * between), 0.0)
        middle = explained * (1.0 / present - 1.0 / absent) / 2
        # Half a row in each class keeps the odds finite for labels that all rows have, or none.
        half = np.where(known, 0.0, 0.5)
        odds = np.log((self.present + half) / (self.absent + half))
        return scale, np.where(known & (not self.prior), 0.0, odds) - scale * middle


@register("flda")
class FisherClassifier(DecidingClassifier):
    """Fisher's linear discriminant (FLDA) for each label against the rest.

    ``w = (S_w + ridge I)^-1 (mu_1 - mu_0)`` with ``S_w`` the scatter inside the two classes of the label. It is the
    direction of a ridge regression on the label, whose matrix does not depend on the label: one factorisation serves
    all.

    Parameters
    ----------
    ridge : float, "loo" or None, default="loo"
        Ridge of the scatter, >= 0, in squared units of the features. "loo" is the penalty with which ridge regression
        of the labels has the smallest error of leaving out each row, as of `RidgeRegressor`; None is a thousandth of
        the mean diagonal of the scatter of all rows, over the features that vary. Without a ridge and with collinear
        features, w is the shortest solution.
    threshold : {"prior", "midpoint"}, default="prior"
        A label is present where it is likelier, for normal classes of equal covariance ``(S_w + ridge I) / n`` that are
        as frequent as among the training rows; or beyond the middle of the two projected class means, as in the paper.
        Scores by the middle do not rank labels, whatever their frequencies.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_labels, n_features)
        ``n w`` of each label: the decision is in log odds of such normal classes. Zeros for a label that all training
        rows have, or none.
    intercept_ : ndarray of shape (n_labels,)
        For a label that all training rows have, or none, the log odds with half a row added on each side: it is
        predicted for all, or for none.
    ridge_ : float, or ndarray of shape (n_labels,) where labels are unknown
        The ridge itself.
    edge_ : {"lowest", "highest"} or None
        Which end of the penalties compared was chosen, if any. Only with "loo" and labels that are all known.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels,)
        The numbers of the labels; 0 and 1 where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7(2), 1936. The classifier of
    Mu et al. (2012), section 4.2.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> model = mlreduce.FisherClassifier().fit(data.X[:200], data.Y[:200])
    >>> float((model.predict(data.X[200:]) == data.Y[200:])[:, :8].mean().round(1))  # of the learnable labels
    0.8
    """

    linear = True
    takes_unknown_cells = True
    _weighs = True

    ridge_: Any
    complexity = Complexity("s m + m^3 + n m q + n q^2 + 100 d r", "m^2 + d q")

    def __init__(
        self,
        ridge: float | str | None = "loo",
        threshold: str = "prior",
        decision: str = "half",
        measure: str = "micro-f1",
    ) -> None:
        self.ridge = ridge
        self.threshold = threshold
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any, weights: FloatArray | None = None) -> None:
        if is_sparse(labels):
            check_coefficients(features, labels)
        elif np.isnan(labels).any():
            self._fit_parts(features, labels, weights)
            return
        sides = _Sides.from_labels(labels, self.threshold, weights)
        if weights is None:
            X = Features(features, centred=True)
            centred = labels if is_sparse(labels) else labels - labels.mean(axis=0)  # by products with centred features
        else:
            X, mean = WeightedFeatures(features, weights), weights @ labels / weights.sum()
            centred = np.sqrt(weights)[:, np.newaxis] * (as_dense(labels) - mean)
        self.ridge_ = self._ridge(X, centred)
        coefficients = _coefficients(X, centred, self.ridge_)
        explained = np.einsum("ij,ij->j", X.transposed_dot(centred), coefficients)
        scale, shift = sides.scale_and_shift(explained)
        self.coef_ = (scale * coefficients).T
        self.intercept_ = shift - self.coef_ @ X.mean

    def _fit_parts(self, features: Any, labels: FloatArray, weights: FloatArray | None) -> None:
        """Fit labels that are known in the same rows to these."""
        n_labels = labels.shape[1]
        self.coef_, self.intercept_ = np.zeros((n_labels, features.shape[1])), np.zeros(n_labels)
        self.ridge_ = np.zeros(n_labels)
        for rows, columns in known_together(labels):
            part = clone(self)
            part._fit(features[rows], labels[rows][:, columns], None if weights is None else weights[rows])
            self.coef_[columns], self.intercept_[columns] = part.coef_, part.intercept_
            self.ridge_[columns] = part.ridge_

    def _ridge(self, features: Features, centred: Any) -> float:
        if isinstance(self.ridge, str) and self.ridge == "loo":
            penalty, self.edge_ = choose_penalty(features, centred)
            return penalty
        if self.ridge is not None:
            return check_range(self.ridge, "ridge, if not 'loo',", 0)
        return float(_RIDGE * features.squared_norms.sum() / max(features.n_used, 1))

    def _log_odds(self, X: Any) -> FloatArray:
        check_is_fitted(self, "coef_")
        return scores_of_rows(check_features(self, X, reset=False), self.coef_) + self.intercept_

    def _margins(self, X: Any) -> FloatArray:
        """Return the log odds, in nats, less those at the thresholds."""
        odds = self._log_odds(X)
        return odds - (self._levels - 0.5)

    def _scores(self, X: Any) -> FloatArray:
        return self._log_odds(X) + 0.5

    def predict_nested(
        self, Z_train: FloatArray, Y_train: Any, Z_test: FloatArray, sizes: Sequence[int]
    ) -> Iterator[FloatArray]:
        """Predict from the first k columns only, for several ascending k at the cost of the largest.

        As of `RidgeRegressor`: the leading blocks of a Cholesky factor are the factors of the leading blocks. A ridge
        is chosen for each size; with None all have that of all columns given. The estimator is not fitted by this and
        need not be.

        Parameters
        ----------
        Z_train : ndarray of shape (n_train, n_columns)
            Training features, most important column first.
        Y_train : ndarray or sparse matrix of shape (n_train, n_labels)
            Labels in {0, 1}, NaN where not known.
        Z_test : ndarray of shape (n_test, n_columns)
            Features to predict from.
        sizes : sequence of int
            Ascending, each in 1..n_columns.

        Yields
        ------
        ndarray of shape (n_test, n_labels)
            Scores as of `predict_scores`, for each size.

        Raises
        ------
        DataError
            If shapes or sizes do not fit, a value is not finite, or a parameter is out of range.
        """
        training, labels, testing = (as_dense(a) for a in (Z_train, Y_train, Z_test))
        unknown = np.isnan(labels)
        _check_nested(training, np.where(unknown, 0.0, labels), testing, sizes)
        if unknown.any():
            yield from nested_parts(self.predict_nested, training, labels, testing, sizes)
            return
        sides = _Sides.from_labels(labels, self.threshold)
        centred = labels - labels.mean(axis=0)
        chosen = isinstance(self.ridge, str)  # for each size
        for some in [[size] for size in sizes] if chosen else [sizes]:
            features = Features(training[:, : some[-1]], centred=True)
            ridge = self._ridge(features if chosen else Features(training, centred=True), centred)
            queries = testing[:, : some[-1]] - features.mean
            for regressed, explained in _regressions(features, centred, queries, ridge, some):
                scale, shift = sides.scale_and_shift(explained)
                yield regressed * scale + (shift + 0.5)


def _regressions(
    features: Features, centred: FloatArray, queries: FloatArray, ridge: float, sizes: Sequence[int]
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Regress centred labels on the first features; yield predictions, and the explained scatter of each label."""
    cross = features.transposed_dot(centred)
    factor = _Factor.from_matrix(_plus_diagonal(features.scatter, ridge))
    if factor is None:
        for size in sizes:
            coefficients = _coefficients(Features(features.X[:, :size], centred=True), centred, ridge)
            yield queries[:, :size] @ coefficients, np.einsum("ij,ij->j", cross[:size], coefficients)
        return
    weights, basis = factor.half_solve(cross), factor.half_solve(queries.T)
    regressed, explained = np.zeros((len(queries), cross.shape[1])), np.zeros(cross.shape[1])
    for start, stop in pairwise((0, *sizes)):
        regressed += basis[start:stop].T @ weights[start:stop]
        explained += np.square(weights[start:stop]).sum(axis=0)
        yield regressed, explained
