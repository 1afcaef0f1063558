"""Each matching gives the labels, the most frequent first, those of the features left with the least sum of costs."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ._scores import correlation_distances


def definition(X, Y, fitted):
    K = correlation_distances(X, Y)[:, np.argsort(-Y.sum(axis=0), kind="stable")]
    order, left = np.argsort(fitted.ranking_).tolist(), list(range(X.shape[1]))
    np.testing.assert_array_equal(fitted.scores_[order], np.arange(len(order))[::-1])
    while left:
        number = min(K.shape[1], len(left))
        chosen = order[len(order) - len(left) :][:number]
        cost = min(K[chosen, list(labels)].sum() for labels in combinations(range(K.shape[1]), number))
        np.testing.assert_allclose(cost, least(K[left], number), atol=1e-8)
        left = [feature for feature in left if feature not in chosen]


def least(costs, number):
    """The least cost of so many pairs: of the first features with each set of labels."""
    best = {frozenset(): 0.0}
    for of_feature in costs:
        for labels, cost in list(best.items()):
            for label, own in enumerate(of_feature):
                if label not in labels:
                    more = labels | {label}
                    best[more] = min(best.get(more, np.inf), cost + own)
    return min(cost for labels, cost in best.items() if len(labels) == number)
