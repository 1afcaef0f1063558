"""Projections that preserve the reconstruction of instances from others of their class, with or without repulsion."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

from mlreduce.linalg.features import Features
from mlreduce.projection.base import NEIGHBOURS
from mlreduce.projection.classes import ClassProjection
from mlreduce.projection.repulsion import repulsion, squared_distances
from mlreduce.registry import register
from mlreduce.spectral import Form, TrainingSet
from mlreduce.spectral.duplication import Duplicates
from mlreduce.spectral.graphs.neighbours import distance_blocks, weights_from
from mlreduce.spectral.graphs.proximity import ProximityLike, check_proximity
from mlreduce.validation import FloatArray, Size, check_count, check_memory, check_range

# Least ridge relative to a trace, far above rounding error.
_LEAST_RIDGE = 1e-9


@register("sonpp")
class SONPP(ClassProjection):
    """Supervised orthogonal neighbourhood preserving projection (SONPP): reconstruction from neighbours in the class.

    ``min tr(P'X'(I - W)'(I - W)XP)`` subject to ``P'P = I``. Row i of W has the reconstruction weights, of sum 1, of
    instance i from the nearest instances of its class, as in `LLE`. The only instance of a class has no cost.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=5
        Number of nearest instances in the same class, >= 1.
    reg : float, default=1e-3
        Ridge of the reconstruction, >= 1e-9, relative to the sum of the squared distances to the neighbours.
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
    Kokiopoulou and Saad (2007), "Orthogonal neighborhood preserving projections: a projection-based dimensionality
    reduction technique".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> y = data.Y[:, 0]  # a class for each instance
    >>> mlreduce.SONPP(n_components=2, n_neighbors=10).fit_transform(data.X, y).shape
    (300, 2)
    """

    complexity = NEIGHBOURS
    signed_values = True

    def __init__(
        self, n_components: Size = None, n_neighbors: int = 5, reg: float = 1e-3, variance_share: float = 0.2
    ) -> None:
        super().__init__(n_components)
        self.n_neighbors = n_neighbors
        self.reg = reg
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count(self.n_neighbors, "n_neighbors")
        check_range(self.reg, "reg", _LEAST_RIDGE)

    def _objective(self, data: TrainingSet) -> Form:
        errors = _local_errors(self._copies(data), data, self.n_neighbors, self.reg)
        return Form(graph=-(errors.T @ errors)).pulled_back(self._copies(data).incidence)


@register("onpp-r")
class ONPPR(SONPP):
    """Orthogonal neighbourhood preserving projection with repulsion (ONPP-R): `SONPP` less the repulsion of `OLPPR`.

    ``min tr(P'X'((I - W)'(I - W) - repulsion L_r)XP)`` subject to ``P'P = I``.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_neighbors : int, default=5
        Number of nearest instances in the same class, >= 1.
    reg : float, default=1e-3
        Ridge of the reconstruction, >= 1e-9, relative to the sum of the squared distances to the neighbours.
    repulsion : float, default=0.1
        Weight of the repulsion, >= 0.
    proximity : Proximity, dict of its parameters, or None, default=None
        W of the repulsion, as of `OLPPR`.
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
    >>> mlreduce.ONPPR(n_components=2).fit_transform(data.X, y).shape
    (300, 2)
    """

    def __init__(
        self,
        n_components: Size = None,
        n_neighbors: int = 5,
        reg: float = 1e-3,
        repulsion: float = 0.1,
        proximity: ProximityLike = None,
        variance_share: float = 0.2,
    ) -> None:
        super().__init__(n_components, n_neighbors, reg)
        self.repulsion = repulsion
        self.proximity = proximity
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_range(self.repulsion, "repulsion", 0)
        check_proximity(self.proximity)

    def _objective(self, data: TrainingSet) -> Form:
        apart = repulsion(self._copies(data), check_proximity(self.proximity).matrix(data))
        return super()._objective(data) + apart * float(self.repulsion)


@register("donpp")
class DONPP(ClassProjection):
    """Discriminative orthogonal neighbourhood preserving projection (DONPP): reconstruction from the full class.

    ``min sum_i (||z_i - sum_j w_ij z_j||^2 - repulsion sum_k ||z_i - z_k||^2)`` subject to ``P'P = I``, where j are all
    others of the class of i, with its reconstruction weights of sum 1, and k the nearest of other classes. The only
    instance of a class has no cost of reconstruction.

    Parameters
    ----------
    n_components : int, float, str or None, default=None
        Number of directions; a float in (0, 1) is the share of the sum of the positive eigenvalues that they hold, a
        string such as ``"50%"`` a percentage of n_features, None all that are defined. See `Projection`.
    n_others : int, default=5
        Number of nearest instances in other classes, >= 1.
    repulsion : float, default=0.1
        Weight of the instances of other classes, >= 0.
    reg : float, default=1e-3
        Ridge of the reconstruction, >= 1e-9, relative to the sum of an instance's squared distances to all others,
        averaged over the class.
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
    Zhang et al. (2010), "Discriminative orthogonal neighborhood-preserving projections for classification".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> y = data.Y[:, 0]  # a class for each instance
    >>> method = mlreduce.DONPP(n_components=2).fit(data.X, y)
    >>> (method.components_ @ method.components_.T).round(6) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """

    complexity = NEIGHBOURS
    signed_values = True

    def __init__(
        self,
        n_components: Size = None,
        n_others: int = 5,
        repulsion: float = 0.1,
        reg: float = 1e-3,
        variance_share: float = 0.2,
    ) -> None:
        super().__init__(n_components)
        self.n_others = n_others
        self.repulsion = repulsion
        self.reg = reg
        self.variance_share = variance_share

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count(self.n_others, "n_others")
        check_range(self.repulsion, "repulsion", 0)
        check_range(self.reg, "reg", _LEAST_RIDGE)

    def _objective(self, data: TrainingSet) -> Form:
        copies = self._copies(data)
        check_memory(
            8.0 * float(np.square(copies.sizes).sum()),
            f"{type(self).__name__} with the pairs of {int(copies.sizes.max())} instances of the largest class",
            "take fewer instances of it, or sonpp, which reconstructs from neighbours only",
        )
        _, across = copies.neighbours(distance_blocks(data), between=self.n_others)
        apart = squared_distances(copies, across) * float(self.repulsion)
        return Form(graph=-_ClassErrors(copies, data.points, self.reg)) + apart


def _local_errors(copies: Duplicates, data: TrainingSet, number: int, reg: float) -> Any:
    """Return ``I - W`` over the duplicates, W their reconstruction from neighbours in their class."""
    nearest, _ = copies.nearest(distance_blocks(data), number)
    numbers = np.count_nonzero(nearest >= 0, axis=1)
    sources, targets, values = [], [], []
    for size in np.unique(numbers[numbers > 0]):  # a small class has fewer; its only instance has none
        rows = np.flatnonzero(numbers == size)
        near = nearest[rows, :size]
        weights = weights_from(data.points, copies.row[rows], copies.row[near], reg)
        sources += [rows, np.repeat(rows, size)]
        targets += [rows, near.ravel()]
        values += [np.ones(len(rows)), -weights.ravel()]
    size = len(copies.row)
    if not values:
        return sp.csr_array((size, size))
    return sp.csr_array(
        (np.concatenate(values), (np.concatenate(sources), np.concatenate(targets))), shape=(size, size)
    )


class _ClassErrors(scipy.sparse.linalg.LinearOperator):
    """``C'(I - W)'(I - W)C``, W the reconstruction of duplicates from all others of their class.

    A sum of a block for each class. Row i of ``I - W`` minimises ``v'(K + rI)v`` subject to ``v_i = 1`` and sum zero, K
    the inner products of the class: column i of the inverse of ``K + rI`` on the vectors of sum zero, divided by its
    diagonal entry. The ridge r is ``reg`` times the sum of the squared distances.
    """

    def __init__(self, copies: Duplicates, X: Any, reg: float) -> None:
        super().__init__(np.float64, (X.shape[0], X.shape[0]))  # type: ignore[call-arg]  # absent from the stubs
        self._blocks = []
        for members in copies.classes():
            size = len(members.rows)
            if size == 1:  # nothing to reconstruct from
                continue
            products = Features(X[members.rows], centred=True).gram
            # Mean over the class of the trace in `weights_from`; any positive number where all instances are equal.
            trace = float(np.trace(products))
            ridge = reg * (2.0 * trace if trace > 0 else 1.0)
            products.flat[:: size + 1] += ridge
            inverse = np.linalg.inv(products) - 1.0 / (size * ridge)
            errors = inverse / np.diag(inverse)[:, np.newaxis] * copies.share[members.copies]
            self._blocks.append((members.rows, errors.T @ errors))

    def _matmat(self, right: Any) -> FloatArray:
        """Multiply an array or a sparse matrix."""
        product = np.zeros((self.shape[0], right.shape[1]))
        for rows, block in self._blocks:
            product[rows] += block @ right[rows]
        return product

    def _adjoint(self) -> _ClassErrors:
        return self
