"""Principal component analysis."""

from __future__ import annotations

from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet

__all__ = ["PCA"]


@register("pca")
class PCA(Projection):
    """Principal component analysis: the directions of largest variance.

    ``max tr(P'Xc'XcP)`` subject to ``P'P = I``. Unsupervised: labels are ignored. ``eigenvalues_`` are those of
    ``Xc'Xc``, n_samples - 1 times the variances.

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
    Hotelling (1933), "Analysis of a complex of statistical variables into principal components"; Xu et al. (2016),
    equations (10) and (11).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.PCA(n_components=5).fit_transform(data.X).shape
    (1797, 5)
    """

    supervised = False

    def _objective(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
