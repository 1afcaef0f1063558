"""The number of a feature's front among those that no other dominates, and how crowded it is there."""

from __future__ import annotations

import numpy as np

from ._scores import ridge_coefficients, scored


def definition(X, Y, fitted):
    D = ridge_coefficients(X, Y)
    np.testing.assert_allclose(fitted.coef_, D, rtol=1e-8, atol=1e-12)
    values = [(max(row), sum(np.linalg.norm(row - other) for other in D)) for row in D]
    scores, rest, front = np.empty(len(D)), set(range(len(D))), 1
    while rest:
        members = [j for j in rest if not any(dominates(values[i], values[j]) for i in rest)]
        crowding = dict.fromkeys(members, 0.0)
        for objective in range(2):
            order = sorted(members, key=lambda j: values[j][objective])
            width = values[order[-1]][objective] - values[order[0]][objective]
            crowding[order[0]] = crowding[order[-1]] = np.inf
            for before, j, after in zip(order, order[1:], order[2:], strict=False):
                crowding[j] += (values[after][objective] - values[before][objective]) / width
        for j in members:
            scores[j] = -(front + 1 / (1 + crowding[j]))
        rest, front = rest - set(members), front + 1
    scored(fitted, scores, rtol=1e-7)


def dominates(one, other):
    return one[0] >= other[0] and one[1] >= other[1] and one != other
