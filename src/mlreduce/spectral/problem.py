"""A projection as two quadratic forms of the features, and the features they are of.

Every projection of the project maximises ``tr(P'A_pP)`` subject to ``P'B_pP = I``, where both matrices are
``X'MX`` (plus a ridge) for a matrix M over the instances. M is never formed if it need not be: it is a weight per
instance, plus a term ``LJL'`` with as many columns as there are labels, plus a graph that joins instances (`Form`).
Centring is not a matrix but a property of `Features`: a rank-one correction where a product needs it, so that sparse
features stay sparse. Forms add up, and are carried from copies of instances, or from some instances, to all of them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.linalg.features import Features
from mlreduce.validation import FloatArray, as_dense, is_sparse

__all__ = ["Form", "TrainingSet"]

# A middle has a negative direction where an eigenvalue is below this, relative to the largest.
_INDEFINITE = 1e-10

_Found = TypeVar("_Found")


@dataclass(frozen=True, eq=False)
class Form:
    """A symmetric form ``X'MX + ridge I`` with ``M = diag(weights) + factor middle factor' + graph + squared XX'``.

    Attributes
    ----------
    weights : float or ndarray of shape (n_samples,), default=0
        One for all instances, or one each.
    factor : sparse matrix or ndarray of shape (n_samples, r), or None
        Usually the labels.
    middle : float or ndarray of shape (r, r), default=1
        Symmetric; a number is a multiple of the identity.
    graph : sparse matrix or ndarray of shape (n_samples, n_samples), or None
        Symmetric: what joins pairs of instances, and itself may have a diagonal.
    squared : float, default=0
        Multiple of ``XX'``, which puts ``(X'X)^2`` into the form.
    ridge : float, default=0
        Multiple of the identity of order n_features.
    """

    weights: float | FloatArray = 0.0
    factor: Any = None
    middle: float | FloatArray = 1.0
    graph: Any = None
    squared: float = 0.0
    ridge: float = 0.0

    @property
    def weight(self) -> float | None:
        """The one weight of all instances; None where they differ."""
        return None if isinstance(self.weights, np.ndarray) else self.weights

    @property
    def is_thin(self) -> bool:
        """Whether it is ``SS'`` for an S with as many columns as ``factor``."""
        bare = self.weight == 0 and self.graph is None and self.squared == 0 and self.ridge == 0
        return bare and self._is_rooted

    @property
    def has_sample_root(self) -> bool:
        """Whether `sample_root` has an answer: one positive weight for all and a middle without negative direction."""
        rest = self.graph is not None or self.squared or self.ridge
        return self.weight is not None and self.weight > 0 and not rest and self._is_rooted

    @cached_property
    def _is_rooted(self) -> bool:
        if not isinstance(self.middle, np.ndarray):
            return self.middle >= 0
        values = np.linalg.eigvalsh(self.middle)
        return bool(values.min(initial=0.0) >= -_INDEFINITE * values.max(initial=0.0))

    @property
    def plain(self) -> tuple[float, float] | None:
        """``(weight, ridge)`` where these numbers say everything; None otherwise."""
        other = self.factor is not None or self.graph is not None or self.squared
        return None if self.weight is None or other else (self.weight, self.ridge)

    def root(self) -> float | FloatArray:
        """Return R with ``RR' = middle``, a number or of shape (r, q); only for a middle without negative direction."""
        if not isinstance(self.middle, np.ndarray):
            return float(np.sqrt(self.middle))
        values, vectors = np.linalg.eigh(self.middle)
        kept = values > len(values) * np.finfo(float).eps * np.abs(values).max(initial=0.0)
        root: FloatArray = vectors[:, kept] * np.sqrt(values[kept])
        return root

    def spread(self) -> Any:
        """Return ``factor R``, shape (n_samples, q), sparse where ``factor`` is and R is a number."""
        return _times(self.factor, self.root())

    def half(self, features: Features) -> FloatArray:
        """Return S, shape (n_features, q), with ``SS'`` the form's part in ``factor``."""
        half: FloatArray = _times(features.cross(self.factor), self.root())
        return half

    def times(self, features: Features, scores: FloatArray) -> FloatArray:
        """Return ``M scores``."""
        total: FloatArray = (self.weights * scores.T).T
        if self.factor is not None:
            total = total + self.factor @ _times((self.factor.T @ scores).T, self.middle).T
        if self.graph is not None:
            total = total + self.graph @ scores
        if self.squared:
            total = total + self.squared * features.dot(features.transposed_dot(scores))
        return total

    def matrix(self, features: Features) -> FloatArray:
        """Return the form as an array of shape (n_features, n_features)."""
        if isinstance(self.weights, np.ndarray):
            total = features.weighted_scatter(self.weights.clip(0))
            if (self.weights < 0).any():
                total -= features.weighted_scatter((-self.weights).clip(0))
        elif self.weights:
            total = self.weights * features.scatter
        else:
            total = np.zeros((features.shape[1], features.shape[1]))
        if self.squared:
            total += self.squared * (features.scatter @ features.scatter)
        if self.factor is not None:
            cross = features.cross(self.factor)
            total += _times(cross, self.middle) @ cross.T
        if self.graph is not None:
            total += features.form(self.graph)
        total.flat[:: len(total) + 1] += self.ridge
        return total

    def diagonal(self, n_samples: int) -> FloatArray:
        """Return the diagonal of M, shape (n_samples,); not for forms with ``squared``."""
        diagonal = np.zeros(n_samples) + self.weights
        if self.factor is not None:
            product = _times(self.factor, self.middle)
            entries = self.factor.multiply(product) if is_sparse(self.factor) else self.factor * product
            diagonal += np.asarray(entries.sum(axis=1)).reshape(-1)
        if self.graph is not None:
            diagonal += self.graph.diagonal()
        return diagonal

    def mean_diagonal(self, features: Features) -> float:
        """Return the mean of the form's diagonal without its ridge; not for forms with ``squared``."""
        trace = float(np.sum(self.weights * features.squared_norms))
        if self.factor is not None:
            cross = features.cross(self.factor)
            trace += float(np.sum(_times(cross, self.middle) * cross))
        if self.graph is not None:
            trace += float(np.trace(features.form(self.graph)))
        return trace / features.shape[1]

    def times_number(self, number: float) -> Form:
        """Return the form times a number."""
        return Form(
            self.weights * number,
            self.factor,
            self.middle * number,
            None if self.graph is None else self.graph * number,
            self.squared * number,
            self.ridge * number,
        )

    def plus(self, other: Form) -> Form:
        """Return the sum of two forms over the same instances."""
        factor, middle = self.factor, self.middle
        if factor is None:
            factor, middle = other.factor, other.middle
        elif other.factor is not None:
            factor = _beside(factor, other.factor)
            middle = scipy.linalg.block_diag(self._middle_matrix(), other._middle_matrix())
        graph = self.graph if other.graph is None else other.graph
        if self.graph is not None and other.graph is not None:
            graph = _sum(self.graph, other.graph)
        return Form(
            self.weights + other.weights,
            factor,
            middle,
            graph,
            self.squared + other.squared,
            self.ridge + other.ridge,
        )

    def carried(self, where: Any) -> Form:
        """Return the form over other instances, ``C'MC``, for a form over copies of them.

        Parameters
        ----------
        where : sparse matrix of shape (n_copies, n_samples)
            C: one entry a row, what the copy counts, in the column of its instance. With one row an instance at most
            it carries a form of some instances to all.
        """
        if self.squared:
            raise ValueError("a form with squared scatter is of the instances that it was made for")
        counted = np.zeros(where.shape[0]) + self.weights
        factor, graph = self.factor, self.graph
        if factor is not None:
            factor = _rows(where.T @ factor)
        if graph is not None:
            graph = _rows(where.T @ graph @ where)
        weights = where.power(2).T @ counted if counted.any() else 0.0
        return replace(self, weights=weights, factor=factor, graph=graph)

    def scaled(self, scale: FloatArray) -> Form:
        """Return the form ``SMS`` with ``S = diag(scale)`` over the instances."""
        return self.carried(sp.csr_array(sp.diags_array(scale)))

    def recentred(self, n_samples: int) -> Form:
        """Return the form of ``HMH``: of the instances less their own mean, whatever else is centred."""
        ones = np.ones((n_samples, 1))
        rest = np.zeros(n_samples) + self.weights
        if self.graph is not None:
            rest = rest + self.graph @ ones[:, 0]
        centred = self if self.factor is None else self._centred_factor(ones)
        if not rest.any():
            return centred
        middle = np.array([[0.0, -1.0 / n_samples], [-1.0 / n_samples, rest.sum() / n_samples**2]])
        return centred.plus(Form(factor=np.column_stack([rest, ones]), middle=middle))

    def _centred_factor(self, ones: FloatArray) -> Form:
        """Return the form whose factor has columns of mean zero; a sparse one gets a column of ones instead."""
        means = np.asarray(self.factor.mean(axis=0)).reshape(1, -1)
        if not is_sparse(self.factor):
            return replace(self, factor=self.factor - means)
        centring = np.vstack([np.eye(self.factor.shape[1]), -means])
        return replace(self, factor=_beside(self.factor, ones), middle=centring @ self._middle_matrix() @ centring.T)

    def _middle_matrix(self) -> FloatArray:
        if isinstance(self.middle, np.ndarray):
            return self.middle
        matrix: FloatArray = self.middle * np.eye(self.factor.shape[1])
        return matrix

    def sample_root(self, n_samples: int) -> tuple[float, FloatArray, FloatArray]:
        """Return ``(w, E, g)`` such that ``wI + E diag(g) E'`` is the root of M, for a form with one weight for all.

        E has orthonormal columns, so that multiplying by the root costs two thin products.
        """
        weight = float(self.weights)
        root = float(np.sqrt(weight))
        if self.factor is None:
            return root, np.zeros((n_samples, 0)), np.zeros(0)
        vectors, values, _ = np.linalg.svd(as_dense(self.spread()), full_matrices=False)
        return root, vectors, np.sqrt(weight + values**2) - root


