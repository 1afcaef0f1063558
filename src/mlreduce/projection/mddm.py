"""Multi-label dimensionality reduction via dependence maximisation (MDDM)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, unknown_name
from mlreduce.linalg.kernels import check_gamma, check_positive, gaussian_kernel, squared_distances
from mlreduce.projection.base import LEAST_SQUARES, THIN, WeightedProjection
from mlreduce.projection.covariance import CovarianceProjection
from mlreduce.projection.ridge import chosen_ridge
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.training_set import selection_matrix
from mlreduce.validation import FloatArray, Size, as_dense, check_memory, check_option, check_range

# Largest asymmetry of a user's kernel matrix, relative to its largest entry.
_SYMMETRIC = 1e-10

# Cells up to which distances of labels are those of arrays.
_FEW_CELLS = 2**25

_KERNELS = ["linear", "rbf", "delta"]
_SCALES = {"signed": 2.0, "binary": 1.0}


def label_scale(coding: str) -> float:
    """Return the difference of the two label values: 2 for ``"signed"``, {-1, 1}; 1 for ``"binary"``, {0, 1}."""
    return _SCALES[check_option(coding, "coding", _SCALES)]


@register("mddmp")
class MDDMp(CovarianceProjection):
    """Multi-label dimensionality reduction via dependence maximisation (MDDMp), with orthonormal directions.

    ``max tr(P'X'HYY'HXP)`` subject to ``P'P = I``: the Hilbert-Schmidt independence criterion with linear kernels.
    At most n_labels eigenvalues are positive.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    coding : {"signed", "binary"}, default="signed"
        Labels as -1/1 or 0/1 in the objective, for either coding of ``y``; it only scales eigenvalues, by 4.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Zhang and Zhou (2010), "Multilabel dimensionality reduction via dependence maximization"; Xu et al. (2016),
    equations (17) and (18).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")  # 30 features; 3 directions decide 8 of the 12 labels
    >>> mlreduce.MDDMp().fit(data.X, data.Y).objective_ratio_[:4].round(2)
    array([0.39, 0.31, 0.19, 0.08])
    """

    complexity = THIN

    def __init__(self, n_components: Size = None, coding: str = "signed") -> None:
        super().__init__(n_components)
        self.coding = coding

    def _check_parameters(self) -> None:
        super()._check_parameters()
        label_scale(self.coding)

    def _objective(self, data: TrainingSet) -> Form:
        return Form(factor=data.labels, middle=label_scale(self.coding) ** 2)


@register("mddmf")
class MDDMf(MDDMp):
    """Multi-label dimensionality reduction via dependence maximisation (MDDMf), with orthonormal projected features.

    ``max tr(P'X'HYY'HXP)`` subject to ``P'(mu Xc'Xc + (1 - mu) I)P = I``, with ``scatter_weight`` for mu. With 0 it
    is MDDMp; with 1 the projected features are orthonormal, as in OPLS.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    coding : {"signed", "binary"}, default="signed"
        Labels as -1/1 or 0/1 in the objective, for either coding of ``y``; it only scales eigenvalues, by 4.
    scatter_weight : float or None, default=None
        Weight of the features' scatter in the constraint, in [0, 1]. None is 1 over 1 plus the ridge that has the least
        leave-one-out errors of ridge regression of the labels, so that the units of the features do not matter.

    Attributes
    ----------
    scatter_weight_, edge_ : float, {"lowest", "highest"} or None
        The weight, and which end of those compared the chosen ridge is, if any.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Zhang and Zhou (2010), "Multilabel dimensionality reduction via dependence maximization"; Xu et al. (2016),
    equations (19) and (20).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Z = mlreduce.MDDMf(n_components=2, scatter_weight=1).fit_transform(data.X, data.Y)
    >>> (Z.T @ Z).round(6) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """

    complexity = LEAST_SQUARES

    def __init__(self, n_components: Size = None, coding: str = "signed", scatter_weight: float | None = None) -> None:
        super().__init__(n_components, coding)
        self.scatter_weight = scatter_weight

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.scatter_weight is not None:
            check_range(self.scatter_weight, "scatter_weight", 0, 1)

    def _constraint(self, data: TrainingSet) -> Form | None:
        self.edge_ = None
        if self.scatter_weight is None:
            ridge, self.edge_ = chosen_ridge(data)
            weight = 1.0 / (1.0 + ridge)
        else:
            weight = float(self.scatter_weight)
        self.scatter_weight_ = weight
        return Form(weights=weight, ridge=1.0 - weight) if weight else None


@register("mddm-kernel")
class MDDMKernel(WeightedProjection):
    """Multi-label dimensionality reduction via dependence maximisation (MDDM) with a kernel of the labels.

    ``max tr(P'Xc'K_Y XcP)`` subject to ``P'P = I``: the Hilbert-Schmidt independence criterion with a linear kernel of
    the projected features. With the linear kernel of the labels it is `MDDMp` in binary coding; with others there may
    be as many positive eigenvalues as distinct label sets, less one.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    kernel : {"linear", "rbf", "delta"}, callable or ndarray of shape (n_samples, n_samples), default="linear"
        ``"linear"``: ``YY'``, Y in {0, 1}. ``"rbf"``: ``exp(-gamma ||y - y'||^2)``. ``"delta"``: 1 for two instances
        with the same labels, 0 for others. A callable takes Y as an ndarray in {0, 1} and returns the matrix; a matrix
        has the order of the rows passed to `fit`.
    gamma : float or None, default=None
        Of ``"rbf"``, > 0; None is 1 over the mean squared distance of two instances' labels.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Zhang and Zhou (2010), "Multilabel dimensionality reduction via dependence maximization"; Mu et al. (2012),
    equation (16).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.MDDMKernel().fit(data.X, data.Y).n_components_
    9
    >>> mlreduce.MDDMKernel(kernel="rbf").fit(data.X, data.Y).n_components_
    30
    """

    complexity = THIN

    def __init__(
        self,
        n_components: Size = None,
        kernel: str | Callable[[FloatArray], Any] | FloatArray = "linear",
        gamma: float | None = None,
    ) -> None:
        super().__init__(n_components)
        self.kernel = kernel
        self.gamma = gamma

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.kernel, str) and self.kernel not in _KERNELS:
            raise DataError(unknown_name("kernel of labels", self.kernel, _KERNELS))
        if self.gamma is not None:
            check_positive(self.gamma, "gamma")

    def _kernel(self, data: TrainingSet) -> Form:
        """Return K_Y."""
        labels = data.labels
        if isinstance(self.kernel, str):
            if self.kernel == "linear":
                return Form(factor=labels)
            # Instances with equal labels have equal rows: the kernel is one of the distinct label sets.
            first, which = data.label_sets
            members = selection_matrix(which, len(first))
            if self.kernel == "delta":
                return Form(factor=members)
            many = 2 * len(first) > len(which)  # few are equal: a factor would not be thin
            _check_kernel(len(which) if many else len(first))
            kernel = gaussian_kernel(
                squared_distances(_few_labels(labels[first])), check_gamma(self.gamma, labels, data.weights)
            )
            if many:
                return Form(graph=kernel[np.ix_(which, which)])
            return Form(factor=members, middle=kernel)
        if data.weights is not None:
            raise DataError("sample_weight goes with a kernel by name, not with a matrix or a function")
        _check_kernel(labels.shape[0])
        return Form(graph=_checked_kernel(self.kernel, as_dense(labels)))

    def _objective(self, data: TrainingSet) -> Form:
        return self._kernel(data)


@register("supervised-pca")
class SupervisedPCA(MDDMKernel):
    """Supervised principal component analysis (SPCA): the dependence on a kernel of the labels, label sets as classes.

    ``max tr(P'Xc'LXcP)`` subject to ``P'P = I``: `MDDMKernel` with another default of the kernel L. With the delta
    kernel it is the scatter of the sums of the label sets, ``Xc'TT'Xc`` for the indicator T of these sets: at most as
    many directions as different label sets, less one. Where every instance has a different label set it is PCA.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    kernel : {"linear", "rbf", "delta"}, callable or ndarray of shape (n_samples, n_samples), default="delta"
        L, as of `MDDMKernel`. With ``"linear"`` it is `MDDMp` in binary coding.
    gamma : float or None, default=None
        Of ``"rbf"``, > 0; None is 1 over the mean squared distance of two instances' labels.

    Attributes
    ----------
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Where instances are fewer than features the singular value decomposition of ``Xc'T`` takes the place of the
    eigenvectors (the paper's dual form). The paper's kernel form, ``max tr(B'KHLHKB)`` subject to ``B'KB = I``, is this
    method on the rows of a root of the kernel matrix K, as ``sklearn.kernel_approximation.Nystroem`` makes it.

    References
    ----------
    Barshan, Ghodsi, Azimifar and Zolghadri Jahromi (2011), "Supervised principal component analysis: visualization,
    classification and regression on subspaces and submanifolds".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.SupervisedPCA().fit(data.X, data.Y).n_components_  # the labels are properties of ten digits
    9
    """

    complexity = Complexity("s m + m^3", "d k")

    def __init__(
        self,
        n_components: Size = None,
        kernel: str | Callable[[FloatArray], Any] | FloatArray = "delta",
        gamma: float | None = None,
    ) -> None:
        super().__init__(n_components, kernel, gamma)


def _few_labels(labels: Any) -> Any:
    """Return labels as an array where they have few cells."""
    return as_dense(labels) if np.prod(labels.shape) <= _FEW_CELLS else labels


def _check_kernel(order: int) -> None:
    advice = 'take kernel="linear", MVMD or MDDMp, which need none, or fewer instances'
    check_memory(24.0 * order**2, f"a kernel of {order} sets of labels", advice)


def _checked_kernel(kernel: Any, labels: FloatArray) -> FloatArray:
    """Return a user's kernel as a checked matrix."""
    matrix = as_dense(kernel(labels) if callable(kernel) else kernel)
    if matrix.shape != (len(labels), len(labels)):
        raise DataError(f"kernel must be of shape {(len(labels), len(labels))}, the instances; got {matrix.shape}")
    if not np.isfinite(matrix).all() or np.abs(matrix - matrix.T).max() > _SYMMETRIC * np.abs(matrix).max():
        raise DataError("kernel must be symmetric and hold finite numbers")
    return matrix
