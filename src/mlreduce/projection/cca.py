"""Canonical correlation analysis between features and labels, plain and regularised."""

from __future__ import annotations

import numpy as np

from mlreduce.projection.base import LEAST_SQUARES
from mlreduce.projection.covariance import CovarianceProjection
from mlreduce.projection.ridge import Regularised, Ridge
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import FloatArray, Size

# Relative variance below which a direction of the labels has none.
_NO_VARIANCE = 1e-10


def _inverse(matrix: FloatArray) -> FloatArray:
    """Return the pseudo-inverse of a scatter matrix, which constant or repeated labels make singular."""
    values, vectors = np.linalg.eigh(matrix)
    nonzero = values > _NO_VARIANCE * max(values[-1], np.finfo(float).tiny)
    return (vectors[:, nonzero] / values[nonzero]) @ vectors[:, nonzero].T


@register("cca")
class CCA(CovarianceProjection):
    """Canonical correlation analysis (CCA): feature directions most correlated with label directions.

    ``max tr(P'Xc'Yc(Yc'Yc)^-1 Yc'XcP)`` subject to ``P'Xc'XcP = I``. ``eigenvalues_`` are the squared canonical
    correlations. Where the features determine the training labels (fewer instances than features) all are one, and
    directions are ordered by ``||Yc'Xcp||``.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.

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
    Hotelling (1936), "Relations between two sets of variates"; Sun, Ji and Ye (2011), "Canonical correlation analysis
    for multilabel classification: a least-squares formulation, extensions, and analysis".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")  # 30 features; 3 directions decide 8 of the 12 labels
    >>> mlreduce.CCA().fit(data.X, data.Y).eigenvalues_[:4].round(1)
    array([0.8, 0.8, 0.7, 0.2])
    """

    takes_unknown_cells = False
    complexity = LEAST_SQUARES
    unregularised_for = "RCCA"

    def _objective(self, data: TrainingSet) -> Form:
        return Form(factor=data.labels, middle=_inverse(data.label_scatter))

    def _constraint(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)


@register("rcca")
class RCCA(Regularised, CCA):
    """Regularised canonical correlation analysis (RCCA): `CCA` with a ridge.

    As `CCA`, subject to ``P'(Xc'Xc + ridge I)P = I``.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    ridge : float, str or None, default=None
        Ridge of the constraint, >= 0, in squared units of the features. ``"0.1%"`` is a share of its mean
        diagonal over the features that vary, "all-columns" a thousandth of that over all features. None chooses it by
        the leave-one-out errors of ridge regression of the labels; 0 is CCA.

    Attributes
    ----------
    ridge_, edge_ : float, {"lowest", "highest"} or None
        The ridge, and which end of those compared a chosen one is, if any.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Sun, Ji and Ye (2011), "Canonical correlation analysis for multilabel classification: a least-squares formulation,
    extensions, and analysis".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.RCCA(n_components=3, ridge=10.0).fit(data.X, data.Y)
    >>> method.components_.shape
    (3, 30)
    >>> bool((method.eigenvalues_ < mlreduce.CCA(n_components=3).fit(data.X, data.Y).eigenvalues_).all())
    True
    """

    unregularised_for = ""

    def __init__(self, n_components: Size = None, ridge: Ridge = None) -> None:
        super().__init__(n_components)
        self.ridge = ridge

    def _constraint(self, data: TrainingSet) -> Form:
        return self._with_ridge(Form(weights=1.0), data)
