"""Projections that keep who is near whom: neighbours near each other, or instances where their neighbours put them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlreduce.exceptions import DataError
from mlreduce.projection.base import Projection
from mlreduce.projection.scatter import check_ridge, with_ridge
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.graphs.proximity import Proximity, attraction, check_proximity, degrees, reconstruction
from mlreduce.validation import check_count

__all__ = ["LPP", "NPP", "OLPP", "ONPP"]


class _Locality(Projection):
    """Base of the projections that minimise a cost of neighbours: its sign is turned, eigenvalues are at most zero."""

    supervised = False
    signed_values = True


@register("olpp")
class OLPP(_Locality):
    """Orthogonal locality preserving projections: orthonormal directions on which joined instances are near.

    ``max tr(P'X'(W - D(W))XP)`` subject to ``P'P = I``: of the projected instances the squared differences, weighted
    by W, are least. Directions are sought where the centred features vary, so that none of them gives all instances
    the same value. Eigenvalues are the differences' sums, sign turned: the first is the nearest to zero.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all, as many as the rank of the features.
    select : {"size"}, default="size"
        What ``n_components`` says; eigenvalues that are not positive have no share of their sum.
    proximity : Proximity, dict of its parameters, or None, default=None
        The weights W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.

    References
    ----------
    Kokiopoulou and Saad (2007), "Orthogonal neighborhood preserving projections: a projection-based dimensionality
    reduction technique"; Mu, Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.OLPP(n_components=5, proximity={"weight": "cosine"}).fit_transform(data.X).shape
    (1797, 5)
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        proximity: Proximity | Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(n_components, select)
        self.proximity = proximity

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_proximity(self.proximity)

    def _objective(self, data: TrainingSet) -> Form:
        return attraction(check_proximity(self.proximity).matrix(data))


@register("lpp")
class LPP(OLPP):
    """Locality preserving projections: directions on which joined instances are near, relative to their size.

    ``max tr(P'X'(W - D(W))XP)`` subject to ``P'(X'D(W)X + ridge I)P = I``, or with ``X'X`` in place of ``X'D(W)X``.
    Both are of the features as they are, and not less their means, as the formulas have them. Eigenvalues lie in
    [-2, 0] with ``constraint="degree"``.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all, as many as the rank of the features.
    select : {"size"}, default="size"
        What ``n_components`` says; eigenvalues that are not positive have no share of their sum.
    proximity : Proximity, dict of its parameters, or None, default=None
        The weights W; None is ``Proximity()``: Gaussian weights, ten nearest neighbours.
    constraint : {"degree", "scatter"}, default="degree"
        ``X'D(W)X``, in which instances count by the sum of their weights, or ``X'X``.
    ridge : float or None, default=None
        Ridge of the constraint, >= 0, in its units; None is a thousandth of its mean diagonal.

    References
    ----------
    He and Niyogi (2003), "Locality preserving projections"; Mu, Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.LPP(n_components=5).fit_transform(data.X).shape
    (1797, 5)
    """

    centred = False

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        proximity: Proximity | Mapping[str, Any] | None = None,
        constraint: str = "degree",
        ridge: float | None = None,
    ) -> None:
        super().__init__(n_components, select, proximity)
        self.constraint = constraint
        self.ridge = ridge

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_ridge(self.ridge)
        if self.constraint not in ("degree", "scatter"):
            raise DataError(f"constraint must be 'degree' or 'scatter'; got {self.constraint!r}")

    def _constraint(self, data: TrainingSet) -> Form:
        by_degree = self.constraint == "degree"
        scatter = Form(weights=degrees(check_proximity(self.proximity).matrix(data)) if by_degree else 1.0)
        return with_ridge(scatter, data.raw, self.ridge)


@register("onpp")
class ONPP(_Locality):
    """Orthogonal neighbourhood preserving projections: instances stay where their neighbours put them.

    ``max -tr(P'X'(I - W)'(I - W)XP)`` subject to ``P'P = I``, where the rows of W reconstruct each instance from its
    nearest others as in LLE. Directions are sought where the centred features vary, so that none of them gives all
    instances the same value.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all, as many as the rank of the features.
    select : {"size"}, default="size"
        What ``n_components`` says; eigenvalues that are not positive have no share of their sum.
    n_neighbors : int, default=10
        From how many of its nearest others an instance is reconstructed, all where there are fewer.

    References
    ----------
    Kokiopoulou and Saad (2007), "Orthogonal neighborhood preserving projections: a projection-based dimensionality
    reduction technique"; Mu, Goulermas, Tsujii and Ananiadou (2012), section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.ONPP(n_components=5).fit_transform(data.X).shape
    (1797, 5)
    """

    def __init__(self, n_components: int | float | None = None, select: str = "size", n_neighbors: int = 10) -> None:
        super().__init__(n_components, select)
        self.n_neighbors = n_neighbors

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count(self.n_neighbors, "n_neighbors")

    def _objective(self, data: TrainingSet) -> Form:
        return reconstruction(data, self.n_neighbors)


@register("npp")
class NPP(ONPP):
    """Neighbourhood preserving projections: as `ONPP`, with orthonormal projected features.

    ``max -tr(P'X'(I - W)'(I - W)XP)`` subject to ``P'(X'X + ridge I)P = I``, of the features as they are, and not less
    their means.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Number of directions, 1..n_features; a fraction of n_features in (0, 1), rounded down but never to zero; None
        for all, as many as the rank of the features.
    select : {"size"}, default="size"
        What ``n_components`` says; eigenvalues that are not positive have no share of their sum.
    n_neighbors : int, default=10
        From how many of its nearest others an instance is reconstructed, all where there are fewer.
    ridge : float or None, default=None
        Ridge of the constraint, >= 0, in its units; None is a thousandth of its mean diagonal.

    References
    ----------
    He, Cai, Yan and Zhang (2005), "Neighborhood preserving embedding"; Mu, Goulermas, Tsujii and Ananiadou (2012),
    section 2.1.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> mlreduce.NPP(n_components=5).fit_transform(data.X).shape
    (1797, 5)
    """

    centred = False

    def __init__(
        self,
        n_components: int | float | None = None,
        select: str = "size",
        n_neighbors: int = 10,
        ridge: float | None = None,
    ) -> None:
        super().__init__(n_components, select, n_neighbors)
        self.ridge = ridge

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_ridge(self.ridge)

    def _constraint(self, data: TrainingSet) -> Form:
        return with_ridge(Form(weights=1.0), data.raw, self.ridge)
