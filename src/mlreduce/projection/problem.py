"""A projection as two quadratic forms of the features, and the features they are of.

Every projection of the project maximises ``tr(P'A_pP)`` subject to ``P'B_pP = I``, where both matrices are
``X'MX`` (plus a ridge) for a matrix M over the instances. M is never formed either: it is a weight per instance, plus
a term ``LJL'`` with as many columns as there are labels (`Form`). Centring is not a matrix but a property of
`Features`: a rank-one correction where a product needs it, so that sparse features stay sparse.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mlreduce.features import Features
from mlreduce.validation import FloatArray, as_dense

__all__ = ["Form", "TrainingSet"]


@dataclass(frozen=True, eq=False)
class Form:
    """A symmetric form ``X'MX + ridge I`` with ``M = diag(weights) + factor middle factor' + squared XX'``.

    Attributes
    ----------
    weights : float or ndarray of shape (n_samples,), default=0
        One for all instances, or one each; not negative.
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
        half: FloatArray = _times(features.cross(self.factor), self.root())
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
            cross = features.cross(self.factor)
            total += _times(cross, self.middle) @ cross.T
        total.flat[:: len(total) + 1] += self.ridge
        return total

    def mean_diagonal(self, features: Features) -> float:
        """Return the mean of the form's diagonal without its ridge; not for forms with ``squared``."""
        trace = float(np.sum(self.weights * features.squared_norms))
        if self.factor is not None:
            cross = features.cross(self.factor)
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
    labels : ndarray or csr_array of shape (n_samples, n_labels), float64, or None
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
        return as_dense(self.labels.T @ self.labels)

    @cached_property
    def label_scatter(self) -> FloatArray:
        """``Y'Y`` of the centred labels."""
        n_samples = self.labels.shape[0]
        scatter: FloatArray = self.label_products - np.outer(self.class_sizes, self.class_sizes) / n_samples
        return scatter
