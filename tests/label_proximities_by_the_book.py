"""Proximities of labels, their combination and MOPE's graph by plain loops over pairs, from the paper's equations."""

from __future__ import annotations

import math

import numpy as np

SCHEME_1 = ["dice", "scaled-dice", "jaccard", "hamming-exponential", "hamming-linear", "and"]


def index_of_bits(Y, index, tau=1.0):
    """Equations (34) to (38) on the rows of Y, one pair after the other."""
    n, c = Y.shape
    sizes = [sum(Y[:, k]) for k in range(c)]
    most = max(max(sum(row) for row in Y), 1)
    G = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            shared = [k for k in range(c) if Y[i, k] and Y[j, k]]
            either = sum(1 for k in range(c) if Y[i, k] or Y[j, k])
            differing = sum(1 for k in range(c) if Y[i, k] != Y[j, k])
            both = sum(Y[i]) + sum(Y[j])
            if index == "dice":
                G[i, j] = 2 * len(shared) / both if both else 0
            elif index == "scaled-dice":
                G[i, j] = 2 * sum(1 / sizes[k] for k in shared) / both if both else 0
            elif index == "jaccard":
                G[i, j] = len(shared) / either if either else 0
            elif index == "hamming-exponential":
                G[i, j] = math.exp(-differing / tau)
            elif index == "hamming-linear":
                G[i, j] = 1 - differing / c
            elif index == "and":
                G[i, j] = len(shared) / most
    return G


def index_of_points(points, index, p=2.0, tau=1.0):
    """Equations (40) and (41), and the cosine; what is below zero is 0."""
    n = len(points)
    G = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            a, b = points[i], points[j]
            dot, left, right = sum(a * b), sum(a * a), sum(b * b)
            if index == "minkowski":
                G[i, j] = math.exp(-sum(abs(x - y) ** p for x, y in zip(a, b, strict=True)) / tau)
            elif index == "tanimoto":
                G[i, j] = max(0.0, dot / (left + right - dot)) if left + right > 1e-20 else 0
            elif index == "cosine":
                G[i, j] = max(0.0, dot / math.sqrt(left * right)) if left * right > 1e-20 else 0
    return G


def average_over_classes(Y, sigma):
    """Equation (42)."""
    n, c = Y.shape
    G = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            total = sum(sigma[s, t] for s in range(c) for t in range(c) if Y[i, s] and Y[j, t])
            G[i, j] = total / (sum(Y[i]) * sum(Y[j])) if total else 0
    return G


def combination(w, g, combine, a=1.0, b=1.0, beta=0.5, priority_share=1.0):
    if combine == "labels":
        return g
    if combine == "features":
        return w
    if combine == "hadamard":
        return g * w
    if combine == "weighted-sum":
        return beta * g + (1 - beta) * w
    return priority_share * g**a / (1 + beta * (1 - w**b)) + (1 - priority_share) * w**b


def nearest_by_psi(psi, number, edges="psi", W=None, order=None, everyone=False):
    """The graph of the pairs of which one is among the largest of the other.

    Of equal ones those of larger W, where it is given, then the first in the order, by default the lower row number;
    with ``everyone`` all that equal the last.
    """
    n = len(psi)
    A = np.zeros((n, n))
    place = np.arange(n) if order is None else np.argsort(order)
    second = np.zeros((n, n)) if W is None else np.round(W * 2**32)
    for i in range(n):
        near = sorted(
            (j for j in range(n) if j != i and psi[i, j] > 0), key=lambda j: (-psi[i, j], -second[i, j], place[j])
        )
        joined = near[:number]
        if everyone and joined:
            joined = [j for j in near if psi[i, j] >= psi[i, joined[-1]]]
        for j in joined:
            A[i, j] = A[j, i] = psi[i, j] if edges == "psi" else 1
    return A
