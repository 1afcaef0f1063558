"""Maximising feature variance and feature-label dependence; `Projection.fit` solves for the directions."""

from __future__ import annotations

from mlreduce.projection.base import PRODUCTS
from mlreduce.projection.covariance import CovarianceProjection
from mlreduce.projection.mddm import label_scale
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import Size, check_range

__all__ = ["MVMD"]


@register("mvmd")
class MVMD(CovarianceProjection):
    """Maximal feature variance and feature-label dependence (MVMD): a weighted sum of the objectives of PCA and MDDM.

    ``max tr(P'((1 - beta) Xc'Xc + beta X'HYY'HX)P)`` subject to ``P'P = I``. With ``beta=0`` it is `PCA`, with
    ``beta=1`` `MDDMp`; in between it has as many positive eigenvalues as PCA.

    Parameters
    ----------
    n_components
        As of `Projection`.
    coding : {"signed", "binary"}, default="signed"
        Labels as -1/1 or 0/1 in the objective, for either coding of ``y``; with "binary" the dependence has a quarter
        of the weight.
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
    >>> mlreduce.MVMD(n_components=0.999).fit(data.X, data.Y).n_components_
    8
    """

    complexity = PRODUCTS

    def __init__(self, n_components: Size = None, coding: str = "signed", beta: float = 0.5) -> None:
        super().__init__(n_components)
        self.coding = coding
        self.beta = beta

    def _check_parameters(self) -> None:
        super()._check_parameters()
        label_scale(self.coding)
        check_range(self.beta, "beta", 0, 1)

    def _objective(self, data: TrainingSet) -> Form:
        if self.beta == 0:
            return Form(weights=1.0)
        return Form(weights=1.0 - self.beta, factor=data.labels, middle=self.beta * label_scale(self.coding) ** 2)
