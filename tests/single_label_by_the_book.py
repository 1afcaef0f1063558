"""Projections for classes written down plainly: one pair of instances after the other, on copies that are made.

Slow, and what the fast ones must equal. Objective and constraint are arrays M over the instances: the form of the
features X is ``X'MX``. A constraint comes without its ridge; None is the identity.
"""

from __future__ import annotations

import numpy as np

#: Methods with a scatter inside classes as the constraint.
WITH_CONSTRAINT = ("fda", "lfda", "mfa")


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


def forms(name, X, y, W, p):
    """Objective and constraint of instances of one class each; W holds proximities, p the parameters."""
    n = len(X)
    if name == "fda":
        return scatters(y)
    if name == "lfda":
        return local_scatters(y, W)
    if name == "mfa":
        pairs = [pair for label in set(y) for pair in pairs_across(X, y, label, p["n_pairs"])]
        near = [(i, j) for i in range(n) for j in inside(X, y, i, p["n_neighbors"])]
        return laplacian(graph(n, pairs)), laplacian(graph(n, near))
    if name == "mmc":
        between, within = scatters(y)
        return between - p["within_weight"] * within, None
    if name == "dla":
        cost = np.zeros((n, n))
        for i in range(n):
            for j in inside(X, y, i, p["n_neighbors"]):
                cost += one_pair(n, i, j)
            for j in across(X, y, i, p["n_others"]):
                cost -= p["beta"] * one_pair(n, i, j)
        return -cost, None
    if name == "dne":
        near = [(i, j) for i in range(n) for j in inside(X, y, i, p["n_neighbors"])]
        far = [(i, j) for i in range(n) for j in across(X, y, i, p["n_neighbors"])]
        return -laplacian(graph(n, near) - graph(n, far)), None
    if name == "olpp-r":
        together = np.array([[float(y[i] == y[j]) for j in range(n)] for i in range(n)])
        return -(laplacian(together) - p["beta"] * repulsion(y, W)), None
    if name == "sonpp":
        return -from_neighbours(X, y, p["n_neighbors"], p["reg"]), None
    if name == "donpp":
        cost = from_all(X, y, p["reg"])
        for i in range(n):
            for j in across(X, y, i, p["n_others"]):
                cost -= p["beta"] * one_pair(n, i, j)
        return -cost, None
    if name == "onpp-r":
        return -(from_neighbours(X, y, p["n_neighbors"], p["reg"]) - p["beta"] * repulsion(y, W)), None
    raise ValueError(name)


# Several labels an instance


def copies(Y):
    """Row and label of each copy."""
    return [(i, c) for i in range(len(Y)) for c in range(Y.shape[1]) if Y[i, c]]


def forms_by_copying(name, X, Y, W, p, weighted):
    """Objective and constraint summed over the copies, equations (32) and (33)."""
    rows, labels = (np.array(part) for part in zip(*copies(Y), strict=True))
    W = None if W is None else W[np.ix_(rows, rows)]
    summed = []
    for matrix in forms(name, X[rows], labels, W, p):
        if matrix is None:
            summed.append(None)
            continue
        total = np.zeros((len(X), len(X)))
        for s, i in enumerate(rows):
            for t, j in enumerate(rows):
                share = 1 / (Y[i].sum() * Y[j].sum()) if weighted else 1
                total[i, j] += share * matrix[s, t]
        summed.append(total)
    return summed
