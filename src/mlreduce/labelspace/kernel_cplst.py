"""Conditional principal label space transformation and OCCA with kernel ridge regression."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np

from mlreduce.complexity import Complexity
from mlreduce.labelspace.base import LabelCoder
from mlreduce.labelspace.occa import OCCA
from mlreduce.labelspace.sketch import LeadingCoder
from mlreduce.labelspace.statistics import (
    LabelStatistics,
    check_pairs_of_labels,
    label_array,
    ordered_eigenvectors,
)
from mlreduce.linalg.contents import order_by_content
from mlreduce.linalg.kernels import (
    check_gamma,
    check_kernel_size,
    choose_alpha,
    gaussian_kernel,
    kernel_ridge,
    squared_distances,
)
from mlreduce.linalg.utilities import scaled
from mlreduce.registry import register
from mlreduce.validation import FloatArray


def explained_by_kernel(kernel: FloatArray, alpha: float, centred: FloatArray) -> FloatArray:
    """Return what kernel ridge regression explains of centred labels.

    It is ``Z'(2KQ - QKKQ)Z`` with ``Q = (K + alpha I)^-1``. Since ``KQ = I - alpha Q``, that is ``Z'Z - E'E`` for the
    residual ``E = alpha QZ`` on the training rows. ``centred`` is Z; K is positive semidefinite and alpha > 0.
    """
    residual = kernel_ridge(kernel, alpha, centred).residual
    return centred.T @ centred - residual.T @ residual


class _KernelCoder(LabelCoder):
    """Base of the coders whose regression is kernel ridge regression with a Gaussian kernel."""

    complexity = Complexity("n s + n^3 + n^2 q + q^3", "n^2 + n q + q^2")
    feature_aware = True
    kernelised = True

    def __init__(
        self, n_components: int | str | None = None, gamma: float | None = None, alpha: float | str = "loo"
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.alpha = alpha

    def _statistics(self, features: Any, labels: Any) -> LabelStatistics:
        check_pairs_of_labels(labels.shape[1])
        table, statistics = label_array(labels, type(self).__name__), LabelStatistics.from_labels(labels)
        centred = table - statistics.mean
        kernel = self._kernel(features, table)
        return statistics.with_centred(explained_by_kernel(kernel, self.alpha_, centred))

    def _fit_weighted(self, features: Any, labels: Any, weights: FloatArray) -> Self:
        roots, statistics = np.sqrt(weights), LabelStatistics.weighted(labels, weights)
        table = label_array(labels, type(self).__name__)
        kernel = scaled(self._kernel(features, table, weights), roots, roots)
        centred = scaled(table - statistics.mean, roots)
        return self.fit_statistics(statistics.with_centred(explained_by_kernel(kernel, self.alpha_, centred)))

    def _kernel(self, features: Any, labels: Any, weights: FloatArray | None = None) -> FloatArray:
        """Return the kernel of the training rows, and choose width and penalty."""
        self.gamma_ = check_gamma(self.gamma, features, weights)
        check_kernel_size(features.shape[0])
        kernel = gaussian_kernel(squared_distances(features), self.gamma_, overwrite=True)
        order = partial(order_by_content, features, labels)
        self.alpha_, self.edge_ = choose_alpha(self.alpha, kernel, labels, order, weights)
        return kernel


@register("kernel-cplst")
class KernelCPLST(_KernelCoder, LeadingCoder):
    """Kernel conditional principal label space transformation (kernel CPLST): CPLST with kernel ridge regression.

    Directions are the leading eigenvectors of ``Z'(2KQ - QKKQ)Z``, Z the centred labels, K the Gaussian kernel
    ``exp(-gamma ||x - x'||^2)`` of the training rows and ``Q = (K + alpha I)^-1``: the smallest sum of encoding and
    prediction error on the training rows that an orthonormal code has with this regression. Train the predictor
    ``kernel-ridge`` with the same ``gamma`` and ``alpha`` on the codes.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    gamma : float or None, default=None
        Width of the kernel, > 0: the larger, the narrower. None means 1 over the mean squared distance of two training
        rows.
    alpha : float or "loo", default="loo"
        Penalty of the regression, > 0; "loo" chooses it for the labels as `KernelRidgeRegressor` does.

    Attributes
    ----------
    components_ : ndarray or csr_array of shape (n_components, n_labels)
        V; a CSR array where labels were sparse, each direction is one label, and its cells are more than 2**25.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the method's objective; 0 where it is nothing but rounding.
    mean_ : ndarray of shape (n_labels,)
        Means of the labels; those not known are filled in.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.
    gamma_, alpha_ : float
        The values used; only after `fit`.
    edge_ : {"lowest", "highest"} or None
        Which end of the penalties compared was chosen, if any.

    References
    ----------
    Chen and Lin (2012), section 3.2, equation (8).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.KernelCPLST(n_components=3, alpha=0.1).fit(data.X, data.Y).components_.shape
    (3, 8)
    """

    complexity = Complexity("n s + n^3 + n^2 q + q^3", "n^2 + n k + k q")

    def _directions(self, statistics: LabelStatistics) -> tuple[FloatArray, FloatArray]:
        values, vectors = ordered_eigenvectors(statistics.explained_gram, statistics.gram)
        return vectors, values

    def _explained(self, features: Any, labels: Any) -> Callable[[FloatArray], FloatArray]:
        kernel = self._kernel(features, labels)
        residual = kernel_ridge(kernel, self.alpha_, np.eye(len(kernel))).residual
        return lambda targets: targets - residual @ (residual @ targets)


@register("kernel-occa")
class KernelOCCA(_KernelCoder, OCCA):
    """Kernel orthogonally constrained canonical correlation analysis (kernel OCCA): OCCA with kernel ridge regression.

    Directions are the leading eigenvectors of ``Z'(2KQ - QKKQ - I)Z``, which is ``-alpha^2 Z'QQZ``, with Z, K and Q as
    of `KernelCPLST`: the smallest prediction error ``||KQZV' - ZV'||_F^2`` on the training rows that an orthonormal
    code has with this regression. Directions that it fits exactly, such as those of labels that do not vary, come
    first; ties go by the variance of the labels. Train the predictor ``kernel-ridge`` with the same ``gamma`` and
    ``alpha`` on the codes.

    Labels that are not known, NaN in ``y``, are filled in first: see `fit`.

    Parameters
    ----------
    n_components : int, str or None, default=None
        Length of the code: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all.
    gamma : float or None, default=None
        Width of the kernel, > 0: the larger, the narrower. None means 1 over the mean squared distance of two training
        rows.
    alpha : float or "loo", default="loo"
        Penalty of the regression, > 0; "loo" chooses it for the labels as `KernelRidgeRegressor` does.

    Attributes
    ----------
    components_ : ndarray or csr_array of shape (n_components, n_labels)
        V; a CSR array where labels were sparse, each direction is one label, and its cells are more than 2**25.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the method's objective; 0 where it is nothing but rounding.
    mean_ : ndarray of shape (n_labels,)
        Means of the labels; those not known are filled in.
    n_components_, n_labels_ : int
    label_names_ : list of str
        Only when ``y`` was a DataFrame.
    gamma_, alpha_ : float
        The values used; only after `fit`.
    edge_ : {"lowest", "highest"} or None
        Which end of the penalties compared was chosen, if any.

    References
    ----------
    Chen and Lin (2012), sections 3 and 3.2: equation (4) with the regression of equation (7), which the paper
    mentions without the formula.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> coder = mlreduce.KernelOCCA(n_components=3, alpha=0.1).fit(data.X, data.Y)
    >>> coder.components_.shape
    (3, 12)
    >>> bool((coder.eigenvalues_ <= 0).all())  # prediction errors, with changed sign
    True
    """

    complexity = _KernelCoder.complexity
