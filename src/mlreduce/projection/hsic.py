"""Projections by estimates of the Hilbert-Schmidt independence criterion (HSIC)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlreduce.exceptions import DataError
from mlreduce.projection.mddm import MDDMKernel
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import FloatArray, Size, check_option


@register("sfehs")
class SFEHS(MDDMKernel):
    """Supervised feature extraction by the Hilbert-Schmidt norm (SFEHS): maximal estimated dependence on the labels.

    ``max tr(P'X'QXP)`` subject to ``P'P = I``, an estimate of the HSIC of the projected features, with a linear kernel,
    and the labels, with a kernel L. The sum of ``eigenvalues_`` is the estimate.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    kernel : {"linear", "rbf", "delta"}, callable or ndarray of shape (n_samples, n_samples), default="linear"
        L, as of `MDDMKernel`.
    gamma : float or None, default=None
        Of ``"rbf"``, > 0; None is 1 over the mean squared distance of two instances' labels.
    estimate : {"biased", "unbiased"}, default="biased"
        ``"biased"``: ``tr(KHLH) / (n - 1)^2``, which has the directions of `MDDMKernel`. ``"unbiased"``: with M the
        kernel matrix without its diagonal, ``(tr(M_K M_L) + 1'M_K 1 1'M_L 1 / ((n - 1)(n - 2))
        - 2 1'M_K M_L 1 / (n - 2)) / (n (n - 3))``, for four instances or more.

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
    The unbiased estimate is linear in ``M_K``, hence quadratic in P: with ``t = M_L 1``, ``s = 1't`` and l the diagonal
    of L, Q is ``L + s 11' / ((n - 1)(n - 2)) - (t1' + 1t') / (n - 2)`` less its diagonal, over ``n (n - 3)``. Its rows
    sum to zero, so that the origin of the features does not matter.

    References
    ----------
    Gretton, Bousquet, Smola and Schoelkopf (2005), "Measuring statistical dependence with Hilbert-Schmidt norms"; Song,
    Smola, Gretton, Bedo and Borgwardt (2012), "Feature selection via dependence maximization"; Mu et al. (2012),
    equation (16).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.SFEHS(n_components=3, estimate="unbiased").fit_transform(data.X, data.Y).shape
    (300, 3)
    """

    def __init__(
        self,
        n_components: Size = None,
        kernel: str | Callable[[FloatArray], Any] | FloatArray = "linear",
        gamma: float | None = None,
        estimate: str = "biased",
    ) -> None:
        super().__init__(n_components, kernel, gamma)
        self.estimate = estimate

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_option(self.estimate, "estimate", ("biased", "unbiased"))

    def _objective(self, data: TrainingSet) -> Form:
        kernel, n = self._kernel(data), data.n_counted
        if self.estimate == "biased":
            return kernel * (1.0 / (n - 1) ** 2)
        if n < 4:
            raise DataError(f"the unbiased estimate needs four instances at least; got n_samples={n:.15g}")
        counts = np.ones(data.X.shape[0]) if data.weights is None else data.weights
        diagonal = kernel.diagonal(len(counts))
        totals = kernel.dot(data.centred, counts) - diagonal
        total = float(counts @ totals)
        # Times n (n - 1)(n - 2)(n - 3): integers stay exact, and constant labels cancel exactly.
        weights = 2.0 * (n - 1) * totals - (n - 1) * (n - 2) * diagonal - total
        middle = np.array([[0.0, 1.0 - n], [1.0 - n, total]])
        rest = Form(weights=weights, factor=np.column_stack([totals, np.ones(len(counts))]), middle=middle)
        scaled = kernel * ((n - 1.0) * (n - 2.0)) + rest
        return scaled * (1.0 / (n * (n - 1.0) * (n - 2.0) * (n - 3.0)))
