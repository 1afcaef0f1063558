"""Neighbours, scatters and errors of reconstruction within classes, by one pair of instances after the other.

Slow, and what the definitions of the projections for classes are made of: matrices M over the instances, of which the
form of the features X is ``X'MX``.
"""

from __future__ import annotations

import numpy as np

# Neighbours: of those equally far away the first is the nearer


def squared(x, other):
    return float(np.sum((x - other) ** 2))


def inside(X, y, i, number):
    own = [j for j in range(len(X)) if y[j] == y[i] and j != i]
    return sorted(own, key=lambda j: (squared(X[i], X[j]), j))[:number]


def across(X, y, i, number):
    others = [j for j in range(len(X)) if y[j] != y[i]]
    return sorted(others, key=lambda j: (squared(X[i], X[j]), j))[:number]


def pairs_across(X, y, label, number):
    pairs = [(i, j) for i in range(len(X)) for j in range(len(X)) if y[i] == label and y[j] != label]
    return sorted(pairs, key=lambda pair: (squared(X[pair[0]], X[pair[1]]), *pair))[:number]


# Matrices


def laplacian(W):
    return np.diag(W.sum(axis=1)) - W


def one_pair(n, i, j):
    """The matrix of ``||z_i - z_j||^2``."""
    e = np.zeros(n)
    e[i], e[j] = 1, -1
    return np.outer(e, e)


def graph(n, pairs):
    W = np.zeros((n, n))
    for i, j in pairs:
        W[i, j] = W[j, i] = 1
    return W


def scatters(y):
    n, between, within = len(y), np.zeros((len(y), len(y))), np.eye(len(y))
    for i in range(n):
        for j in range(n):
            between[i, j] -= 1 / n
            if y[i] == y[j]:
                between[i, j] += 1 / np.sum(y == y[i])
                within[i, j] -= 1 / np.sum(y == y[i])
    return between, within


def local_scatters(y, W):
    n = len(y)
    between, within = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if y[i] == y[j]:
                size = np.sum(y == y[i])
                between[i, j] = W[i, j] * (1 / n - 1 / size)
                within[i, j] = W[i, j] / size
            else:
                between[i, j] = 1 / n
    return laplacian(between), laplacian(within)


def reconstruction(X, y, choose, ridge_of):
    """``(I - W)'(I - W)``, each row of W the best weights of sum 1; nothing for an instance without others."""
    n = len(X)
    errors = np.zeros((n, n))
    for i in range(n):
        near = choose(i)
        if near:
            differences = X[near] - X[i]
            local = differences @ differences.T
            weights = np.linalg.solve(local + ridge_of(i, local) * np.eye(len(near)), np.ones(len(near)))
            errors[i, i] = 1
            errors[i, near] -= weights / weights.sum()
    return errors.T @ errors


def from_neighbours(X, y, number, reg):
    return reconstruction(X, y, lambda i: inside(X, y, i, number), lambda i, local: reg * (np.trace(local) or 1))


def from_all(X, y, reg):
    def ridge(i, local):
        own = [j for j in range(len(X)) if y[j] == y[i]]
        total = sum(squared(X[j], X[k]) for j in own for k in own) / len(own)
        return reg * (total or 1)

    return reconstruction(X, y, lambda i: inside(X, y, i, len(X)), ridge)


def repulsion(y, W):
    n = len(y)
    return laplacian(np.array([[W[i, j] if y[i] != y[j] else 0 for j in range(n)] for i in range(n)]))
