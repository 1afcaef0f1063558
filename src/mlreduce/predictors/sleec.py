"""Sparse local embeddings for extreme multi-label classification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError, warn
from mlreduce.linalg.compiled import compiled
from mlreduce.linalg.distances import nearest, row_blocks
from mlreduce.predictors._base import DecidingClassifier, narrow
from mlreduce.predictors._choice import best_candidate
from mlreduce.predictors.neighbours import BinaryRelevanceKNN
from mlreduce.predictors.ridge import RidgeRegressor
from mlreduce.registry import register
from mlreduce.validation import (
    FloatArray,
    as_dense,
    check_components,
    check_count,
    check_features,
    check_range,
    is_sparse,
)

# Instances per cluster, and columns of the embedding, where no number is given.
_CLUSTER, _RANK = 6000, 100

# Share of the sum of squares that further steps may take of a converged embedding, and that of its start which counts
# as nothing.
_CONVERGED, _NOTHING = 0.05, 1e-6

# Numbers of neighbours that "cv" compares, and most steps of the embeddings that it compares.
_VOTERS, _ROUGH = (10, 30), 50


class _Cluster(NamedTuple):
    """Regression of a cluster's embedding, and the votes of its instances, embedded by it."""

    regressor: RidgeRegressor
    votes: BinaryRelevanceKNN

    def shares(self, features: Any) -> FloatArray:
        """Return the shares of the nearest instances that have each label."""
        return self.votes.predict_proba(_columns(self.regressor.predict(features)))


class _Learner(NamedTuple):
    """A partition of the instances, None for one cluster."""

    partition: KMeans | None
    clusters: list[_Cluster]

    def shares(self, features: Any, n_labels: int) -> FloatArray:
        if self.partition is None:
            return self.clusters[0].shares(features)
        shares, members = np.zeros((features.shape[0], n_labels)), self.partition.predict(narrow(features))
        for number in np.unique(members):
            rows = np.flatnonzero(members == number)
            shares[rows] = self.clusters[number].shares(features[rows])
        return shares


