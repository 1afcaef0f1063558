"""A projection as two quadratic forms of the features, and the features they are of.

Every projection of the project maximises ``tr(P'A_pP)`` subject to ``P'B_pP = I``, where both matrices are
``X'MX`` (plus a ridge) for a matrix M over the instances. M is never formed either: it is a weight per instance, plus
a term ``LJL'`` with as many columns as there are labels (`Form`). Centring is not a matrix but a property of
`Features`: a rank-one correction where a product needs it, so that sparse features stay sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.validation import FloatArray, as_dense, is_sparse

__all__ = ["Features", "Form", "TrainingSet"]

# Rows that are shifted at once: bounds the copy that centring a dense matrix needs.
_BLOCK_BYTES = 2**25


class Features:
    """A feature matrix of shape (n_samples, n_features), raw or centred, dense or CSR.

    Parameters
    ----------
    X : ndarray or csr_array
        Never modified, and never copied as a whole.
    centred : bool
        Whether products are those of ``X - mean``.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        What is subtracted; zeros where nothing is.
    """

    def __init__(self, X: Any, centred: bool) -> None:
        self.X = X
        self.centred = centred
        self.shape: tuple[int, int] = X.shape
        #: What the solver keeps for further problems with the same features.
        self.shared: dict[Any, Any] = {}

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Columns with one value only: rounding must not give them a variance."""
        if not is_sparse(self.X):
            same: NDArray[np.bool_] = (self.X[:1] == self.X).all(axis=0)
            return same
        lowest, highest = self.X.min(axis=0), self.X.max(axis=0)
        return np.asarray((lowest.toarray() == highest.toarray()).reshape(-1))

    @cached_property
    def mean(self) -> FloatArray:
        """Column means, exact for constant columns; zeros if the features are not centred."""
        if not self.centred:
            return np.zeros(self.shape[1])
        mean = np.asarray(self.X.mean(axis=0), dtype=np.float64).reshape(-1)
        if self.constant.any():
            first = self.X[[0]]
            row = first.toarray()[0] if is_sparse(first) else first[0]
            mean[self.constant] = row[self.constant]
        return mean

    def dot(self, right: FloatArray) -> FloatArray:
        """Return ``XR`` for an array R of shape (n_features, k) or (n_features,)."""
        product: FloatArray = self.X @ right
        return product - self.mean @ right if self.centred else product

    def transposed_dot(self, right: Any) -> FloatArray:
        """Return ``X'R``, dense, for an array or sparse matrix R of shape (n_samples, k) or (n_samples,)."""
        # SciPy multiplies a sparse matrix from the left only.
        product = (right.T @ self.X).T if is_sparse(right) and not is_sparse(self.X) else self.X.T @ right
        dense: FloatArray = product.toarray() if is_sparse(product) else product
        if not self.centred:
            return dense
        totals = np.asarray(right.sum(axis=0)).reshape(-1)
        return dense - (np.outer(self.mean, totals) if dense.ndim == 2 else self.mean * totals[0])

    @cached_property
    def scatter(self) -> FloatArray:
        """``X'X``, shape (n_features, n_features)."""
        return self.weighted_scatter(None)

    def weighted_scatter(self, weights: FloatArray | None) -> FloatArray:
        """Return ``X'diag(weights)X``; None stands for ones."""
        if is_sparse(self.X):
            weighted = self.X if weights is None else sp.diags_array(weights) @ self.X
            scatter: FloatArray = (self.X.T @ weighted).toarray()
            if self.centred:
                sums = np.asarray(weighted.sum(axis=0)).reshape(-1)
                scatter -= np.multiply.outer(self.mean, sums)
                if weights is not None:
                    scatter -= np.multiply.outer(sums - weights.sum() * self.mean, self.mean)
                if self.constant.any():
                    scatter[self.constant] = 0.0
                    scatter[:, self.constant] = 0.0
            return scatter
        scatter = np.zeros((self.shape[1], self.shape[1]))
        for rows in self._blocks():
            block = self.X[rows] - self.mean if self.centred else self.X[rows]
            scatter += block.T @ (block if weights is None else weights[rows, np.newaxis] * block)
        return scatter

    @cached_property
    def gram(self) -> FloatArray:
        """``XX'``, shape (n_samples, n_samples)."""
        if not is_sparse(self.X):
            shifted = self.X - self.mean if self.centred else self.X
            return np.asarray(shifted @ shifted.T)
        gram: FloatArray = np.asarray((self.X @ self.X.T).toarray())
        if self.centred:
            products = self.X @ self.mean
            gram -= products[:, np.newaxis]
            gram -= products - self.mean @ self.mean
        return gram

    @cached_property
    def squared_norms(self) -> FloatArray:
        """``||x||^2`` of each instance."""
        if is_sparse(self.X):
            norms: FloatArray = np.asarray(self.X.multiply(self.X).sum(axis=1)).reshape(-1)
            return norms + (self.mean @ self.mean - 2 * (self.X @ self.mean) if self.centred else 0.0)
        shifted = [self.X[rows] - self.mean if self.centred else self.X[rows] for rows in self._blocks()]
        return np.concatenate([np.einsum("ij,ij->i", block, block) for block in shifted])

    @cached_property
    def column_squares(self) -> FloatArray:
        """``sum x^2`` of each feature before centring: the size against which rounding errors are told."""
        squares = self.X.multiply(self.X).sum(axis=0) if is_sparse(self.X) else np.einsum("ij,ij->j", self.X, self.X)
        return np.asarray(squares, dtype=np.float64).reshape(-1)

    def _blocks(self) -> Iterator[slice]:
        n_samples, n_features = self.shape
        step = max(1, _BLOCK_BYTES // (8 * max(n_features, 1)), n_features)
        for start in range(0, n_samples, step):
            yield slice(start, start + step)


@dataclass(frozen=True, eq=False)
class Form:
    """A symmetric form ``X'MX + ridge I`` with ``M = diag(weights) + factor middle factor' + squared XX'``.

    Attributes
    ----------
    weights : float or ndarray of shape (n_samples,), default=0
        One for all instances, or one each.
    factor : sparse matrix or ndarray of shape (n_samples, r), or None
        Usually the labels.
    middle : float or ndarray of shape (r, r), default=1
        Symmetric; a number is a multiple of the identity.
    squared : float, default=0
        Multiple of ``XX'``, which puts ``(X'X)^2`` into the form.
    ridge : float, default=0
        Multiple of the identity of order n_features.
    """

    weights: float | FloatArray = 0.0
    factor: Any = None
    middle: float | FloatArray = 1.0
    squared: float = 0.0
    ridge: float = 0.0

    @property
    def weight(self) -> float | None:
        """The one weight of all instances; None where they differ."""
        return None if isinstance(self.weights, np.ndarray) else self.weights

    @property
    def is_thin(self) -> bool:
        """Whether the rank is at most the number of columns of ``factor``."""
        return self.weight == 0 and self.squared == 0 and self.ridge == 0

    @property
    def plain(self) -> tuple[float, float] | None:
        """``(weight, ridge)`` where these numbers say everything; None otherwise."""
        return None if self.weight is None or self.factor is not None or self.squared else (self.weight, self.ridge)

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
        half: FloatArray = _times(features.transposed_dot(self.factor), self.root())
        return half

    def times(self, features: Features, scores: FloatArray) -> FloatArray:
        """Return ``M scores``."""
        total: FloatArray = self.weights * scores
        if self.factor is not None:
            total = total + self.factor @ _times((self.factor.T @ scores).T, self.middle).T
        if self.squared:
            total = total + self.squared * features.dot(features.transposed_dot(scores))
        return total

    def matrix(self, features: Features) -> FloatArray:
        """Return the form as an array of shape (n_features, n_features)."""
        if isinstance(self.weights, np.ndarray):
            total = features.weighted_scatter(self.weights)
        elif self.weights:
            total = self.weights * features.scatter
        else:
            total = np.zeros((features.shape[1], features.shape[1]))
        if self.squared:
            total += self.squared * (features.scatter @ features.scatter)
        if self.factor is not None:
            cross = features.transposed_dot(self.factor)
            total += _times(cross, self.middle) @ cross.T
        total.flat[:: len(total) + 1] += self.ridge
        return total

    def mean_diagonal(self, features: Features) -> float:
        """Return the mean of the form's diagonal without its ridge; not for forms with ``squared``."""
        trace = float(np.sum(self.weights * features.squared_norms))
        if self.factor is not None:
            cross = features.transposed_dot(self.factor)
            trace += float(np.sum(_times(cross, self.middle) * cross))
        return trace / features.shape[1]

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


def _times(left: Any, right: float | FloatArray) -> Any:
    """Multiply by an array, or by a number."""
    return left @ right if isinstance(right, np.ndarray) else left * right


class TrainingSet:
    """Features and labels of one training set, with what methods fitted on it have in common.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), float64
    labels : csr_array of shape (n_samples, n_labels) or None
        In {0, 1}; None for methods that take none.
    """

    def __init__(self, X: Any, labels: Any = None) -> None:
        self.X = X
        self.labels = labels
        #: What methods keep for others of their kind.
        self.shared: dict[str, Any] = {}

    @cached_property
    def centred(self) -> Features:
        """The features less their mean."""
        return Features(self.X, centred=True)

    @cached_property
    def raw(self) -> Features:
        """The features as they are."""
        return Features(self.X, centred=False)

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
        return np.asarray((self.labels.T @ self.labels).toarray())

    @cached_property
    def label_scatter(self) -> FloatArray:
        """``Y'Y`` of the centred labels."""
        n_samples = self.labels.shape[0]
        scatter: FloatArray = self.label_products - np.outer(self.class_sizes, self.class_sizes) / n_samples
        return scatter
