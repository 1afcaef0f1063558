"""Projections by attraction within classes less repulsion between classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlreduce.projection.base import NEIGHBOURS
from mlreduce.projection.classes import ClassProjection
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.duplication import Duplicates, symmetrised
from mlreduce.spectral.graphs.neighbours import distance_blocks
from mlreduce.spectral.graphs.proximity import ProximityLike, check_proximity
from mlreduce.validation import Size, check_count, check_range


def squared_distances(copies: Duplicates, neighbours: Any) -> Form:
    """Return the form of the squared distances from each duplicate to its neighbours."""
    return copies.laplacian(neighbours + neighbours.T)


def repulsion(copies: Duplicates, proximities: Any) -> Form:
    """Return the Laplacian of the proximities between duplicates of different classes."""
    n_labels = len(copies.sizes)
    return copies.laplacian_by_label(proximities, 1.0 - np.eye(n_labels))


@register("dla")
class DLA(ClassProjection):
    """Discriminative locality alignment (DLA): distances to neighbours in the class less those to other classes.

    ``min sum_i (sum_j ||z_i - z_j||^2 - repulsion sum_k ||z_i - z_k||^2)`` subject to ``P'P = I``, where j are the
    nearest instances of the class of i and k the nearest of other classes.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=5
        K1, number of nearest instances in the same class, >= 1.
    n_others : int, default=5
        K2, number of nearest instances in other classes, >= 1.
    repulsion : float, default=0.1
        Weight of the instances of other classes, lambda in the paper, >= 0.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Zhang, Tao, Li and Yang (2009), "Patch alignment for dimensionality reduction"; Mu et al. (2012), equation (12).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> y = data.Y[:, 0]  # a class for each instance
    >>> mlreduce.DLA(n_components=2).fit_transform(data.X, y).shape
    (300, 2)
    >>> mlreduce.DLA(n_components=2).fit(data.X, y).classes_
    array([0, 1], dtype=int8)
    """

    complexity = NEIGHBOURS
    signed_values = True

    def __init__(
        self,
        n_components: Size = None,
        n_neighbors: int = 5,
        n_others: int = 5,
        repulsion: float = 0.1,
        variance_share: float = 0.2,
    ) -> None:
        super().__init__(n_components)
        self.n_neighbors = n_neighbors
        self.n_others = n_others
        self.repulsion = repulsion
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count(self.n_neighbors, "n_neighbors")
        check_count(self.n_others, "n_others")
        check_range(self.repulsion, "repulsion", 0)

    def _objective(self, data: TrainingSet) -> Form:
        copies = self._copies(data)
        inside, across = copies.neighbours(distance_blocks(data), self.n_neighbors, self.n_others)
        return squared_distances(copies, float(self.repulsion) * across - inside)


@register("dne")
class DNE(ClassProjection):
    """Discriminant neighbourhood embedding (DNE): a graph with weight 1 within classes and -1 between classes.

    ``min tr(P'X'(D(W) - W)XP)`` subject to ``P'P = I``. A pair is joined if one of the two is among the nearest of the
    other, in the same class or in other classes.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=5
        Number of nearest instances, in the same class and in other classes, >= 1.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Zhang, Xue, Lu and Guo (2006), "Discriminant neighborhood embedding for classification"; Mu et al. (2012), equation
    (13).

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> y = data.Y[:, 0]  # a class for each instance
    >>> method = mlreduce.DNE().fit(data.X, y)
    >>> bool(method.eigenvalues_[0] > 0 > method.eigenvalues_[-1])
    True
    """

    complexity = NEIGHBOURS
    signed_values = True

    def __init__(self, n_components: Size = None, n_neighbors: int = 5, variance_share: float = 0.2) -> None:
        super().__init__(n_components)
        self.n_neighbors = n_neighbors
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count(self.n_neighbors, "n_neighbors")

    def _objective(self, data: TrainingSet) -> Form:
        copies = self._copies(data)
        inside, across = copies.neighbours(distance_blocks(data), self.n_neighbors, self.n_neighbors)
        return copies.laplacian(symmetrised(across) - symmetrised(inside))


@register("olpp-r")
class OLPPR(ClassProjection):
    """Orthogonal locality preserving projection with repulsion (OLPP-R): near instances of other classes repel.

    ``min tr(P'X'(L_s - repulsion L_r)XP)`` subject to ``P'P = I``. ``L_s`` is the Laplacian of the graph that joins all
    pairs of a class by 1, ``L_r`` of the proximities of instances of different classes.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    repulsion : float, default=1.0
        Weight of the repulsion, >= 0.
    proximity : Proximity, dict of its parameters, or None, default=None
        W, independent of labels; None is ``Proximity()``: Gaussian weights, ten nearest neighbours. The original has
        equation (9) of Mu et al. (2012): ``{"weight": "ratio"}``.
    variance_share : float, default=0.2
        In [0, 1]. With an integer or percentage n_components, directions are combinations of the leading principal
        components of the features that hold this share of the variance, of n_components at least; 1 is all of them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; only when ``y`` was a class vector.
    components_, mean_ : ndarray of shape (n_components, n_features), ndarray of shape (n_features,)
        The directions, most important first, and what is subtracted from the features before projection.
    eigenvalues_, objective_ratio_ : ndarray of shape (n_components,)
        Contribution of each direction to the objective, descending, and its share in their sum. See `Projection`.
    n_components_, n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Kokiopoulou and Saad (2009), "Enhanced graph-based dimensionality reduction with repulsion Laplaceans".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> y = data.Y[:, 0]  # a class for each instance
    >>> mlreduce.OLPPR(n_components=2, repulsion=0.5).fit_transform(data.X, y).shape
    (300, 2)
    """

    complexity = NEIGHBOURS
    signed_values = True

    def __init__(
        self,
        n_components: Size = None,
        repulsion: float = 1.0,
        proximity: ProximityLike = None,
        variance_share: float = 0.2,
    ) -> None:
        super().__init__(n_components)
        self.repulsion = repulsion
        self.proximity = proximity
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_range(self.repulsion, "repulsion", 0)
        check_proximity(self.proximity)

    def _objective(self, data: TrainingSet) -> Form:
        copies = self._copies(data)
        degrees = np.asarray(copies.members.power(2) @ copies.sizes).reshape(-1)
        together = Form(weights=-degrees, factor=copies.members)
        apart = repulsion(copies, check_proximity(self.proximity).matrix(data))
        return together + apart * float(self.repulsion)
