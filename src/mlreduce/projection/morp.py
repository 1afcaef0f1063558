"""Multi-output regularised feature projection."""

from __future__ import annotations

import numpy as np

from mlreduce.exceptions import DataError
from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.solver import row_space
from mlreduce.validation import check_range

__all__ = ["MORP"]


@register("morp")
class MORP(Projection):
    """Multi-output regularised feature projection: projections that reconstruct features and labels.

    ``min tr(P'(Xc'HXc + ridge I)P)`` subject to ``P'Xc'XcP = I``, with H the inverse of
    ``K = beta Yc Yc' + (1 - beta) Xc Xc'`` on the span of the features: with ``Xc = USV'`` it is
    ``U (U'KU)^-1 U'``. The sign is turned: ``eigenvalues_`` are the costs times -1, the cheapest first.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all in the row space.
    select : {"size"}, default="size"
        What ``n_components`` says; a share of the eigenvalues has no meaning here.
    beta : float, default=0.5
        Weight of the labels, in [0, 1); 0 has the directions of PCA, scaled. Labels are 0/1 and features in their
        units: these say what the two weights mean.
    ridge : float, default=1.0
        Tikhonov's lambda, >= 0. ``Xc'HXc`` has eigenvalues up to ``1 / (1 - beta)``, in any units.

    Notes
    -----
    K is never invertible: centred instances span n - 1 dimensions at most. Where features span all of these, H is the
    pseudo-inverse of K. Where they do not, the pseudo-inverse would leave the labels out altogether, as long as no
    combination of labels is one of features: what Z in the span of the features costs by it is the length of the
    shortest way to write Z as features and labels, and that has no labels. Hence the inverse on the span.

    With ``G = S^-1 U'Yc = A diag(s) B'`` it is
    ``Xc'HXc = V (I - A diag(s^2 / (s^2 + (1 - beta) / beta)) A') V' / (1 - beta)``: what labels make cheaper is a term
    with a column a label.

    References
    ----------
    Yu, Yu, Tresp and Kriegel (2006), "Multi-output regularized feature projection"; Mu et al. (2012), equation (18).
    """

    signed_values = True

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        beta: float = 0.5,
        ridge: float = 1.0,
    ) -> None:
        super().__init__(n_components, select)
        self.beta = beta
        self.ridge = ridge

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_range(self.beta, "beta", 0, 1)
        if self.beta == 1:
            raise DataError("beta must be a number in [0, 1): with labels alone nothing bounds the cost; got 1")
        check_range(self.ridge, "ridge", 0)

    def _objective(self, data: TrainingSet) -> Form:
        cost = 1.0 / (1.0 - self.beta) + self.ridge
        if not self.beta:
            return Form(ridge=-cost)
        coordinates, _ = row_space(data.centred)
        squares = np.einsum("ij,ij->j", coordinates.X, coordinates.X)
        left, singular, _ = np.linalg.svd(coordinates.cross(data.labels) / squares[:, np.newaxis], full_matrices=False)
        saved = singular**2 / (singular**2 + (1.0 - self.beta) / self.beta) / (1.0 - self.beta)
        return Form(factor=coordinates.X @ (left / squares[:, np.newaxis]), middle=np.diag(saved), ridge=-cost)

    def _constraint(self, data: TrainingSet) -> Form:
        return Form(weights=1.0)
