"""Latent semantic indexing."""

from __future__ import annotations

from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet

__all__ = ["LSI"]


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
