"""Partial least squares, with orthonormal directions or orthonormal projected features."""

from __future__ import annotations

from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet

__all__ = ["OPLS", "PLS"]


@register("pls")
class PLS(Projection):
    """Partial least squares: the features' side of the directions of largest covariance.

    ``max tr(P'Xc'YcYc'XcP)`` subject to ``P'P = I``: left singular vectors of ``Xc'Yc``, labels in {0, 1}. MDDMp
    has the same directions and four times the eigenvalues.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all with a positive eigenvalue. With ``select="energy"`` the share t in (0, 1).
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share of the sum of all positive eigenvalues that the directions must
        hold (Xu et al. 2016, equation (15)).

    References
    ----------
    Wold (1985), "Partial least squares"; Rosipal and Kraemer (2006), "Overview and recent advances in partial least
    squares".
    """

    def _objective(self, data: TrainingSet) -> Form:
        return Form(factor=data.labels)


@register("opls")
class OPLS(PLS):
    """Orthonormalised partial least squares: the directions whose projected features explain most of the labels.

    ``max tr(P'Xc'YcYc'XcP)`` subject to ``P'Xc'XcP = I``; labels in {0, 1}.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all with a positive eigenvalue. With ``select="energy"`` the share t in (0, 1).
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share of the sum of all positive eigenvalues that the directions must
        hold (Xu et al. 2016, equation (15)).

    References
    ----------
    Worsley et al. (1997), "Characterizing the response of PET and fMRI data using multivariate linear models".
    """

    def _constraint(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
