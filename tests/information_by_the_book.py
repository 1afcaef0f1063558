"""Discretisers, mutual information and what selects and predicts by them, written down plainly.

Slow, and what the fast ones must equal. Bins and labels are whole numbers; logarithms are natural.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations, pairwise, product
from math import log, pi

import numpy as np

# Discretisers: cut points of one feature


def boundaries(x):
    """Half way between neighbouring values."""
    distinct = sorted(set(x))
    return [(low + high) / 2 for low, high in pairwise(distinct)]


def equal_width(x, n_bins):
    low, high = min(x), max(x)
    return [low + (high - low) * i / n_bins for i in range(1, n_bins)] if high > low else []


def equal_frequency(x, n_bins):
    """Of the boundaries the one that parts the rows most nearly as wanted; of two the lower."""
    chosen = set()
    for i in range(1, n_bins):
        if boundaries(x):
            chosen.add(min(boundaries(x), key=lambda cut: (abs(sum(v < cut for v in x) - i / n_bins * len(x)), cut)))
    return sorted(chosen)


def class_entropy(classes):
    return -sum(count / len(classes) * log(count / len(classes)) for count in Counter(classes).values())


def first_best(candidates, value, tie=1e-9):
    """The candidate of the largest value, of nearly equal ones the first."""
    best = None
    for candidate in candidates:
        if best is None or value(candidate) > value(best) + tie:
            best = candidate
    return best


def mdl(x, sets):
    """Fayyad and Irani (1993), equations 2 and 3."""
    parts = {cut: ([s for v, s in zip(x, sets, strict=True) if v < cut],
                   [s for v, s in zip(x, sets, strict=True) if v >= cut]) for cut in boundaries(x)}  # fmt: skip
    n = len(x)

    def gain(cut):
        return class_entropy(sets) - sum(len(part) / n * class_entropy(part) for part in parts[cut])

    cut = first_best(parts, gain)
    if cut is None:
        return []
    k, k1, k2 = (len(set(part)) for part in (sets, *parts[cut]))
    e, e1, e2 = (class_entropy(part) for part in (sets, *parts[cut]))
    delta = log(3**k - 2) - (k * e - k1 * e1 - k2 * e2)
    if gain(cut) <= (log(n - 1) + delta) / n + 1e-12:
        return []
    below, above = [v for v in x if v < cut], [v for v in x if v >= cut]
    return [*mdl(below, parts[cut][0]), cut, *mdl(above, parts[cut][1])]


def laim_value(x, Y, cuts):
    """The criterion of CAIM with the labels' counts for those of classes."""
    total, edges = 0.0, [-np.inf, *cuts, np.inf]
    for low, high in pairwise(edges):
        counts = sum((Y[i] for i, v in enumerate(x) if low <= v < high), start=np.zeros(Y.shape[1]))
        total += max(counts) ** 2 / sum(counts) if sum(counts) else 0.0
    return total / (len(cuts) + 1)


def laim(x, Y):
    cuts, reached = [], 0.0
    while True:
        left = [cut for cut in boundaries(x) if cut not in cuts]
        values = {cut: laim_value(x, Y, sorted([*cuts, cut])) for cut in left}
        if not left or (max(values.values()) <= reached + 1e-12 and len(cuts) + 1 >= Y.shape[1]):
            return sorted(cuts)
        cuts.append(first_best(left, values.get))
        reached = values[cuts[-1]]


def bins_of(x, cuts):
    return [sum(v >= cut for cut in cuts) for v in x]


# Information


def known(*columns):
    """The columns in the rows where none is NaN, an unknown label."""
    rows = ~np.isnan(np.column_stack(columns)).any(axis=1)
    return [column[rows] for column in columns]


def entropy(*columns):
    """Of the joint distribution of some columns."""
    return _entropy(*(np.asarray(column, dtype=float).tobytes() for column in columns))


@lru_cache(10_000)
def _entropy(*columns):
    columns = known(*(np.frombuffer(column) for column in columns))
    return class_entropy(list(zip(*(column.tolist() for column in columns), strict=True)))


def information(a, b):
    """Equation 3 of Lim, Lee and Kim (2016)."""
    a, b = known(a, b)
    return entropy(a) + entropy(b) - entropy(a, b)


def conditional(a, b, given):
    """I(a;b|given)."""
    a, b, given = known(a, b, given)
    return entropy(a, given) + entropy(b, given) - entropy(given) - entropy(a, b, given)


def as_one(*columns):
    """The variables as one, with a value for each combination that occurs."""
    return np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1].reshape(-1)


def pruned(F, Y, min_count):
    """Features and classes of the instances whose label set is known and occurs so often."""
    F, Y = F[~np.isnan(Y).any(axis=1)], Y[~np.isnan(Y).any(axis=1)]
    sets = [tuple(row) for row in Y.tolist()]
    kept = [i for i, labels in enumerate(sets) if sets.count(labels) >= min_count]
    return F[kept], as_one(*Y[kept].T) if kept else np.array([])


