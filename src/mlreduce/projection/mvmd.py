"""Maximising feature variance and feature-label dependence; `Projection.fit` solves for the directions."""

from __future__ import annotations

from dataclasses import replace

from mlreduce.projection.base import PRODUCTS
from mlreduce.projection.covariance import CovarianceProjection
from mlreduce.projection.mddm import label_scale
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.validation import Size, check_range


@register("mvmd")
class MVMD(CovarianceProjection):
    """Maximal feature variance and feature-label dependence (MVMD): a weighted sum of the objectives of PCA and MDDM.

    ``max tr(P'((1 - beta) Xc'Xc + beta X'HYY'HX)P)`` subject to ``P'P = I``. With ``beta=0`` it is `PCA`, with
    ``beta=1`` `MDDMp`; in between it has as many positive eigenvalues as PCA.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    coding : {"signed", "binary"}, default="signed"
        Labels as -1/1 or 0/1 in the objective, for either coding of ``y``; with "binary" the dependence has a quarter
        of the weight.
    beta : float, default=0.5
        Weight of the dependence, in [0, 1].

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
    Xu, Liu, Yin and Sun (2016), "A multi-label feature extraction algorithm via maximizing feature variance and
    feature-label dependence simultaneously", equations (34) to (37) and algorithm 1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MVMD(n_components=0.999).fit(data.X, data.Y).n_components_
    8
    """

    complexity = replace(PRODUCTS, time="s m + m^3 + n m q + 100 d r")

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
