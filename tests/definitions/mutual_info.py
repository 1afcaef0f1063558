"""Ross's nearest-neighbour estimate of mutual information with each label, averaged, from all distances."""

from __future__ import annotations

import numpy as np
from scipy.special import psi

from ._scores import known_part, scored

PARAMETERS = {"random_state": 0}


def estimate(x, y, n_neighbors=3):
    """An instance has its k-th nearest of the class at some distance; m are nearer than that, itself included."""
    sizes = {value: np.sum(y == value) for value in set(y.tolist())}
    used = np.array([sizes[value] > 1 for value in y.tolist()])
    x, y = x[used], y[used]
    terms = []
    for i in range(len(x)):
        far = np.abs(x - x[i])
        k = min(n_neighbors, sizes[y[i]] - 1)
        radius = np.sort(far[y == y[i]])[k]  # the first is the instance itself
        terms.append(psi(k) - psi(sizes[y[i]]) - psi(np.sum(far < radius)))
    return max(0.0, psi(len(x)) + np.mean(terms)) if terms else 0.0


def noisy(X, seed=0):
    """In units of the standard deviation, with noise against ties: as scikit-learn does."""
    deviations = X.std(axis=0)
    scaled = X / np.where(deviations > 0, deviations, 1.0)
    noise = np.random.RandomState(seed).standard_normal(X.shape)
    return scaled + 1e-10 * np.maximum(1, np.abs(scaled).mean(axis=0)) * noise


def definition(X, Y, fitted):
    scores = np.zeros((Y.shape[1], X.shape[1]))
    for number, label in enumerate(Y.T):
        rows, y = known_part(X, label)
        varying = (rows[0] != rows).any(axis=0)
        scores[number, varying] = [estimate(x, y) for x in noisy(rows[:, varying]).T]
    scored(fitted, scores.mean(axis=0))
