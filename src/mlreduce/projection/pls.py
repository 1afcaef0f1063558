"""Partial least squares, with orthonormal directions or orthonormal projected features."""

from __future__ import annotations

from mlreduce.projection.base import LEAST_SQUARES, THIN
from mlreduce.projection.covariance import CovarianceProjection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet


@register("pls")
class PLS(CovarianceProjection):
    """Partial least squares (PLS): feature directions of largest covariance with label directions.

    ``max tr(P'Xc'YcYc'XcP)`` subject to ``P'P = I``: left singular vectors of ``Xc'Yc``, labels in {0, 1}. `MDDMp`
    has the same directions and four times the eigenvalues.

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
    Wold (1985), "Partial least squares"; Rosipal and Kraemer (2006), "Overview and recent advances in partial least
    squares".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")  # 30 features; 3 directions decide 8 of the 12 labels
    >>> mlreduce.PLS().fit(data.X, data.Y).objective_ratio_[:4].round(2)
    array([0.39, 0.31, 0.19, 0.08])
    """

    complexity = THIN

    def _objective(self, data: TrainingSet) -> Form:
        return Form(factor=data.labels)


@register("opls")
class OPLS(PLS):
    """Orthonormalised partial least squares (OPLS): projected features that explain most of the labels.

    ``max tr(P'Xc'YcYc'XcP)`` subject to ``P'Xc'XcP = I``; labels in {0, 1}.

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
    Worsley et al. (1997), "Characterizing the response of PET and fMRI data using multivariate linear models".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> Z = mlreduce.OPLS(n_components=2).fit_transform(data.X, data.Y)
    >>> (Z.T @ Z).round(6) + 0.0  # uncorrelated, of length one
    array([[1., 0.],
           [0., 1.]])
    """

    complexity = LEAST_SQUARES
    unregularised_for = "MDDMf"

    def _constraint(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
