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
    n_components : int, float, str or None, default=None
        A whole number of 1..n_features is the number of directions. A float in (0, 1) is the share t of the sum of all
        positive eigenvalues, such as the variance in `PCA`: the fewest directions that hold it are kept (Xu et al.
        2016, equation (15)); not where eigenvalues may be negative (``signed_values``). A string such as ``"50%"`` is
        a percentage of n_features in (0, 100], rounded down to at least 1. None keeps all with a positive eigenvalue;
        with ``signed_values`` as many as the rank of the features.
    coding : {"signed", "binary"}, default="signed"
        Labels as -1/1 or 0/1 in the objective, for either coding of ``y``; with "binary" the dependence has a quarter
        of the weight.
    beta : float, default=0.5
        Weight of the dependence, in [0, 1].

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, most important first; of each, the entry of largest magnitude is positive, of equal ones
        the first.
    eigenvalues_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending; positive unless ``signed_values``.
    objective_ratio_ : ndarray of shape (n_components,)
        Share of each eigenvalue in the sum of all positive ones, of the directions not kept too. Not where eigenvalues
        may be negative (``signed_values``), nor, for a kernel or graph in the objective, with fewer directions than
        exist: their sum is not known then.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the features before projection.
    n_components_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.
    label_names_ : list of str
        Only when ``y`` was a DataFrame.

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
