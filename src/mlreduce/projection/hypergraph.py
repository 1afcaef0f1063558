"""Hypergraph spectral learning: labels as hyperedges, which join all their instances."""

from __future__ import annotations

import numpy as np

from mlreduce.linalg.utilities import quotient
from mlreduce.projection.base import Projection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.label_proximity import scaled
from mlreduce.validation import check_range

__all__ = ["HSL1", "HSL2", "HSL3"]


class _HypergraphProjection(Projection):
    """Base: a normalised similarity of instances that share labels.

    With the class sizes ``n_c`` all three expansions are ``S = D^-1/2 Y diag(n_c)^-q Y' D^-1/2``, where D holds the row
    sums of what stands between: a label's weight in the similarity is ``n_c^-q``. S has a column a label as its
    factor, and no eigenvalue above 1. D is zero where an instance has no label: such instances are similar to none.
    """

    #: How much less a label counts that many instances have.
    power: int

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        gamma: float = 1.0,
        centred: bool = False,
    ) -> None:
        super().__init__(n_components, select)
        self.gamma = gamma
        self.centred = centred

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_range(self.gamma, "gamma", 0)

    def _objective(self, data: TrainingSet) -> Form:
        sizes = data.class_sizes
        weights = quotient(1.0, sizes**self.power)
        degrees = data.labels @ (weights * sizes)
        return Form(factor=scaled(data.labels, quotient(1.0, np.sqrt(degrees)), np.sqrt(weights)))

    def _constraint(self, data: TrainingSet) -> Form:
        return Form(weights=1.0, ridge=float(self.gamma))


@register("hsl1")
class HSL1(_HypergraphProjection):
    """Hypergraph spectral learning by clique expansion: instances are joined once for each label that they share.

    ``max tr(P'X'SXP)`` subject to ``P'(X'X + gamma I)P = I`` with ``S = D^-1/2 YY' D^-1/2`` and the degrees
    ``D = diag(Y n_c)``, how many instances have a label of the instance, counted for each of its labels; an instance
    counts as its own neighbour. At most n_labels eigenvalues are positive; instances without labels are similar to
    none.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all with a positive eigenvalue. With ``select="energy"`` the share t in (0, 1).
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share of the sum of all positive eigenvalues that the directions must
        hold (Xu et al. 2016, equation (15)).
    gamma : float, default=1.0
        Ridge of the constraint, >= 0, in squared units of the features.
    centred : bool, default=False
        Whether X is taken less its mean. S has the eigenvalue 1 for the roots of the degrees, and features with a
        mean tend to that direction.

    References
    ----------
    Sun, Ji and Ye (2008), "Hypergraph spectral learning for multi-label classification"; Mu et al. (2012),
    section 2.2.2.
    """

    power = 0


@register("hsl2")
class HSL2(_HypergraphProjection):
    """Hypergraph spectral learning by star expansion: instances are joined to their labels, and by these to others.

    As `HSL1` with ``S = D^-1/2 Y diag(n_c)^-2 Y' D^-1/2`` and the degrees ``D = diag(Y n_c^-1)``: what the normalised
    graph of instances and labels, with edges of weight ``1 / n_c``, joins in two steps.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all with a positive eigenvalue. With ``select="energy"`` the share t in (0, 1).
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share of the sum of all positive eigenvalues that the directions must
        hold (Xu et al. 2016, equation (15)).
    gamma : float, default=1.0
        Ridge of the constraint, >= 0, in squared units of the features.
    centred : bool, default=False
        Whether X is taken less its mean; see `HSL1`.

    References
    ----------
    Sun, Ji and Ye (2008), "Hypergraph spectral learning for multi-label classification"; Mu et al. (2012),
    section 2.2.2.
    """

    power = 2


@register("hsl3")
class HSL3(_HypergraphProjection):
    """Hypergraph spectral learning by the normalised hypergraph Laplacian.

    As `HSL1` with ``S = D^-1/2 Y diag(n_c)^-1 Y' D^-1/2`` and the degrees ``D = diag(m)``, the numbers of labels: I
    less the Laplacian of Zhou, Huang and Schoelkopf.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all with a positive eigenvalue. With ``select="energy"`` the share t in (0, 1).
    select : {"size", "energy"}, default="size"
        What ``n_components`` says: a size, or the share of the sum of all positive eigenvalues that the directions must
        hold (Xu et al. 2016, equation (15)).
    gamma : float, default=1.0
        Ridge of the constraint, >= 0, in squared units of the features.
    centred : bool, default=False
        Whether X is taken less its mean; see `HSL1`.

    References
    ----------
    Sun, Ji and Ye (2008), "Hypergraph spectral learning for multi-label classification"; Zhou, Huang and Schoelkopf
    (2006), "Learning with hypergraphs: clustering, classification, and embedding"; Mu et al. (2012), section 2.2.2.
    """

    power = 1