def _beside(left: Any, right: Any) -> Any:
    """Put the columns of two matrices beside each other, sparse if one of them is."""
    if is_sparse(left) or is_sparse(right):
        return sp.csr_array(sp.hstack([sp.csr_array(left), sp.csr_array(right)]))
    return np.hstack([left, right])


def _rows(matrix: Any) -> Any:
    """Return a sparse matrix by rows, and an array as it is."""
    return sp.csr_array(matrix) if is_sparse(matrix) else matrix


def _sum(left: Any, right: Any) -> Any:
    """Add two graphs; a sparse and a dense one make a dense one."""
    if is_sparse(left) == is_sparse(right):
        return left + right
    return as_dense(left) + as_dense(right)


def _times(left: Any, right: float | FloatArray) -> Any:
    """Multiply by an array, or by a number."""
    return left @ right if isinstance(right, np.ndarray) else left * right


def _placed(rows: NDArray[np.intp], n_samples: int) -> Any:
    """Return the matrix that takes some of the instances, one in each row."""
    return sp.csr_array((np.ones(len(rows)), rows, np.arange(len(rows) + 1)), shape=(len(rows), n_samples))


class TrainingSet:
    """Features and labels of one training set, with what methods fitted on it have in common.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), float64
    labels : ndarray or csr_array of shape (n_samples, n_labels), float64, or None
        In {0, 1}; None for methods that take none.
    labelled : ndarray of shape (n_samples,), bool, or None, default=None
        Which instances have labels that are known; None is all. Only semi-supervised methods ask. Rows of ``labels``
        that are not known hold zeros.
    points : ndarray or csr_array of shape (n_samples, n_original) or None, default=None
        By what instances are near each other, where that is not X: the features behind relation features, whose kernel
        form leaves proximities as they are.
    """

    def __init__(
        self, X: Any, labels: Any = None, labelled: NDArray[np.bool_] | None = None, points: Any = None
    ) -> None:
        self.X = X
        self._points = points
        self.labels = labels
        self.labelled = None if labelled is None or labelled.all() else labelled
        #: What methods keep for others of their kind.
        self.shared: dict[str, Any] = {}
        # What this is a part of, and which of its instances these are. A whole keeps its parts: were it kept by them
        # too, neither would go before Python looks for cycles, which is seldom where few objects hold much memory.
        self._places: list[tuple[weakref.ref[TrainingSet], NDArray[np.intp]]] = []

    def kept(self, key: str, find: Callable[[], _Found]) -> _Found:
        """Return what is kept under a key; find it first if it is not there."""
        if key not in self.shared:
            self.shared[key] = find()
        found: _Found = self.shared[key]
        return found

    @cached_property
    def centred(self) -> Features:
        """The features less their mean."""
        return Features(self.X, centred=True)

    @cached_property
    def raw(self) -> Features:
        """The features as they are."""
        return Features(self.X, centred=False)

    @property
    def points(self) -> Any:
        """By what instances are near each other, an array or CSR array."""
        return self.X if self._points is None else self._points

    @cached_property
    def near(self) -> Features:
        """The points less their mean."""
        return self.centred if self._points is None else Features(self._points, centred=True)

    @classmethod
    def partly_labelled(cls, X: Any, labels: Any, labelled: NDArray[np.bool_], points: Any = None) -> TrainingSet:
        """Return a training set from the labels of its labelled instances alone, shape (n_labelled, n_labels)."""
        places = _placed(np.flatnonzero(labelled), len(labelled))
        return cls(X, _rows(places.T @ labels), labelled, points)

    @property
    def labelled_part(self) -> TrainingSet:
        """The labelled instances; itself where all are labelled."""
        labelled = self.labelled
        if labelled is None:
            return self
        return self.kept("labelled instances", lambda: self.part(np.flatnonzero(labelled)))

    def part(self, rows: NDArray[np.intp]) -> TrainingSet:
        """Return some of the instances as a training set of their own, which knows its place in this one."""
        labels = None if self.labels is None else self.labels[rows]
        part = TrainingSet(self.X[rows], labels, points=None if self._points is None else self._points[rows])
        part._places = [(weakref.ref(self), rows), *((whole, places[rows]) for whole, places in self._places)]
        return part

    def placed_in(self, whole: TrainingSet) -> Any:
        """Return the matrix C, shape (n_own, n_samples), that `Form.carried` takes for a form of a part of a whole."""
        n_samples = whole.X.shape[0]
        if whole is self:
            return _placed(np.arange(n_samples), n_samples)
        for larger, rows in self._places:
            if larger() is whole:
                return _placed(rows, n_samples)
        raise ValueError("a training set has a place only in one that it is a part of")

    @cached_property
    def class_sizes(self) -> FloatArray:
        """How many instances have each label."""
        return np.asarray(self.labels.sum(axis=0), dtype=np.float64).reshape(-1)

    @cached_property
    def label_counts(self) -> FloatArray:
        """How many labels each instance has."""
        return np.asarray(self.labels.sum(axis=1), dtype=np.float64).reshape(-1)

    @cached_property
    def label_products(self) -> FloatArray:
        """``Y'Y``: how often labels occur together."""
        return as_dense(self.labels.T @ self.labels)

    @cached_property
    def label_scatter(self) -> FloatArray:
        """``Y'Y`` of the centred labels."""
        n_samples = self.labels.shape[0]
        scatter: FloatArray = self.label_products - np.outer(self.class_sizes, self.class_sizes) / n_samples
        return scatter
