"""Base class of the projections."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, DegenerateWarning, ProjectionWarning, warn
from mlreduce.linalg.distances import row_blocks
from mlreduce.linalg.features import Features
from mlreduce.linalg.lsqr import DENSE_SIDE
from mlreduce.linalg.utilities import signed
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.solver import Solution, solve
from mlreduce.validation import (
    FloatArray,
    Size,
    as_precise,
    check_features,
    check_finite,
    check_fit_memory,
    check_labels,
    check_range,
    check_sample_weight,
    check_size,
    check_table,
    is_share,
    one_hot,
    remember_label_names,
)
from mlreduce.validation.estimator import Estimator

# What a fit costs, by the strategies of `mlreduce.spectral.solver`: a matrix over the features or the row space, and
# its eigenvectors; where there is no constraint, Lanczos iteration by the solver's estimate; for constraints that are
# multiples of the scatter with a ridge, some hundred steps of LSQR; an SVD of features times labels. To choose a ridge
# takes the residuals of all labels for some twenty of them: 20 n m q operations, where eigenvectors take 4 m^3.
# Products with matrices over the labels, such as their covariance, take m q^2, and each of those with coefficients d q.
DENSE = Complexity("s m + m^3", "m^2 + d k", most=4 * DENSE_SIDE)
PRODUCTS = replace(DENSE, iterated="180 s + 6 k s")
PENALISED = replace(DENSE, time="s m + m^3 + 5 n m q + m q^2 + 100 d r", memory="m^2 + d q + d k")
LEAST_SQUARES = replace(PENALISED, iterated="1000 s q", iterates_on="sparse")
THIN = Complexity("s q + d r^2 + 100 d r", "d q")
# Neighbours of all instances, in blocks of rows, then as above without a constraint, and with one (DENSE).
NEIGHBOURS = Complexity(
    "n s + s m + m^3 + 100 d k",
    "m^2 + t + d k",
    iterated="n s + 180 s + 6 k s",
    most=4 * DENSE_SIDE,
    least_bytes=2,
)
NEIGHBOURS_DENSE = replace(NEIGHBOURS, iterated=None)

# Relative tolerance of shares: sums of equal eigenvalues are not exact.
_SHARE_ROUNDING = 1e-12

# Directions are orthonormal within this, by products with random vectors; they hold little variance at this share of
# what random ones hold.
_ORTHONORMAL, _PROBES, _LITTLE = 1e-6, 4, 0.1

# Principal components beyond those wanted that directions are combinations of, at most; and the relative difference of
# their variances below which these are equal.
_MOST_LEADING, _EQUAL_VARIANCE = 100, 1e-8


def energy_size(eigenvalues: FloatArray, threshold: float) -> int:
    """Return the smallest number of leading eigenvalues that reach a share of the sum of all.

    Eigenvalues are all positive ones, descending, and the share is in (0, 1): Xu et al. (2016), equation (15).
    """
    shares = np.cumsum(eigenvalues)
    return int(np.searchsorted(shares, threshold * shares[-1] * (1 - _SHARE_ROUNDING))) + 1


class NoDirectionError(DataError):
    """No direction has a positive eigenvalue."""


class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Base of the linear projections of the features.

    Directions P maximise ``tr(P'AP)`` subject to ``P'BP = I``. A method defines A (`_objective`) and, unless it is the
    identity, B (`_constraint`). Directions are nested: the first m of them are the projection to m dimensions.

    An eigenvalue is zero if its magnitude is at most ``max(1000, n_samples, n_features)`` units of rounding of the
    matrix's norm, or four times the rounding error of the matrix, measured by products with random vectors. It gives no
    direction; with ``signed_values`` those of eigenvalue zero are ordered by the variance of the features along them,
    and where ``n_components`` falls between directions of equal variance, none of these is returned.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        An integer of 1..n_features is the number of directions. A float in (0, 1) is the share t of the sum of all
        positive eigenvalues, such as the variance in `PCA`: the fewest directions that reach it are used (Xu et al.
        2016, equation (15)); not where eigenvalues may be negative (``signed_values``). A string such as ``"50%"`` is
        a percentage of n_features in (0, 100], rounded down to at least 1. None keeps all with a positive eigenvalue;
        with ``signed_values`` as many as the rank of the features.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first; of each, the entry of largest magnitude is positive, of equal ones
        the first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, including unused directions. Not where eigenvalues
        may be negative (``signed_values``), nor, for a kernel or graph in the objective, with fewer directions than
        exist: their sum is not known then.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from mlreduce.projection import Projection
    >>> from mlreduce.spectral import Form
    >>> class LargestScatter(Projection):
    ...     supervised = False
    ...     def _objective(self, data):
    ...         return Form(weights=1.0)
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> LargestScatter(n_components=1).fit(X).components_.round(6)  # those of PCA
    array([[0.6, 0.8]])
    """

    #: Whether what is fitted is linear in the features.
    linear = True
    #: Whether all labels of an instance may be unknown: rows of NaN.
    takes_unknown_rows = False
    #: Whether an instance must have one label.
    single_label = False
    #: Fewest labels it takes.
    least_labels = 1
    #: What a fit costs.
    complexity = DENSE
    #: Whether `fit` needs labels.
    supervised = True
    #: Whether single labels of an instance may be unknown: cells of NaN.
    takes_unknown_cells = False
    #: Whether A and B are those of the centred features.
    centred = True
    #: Share of the variance in the space of the directions.
    variance_share: float = 1.0
    #: Whether eigenvalues may be zero or negative: the objective is a cost with changed sign, or an indefinite graph.
    signed_values = False

    def __init__(self, n_components: Size = None) -> None:
        self.n_components = n_components

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.supervised
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features; a sparse matrix stays sparse.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None
            Labels in {0, 1} or {-1, 1}. Unsupervised methods ignore it.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1 or -1/1, a parameter is out of range, or no direction has a
            positive eigenvalue.

        Warns
        -----
        ProjectionWarning
            If there are fewer directions than ``n_components``, or the constraint is singular.
        DegenerateWarning
            If a method that may minimise (``signed_values``) finds orthonormal directions along which the features
            hardly vary: a tenth of the variance that as many random directions hold, or less.
        """
        check_fit_memory(self, X, y)
        features = check_features(self, X, reset=True)
        data = self._training_set(features, y)
        self.fit_training_set(data)
        if self.signed_values and self.centred:
            self._check_variance(data.centred)
        return self

    def _check_variance(self, features: Features) -> None:
        """Warn of directions with hardly any variance: the least cost is that of noise, or of features in small units.

        ``P'P = I`` makes scales comparable; other constraints set the variance themselves.
        """
        P, n_used = self.components_, features.n_used
        total = float(features.squared_norms.sum())
        probes = np.random.default_rng(0).standard_normal((len(P), _PROBES))
        if not total or np.abs(P @ (P.T @ probes) - probes).max() > _ORTHONORMAL:
            return
        along = sum(float(np.square(features.dot(P[some].T)).sum()) for some in row_blocks(*P.shape))
        share, of_random = along / total, len(P) / n_used
        if share <= _LITTLE * of_random:
            warn(
                f"{type(self).__name__}: the {len(P)} directions hold {share:.1g} of the variance of X, as many random "
                f"ones {of_random:.1g}: the least cost is where X hardly varies. Give variance_share less than 1, "
                "or standardise the features",
                DegenerateWarning,
            )

    def _training_set(self, features: Any, Y: Any) -> TrainingSet:
        """Return the training set of checked features and labels."""
        return TrainingSet(features, self._labels(Y, features.shape[0]) if self.supervised else None)

    def fit_training_set(self, data: TrainingSet) -> Self:
        """Find the directions from a training set that several methods share.

        Parameters
        ----------
        data : TrainingSet
            Checked features and labels.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            As `fit`.
        """
        self._check_parameters()
        data = self._usable(data)
        features = data.centred if self.centred else data.raw
        self.n_features_in_ = features.shape[1]
        if (features.centred or self.signed_values) and features.shape[0] == 1:
            raise DataError(f"{type(self).__name__} needs instances that differ; got n_samples=1")
        wanted = self._wanted(features.shape[1])
        solution = self._solve(data, features, wanted)
        size = self._size(solution, wanted, features)
        self.components_ = solution.components[:size]
        self.eigenvalues_ = solution.eigenvalues[:size]
        self.n_components_ = size
        self._total, self._n_rows = solution.total, float(features.shape[0])
        self.mean_ = self._mean(data)
        return self

    def _labels(self, Y: Any, n_samples: int) -> Any:
        """Check labels and store their names."""
        labels = check_labels(one_hot(Y, both=self.least_labels > 1)[0], n_samples, sparse=True)
        remember_label_names(self, Y)
        return labels

    def _usable(self, data: TrainingSet) -> TrainingSet:
        """Return the instances that the method uses."""
        return data

    def _solve(self, data: TrainingSet, features: Features, wanted: int | None) -> Solution:
        labels = data.labels if self.supervised else None
        constraint = self._constraint(data)
        basis = self._leading_components(data, wanted) if self._is_restricted else None
        if basis is not None:
            features = Features(features.dot(basis), centred=False)
        solution = solve(
            features,
            data.weighted(self._objective(data)),
            constraint,
            wanted,
            labels,
            self.signed_values,
            variation=features.dot,
            who=type(self).__name__,
        )
        return solution if basis is None else solution._replace(components=signed(solution.components @ basis.T))

    def _space(self) -> float:
        """Return the share of the variance in the space of the directions."""
        return self.variance_share

    @property
    def _is_restricted(self) -> bool:
        """Whether directions are combinations of some principal components."""
        return self._space() < 1 and self.n_components is not None and not self._wants_share

    def _leading_components(self, data: TrainingSet, wanted: int | None) -> FloatArray:
        """Return as columns the principal directions that hold the share of the variance, as many as wanted at least.

        Not more than `_MOST_LEADING` beyond those wanted; of directions of equal variance all or none.
        """
        least = wanted or 1
        limit = least + _MOST_LEADING
        leading = data.cached(
            f"{limit} principal directions", lambda: solve(data.centred, Form(weights=1.0), limit=limit, who="PCA")
        )
        values = leading.eigenvalues
        if not len(values):
            return leading.components.T
        enough = self._space() * float(data.centred.squared_norms.sum()) * (1 - _SHARE_ROUNDING)
        size = max(int(np.searchsorted(np.cumsum(values), enough)) + 1, least)
        size += int(np.count_nonzero(values[size:] >= values[min(size, len(values)) - 1] * (1 - _EQUAL_VARIANCE)))
        return leading.components[:size].T

    def objective(self, data: TrainingSet) -> Form:
        """Return A as a form over all instances, zero for those that the method does not use.

        Parameters
        ----------
        data : TrainingSet
            Checked features and labels.

        Returns
        -------
        Form
            Over all instances of ``data``.
        """
        self._check_parameters()
        part = self._usable(data)
        form = self._objective(part)
        return form if part is data else form.pulled_back(part.selection_from(data))

    def _objective(self, data: TrainingSet) -> Form:
        """Return A."""
        raise NotImplementedError  # abstract

    def _constraint(self, data: TrainingSet) -> Form | None:
        """Return B; None is the identity."""
        return None

    def _take_ridge(self, part: Projection) -> None:
        """Set what a part chose for its constraint."""
        for name in ("ridge_", "edge_"):
            if hasattr(part, name):
                setattr(self, name, getattr(part, name))

    def _mean(self, data: TrainingSet) -> FloatArray:
        return (data.centred if self.centred else data.raw).mean

    def _check_parameters(self) -> None:
        """Raise DataError if a parameter is out of range; to be extended by methods with further parameters."""
        if not isinstance(self.centred, (bool, np.bool_)):
            raise DataError(f"centred must be True or False; got {self.centred!r}")
        check_range(self._space(), "variance_share", 0, 1)
        if self._wants_share:
            if self.signed_values:
                raise DataError(
                    f"{type(self).__name__} has eigenvalues below zero, which have no shares: n_components must be an "
                    f"integer, or a percentage of the features such as '50%'; got {self.n_components!r}"
                )
            check_range(self.n_components, "n_components as a share", 0, 1, open_ends=True)

    @property
    def _wants_share(self) -> bool:
        """Whether ``n_components`` is a share of the sum of the eigenvalues."""
        return is_share(self.n_components)

    def _wanted(self, n_features: int) -> int | None:
        if self.n_components is None or self._wants_share:
            return None
        return check_size(self.n_components, n_features, "features")

    def _size(self, solution: Solution, wanted: int | None, features: Features) -> int:
        size = len(solution.eigenvalues)
        name = type(self).__name__
        what = "directions" if self.signed_values else "positive eigenvalues"
        if not size:
            constant = not features.shape[0] or features.constant.all()
            reason = "the features do not vary" if constant else "the labels do not vary with the features"
            raise NoDirectionError(f"{name} finds no direction with a positive eigenvalue: {reason}")
        if self._wants_share:
            return energy_size(solution.eigenvalues, float(self.n_components or 0))
        if wanted is not None and size < wanted:
            warn(f"{name} has {size} {what}: n_components_ is {size}, not {wanted}", ProjectionWarning)
        return size

    @property
    def objective_ratio_(self) -> FloatArray:
        """Share of each eigenvalue in the sum of all positive ones.

        Raises
        ------
        AttributeError
            If eigenvalues may be negative, or their sum is not known; see the class.
        """
        check_is_fitted(self, "components_")
        total: float | None = getattr(self, "_total", None)
        if total is None:
            reason = (
                "has eigenvalues below zero, which have no shares"
                if self.signed_values
                else "does not know the sum of all eigenvalues; n_components=None computes them"
            )
            raise AttributeError(f"{type(self).__name__} {reason}")
        return self.eigenvalues_ / total

    @property
    def _n_features_out(self) -> int:
        """Number of output features, for scikit-learn."""
        return self.n_components_

    def transform(self, X: Any) -> Any:
        """Project features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            ``(X - mean_) components_'``; computed in float64, and float32 where the features are and no number is
            beyond its range.
        """
        check_is_fitted(self, "components_")
        features = check_features(self, X, reset=False)
        projected: FloatArray = features @ self.components_.T
        return as_precise(projected - self.components_ @ self.mean_, X)

    def inverse_transform(self, Z: Any) -> Any:
        """Return features of which Z is the projection.

        By the pseudo-inverse of the directions: of all features with this projection, those nearest to ``mean_``. Where
        directions are orthonormal, as with the constraint ``P'P = I``, the pseudo-inverse is their transpose, and what
        was projected is reconstructed as its nearest point in their span.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Projected features.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            In the units of the features; float32 where Z is and no number is beyond its range.

        Raises
        ------
        DataError
            If Z has another number of columns than ``n_components_``, or a number that is not finite or above 1e70.
        """
        check_is_fitted(self, "components_")
        check_table(Z, "Z")
        projected = np.asarray(Z, dtype=np.float64)
        if projected.ndim != 2 or projected.shape[1] != self.n_components_:
            raise DataError(
                f"Z must have the shape (n_samples, {self.n_components_}), one column per direction; "
                f"got {projected.shape}"
            )
        check_finite(projected, what="Z")
        features: FloatArray = projected @ np.linalg.pinv(self.components_).T + self.mean_
        return as_precise(features, Z)


class WeightedProjection(Projection):
    """Base of the projections whose A and B are sums over the instances, which may have weights."""

    #: Without weights `fit` does what it does.
    fit_training_set = Projection.fit_training_set

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features; a sparse matrix stays sparse.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None
            Labels in {0, 1} or {-1, 1}. Unsupervised methods ignore it.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights >= 0 of the instances in means and scatters; an integer counts as so many equal rows.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        DataError
            If a feature is not finite, a label is not 0/1 or -1/1, a weight is negative, a parameter is out of range,
            or no direction has a positive eigenvalue.

        Warns
        -----
        ProjectionWarning
            If there are fewer directions than ``n_components``, or the constraint is singular.
        """
        if sample_weight is None:
            return super().fit(X, y)
        check_fit_memory(self, X, y)
        features = check_features(self, X, reset=True)
        weights = check_sample_weight(sample_weight, features.shape[0])
        assert weights is not None
        labels = self._labels(y, features.shape[0])
        (rows,) = np.nonzero(weights)
        self.fit_training_set(TrainingSet(features[rows], labels[rows], weights=weights[rows]))
        self._n_rows = float(weights.sum())
        return self
