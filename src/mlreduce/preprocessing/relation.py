"""Relation features: similarities or distances to training instances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from mlreduce.exceptions import DataError, check_known_name, unknown_name
from mlreduce.linalg.distances import row_blocks, squared_norms
from mlreduce.linalg.kernels import check_gamma
from mlreduce.linalg.utilities import quotient
from mlreduce.validation import (
    FloatArray,
    Size,
    as_dense,
    check_features,
    check_finite,
    check_size,
    is_sparse,
)
from mlreduce.validation.estimator import Estimator

__all__ = ["RelationFeatures"]

#: Function from a block of rows to relations of shape (n_rows, n_prototypes).
_Relation = Callable[[Any], FloatArray]

# Rounding error of a squared distance from inner products of d numbers, relative to the squared norms and the square
# root of d: smaller values are set to zero.
_ROUNDING = 4 * np.finfo(float).eps


class RelationFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Relation features: similarities or distances to training instances, the prototypes.

    Projections of relation features are not linear in the features: with a kernel as metric they are kernel methods, in
    which a direction is a combination of the instances and not of the features. Many features become as many as there
    are prototypes.

    Parameters
    ----------
    metric : {"euclidean", "cosine", "rbf", "linear"} or callable, default="euclidean"
        Euclidean distance, in the features' units; cosine similarity, zero for rows of zeros; the Gaussian kernel
        ``exp(-gamma ||x - x'||^2)``; the inner product. A callable takes rows and prototypes, both arrays or both CSR,
        and returns an array of shape (n_rows, n_prototypes).
    n_prototypes : int, float, str or None, default=None
        How many training instances are prototypes; a fraction of them in (0, 1) or "10%", rounded down to at least 1;
        None for all.
    selection : {"random", "k-means++"}, default="random"
        How prototypes are chosen: uniformly, or far from each other by k-means++ seeding.
    gamma : float or None, default=None
        Width parameter of the Gaussian kernel, > 0; None means 1 over the mean squared distance of two
        training instances.
    random_state : int, RandomState instance or None, default=None
        Seed of the choice of prototypes.

    Attributes
    ----------
    prototype_indices_ : ndarray of shape (n_prototypes,)
        Rows of the training data, ascending: the relation features have this order.
    prototypes_ : ndarray or csr_array of shape (n_prototypes, n_features)
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only when ``X`` had names.

    References
    ----------
    Mu et al. (2012), section 3.5: equation (46) is a projection of these features. Arthur and Vassilvitskii (2007),
    "k-means++: the advantages of careful seeding".

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.preprocessing.relation import RelationFeatures
    >>> data = mlreduce.load_dataset("digits")
    >>> RelationFeatures(n_prototypes=100, random_state=0).fit_transform(data.X).shape
    (1797, 100)
    """

    def __init__(
        self,
        metric: str | Callable[[Any, Any], Any] = "euclidean",
        n_prototypes: Size = None,
        selection: str = "random",
        gamma: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.metric = metric
        self.n_prototypes = n_prototypes
        self.selection = selection
        self.gamma = gamma
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the prototypes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted transformer.

        Raises
        ------
        DataError
            If a feature is not finite or a parameter is impossible.
        """
        features = check_features(self, X, reset=True)
        if not callable(self.metric) and self.metric not in _RELATIONS:
            raise DataError(unknown_name("metric", self.metric, _RELATIONS))
        self._gamma = check_gamma(self.gamma, features)
        number = check_size(self.n_prototypes, features.shape[0], "instances", "n_prototypes")
        self.prototype_indices_ = self._chosen(features, number)
        self.prototypes_ = features[self.prototype_indices_]
        return self

    def _chosen(self, features: Any, number: int) -> NDArray[np.intp]:
        check_known_name("selection", self.selection, ["random", "k-means++"], error=DataError)
        n_samples = features.shape[0]
        if number == n_samples:
            return np.arange(n_samples)
        random = check_random_state(self.random_state)
        if self.selection == "random":
            return np.sort(random.permutation(n_samples)[:number])
        from sklearn.cluster import kmeans_plusplus  # slow to import and rarely needed

        sampled = np.unique(kmeans_plusplus(features, number, random_state=random)[1])
        # Rows are sampled twice where all others coincide with prototypes; then the first remaining rows are taken.
        rest = np.setdiff1d(np.arange(n_samples), sampled)[: number - len(sampled)]
        return np.sort(np.concatenate([sampled, rest]))

    def transform(self, X: Any) -> FloatArray:
        """Relate instances to the prototypes.

        Rows are processed in blocks, so that only one block is in memory in addition to the result.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features of the instances.

        Returns
        -------
        R : ndarray of shape (n_samples, n_prototypes)
            One column per prototype.

        Raises
        ------
        DataError
            If a feature is not finite, or a callable's result is not finite or has another shape.
        """
        check_is_fitted(self, "prototypes_")
        features = check_features(self, X, reset=False)
        prototypes = self.prototypes_
        n_samples, n_prototypes = features.shape[0], prototypes.shape[0]
        relate = self._relation()
        relations = np.empty((n_samples, n_prototypes))
        for rows in row_blocks(n_samples, n_prototypes if is_sparse(features) else max(prototypes.shape)):
            block = features[rows]
            if is_sparse(block) != is_sparse(prototypes):
                block = as_dense(block) if is_sparse(block) else type(prototypes)(block)
            relations[rows] = relate(block)
        return relations

    def _relation(self) -> _Relation:
        if callable(self.metric):
            return _called(self.metric, self.prototypes_)
        return _RELATIONS[self.metric](self.prototypes_, self._gamma)

    @property
    def _n_features_out(self) -> int:
        """Number of relation features, for their names."""
        return len(self.prototype_indices_)


def _squared_distances(prototypes: Any) -> _Relation:
    """Return a function for squared distances; dense rows are centred for accuracy."""
    mean = 0.0 if is_sparse(prototypes) else prototypes.mean(axis=0)
    right = prototypes if is_sparse(prototypes) else prototypes - mean
    others, rounding = squared_norms(right), _ROUNDING * np.sqrt(prototypes.shape[1])

    def relate(block: Any) -> FloatArray:
        left = block if is_sparse(block) else block - mean
        norms = squared_norms(left)[:, np.newaxis] + others
        squares = as_dense(left @ right.T)
        squares *= -2.0
        squares += norms
        squares[squares <= rounding * norms] = 0.0
        return squares

    return relate


def _euclidean(prototypes: Any, gamma: float) -> _Relation:
    squares = _squared_distances(prototypes)
    return lambda block: np.sqrt(squares(block))


def _gaussian(prototypes: Any, gamma: float) -> _Relation:
    squares = _squared_distances(prototypes)
    return lambda block: np.exp(-gamma * squares(block))


def _linear(prototypes: Any, gamma: float) -> _Relation:
    return lambda block: as_dense(block @ prototypes.T)


def _cosine(prototypes: Any, gamma: float) -> _Relation:
    others = _reciprocal_norms(prototypes)

    def relate(block: Any) -> FloatArray:
        products = as_dense(block @ prototypes.T)
        products *= _reciprocal_norms(block)[:, np.newaxis]
        products *= others
        return np.clip(products, -1.0, 1.0, out=products)

    return relate


def _reciprocal_norms(rows: Any) -> FloatArray:
    return quotient(1.0, np.sqrt(squared_norms(rows)))


def _called(metric: Callable[[Any, Any], Any], prototypes: Any) -> _Relation:
    def relate(block: Any) -> FloatArray:
        relations = as_dense(metric(block, prototypes))
        expected = block.shape[0], prototypes.shape[0]
        if relations.shape != expected:
            raise DataError(f"metric must return an array of shape {expected}; got {relations.shape}")
        check_finite(relations, what="the result of metric")
        return relations

    return relate


_RELATIONS = {"euclidean": _euclidean, "cosine": _cosine, "rbf": _gaussian, "linear": _linear}
