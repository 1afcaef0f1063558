"""Base of the projections that depend on the data by covariances: weights, batches and unknown labels."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import DataError, DegenerateWarning, warn
from mlreduce.linalg.features import WeightedFeatures
from mlreduce.projection.base import NoDirectionError, Projection
from mlreduce.spectral import TrainingSet
from mlreduce.validation import (
    FloatArray,
    as_dense,
    check_features,
    check_fit_memory,
    check_known_labels,
    check_labels,
    check_memory,
    check_sample_weight,
    is_sparse,
    one_hot,
    remember_label_names,
)

# Instances from which a lack of them is reported: fewer are a lack anyway.
_ENOUGH = 100

# Scatter of a sparse feature, relative to its sum of squares, below which it is rounding error.
_NO_SCATTER = 1e-13


class _Covariances(NamedTuple):
    """Weighted sums of squares and products of features and labels about their means."""

    #: Sum of the weights.
    weight: float
    #: Of shape (n_features + n_labels,).
    mean: FloatArray
    #: Of shape (n_features + n_labels, n_features + n_labels).
    scatter: FloatArray

    @classmethod
    def from_batch(cls, X: Any, labels: FloatArray, weights: FloatArray) -> Self:
        """Compute those of one batch."""
        total = float(weights.sum())
        features = WeightedFeatures(X, weights)
        means = weights @ labels / total
        table = np.sqrt(weights)[:, np.newaxis] * (labels - means)
        cross = features.transposed_dot(table)
        scatter = np.block([[features.scatter, cross], [cross.T, table.T @ table]])
        if is_sparse(X):  # centred implicitly: a difference of large numbers
            squares = np.asarray(weights @ X.multiply(X)).reshape(-1)
            (constant,) = np.nonzero(scatter.diagonal()[: X.shape[1]] <= _NO_SCATTER * squares)
            scatter[constant] = scatter[:, constant] = 0.0
        return cls(total, np.r_[features.mean, means], scatter)

    def __add__(self, other: tuple[Any, ...]) -> _Covariances:
        """Join those of two batches (Chan, Golub and LeVeque 1979, "Updating formulae")."""
        assert isinstance(other, _Covariances)
        weight = self.weight + other.weight
        step = other.mean - self.mean
        scatter = self.scatter + other.scatter + (self.weight * other.weight / weight) * np.outer(step, step)
        return _Covariances(weight, self.mean + (other.weight / weight) * step, scatter)

    def training_set(self, n_features: int, centred: bool) -> TrainingSet:
        """Return features and labels with these sums of squares and products: a root of the scatter matrix.

        About zero, where not ``centred``.
        """
        scatter = self.scatter if centred else self.scatter + self.weight * np.outer(self.mean, self.mean)
        scale = np.sqrt(scatter.diagonal())
        unit = np.where(scale > 0, scale, 1.0)
        values, vectors = np.linalg.eigh(scatter / unit / unit[:, np.newaxis])
        nonzero = values > len(values) * np.finfo(float).eps * values[-1]
        root = np.sqrt(values[nonzero])[:, np.newaxis] * vectors[:, nonzero].T * scale
        data = TrainingSet(np.ascontiguousarray(root[:, :n_features]), root[:, n_features:])
        data.centred = data.raw  # they are already
        data.label_scatter, data.n_summarised = data.label_products, self.weight
        return data


class CovarianceProjection(Projection):
    """Base of the projections that depend on the data by covariances alone: `PCA`, `MDDMp`, `MVMD`, `PLS`, others."""

    takes_unknown_cells = True
    #: The method with a ridge, of one whose constraint has none.
    unregularised_for = ""
    #: Without weights `fit` does what it does.
    fit_training_set = Projection.fit_training_set

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features; a sparse matrix stays sparse.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None
            Labels in {0, 1} or {-1, 1}. Unsupervised methods ignore it. A cell may be NaN where a label is not known
            (not in `CCA` and `RCCA`, which need the covariances of labels with each other): the covariances of a label
            then are those of the instances where it is, times n_samples over their number; the features count
            everywhere.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights >= 0 of the instances in means and covariances; an integer counts as so many equal rows.

        Returns
        -------
        self

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1, -1/1 or NaN, a weight is negative, a parameter is out of
            range, or no direction has a positive eigenvalue.

        Warns
        -----
        ProjectionWarning
            If there are fewer directions than ``n_components``, or the constraint is singular.
        DegenerateWarning
            If the constraint has no ridge (`CCA`, `OPLS`), and of 100 instances or more there are less than twice as
            many as features.
        """
        check_fit_memory(self, X, y)
        features = check_features(self, X, reset=True)
        weights = check_sample_weight(sample_weight, features.shape[0])
        self._sums: _Covariances | None = None
        labels, known = None, None
        if self.supervised:
            y, _ = one_hot(y, both=self.least_labels > 1)
            if self.takes_unknown_cells:
                labels, known = check_known_labels(y, features.shape[0], sparse=True)
            else:
                labels = check_labels(y, features.shape[0], sparse=True)
            remember_label_names(self, y)
        if known is not None:
            labels = completed_labels(as_dense(labels), known, np.ones(len(known)) if weights is None else weights)
        if self.unregularised_for:
            self._check_determined(features)
        if weights is None:
            return self.fit_training_set(TrainingSet(features, labels))
        (rows,) = np.nonzero(weights)
        labels = None if labels is None else labels[rows]
        self.fit_training_set(TrainingSet(features[rows], labels, weights=weights[rows]))
        self._n_rows = float(weights.sum())
        return self

    def _check_determined(self, features: Any) -> None:
        """Warn where a constraint without a ridge lets directions fit the training rows."""
        n_samples, n_features = features.shape
        if n_samples >= _ENOUGH and 2 * n_features > n_samples:
            warn(
                f"{type(self).__name__} has no ridge: its directions fit the training rows, {n_samples} instances of "
                f"{n_features} features. {self.unregularised_for} chooses a ridge",
                DegenerateWarning,
            )

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add a batch to the covariances, and find the directions of all batches.

        The result is that of `fit` on all instances, and the order of the batches does not matter. Memory is that of
        three arrays of order n_features + n_labels; each call decomposes one. After `fit` the sums start anew.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A batch of at least one instance.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None
            Labels in {0, 1}, or in {-1, 1}, without NaN. Unsupervised methods ignore it.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights >= 0 of the instances in means and covariances; an integer counts as so many equal rows.

        Returns
        -------
        self
            Not fitted yet while there is no direction of positive eigenvalue, as after a single instance.

        Raises
        ------
        DataError
            As `fit`, or if the number of labels differs from that of earlier batches, or memory does not suffice.
        """
        earlier: _Covariances | None = getattr(self, "_sums", None)
        seen: Any = getattr(self, "_classes", None)
        features = check_features(self, X, reset=earlier is None)
        n_samples, n_features = features.shape
        weights = check_sample_weight(sample_weight, n_samples)
        labels = np.zeros((n_samples, 0))
        if self.supervised:
            classes: Any
            y, classes = one_hot(y, both=self.least_labels > 1)
            labels = check_labels(y, n_samples)
            remember_label_names(self, y)
            if earlier is not None and not np.array_equal(classes, seen):
                raise DataError("y has other classes than earlier batches: give a label for each class, 0 and 1")
            self._classes = classes
        order = n_features + labels.shape[1]
        check_memory(
            24.0 * order**2, f"the scatter matrix of {order} features and labels", "select or reduce them first"
        )
        if earlier is not None and len(earlier.mean) != order:
            raise DataError(f"y has {labels.shape[1]} labels; earlier batches have {len(earlier.mean) - n_features}")
        batch = _Covariances.from_batch(features, labels, np.ones(n_samples) if weights is None else weights)
        self._sums = sums = batch if earlier is None else earlier + batch
        try:
            self.fit_training_set(sums.training_set(n_features, self.centred))
        except NoDirectionError:
            return self
        if self.centred:
            self.mean_ = sums.mean[:n_features]
        self._n_rows = sums.weight
        return self


def completed_labels(labels: FloatArray, known: NDArray[np.bool_], weights: FloatArray) -> FloatArray:
    """Return labels less their mean, zero where not known, scaled to the covariances of the known ones."""
    counted = weights[:, np.newaxis] * known
    totals = counted.sum(axis=0)
    divisors = np.where(totals > 0, totals, 1.0)
    return known * (labels - (counted * labels).sum(axis=0) / divisors) * (weights.sum() / divisors)
