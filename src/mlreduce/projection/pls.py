"""Partial least squares, with orthonormal directions or orthonormal projected features."""

from __future__ import annotations

from mlreduce.projection.covariance import CovarianceProjection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet

__all__ = ["OPLS", "PLS"]


@register("pls")
class PLS(CovarianceProjection):
    """Partial least squares (PLS): feature directions of largest covariance with label directions.

    ``max tr(P'Xc'YcYc'XcP)`` subject to ``P'P = I``: left singular vectors of ``Xc'Yc``, labels in {0, 1}. `MDDMp`
    has the same directions and four times the eigenvalues.

    Parameters
    ----------
    n_components, select
        As of `Projection`.

    References
    ----------
    Wold (1985), "Partial least squares"; Rosipal and Kraemer (2006), "Overview and recent advances in partial least
    squares".
    """

    def _objective(self, data: TrainingSet) -> Form:
        return Form(factor=data.labels)


@register("opls")
class OPLS(PLS):
    """Orthonormalised partial least squares (OPLS): projected features that explain most of the labels.

    ``max tr(P'Xc'YcYc'XcP)`` subject to ``P'Xc'XcP = I``; labels in {0, 1}.

    Parameters
    ----------
    n_components, select
        As of `Projection`.

    References
    ----------
    Worsley et al. (1997), "Characterizing the response of PET and fMRI data using multivariate linear models".
    """

    def _constraint(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
