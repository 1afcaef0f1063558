"""Latent semantic indexing."""

from __future__ import annotations

from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet

__all__ = ["LSI"]


@register("lsi")
class LSI(Projection):
    """Latent semantic indexing: principal directions of the features as they are, not centred.

    ``max tr(P'X'XP)`` subject to ``P'P = I``, the right singular vectors of X. Unsupervised: labels are ignored.
    For counts and other features whose zero means something.

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
    Deerwester et al. (1990), "Indexing by latent semantic analysis".
    """

    supervised = False
    centred = False

    def _objective(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
