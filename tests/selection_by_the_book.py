"""Selectors and nearest-neighbour chains written down plainly: one instance, pair and feature after the other.

Slow, and what the fast ones must equal. Every function takes a dense X and labels in {0, 1} and returns what the fast
selector calls ``scores_``: the larger, the better.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

# The label graph


def label_similarity(Y):
    """Equations 2 and 3: the shared labels among those that one of the two has, each by its number of instances.

    Only labels that are known of both; NaN where there are none.
    """
    n, weights = len(Y), np.nansum(Y, axis=0)
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            known = ~np.isnan(Y[i]) & ~np.isnan(Y[j])
            shared = weights[(Y[i] == 1) & (Y[j] == 1)].sum()
            either = weights[known & ((Y[i] == 1) | (Y[j] == 1))].sum()
            if either > 0:
                A[i, j] = A[j, i] = shared / either
            elif not known.any():
                A[i, j] = A[j, i] = np.nan
    return A


# Distances


def unit_of(X):
    """A power of two, 2^-32 of the largest squared norm about the mean."""
    largest = max(np.sum((x - X.mean(axis=0)) ** 2) for x in X)
    return 2.0 ** (np.ceil(np.log2(largest)) - 32) if largest > 0 else 1.0


def distance(x, other, unit):
    return np.rint(np.sum((x - other) ** 2) / unit) * unit


def distances_from(X, i, unit):
    return [distance(X[i], other, unit) for other in X]


def nearest_of(rows, distances):
    """Rows by distance, of equal ones the lower first."""
    return sorted(rows, key=lambda j: (distances[j], j))


# GMBA


def instance(X, s, i, unit, n_neighbors, s_min):
    """What an instance needs: distances, the nearest hits, all hits, all misses and the margin; None if too few."""
    others = [j for j in range(len(X)) if j != i]
    similar = [j for j in others if s[i, j] >= s_min]
    dissimilar = [j for j in others if s[i, j] < s_min]
    if min(len(similar), len(dissimilar)) < n_neighbors:
        return None
    d = distances_from(X, i, unit)
    neighbours = nearest_of(similar, d)[:n_neighbors]
    margin = abs(d[neighbours[0]] - min(d[j] for j in dissimilar))  # equation 10
    return d, neighbours, similar, dissimilar, margin


def slope(X, s, i, unit, n_neighbors=3, s_min=1.0, miss_weight=1.0, variant="equations"):
    """The gradient of an instance's loss divided by omega; zeros where the instance is skipped.

    A step has a fixed length however short the gradient, so that what rounding leaves of zero is made zero: sums of
    which the terms cancel in all but the last digits.
    """
    g = terms = np.zeros(X.shape[1])
    found = instance(X, s, i, unit, n_neighbors, s_min)
    if found is None:
        return g
    d, neighbours, similar, dissimilar, margin = found
    published = variant == "published-code"
    for rank, h in enumerate(neighbours):
        times = 2 * (n_neighbors - rank if published else 1)
        hit = times * (s[i, similar.index(h)] if published else s[i, h]) * (X[i] - X[h]) ** 2
        g, terms = g + hit, terms + hit
        for j in dissimilar:
            inside = d[j] < margin + d[h] if published else d[j] <= margin + d[h]  # equation 15
            if inside:
                weight = times * miss_weight * (s[i, h] - s[i, j])
                near, far = weight * (X[i] - X[h]) ** 2, weight * (X[i] - X[j]) ** 2
                g, terms = g + (near - far), terms + np.abs(near) + np.abs(far)
    return np.where(np.abs(g) > 1e-12 * terms, g, 0.0)


def gmba(X, Y, step=0.9, max_iter=None, n_orders=1, random_state=None, s=None, **parameters):
    """Steps 1 to 3 of the paper, averaged over orders."""
    n, s, unit = len(X), label_similarity(Y) if s is None else s, unit_of(X)
    rng, total = check_random_state(random_state), np.zeros(X.shape[1])
    for _ in range(n_orders):
        omega, order = np.ones(X.shape[1]), []
        for taken in range(n if max_iter is None else max_iter):
            if taken % n == 0:
                order = rng.permutation(n)
            gradient = omega * slope(X, s, order[taken % n], unit, **parameters)
            length = np.sqrt(np.sum(gradient**2))
            if length > 0:
                omega = omega - step * gradient / length
        total += omega
    return total / n_orders


def skipped(X, Y, n_neighbors=3, s_min=1.0):
    s, unit = label_similarity(Y), unit_of(X)
    return sum(instance(X, s, i, unit, n_neighbors, s_min) is None for i in range(len(X)))


# SPEC


def spec(X, Y, variant="equations", s=None):
    """Equation 17, its left-hand side, one feature after the other."""
    A = np.nan_to_num(label_similarity(Y) if s is None else s)
    n, degrees = len(A), A.sum(axis=1)
    if variant == "published-code":
        degrees = np.where(degrees == 0, 0.01, degrees)
    root = np.sqrt(degrees)
    inverse = np.array([1 / r if r > 0 else 0.0 for r in root])
    laplacian = inverse[:, np.newaxis] * (np.diag(degrees) - A) * inverse
    scores = []
    for x in X.T:
        weighted = root * x
        if np.any(weighted != 0):
            f = weighted / np.sqrt(np.sum(weighted**2))
        elif variant == "published-code":
            f = np.ones(n) / np.sqrt(n)
        else:
            scores.append(-2.0)
            continue
        scores.append(-(f @ laplacian @ f))
    return np.array(scores)


# MLFS


def mlfs(X, Y, variant="equations"):
    """The F statistic; an instance counts once in each of its labels."""
    published = variant == "published-code"
    n, used = len(X), [q for q in range(Y.shape[1]) if (Y[:, q] == 1).any()]
    members = {q: [i for i in range(n) if Y[i, q] == 1] for q in used}
    assignments = sum(len(rows) for rows in members.values())
    count, classes = (n, Y.shape[1]) if published else (assignments, len(used))
    factor = (count - classes) / (classes - 1) if classes > 1 else 1.0
    if count == classes and not published:
        factor = 1.0
    scores = []
    for x in X.T.tolist():
        if not used:
            scores.append(0.0)
            continue
        mean = sum(x[i] for rows in members.values() for i in rows) / assignments
        between = within = 0.0
        for rows in members.values():
            own = sum(x[i] for i in rows) / len(rows)
            between += len(rows) * (own - mean) ** 2
            scatter = sum((x[i] - own) ** 2 for i in rows)
            within += scatter / len(rows) if published else scatter
        rounding = assignments * (1e-14 * max(abs(value) for value in x)) ** 2
        if within > rounding:
            scores.append(factor * between / within)
        else:
            scores.append(np.inf if between > rounding and not published else 0.0)
    return np.array(scores)


# MLRF


def mlrf(X, Y, n_neighbors=3, variant="equations", random_state=None):
    if variant == "published-code":
        return mlrf_as_published(X, Y, n_neighbors, check_random_state(random_state).permutation(len(X)))
    if variant == "pairs":
        return mlrf_of_pairs(X, Y, n_neighbors)
    n, labels, sizes, unit = len(X), range(Y.shape[1]), np.nansum(Y, axis=0), unit_of(X)
    spread = X.max(axis=0) - X.min(axis=0)
    assignments = sizes.sum()
    W = np.zeros(X.shape[1])

    def mean_difference(i, rows):
        total = np.zeros(X.shape[1])
        for j in rows:
            total += np.where(spread > 0, np.abs(X[i] - X[j]) / np.where(spread > 0, spread, 1), 0)
        return total / len(rows)

    for i in range(n):
        d = distances_from(X, i, unit)
        ordered = nearest_of([j for j in range(n) if j != i], d)
        absent = [q for q in labels if Y[i, q] == 0]
        for p in labels:
            if Y[i, p] != 1:
                continue
            hits = [j for j in ordered if Y[j, p] == 1][:n_neighbors]
            if hits:
                W -= mean_difference(i, hits) / assignments
            for q in absent:
                misses = [j for j in ordered if Y[j, q] == 1 and Y[j, p] == 0][:n_neighbors]
                if misses:
                    W += sizes[q] / sum(sizes[r] for r in absent) * mean_difference(i, misses) / assignments
    return W


def mlrf_of_pairs(X, Y, n_neighbors):
    """ReliefF of two classes for the instances with exactly one of two labels, averaged over the pairs of labels."""
    unit, found = unit_of(X), []
    for q in range(Y.shape[1]):
        for p in range(q):
            classes = [[i for i in range(len(Y)) if Y[i, p] == 1 - side and Y[i, q] == side] for side in (0, 1)]
            if not all(classes):
                continue
            W = np.zeros(X.shape[1])
            for own, other in (classes, classes[::-1]):
                for i in own:
                    d = distances_from(X, i, unit)
                    hits = nearest_of([j for j in own if j != i], d)[:n_neighbors]
                    misses = nearest_of(other, d)[:n_neighbors]
                    if hits:
                        W += np.mean([np.abs(X[i] - X[j]) for j in misses], axis=0)
                        W -= np.mean([np.abs(X[i] - X[j]) for j in hits], axis=0)
            found.append(W / (len(classes[0]) + len(classes[1])))
    return np.mean(found, axis=0) if found else np.zeros(X.shape[1])


def mlrf_as_published(X, Y, n_neighbors, order):
    """The published code: places in a list of some rows are taken for row numbers of all."""
    share, unit, n_labels = Y.mean(axis=0), unit_of(X), Y.shape[1]
    W = np.zeros(X.shape[1])
    for p in range(n_labels - 1):
        without, having = [i for i in order if Y[i, p] == 0], [i for i in order if Y[i, p] == 1]
        if min(len(without), len(having)) < n_neighbors:
            continue
        for rows, sign in ((without, 1), (having, -1)):
            for row in rows:
                d = [distance(X[row], X[other], unit) for other in rows]
                for c in nearest_of(range(len(rows)), d)[:n_neighbors]:
                    for q in range(p + 1, n_labels):
                        weight = share[q] / (1 - share[p]) * Y[c, q] / n_neighbors
                        W += sign * weight * np.abs(X[row] - X[c])
    return W


# Nearest neighbours


def votes(train, labels, x, n_neighbors, unit):
    """How many of the nearest rows have the label."""
    d = [distance(other, x, unit) for other in train]
    return sum(labels[j] for j in nearest_of(range(len(train)), d)[:n_neighbors])


def binary_relevance(X, Y, X_new, n_neighbors=3):
    """Votes of each label."""
    unit = unit_of(X)
    return np.array([[votes(X, labels, x, n_neighbors, unit) for labels in Y.T] for x in X_new])


def chain(X, Y, X_new, n_neighbors=3, order=None):
    """Votes of each label; before a label, the features and the labels of the chain so far."""
    unit, order = unit_of(X), list(range(Y.shape[1])) if order is None else list(order)
    result = np.zeros((len(X_new), Y.shape[1]), dtype=int)
    for row, x in enumerate(X_new):
        predicted = []
        for place, label in enumerate(order):
            train = np.hstack([X, Y[:, order[:place]]])
            result[row, label] = votes(train, Y[:, label], np.append(x, predicted), n_neighbors, unit)
            predicted.append(int(2 * result[row, label] > n_neighbors))
    return result
