"""Multi-output regularised feature projection."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from mlreduce.exceptions import DataError
from mlreduce.linalg.utilities import scaled
from mlreduce.projection.base import WeightedProjection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.instances import row_space
from mlreduce.spectral.solver import check_arrays
from mlreduce.validation import Size, check_range


@register("morp")
class MORP(WeightedProjection):
    """Multi-output regularised feature projection (MORP): projections that reconstruct features and labels.

    ``min tr(P'(Xc'HXc + ridge I)P)`` subject to ``P'Xc'XcP = I``, with H the inverse of
    ``K = beta Yc Yc' + (1 - beta) Xc Xc'`` on the span of the features: with ``Xc = USV'`` it is
    ``U (U'KU)^-1 U'``. ``eigenvalues_`` are the costs times -1.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    beta : float, default=0.5
        Weight of the labels, which are 0/1, in [0, 1); 0 has the directions of `PCA`, scaled.
    ridge : float, default=1.0
        Tikhonov's lambda, >= 0. ``Xc'HXc`` has eigenvalues up to ``1 / (1 - beta)``, in any units of the features.

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
    K is singular, since centred instances span at most n - 1 dimensions. Its pseudo-inverse would ignore the labels
    unless a combination of them lies in the span of the features; hence the inverse on that span.

    With ``G = S^-1 U'Yc = A diag(s) B'`` it is
    ``Xc'HXc = V (I - A diag(s^2 / (s^2 + (1 - beta) / beta)) A') V' / (1 - beta)``, with one column per label in A.

    References
    ----------
    Yu, Yu, Tresp and Kriegel (2006), "Multi-output regularized feature projection"; Mu et al. (2012), equation (18).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MORP(n_components=3).fit(data.X, data.Y)
    >>> Z = method.transform(data.X)
    >>> (Z.T @ Z).round(6) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    signed_values = True

    def __init__(self, n_components: Size = None, beta: float = 0.5, ridge: float = 1.0) -> None:
        super().__init__(n_components)
        self.beta = beta
        self.ridge = ridge

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_range(self.beta, "beta", 0, 1)
        if self.beta == 1:
            raise DataError("beta must be a number in [0, 1): the cost of labels alone is unbounded; got 1")
        check_range(self.ridge, "ridge", 0)

    def _objective(self, data: TrainingSet) -> Form:
        cost = 1.0 / (1.0 - self.beta) + self.ridge
        if not self.beta:
            return Form(ridge=-cost)
        # Before the work, which the solver's check comes after: coordinates, their basis, scatter, factor, directions.
        check_arrays(data.centred, 5, self._wanted(data.X.shape[1]), type(self).__name__)
        coordinates = row_space(data.centred).coordinates
        scatter = scipy.linalg.cho_factor(coordinates.scatter)
        # Coordinates are those of features times the roots of the weights, as a form's factor will be.
        roots = np.ones(data.X.shape[0]) if data.weights is None else np.sqrt(data.weights)
        labels = scaled(data.labels, roots)
        left, singular, _ = np.linalg.svd(
            scipy.linalg.cho_solve(scatter, coordinates.cross(labels)), full_matrices=False
        )
        saved = singular**2 / (singular**2 + (1.0 - self.beta) / self.beta) / (1.0 - self.beta)
        factor = coordinates.X @ scipy.linalg.cho_solve(scatter, left) / roots[:, np.newaxis]
        return Form(factor=factor, middle=np.diag(saved), ridge=-cost)

    def _constraint(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
