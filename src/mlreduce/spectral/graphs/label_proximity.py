"""Proximities of instances by their labels, the matrix G of MOPE, computed in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from mlreduce import registry
from mlreduce.exceptions import DataError, check_known_name, unknown_name
from mlreduce.linalg.distances import row_blocks, squared_norms
from mlreduce.linalg.utilities import quotient, scaled
from mlreduce.spectral.graphs.proximity import Proximity
from mlreduce.spectral.training_set import TrainingSet
from mlreduce.validation import FloatArray, as_dense, check_range, is_sparse
from mlreduce.validation.estimator import Estimator

__all__ = ["LabelProximity", "Rows"]

#: Function of a slice of the instances: their proximities to all, shape (n_rows, n_samples).
Rows = Callable[[slice], FloatArray]

# Indices of scheme 1, and those of scheme 2 in addition to the weights of `Proximity`.
_OF_BITS = ("and", "dice", "hamming-exponential", "hamming-linear", "jaccard", "scaled-dice")
_OF_POINTS = ("cosine", "minkowski", "tanimoto")
# Indices of scheme 3 only.
_OF_CLASSES = ("cooccurrence", "feature-bits", "features", "identity")

# Relative norm below which a point is zero.
_NO_LENGTH = 1e-10


class LabelProximity(Estimator):
    """Proximity of instances by their labels, in [0, 1].

    ``m`` is the number of labels of an instance, ``y & y'`` the number of labels that two instances share, h their
    Hamming distance, and c the number of all labels.

    Parameters
    ----------
    scheme : {1, 2, 3}, default=3
        1: an index of label sets. 2: an index of points phi(y) in the space of ``space``. 3: the mean similarity of
        the classes of the two instances, ``(1 / m m') sum of sigma_st``, where sigma is an index of schemes 1 and 2 of
        the columns of Y, or one defined only here.
    index : str, default="dice"
        Scheme 1: ``"dice"``, ``2 y & y' / (m + m')``; ``"scaled-dice"``, with labels weighted by the inverse
        of their number of instances; ``"jaccard"``, ``y & y' / (m + m' - y & y')``; ``"hamming-exponential"``,
        ``exp(-h / tau)``; ``"hamming-linear"``, ``1 - h / c``; ``"and"``, ``y & y'`` over the largest m.

        Scheme 2: ``"minkowski"``, ``exp(-sum of |phi - phi'|^p / tau)``; ``"tanimoto"``,
        ``phi phi' / (phi phi + phi' phi' - phi phi')``; ``"cosine"``; or a weight of `Proximity`, on all pairs.

        Scheme 3: these, or ``"cooccurrence"``, ``Y'Y`` over its largest entry; ``"identity"``; ``"features"``,
        the cosine between the rows of ``Y'X``; ``"feature-bits"``, the cosine between the masks of the features that
        any instance of a class has.
    tau : float or None, default=None
        Width of the exponential indices, > 0, in units of the distance that it divides; None is the mean distance of
        all pairs.
    p : float, default=2
        Exponent of ``"minkowski"``, >= 1.
    space : str, default="pca"
        Registry name of the unsupervised projection (``phi = P'y``, not centred) or embedding that gives phi.
    n_label_components : int, float or None, default=None
        ``n_components`` of that method; None is its default, which is all for projections.

    Notes
    -----
    Negative cosines, Tanimoto coefficients and weights are set to 0; weights whose largest exceeds 1 are divided by it.
    An instance without labels has proximity 0 to all and to itself, except with the Hamming-based indices,
    ``"minkowski"`` and weights of `Proximity`.

    References
    ----------
    Mu, Goulermas, Tsujii and Ananiadou (2012), section 3.3.1, equations (34) to (42).
    """

    def __init__(
        self,
        scheme: int = 3,
        index: str = "dice",
        tau: float | None = None,
        p: float = 2.0,
        space: str = "pca",
        n_label_components: int | float | None = None,
    ) -> None:
        self.scheme = scheme
        self.index = index
        self.tau = tau
        self.p = p
        self.space = space
        self.n_label_components = n_label_components

    def matrix(self, data: TrainingSet) -> FloatArray:
        """Return G, shape (n_samples, n_samples), symmetric up to rounding, in [0, 1].

        Raises
        ------
        DataError
            If a parameter is out of range, or the labels cannot be projected.
        """
        n_samples = data.labels.shape[0]
        matrix, rows_of = np.empty((n_samples, n_samples)), self.of(data)
        for rows in row_blocks(n_samples, n_samples):
            matrix[rows] = rows_of(rows)
        return matrix

    def of(self, data: TrainingSet) -> Rows:
        """Return a function of a slice that returns these rows of G.

        Parameters
        ----------
        data : TrainingSet
            Its features are used by ``"features"`` and ``"feature-bits"`` only.

        Raises
        ------
        DataError
            As `matrix`.
        """
        self.check()
        if self.scheme != 3:
            return self._index_of(data.labels)
        # Labels without instances are no classes: they must not change the space or the mean distance of classes.
        used = TrainingSet(data.X, data.labels[:, np.flatnonzero(data.class_sizes)], points=data.points)
        factor = scaled(used.labels, rows=quotient(1.0, used.label_counts))
        averaged = self._classes(used) @ factor.T
        return lambda rows: as_dense(factor[rows] @ averaged)

    def check(self) -> None:
        """Check the parameters, except names that may be weights of `Proximity`.

        Raises
        ------
        DataError
            If one is out of range.
        """
        if isinstance(self.scheme, bool) or self.scheme not in (1, 2, 3):
            raise DataError(f"scheme must be 1, 2 or 3; got {self.scheme!r}")
        if not isinstance(self.index, str):
            raise DataError(f"index must be a name; got {self.index!r}")
        if self.scheme == 1 and self.index not in _OF_BITS:
            raise DataError(unknown_name("index of scheme 1", self.index, _OF_BITS))
        if self.scheme == 2 and self.index in (*_OF_BITS, *_OF_CLASSES):
            raise DataError(f"index must be of scheme 2 ({', '.join(_OF_POINTS)}, or a weight); got {self.index!r}")
        if self.tau is not None:
            check_range(self.tau, "tau", 0, open_ends=True)
        check_range(self.p, "p", 1)

    def _classes(self, data: TrainingSet) -> FloatArray:
        """Return Sigma, shape (n_labels, n_labels), in [0, 1]."""
        n_labels = data.labels.shape[1]
        if self.index == "identity" or not n_labels:
            return np.eye(n_labels)
        if self.index in ("features", "feature-bits"):
            return _class_features(data, bits=self.index == "feature-bits")
        return self._index_of(data.labels.T)(slice(None))

    def _index_of(self, labels: Any) -> Rows:
        """Return the rows of an index of schemes 1 and 2; for classes, labels are transposed."""
        index = "and" if self.index == "cooccurrence" else self.index
        if index in _OF_BITS:
            return _bits(sp.csr_array(labels) if is_sparse(labels) else labels, index, self.tau)
        points = self._points(labels)
        if index == "minkowski":
            return _minkowski(points, float(self.p), self.tau)
        if index in _OF_POINTS:
            return _products(points, index)
        weights = as_dense(Proximity(weight=index, n_neighbors=None, tau=self.tau).matrix(TrainingSet(points))).copy()
        np.maximum(weights, 0.0, out=weights)
        weights /= max(1.0, weights.max(initial=0.0))
        np.fill_diagonal(weights, 1.0)
        return lambda rows: weights[rows]

    def _points(self, labels: Any) -> FloatArray:
        """Return phi, shape (n_rows, n_dimensions)."""
        kinds = [name for kind in ("projection", "embedding") for name in registry.method_names(kind)]
        unsupervised = [name for name in kinds if not getattr(registry.method_class(name), "supervised", True)]
        check_known_name("unsupervised method for space", self.space, unsupervised, error=DataError)
        method = registry.make(self.space)
        if self.n_label_components is not None:
            method.set_params(n_components=self.n_label_components)
        features = sp.csr_array(labels) if is_sparse(labels) else np.ascontiguousarray(labels)
        try:
            method.fit(features)
        except DataError as error:
            raise DataError(f"the labels cannot be projected by {self.space}: {error}") from None
        points = as_dense(features @ method.components_.T) if hasattr(method, "components_") else method.embedding_
        norms = np.sqrt(squared_norms(points))
        return np.where(norms[:, np.newaxis] > _NO_LENGTH * norms.max(initial=0.0), points, 0.0)


def _bits(labels: Any, index: str, tau: float | None) -> Rows:
    """Return the rows of an index of scheme 1."""
    n_rows, n_bits = labels.shape
    counts, sizes = (np.asarray(labels.sum(axis=axis), dtype=np.float64).reshape(-1) for axis in (1, 0))
    others = scaled(labels, columns=quotient(1.0, sizes)).T if index == "scaled-dice" else labels.T
    if tau is None:  # the sum of all Hamming distances, by labels
        tau = _width(float((2.0 * sizes * (n_rows - sizes)).sum()), n_rows)

    def proximities(rows: slice) -> FloatArray:
        shared = as_dense(labels[rows] @ others)
        if index == "and":
            return shared / max(1.0, float(counts.max(initial=0.0)))
        totals = counts[rows, np.newaxis] + counts
        if index == "jaccard":
            return quotient(shared, totals - shared)
        if index in ("dice", "scaled-dice"):
            return quotient(2.0 * shared, totals)
        differing = totals - 2.0 * shared
        return np.exp(-differing / tau) if index == "hamming-exponential" else 1.0 - differing / n_bits

    return proximities


def _minkowski(points: FloatArray, p: float, tau: float | None) -> Rows:
    """Return the rows of the exponential of Minkowski distances to the power p."""

    def distances(rows: slice) -> FloatArray:
        if p == 2:
            return np.asarray(cdist(points[rows], points, "sqeuclidean"))
        return np.asarray(cdist(points[rows], points, "minkowski", p=p) ** p)

    n_rows = len(points)
    if tau is None:
        tau = _width(sum(float(distances(rows).sum()) for rows in row_blocks(n_rows, n_rows)), n_rows)
    return lambda rows: np.exp(-distances(rows) / tau)


def _width(total: float, n_rows: int) -> float:
    """Return the mean distance of all pairs from the sum over ordered pairs; 1 if no two rows differ."""
    return total / max(1, n_rows * (n_rows - 1)) or 1.0


def _products(points: Any, index: str) -> Rows:
    """Return the rows of the cosine or the Tanimoto coefficient, negative ones set to 0."""
    squares = squared_norms(points)

    def proximities(rows: slice) -> FloatArray:
        products = as_dense(points[rows] @ points.T).clip(0)
        if index == "cosine":
            return quotient(products, np.sqrt(squares[rows, np.newaxis] * squares)).clip(max=1.0)
        return quotient(products, squares[rows, np.newaxis] + squares - products).clip(max=1.0)

    return proximities


def _class_features(data: TrainingSet, bits: bool) -> FloatArray:
    """Return the cosines between the sums of the features of classes, or between their masks."""
    members, X = sp.csr_array(data.labels).T, data.points
    if bits:
        X = (X != 0).astype(np.float64)
    features = members @ X
    if bits:
        features = (features > 0).astype(np.float64)
    return _products(sp.csr_array(features) if is_sparse(features) else features, "cosine")(slice(None))
