"""Principal component analysis."""

from __future__ import annotations

from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet

__all__ = ["PCA"]


@register("pca")
class PCA(Projection):
    """Principal component analysis (PCA): the directions of largest variance.

    ``max tr(P'Xc'XcP)`` subject to ``P'P = I``. Labels are ignored. ``eigenvalues_`` are n_samples - 1 times the
    variances.

    Parameters
    ----------
    n_components, select
        As of `Projection`.

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
