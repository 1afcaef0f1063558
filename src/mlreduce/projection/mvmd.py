"""Maximising feature variance and feature-label dependence simultaneously."""

from __future__ import annotations

from mlreduce.projection.coding import label_scale
from mlreduce.projection.mddm import Balanced
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet

__all__ = ["MVMD"]


@register("mvmd")
class MVMD(Balanced):
    """MVMD: the directions of large variance on which the labels depend.

    ``max tr(P'((1 - beta) Xc'Xc + beta X'HYY'HX)P)`` subject to ``P'P = I``. With ``beta=0`` it is PCA, with
    ``beta=1`` MDDMp; in between there are as many positive eigenvalues as PCA has, and the first of them, about as
    many as labels, are large.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all with a positive eigenvalue. With ``select="energy"`` the share t in (0, 1).
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share of the sum of all positive eigenvalues that the directions must
        hold (Xu et al. 2016, equation (15)).
    coding : {"signed", "binary"}, default="signed"
        Labels are written as -1 and 1, or as 0 and 1, whatever the coding of the ``Y`` that is passed. With
        "binary" the dependence weighs a quarter, so that ``beta`` means something else.
    beta : float, default=0.5
        Weight of the dependence, in [0, 1].

    References
    ----------
    Xu, Liu, Yin and Sun (2016), "A multi-label feature extraction algorithm via maximizing feature variance and
    feature-label dependence simultaneously", equations (34) to (37) and algorithm 1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MVMD(n_components=0.999, select="energy").fit(data.X, data.Y).n_components_
    8
    """

    def _objective(self, data: TrainingSet) -> Form:
        if self.beta == 0:
            return Form(weights=1.0)
        return Form(weights=1.0 - self.beta, factor=data.labels, middle=self.beta * label_scale(self.coding) ** 2)