def interaction(a, b, c):
    a, b, c = known(a, b, c)
    pairs = entropy(a, b) + entropy(a, c) + entropy(b, c)
    return entropy(a) + entropy(b) + entropy(c) - pairs + entropy(a, b, c)


# Quadratic programming


def dependency(F):
    """Equations 2 and 3: Q; and 4: c."""
    return np.array([[information(a, b) for b in F.T] for a in F.T])


def relevance(F, Y):
    return np.array([sum(information(f, y) for y in Y.T) for f in F.T])


def filled_in(Q, sampled):
    """Equation 6."""
    k, filled = len(sampled), Q.copy()
    for p in range(len(Q)):
        for q in range(len(Q)):
            if p not in sampled and q not in sampled:
                filled[p, q] = (sum(Q[p, i] for i in sampled) / k + sum(Q[i, q] for i in sampled) / k) / 2
    return filled


def quadratic_program(Q, c):
    """The least value over all sets of features that may be positive, each solved without constraints."""
    best, value = np.zeros(len(c)), 0.0
    for code in range(1, 2 ** len(c)):
        chosen = [i for i in range(len(c)) if code >> i & 1]
        x = np.zeros(len(c))
        x[chosen] = np.linalg.lstsq(Q[np.ix_(chosen, chosen)], c[chosen], rcond=None)[0]
        reached = x @ Q @ x / 2 - c @ x
        if (x >= 0).all() and reached < value - 1e-12:
            best, value = x, reached
    return best, value


# PMU


def pmu_gain(F, Y, f, taken, pairs="distinct"):
    """J of Lee and Kim (2013), every term anew."""
    n_labels = Y.shape[1]
    relevance = sum(information(F[:, f], y) for y in Y.T)
    redundancy = sum(interaction(F[:, f], F[:, s], y) for s in taken for y in Y.T)
    chosen = combinations(range(n_labels), 2) if pairs == "distinct" else product(range(n_labels), repeat=2)
    return relevance - redundancy - sum(interaction(F[:, f], Y[:, i], Y[:, j]) for i, j in chosen)


# RFS


def rfs(X, Y, gamma, n_iter):
    """Algorithm 1 of Nie et al. (2010) on A = [X, gamma I], with a floor for lengths of zero."""
    n, d = X.shape
    A = np.hstack([X, gamma * np.eye(n)])
    inverse = np.eye(n + d)
    for _ in range(n_iter):
        U = inverse @ A.T @ np.linalg.solve(A @ inverse @ A.T, Y)
        inverse = np.diag([2 * max(np.linalg.norm(u), 1e-12) for u in U])
    return U[:d]


def rfs_objective(X, Y, W, gamma):
    return sum(np.linalg.norm(row) for row in X @ W - Y) + gamma * sum(np.linalg.norm(row) for row in W)


# Predictors: the probability that a row has each label


def nearest_of(rows, x, unit):
    """Row numbers by distance, of equal ones the lower first."""
    return sorted(range(len(rows)), key=lambda i: (np.rint(np.sum((rows[i] - x) ** 2) / unit), i))


def ml_knn(X, Y, X_new, k, s):
    """Zhang and Zhou (2007), figure 1."""
    n, largest = len(X), max(np.sum((x - X.mean(axis=0)) ** 2) for x in X)
    unit = 2.0 ** (np.ceil(np.log2(largest)) - 32) if largest > 0 else 1.0
    result = np.zeros((len(X_new), Y.shape[1]))
    neighbours = [[i for i in nearest_of(X, X[row], unit) if i != row][:k] for row in range(n)]
    for label, y in enumerate(Y.T):
        prior = (s + sum(y)) / (2 * s + n)
        counts = {0: [0] * (k + 1), 1: [0] * (k + 1)}
        for row in range(n):
            counts[y[row]][sum(y[i] for i in neighbours[row])] += 1
        for row, x in enumerate(X_new):
            votes = sum(y[i] for i in nearest_of(X, x, unit)[:k])
            yes, no = ((s + counts[b][votes]) / (s * (k + 1) + sum(counts[b])) for b in (1, 0))
            result[row, label] = prior * yes / (prior * yes + (1 - prior) * no)
    return result


def naive_bayes(X, Y, X_new, s, floor):
    """Log odds of each label by the densities of normal distributions."""
    result = np.zeros((len(X_new), Y.shape[1]))
    for label, y in enumerate(Y.T):
        for row, x in enumerate(X_new):
            logs = []
            for side in (0, 1):
                members = X[y == side]
                logs.append(log(s + len(members)))
                for feature in range(X.shape[1] if 0 < sum(y) < len(y) else 0):
                    values = members[:, feature].tolist()
                    mean, whole = sum(values) / len(values), float(np.var(X[:, feature]))
                    variance = max(sum((v - mean) ** 2 for v in values) / len(values), floor * (whole or 1.0))
                    logs[-1] -= (x[feature] - mean) ** 2 / (2 * variance) + log(2 * pi * variance) / 2
            result[row, label] = logs[1] - logs[0]
    return result
