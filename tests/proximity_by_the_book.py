"""Graphs, weights and matrices of Mu et al. (2012), section 2.1, written down plainly: one pair after the other."""

from __future__ import annotations

import numpy as np
import scipy.stats


def distance(X, i, j):
    return float(np.sqrt(((X[i] - X[j]) ** 2).sum()))


def cosine(x, y):
    lengths = np.linalg.norm(x) * np.linalg.norm(y)
    return float(x @ y / lengths) if lengths else 0.0


def apart(X, i, j, metric="euclidean"):
    """How far two instances are: in units of the features, or one less the cosine."""
    return distance(X, i, j) if metric == "euclidean" else 1 - cosine(X[i], X[j])


def neighbours(X, k, metric="euclidean"):
    """The k nearest others of each instance; of equally near ones the first (equal to nine decimals)."""
    others = [[j for j in range(len(X)) if j != i] for i in range(len(X))]
    return [sorted(own, key=lambda j, i=i: (round(apart(X, i, j, metric), 9), j))[:k] for i, own in enumerate(others)]


def joined(X, n_neighbors=10, mutual=False, radius=None, metric="euclidean"):
    n = len(X)
    near = neighbours(X, n_neighbors or n, metric)
    pairs = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(n):
            either, both = j in near[i] or i in near[j], j in near[i] and i in near[j]
            close = radius is None or apart(X, i, j, metric) <= radius + 1e-9
            pairs[i, j] = i != j and (both if mutual else either) and close
    return pairs


def paths(X, pairs):
    """Lengths of the shortest paths (Floyd and Warshall)."""
    n = len(X)
    lengths = np.full((n, n), np.inf)
    for i in range(n):
        for j in range(n):
            if pairs[i, j] or i == j:
                lengths[i, j] = distance(X, i, j)
    for via in range(n):
        lengths = np.minimum(lengths, lengths[:, [via]] + lengths[[via]])
    return lengths


def reconstruction(X, k, ridge=1e-3, metric="euclidean"):
    """W of LLE: each row sums to one and reconstructs an instance from its neighbours."""
    n = len(X)
    W = np.zeros((n, n))
    for i, near in enumerate(neighbours(X, k, metric)):
        gram = np.array([[(X[a] - X[i]) @ (X[b] - X[i]) for b in near] for a in near])
        gram += np.eye(len(near)) * (ridge * np.trace(gram) if np.trace(gram) > 0 else 1.0)
        own = np.linalg.solve(gram, np.ones(len(near)))
        W[i, near] = own / own.sum()
    return W


def correlation(kind, x, y):
    if kind == "cosine":
        return cosine(x, y)
    if (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    return float(
        getattr(scipy.stats, {"pearson": "pearsonr", "spearman": "spearmanr"}.get(kind, "kendalltau"))(x, y)[0]
    )


def weights(X, weight="gaussian", n_neighbors=10, mutual=False, radius=None, metric="euclidean", tau=None):
    """W."""
    n = len(X)
    pairs = joined(X, n_neighbors, mutual, radius, metric)
    lengths = np.array([[distance(X, i, j) for j in range(n)] for i in range(n)])
    if weight == "geodesic":
        lengths = paths(X, pairs)
        pairs = np.isfinite(lengths) & ~np.eye(n, dtype=bool)
    width = tau or (lengths[pairs] ** 2).mean()
    K = n_neighbors or 7
    scale = [distance(X, i, near[-1]) for i, near in enumerate(neighbours(X, K))]
    rebuilt = reconstruction(X, K, metric=metric) if weight == "reconstruction" else None
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if not pairs[i, j]:
                continue
            square = lengths[i, j] ** 2
            if weight == "constant":
                W[i, j] = 1
            elif weight in ("gaussian", "geodesic"):
                W[i, j] = np.exp(-square / width)
            elif weight == "local-scaling":
                W[i, j] = np.exp(-square / (scale[i] * scale[j])) if scale[i] * scale[j] else float(square == 0)
            elif weight == "ratio":
                size = X[i] @ X[i] + X[j] @ X[j]
                W[i, j] = 1 / ((tau or 1) + (square / size if size else 0))
            elif weight == "reconstruction":
                W[i, j] = (abs(rebuilt[i, j]) + abs(rebuilt[j, i])) / 2
            else:
                W[i, j] = max(correlation(weight, X[i], X[j]), 0)
    return W
