"""Selectors by the correlation distances of features and labels: MGFS and BMFS."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from mlreduce.complexity import Complexity
from mlreduce.linalg.distances import to_grid
from mlreduce.linalg.features import column_scatter, shifted
from mlreduce.linalg.utilities import quotient
from mlreduce.registry import register
from mlreduce.selection.base import Selector, varying_labels
from mlreduce.validation import FloatArray, Size, as_dense, check_range

# Distances, and scores relative to their mean, are rounded to multiples of this, so that ties are exact.
_UNIT = 2.0**-32

# Total change of a distribution that sums to one, at which the power iteration stops.
_CONVERGED = 1e-12

# Integers up to this have exact sums and differences.
_EXACT = 2.0**53


def correlation_distances(X: Any, labels: Any) -> FloatArray:
    """Return one minus the correlation of each feature and label, shape (n_features, n_labels).

    Equal features have equal distances, to the last bit; constant features or labels have the distance 1.
    """
    n_samples = X.shape[0]
    # The product with a sparse matrix adds up row by row, in the same order for all columns.
    members = sp.csr_array(labels.T)
    counts = np.asarray(members.sum(axis=1)).reshape(-1)
    centred = shifted(X)
    means = np.asarray(centred.mean(axis=0)).reshape(-1)
    covariances = as_dense(members @ centred) - np.multiply.outer(counts, means)
    covariances *= quotient(1.0, np.sqrt(counts * (1.0 - counts / n_samples)))[:, np.newaxis]
    covariances *= quotient(1.0, np.sqrt(column_scatter(centred)))
    return np.ascontiguousarray(to_grid(1.0 - covariances, _UNIT).T)


@register("mgfs")
class MGFS(Selector):
    """Multi-label graph-based feature selection (MGFS): PageRank in the graph of the features' correlation distances.

    Features are the vertices of a complete graph. An edge weighs the Euclidean distance of two features' rows of the
    correlation distances K, one minus the correlation with each label. PageRank r solves

        r_i = (1 - damping) / d + damping sum_j E_ij r_j / sum_k E_kj        E_ij = ||K_i - K_j||

    Labels that all or no instances have are left out.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    damping : float, default=0.85
        Probability to follow an edge, in (0, 1).

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        r, which sums to 1 over the features that vary.
    n_iter_ : int
        Number of power iterations, until r changes by 1e-12 in all.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Weights are distances, so that the features whose correlations are unlike those of the others rank first; whether
    they are relevant is seen by K alone. A negative correlation is the farthest of all.

    Cost: O(n d q + d^2 q), and d^2 for each of some ten iterations.

    The authors' program takes constant features as perfectly correlated with all labels; here they come last.

    References
    ----------
    Hashemi, Dowlatshahi and Nezamabadi-pour, "MGFS: A multi-label graph-based feature selection algorithm via PageRank
    centrality", Expert Systems with Applications 142, 2020.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MGFS(k=5).fit(data.X, data.Y)
    >>> round(float(method.scores_.sum()), 6)
    1.0
    """

    complexity = Complexity("n d q + d^2 q", "d^2", least_bytes=3.3)
    takes_sparse_labels = True

    def __init__(self, k: Size = 0.5, damping: float = 0.85) -> None:
        self.k = k
        self.damping = damping

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        damping = check_range(self.damping, "damping", 0, 1, open_ends=True)
        distances = correlation_distances(X, varying_labels(labels))
        edges = cdist(distances, distances)
        out = quotient(1.0, edges.sum(axis=1))
        rank, change, self.n_iter_ = np.full(len(edges), 1.0 / len(edges)), 1.0, 0
        while change > _CONVERGED and edges.any():
            # Not a product of BLAS: equal rows have equal results, to the last bit.
            followed = (1.0 - damping) / len(edges) + damping * np.einsum("ij,j->i", edges, out * rank)
            change, rank = float(np.abs(followed - rank).sum()), followed
            self.n_iter_ += 1
        return to_grid(rank, _UNIT / len(edges))


@register("bmfs")
class BMFS(Selector):
    """Bipartite matching-based feature selection (BMFS): features that a matching of least cost gives to the labels.

    The cost of a feature for a label is their correlation distance, one minus the correlation. A matching gives each
    label one feature, at the least total cost; these features are selected, that of the most frequent label first.
    Then the labels are matched with the features that are left, until there are none. Where fewer are left than there
    are labels, each is matched with one label. Labels that all or no instances have are left out.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The number of varying features that come after it.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Of matchings of equal cost one with the least sum of columns is taken; costs are rounded to 2^-32, or a little more
    where features and labels are many, so that sums are exact. Of labels that are equally frequent the first comes
    first.

    Cost: O(n d q + d^2) in practice, for d / q matchings, and O(d^2 q) at worst.

    The authors' program, too, orders by the frequency of the labels; their abstract has weighted distances. It appends
    what is left after the last complete matching in the order of the columns.

    References
    ----------
    Hashemi, Dowlatshahi and Nezamabadi-pour, "A bipartite matching-based feature selection for multi-label learning",
    International Journal of Machine Learning and Cybernetics 12, 2021.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> mlreduce.BMFS(k=5).fit_transform(data.X, data.Y).shape
    (300, 5)
    """

    complexity = Complexity("n d q + 100 n d + 30 d^2", "s + d q")
    takes_sparse_labels = True

    def __init__(self, k: Size = 0.5) -> None:
        self.k = k

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        labels = varying_labels(labels)
        frequent = np.argsort(-np.asarray(labels.sum(axis=0)).reshape(-1), kind="stable")
        distances = correlation_distances(X, labels)[:, frequent].T
        n_labels, n_features = distances.shape
        places = n_labels * n_features
        steps = np.floor(min(1.0 / _UNIT, _EXACT / (4.0 * n_labels * places)))
        costs, rest, scores = np.rint(steps * distances) * places, np.arange(n_features), np.empty(n_features)
        while len(rest):
            chosen = linear_sum_assignment(costs[:, rest] + rest)[1]
            scores[rest[chosen]] = len(rest) - 1 - np.arange(len(chosen))
            rest = np.delete(rest, chosen)
        return scores
