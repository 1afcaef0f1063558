"""Multi-label dimensionality reduction via dependence maximisation, with orthonormal directions or features."""

from __future__ import annotations

from mlreduce.projection.coding import label_scale
from mlreduce.projection.problem import Form, TrainingSet
from mlreduce.projection.template import Projection
from mlreduce.registry import register
from mlreduce.validation import check_range

__all__ = ["Balanced", "MDDMf", "MDDMp"]


@register("mddmp")
class MDDMp(Projection):
    """MDDM with orthonormal directions: the directions on which the labels depend most.

    ``max tr(P'X'HYY'HXP)`` subject to ``P'P = I``: the Hilbert-Schmidt independence criterion with linear kernels.
    There are at most as many positive eigenvalues as labels.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all with a positive eigenvalue. With ``select="energy"`` the share t in (0, 1).
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share of the sum of all positive eigenvalues that the directions must
        hold (Xu et al. 2016, equation (15)).
    coding : {"signed", "binary"}, default="signed"
        Labels are written as -1 and 1, or as 0 and 1, whatever the coding of the ``Y`` that is passed. It scales
        the eigenvalues, by 4, and nothing else.

    References
    ----------
    Zhang and Zhou (2010), "Multilabel dimensionality reduction via dependence maximization"; Xu et al. (2016),
    equations (17) and (18).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.MDDMp().fit_transform(data.X, data.Y).shape
    (1797, 8)
    """

    def __init__(self, n_components: int | float | None = None, select: str = "size", coding: str = "signed") -> None:
        self.n_components = n_components
        self.select = select
        self.coding = coding

    def _check_parameters(self) -> None:
        super()._check_parameters()
        label_scale(self.coding)

    def _objective(self, data: TrainingSet) -> Form:
        return Form(factor=data.labels, middle=label_scale(self.coding) ** 2)


class Balanced(MDDMp):
    """Base of the methods that weigh two wishes by ``beta``."""

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        coding: str = "signed",
        beta: float = 0.5,
    ) -> None:
        super().__init__(n_components, select, coding)
        self.beta = beta

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_range(self.beta, "beta", 0, 1)


@register("mddmf")
class MDDMf(Balanced):
    """MDDM with orthonormal projected features, regularised.

    ``max tr(P'X'HYY'HXP)`` subject to ``P'(beta Xc'Xc + (1 - beta) I)P = I``. With ``beta=0`` it is MDDMp; with
    ``beta=1`` the projected features are orthonormal, as in OPLS.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all with a positive eigenvalue. With ``select="energy"`` the share t in (0, 1).
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share of the sum of all positive eigenvalues that the directions must
        hold (Xu et al. 2016, equation (15)).
    coding : {"signed", "binary"}, default="signed"
        Labels are written as -1 and 1, or as 0 and 1, whatever the coding of the ``Y`` that is passed. It scales
        the eigenvalues, by 4, and nothing else.
    beta : float, default=0.5
        Weight of the features' scatter in the constraint, in [0, 1].

    References
    ----------
    Zhang and Zhou (2010), "Multilabel dimensionality reduction via dependence maximization"; Xu et al. (2016),
    equations (19) and (20).
    """

    def _constraint(self, data: TrainingSet) -> Form | None:
        return Form(weights=float(self.beta), ridge=1.0 - self.beta) if self.beta else None
