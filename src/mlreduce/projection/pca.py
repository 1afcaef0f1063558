"""Principal component analysis and latent semantic indexing."""

from __future__ import annotations

from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet

__all__ = ["LSI", "PCA"]


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


@register("lsi")
class LSI(Projection):
    """Latent semantic indexing (LSI): principal directions of features that are not centred.

    ``max tr(P'X'XP)`` subject to ``P'P = I``, the right singular vectors of X. Labels are ignored.

    Parameters
    ----------
    n_components, select
        As of `Projection`.

    References
    ----------
    Deerwester et al. (1990), "Indexing by latent semantic analysis".
    """

    supervised = False
    centred = False

    def _objective(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