@register("sleec")
class SLEEC(DecidingClassifier):
    """Sparse local embeddings for extreme multi-label classification (SLEEC): neighbours in an embedding of the labels.

    Instances are partitioned by k-means. In each cluster they are embedded so that the inner products of the nearest
    label vectors are preserved, ``min sum over pairs of (y_i'y_j - z_i'z_j)^2`` by singular value projection, and a
    ridge regression predicts the embedding from the features. An instance is embedded by the regression of its cluster;
    the labels of its nearest training instances there, embedded by the same regression, are its scores.

    Parameters
    ----------
    n_components : int, str or None, default="cv"
        Columns of the embedding: a number of 1..n_labels, a percentage of n_labels such as ``"50%"``, None for all but
        at most 100. "cv" chooses among None, a half and a quarter of that by the average precision in three folds of at
        most 3000 instances, together with ``n_neighbors`` where both are "cv".
    n_neighbors : int or "cv", default="cv"
        Nearest instances that vote, >= 1; at most as many as a cluster has. "cv" chooses 10 or 30.
    n_label_neighbors : int, default=15
        Nearest label vectors whose inner products with an instance are preserved, >= 1; at most the cluster size.
    n_clusters : int or None, default=None
        Clusters, of 1..n_samples; None is one for every 6000 instances.
    n_estimators : int, default=1
        Partitions, each from another start of k-means, whose scores are averaged. With one cluster all are the same.
    alpha : float, "loo" or "gcv", default="loo"
        Penalty of the regression, as of `RidgeRegressor`.
    max_iter : int, default=2000
        Most steps of the projection.
    tol : float, default=1e-3
        Relative decrease of the sum of squares that ends them, >= 0.
    random_state : int, RandomState or None, default=None
        Of k-means; nothing else is random.
    decision : {"half", "one-threshold", "per-label", "cardinality", "top-k"}, default="half"
        How labels are predicted from scores, as of `mlreduce.ThresholdClassifier`.
    measure : str, default="micro-f1"
        What a decision maximises, as of `mlreduce.ThresholdClassifier`.

    Attributes
    ----------
    n_components_, n_neighbors_ : int
        What was used or chosen.
    n_clusters_ : int
    n_iter_ : int
        Most steps of the projection of a cluster.
    not_converged_ : int
        Number of clusters, over all learners, whose projection still improved at ``max_iter``, or was ended by ``tol``
        where more steps would lower the sum of squares by more than 5 %.
    objective_ : list of list of ndarray
        For each learner and cluster half of the sum of squares before the first step and after each, never increasing.
    thresholds_ : ndarray of shape (n_labels,)
        A label is predicted whose score is above; minus infinity with ``"top-k"``.
    k_ : int
        Most labels that a row is predicted, as of `mlreduce.ThresholdClassifier`.
    classes_ : ndarray of shape (n_labels,)
        The numbers of the labels; 0 and 1 where labels were a vector.
    n_features_in_ : int
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Raises
    ------
    DataError
        If a parameter is out of range.

    Warns
    -----
    ConvergenceWarning
        If ``not_converged_`` is not 0.

    Notes
    -----
    With as many columns as the rank of the labels, and one cluster, the embedding is a rotation of the labels: it votes
    by the nearest predictions of a ridge regression of the labels. With few labels that is often the best.

    The paper's penalty ``||VX||_1``, which makes embedded instances sparse, is left out; so is the choice of the number
    of labels to predict, of which by default those are predicted that more than half of the neighbours have. The
    projection starts from the embedding that is best for all inner products. Which of equally near label vectors are
    used depends on the order of the instances.

    Cost: for clusters of m instances O(m² l) for l labels per instance, O(m (M + p) M) per step for p label
    neighbours, and a ridge regression; prediction O(m M) per instance.

    References
    ----------
    Bhatia, Jain, Kar, Varma and Jain (2015), "Sparse local embeddings for extreme multi-label classification",
    equations (3) to (5) and algorithms 1 to 3. Jain, Meka and Dhillon (2010), "Guaranteed rank minimization via
    singular value projection".

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("digits")
    >>> model = mlreduce.SLEEC(n_components=4).fit(data.X[:1000], data.Y[:1000])
    >>> float((model.predict(data.X[1000:]) == data.Y[1000:]).mean().round(1))
    0.9
    """

    complexity = Complexity("s m + m^3 + n^2 q", "p + m^2")

    def __init__(
        self,
        n_components: int | str | None = "cv",
        n_neighbors: int | str = "cv",
        n_label_neighbors: int = 15,
        n_clusters: int | None = None,
        n_estimators: int = 1,
        alpha: float | str = "loo",
        max_iter: int = 2000,
        tol: float = 1e-3,
        random_state: int | np.random.RandomState | None = None,
        decision: str = "half",
        measure: str = "micro-f1",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_label_neighbors = n_label_neighbors
        self.n_clusters = n_clusters
        self.n_estimators = n_estimators
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.decision = decision
        self.measure = measure

    def _fit(self, features: Any, labels: Any) -> None:
        for name in ("n_label_neighbors", "n_estimators", "max_iter"):
            check_count(getattr(self, name), name)
        check_range(self.tol, "tol", 0)
        self.n_components_, self.n_neighbors_ = self._shape(features, labels)
        self.n_clusters_ = self._count(labels.shape[0])
        random = check_random_state(self.random_state)
        self._learners: list[_Learner] = []
        self.objective_: list[list[FloatArray]] = []
        for _ in range(self.n_estimators):
            partition, members = self._partition(features, random)
            self.objective_.append([])
            clusters = [
                self._cluster(features[rows], labels[rows])
                for rows in (np.flatnonzero(members == number) for number in range(self.n_clusters_))
            ]
            self._learners.append(_Learner(partition, clusters))
        histories = [history for learner in self.objective_ for history in learner]
        self.n_iter_ = max(len(history) for history in histories) - 1
        early = sum(map(self._ended_early, histories))
        further = [share for share in map(_further_decrease, histories) if share > _CONVERGED]
        self.not_converged_ = max(early, len(further))
        if not early and further:
            warn(
                f"SLEEC: tol={self.tol:g} ended the embedding of {len(further)} of {len(histories)} clusters where "
                f"more steps would lower the sum of squares by {max(further):.0%}, by the last two steps; lower tol",
                ConvergenceWarning,
            )
        elif early:
            warn(
                f"SLEEC: the embedding of {early} of {len(histories)} clusters still "
                f"improved by more than tol={self.tol:g} of itself in step max_iter={self.max_iter}; raise max_iter "
                "or tol",
                ConvergenceWarning,
            )

    def _ended_early(self, history: FloatArray) -> bool:
        if len(history) <= self.max_iter or not self.tol:
            return False
        return bool(history[-2] - history[-1] > self.tol * history[-2])

    def _shape(self, features: Any, labels: Any) -> tuple[int, int]:
        """Return the number of columns and of neighbours, chosen where they are "cv"."""
        largest = min(labels.shape[1], _RANK)
        if self.n_components == "cv":
            ranks = list(dict.fromkeys([largest, -(-largest // 2), -(-largest // 4)]))
        else:
            rank = check_components(self.n_components, labels.shape[1], "labels")
            ranks = [largest if self.n_components is None else rank]
        voters = (
            list(_VOTERS) if self.n_neighbors == "cv" else [check_count(self.n_neighbors, "n_neighbors, if not 'cv',")]
        )
        shapes = [(rank, number) for rank in ranks for number in voters]
        if len(shapes) == 1:
            return shapes[0]

        def scores(train: Any, held_out: Any) -> Iterator[FloatArray]:
            pairs = self._pairs(labels[train])
            for rank in ranks:
                regressor, _ = self._regressor(features[train], labels[train], pairs, rank, min(self.max_iter, _ROUGH))
                near, new = (_columns(regressor.predict(features[rows])) for rows in (train, held_out))
                for number in voters:
                    votes = BinaryRelevanceKNN(min(number, len(train)), pseudocount=0).fit(near, labels[train])
                    yield votes.predict_proba(new)

        return shapes[best_candidate(scores, features, labels)]

    def _count(self, n_samples: int) -> int:
        if self.n_clusters is None:
            return -(-n_samples // _CLUSTER)
        clusters = check_count(self.n_clusters, "n_clusters")
        if clusters > n_samples:
            raise DataError(f"n_clusters must be between 1 and {n_samples}, the number of rows; got {clusters}")
        return clusters

    def _partition(self, features: Any, random: np.random.RandomState) -> tuple[KMeans | None, Any]:
        if self.n_clusters_ == 1:
            return None, np.zeros(features.shape[0], dtype=np.intp)
        partition = KMeans(self.n_clusters_, n_init=1, random_state=random.randint(2**31 - 1))
        return partition, partition.fit_predict(narrow(features))

    def _cluster(self, features: Any, labels: Any) -> _Cluster:
        regressor, history = self._regressor(features, labels, self._pairs(labels), self.n_components_, self.max_iter)
        self.objective_[-1].append(np.array(history))
        votes = BinaryRelevanceKNN(min(self.n_neighbors_, labels.shape[0]), pseudocount=0)
        return _Cluster(regressor, votes.fit(_columns(regressor.predict(features)), labels))

    def _pairs(self, labels: Any) -> Any:
        return neighbour_pairs(labels, min(self.n_label_neighbors, labels.shape[0]))

    def _regressor(
        self, features: Any, labels: Any, pairs: Any, rank: int, max_iter: int
    ) -> tuple[RidgeRegressor, list[float]]:
        """Return the regression of the embedded labels, and the objective of the embedding."""
        embedding, history = embed_labels(labels, pairs, rank, max_iter, self.tol)
        regressor = RidgeRegressor(self.alpha)
        regressor._warns = False  # one of several inside
        return regressor.fit(features, embedding), history

    def _scores(self, X: Any) -> FloatArray:
        """Return the share of the nearest training instances that have each label, averaged over the learners."""
        check_is_fitted(self, "n_components_")
        features = check_features(self, X, reset=False)
        shares = [learner.shares(features, self._n_labels) for learner in self._learners]
        return np.mean(shares, axis=0)


def _further_decrease(history: FloatArray) -> float:
    """Return the share by which more steps would lower a sum of squares, if they go on as the last two went.

    Decreases that shrink by one factor are a geometric series. 0 where nearly nothing is left of the start.
    """
    decreases = -np.diff(history[-3:])
    if len(decreases) < 2 or history[-1] <= _NOTHING * history[0] or min(decreases) <= 0:
        return 0.0
    factor = min(float(decreases[1] / decreases[0]), 1 - _NOTHING)
    return min(float(decreases[1] * factor / (1 - factor) / history[-1]), 1.0)


def neighbour_pairs(labels: Any, n_neighbors: int) -> Any:
    """Return which pairs of instances are nearest by their labels, as a symmetric matrix of their inner products.

    The nearest, at most n_samples, have the largest inner product of label vectors, of equal ones those with fewer
    labels, of these the first. Each instance is paired with itself too. The stored entries are the pairs; a product of
    zero is stored too.
    """
    n_samples, rare = labels.shape[0], sp.csr_array(labels)
    counts = np.asarray(labels.sum(axis=1))
    handicap = counts / (2 * counts.max(initial=0.0) + 1)  # below one half: products are integers
    columns = []
    for block in row_blocks(n_samples, n_samples):
        columns.append(nearest(handicap - (rare[block] @ rare.T).toarray(), n_neighbors))
    rows = np.repeat(np.arange(n_samples), n_neighbors)
    ones = sp.coo_array((np.ones(len(rows)), (rows, np.concatenate(columns).ravel())), shape=(n_samples, n_samples))
    pairs = sp.csr_array(ones + ones.T + sp.eye_array(n_samples))
    pairs.sort_indices()
    first, second = pairs.tocoo().coords
    pairs.data = np.asarray(rare[first].multiply(rare[second]).sum(axis=1), dtype=np.float64).ravel()
    return pairs


def embed_labels(labels: Any, pairs: Any, rank: int, max_iter: int, tol: float) -> tuple[FloatArray, list[float]]:
    """Minimise the squared errors of the inner products of pairs over embeddings of a rank, by projected steps.

    A step of singular value projection takes ``M = ZZ'`` to the nearest matrix of the rank without negative eigenvalues
    to M plus the errors of the pairs. With a step size of one that cannot raise the sum of squares. The projection is
    onto the span of Z and its product with the errors, which keeps that property and costs no decomposition of order n.

    The start is the matrix of the rank nearest to all inner products of the labels; pairs are as of `neighbour_pairs`,
    and ``tol`` is the relative decrease of the sum of squares that ends the steps. Returns Z, of shape (n_samples,
    rank), and half of the sum of squared errors before the first step and after each, not increasing.
    """
    if is_sparse(labels) and labels.shape[0] < labels.shape[1]:  # the same but for signs
        values, vectors = np.linalg.eigh((labels @ labels.T).toarray())
        embedding: FloatArray = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1][:, :rank]
    else:
        embedding = labels @ np.linalg.eigh(as_dense(labels.T @ labels))[1][:, ::-1][:, :rank]
    errors, objective = _errors(pairs, embedding)
    history = [objective]
    exact = np.finfo(float).eps * float(np.square(pairs.data).sum())
    for _ in range(max_iter):
        if history[-1] <= exact:
            break
        basis, _ = np.linalg.qr(np.hstack([embedding, errors @ embedding]))
        inside = basis.T @ embedding
        values, rotation = np.linalg.eigh(inside @ inside.T + basis.T @ (errors @ basis))
        embedding = basis @ (rotation[:, ::-1][:, :rank] * np.sqrt(np.maximum(values[::-1][:rank], 0.0)))
        errors, objective = _errors(pairs, embedding)
        history.append(objective)
        if history[-2] - history[-1] <= tol * history[-2]:
            break
    return embedding, history


def _errors(pairs: Any, embedding: FloatArray) -> tuple[Any, float]:
    """Return the products of pairs less those of their embeddings, and half of the sum of their squares."""
    products = _products_of_pairs(pairs.indptr, pairs.indices, np.ascontiguousarray(embedding))
    errors = sp.csr_array((pairs.data - products, pairs.indices, pairs.indptr), shape=pairs.shape)
    return errors, float(np.square(errors.data).sum() / 2)


@compiled
def _products_of_pairs(
    indptr: NDArray[np.integer[Any]], indices: NDArray[np.integer[Any]], embedding: FloatArray
) -> FloatArray:
    """Return the inner products of the rows of an embedding with those that a CSR matrix stores for them."""
    products = np.empty(len(indices))
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            total, other = 0.0, indices[entry]
            for column in range(embedding.shape[1]):
                total += embedding[row, column] * embedding[other, column]
            products[entry] = total
    return products


def _columns(embedded: FloatArray) -> FloatArray:
    """Return predictions as a table, of one column too."""
    return embedded.reshape(len(embedded), -1)
