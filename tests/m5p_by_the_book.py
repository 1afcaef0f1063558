"""M5' written down plainly: every split tried, every regression solved anew. Slow, and what the fast one must equal."""

from __future__ import annotations

import numpy as np


class Node:
    """A node of the tree, with everything that was known when it was made."""

    def __init__(self, rows, depth=0):
        self.rows, self.depth = rows, depth
        self.feature, self.threshold = None, None
        self.left = self.right = self.model = None
        self.pruned = False

    @property
    def is_leaf(self):
        return self.feature is None or self.pruned

    def features(self):
        if self.feature is None:
            return set()
        return {self.feature} | self.left.features() | self.right.features()


def gain(left, right, variance):
    n = len(left) + len(right)
    roots = []
    for side in (left, right):
        own = np.var(side)
        roots.append(len(side) / n * (own**0.2 if own > 1e-9 * variance else 0.0))
    return variance**0.2 - sum(roots)


def best_split(X, y, rows):
    n, variance = len(rows), np.var(y[rows])
    fewest = max(1, n // 5) + 1
    best = (-1e20, None, None)
    for feature in range(X.shape[1]):
        order = rows[np.argsort(X[rows, feature], kind="stable")]
        values, targets = X[order, feature], y[order] - y[rows].mean()
        own = None
        for k in range(fewest, n - fewest + 1):
            if values[k] - values[k - 1] < 1e-10:
                continue
            g = gain(targets[:k], targets[k:], variance)
            if own is None or g > own[0] + 1e-9:
                own = (g, feature, (values[k] + values[k - 1]) / 2)
        if own is not None and own[0] > best[0] + 1e-6:
            best = own
    return best


def grow(X, y, rows, least, min_samples_split, depth=0):
    node = Node(rows, depth)
    if len(rows) < min_samples_split or np.std(y[rows]) < least or np.ptp(y[rows]) == 0:
        return node
    _, node.feature, node.threshold = best_split(X, y, rows)
    if node.feature is None:
        return node
    goes_left = X[rows, node.feature] <= node.threshold
    node.left = grow(X, y, rows[goes_left], least, min_samples_split, depth + 1)
    node.right = grow(X, y, rows[~goes_left], least, min_samples_split, depth + 1)
    return node


def regression(S, t, kept):
    """Return coefficients and squared error of a ridge regression on some standardised columns."""
    block = S[:, kept]
    b = np.linalg.solve(block.T @ block + 1e-8 * np.eye(len(kept)), block.T @ t) if kept else np.zeros(0)
    return b, float(np.square(t - block @ b).sum())


def first(b, extreme):
    """Return the first of the coefficients that are largest or smallest; rounding must not tell equal ones apart."""
    sizes = np.abs(b)
    return int(np.flatnonzero(np.abs(sizes - extreme(sizes)) <= 1e-6 * extreme(sizes))[0])


def linear_model(X, y, rows, features):
    """Return {feature: coefficient}, intercept and squared error after the elimination."""
    features = [f for f in sorted(features) if np.ptp(X[rows, f]) > 0]
    mean, deviation = X[rows][:, features].mean(axis=0), X[rows][:, features].std(axis=0, ddof=1)
    S, t = (X[rows][:, features] - mean) / deviation, y[rows] - y[rows].mean()
    spread, kept = np.std(y[rows], ddof=1), list(range(len(features)))
    b, error = regression(S, t, kept)
    while kept and np.abs(b).max() > 1.5 * spread:
        kept.pop(first(b, np.max))
        b, error = regression(S, t, kept)
    n, full_error, start = len(rows), error, len(kept) + 1
    criterion = (n - start) + 2 * start
    while kept and full_error > 1e-13 * np.square(t).sum():
        fewer = list(kept)
        fewer.pop(first(b, np.min))
        new_b, new_error = regression(S, t, fewer)
        new = new_error / full_error * (n - start) + 2 * (len(fewer) + 1)
        if not new < criterion - 1e-9 * n:
            break
        criterion, kept, b, error = new, fewer, new_b, new_error
    coefficients = {features[k]: value / deviation[k] for k, value in zip(kept, b, strict=True)}
    where = dict(zip(features, mean, strict=True))
    intercept = y[rows].mean() - sum(value * where[f] for f, value in coefficients.items())
    return coefficients, intercept, error


def inflation(n, v):
    return (n + 2 * v) / (n - v) if n > v else 10.0


def prune(X, y, node, scale, pruning):
    """Fit the models and prune; return the parameters and the squared error of what is left."""
    n = len(node.rows)
    if node.feature is None:
        node.model = ({}, y[node.rows].mean())
        return 1, n * np.var(y[node.rows])
    (a, one), (b, two) = (prune(X, y, child, scale, pruning) for child in (node.left, node.right))
    *node.model, error = linear_model(X, y, node.rows, node.features())
    own, below = len(node.model[0]) + 1, a + b + 1
    expected = np.sqrt(error / n) * inflation(n, own)
    if pruning and (expected <= np.sqrt((one + two) / n) * inflation(n, below) or expected < 1e-5 * scale):
        node.pruned = True
        return own, error
    return below, one + two


def fit(X, y, min_samples_split=4, pruning=True, smoothing=True):
    root = grow(X, y, np.arange(len(y)), 0.05 * np.std(y), min_samples_split)
    prune(X, y, root, np.std(y), pruning)
    root.smoothing = smoothing
    return root


def predict(root, X):
    def answer(x):
        path = [root]
        while not path[-1].is_leaf:
            node = path[-1]
            path.append(node.left if x[node.feature] <= node.threshold else node.right)
        values = [node.model[1] + sum(c * x[f] for f, c in node.model[0].items()) for node in path]
        value = values[-1]
        if root.smoothing:
            for at in range(len(path) - 1, 0, -1):
                n = len(path[at].rows)
                value = (n * value + 15 * values[at - 1]) / (n + 15)
        return value

    return np.array([answer(x) for x in X])


def leaves(node):
    return 1 if node.is_leaf else leaves(node.left) + leaves(node.right)


def outline(node):
    """Return the tests of the tree in preorder."""
    if node.is_leaf:
        return [("leaf", len(node.rows))]
    return [(node.feature, round(node.threshold, 9)), *outline(node.left), *outline(node.right)]


# Weka's own growth, of which the tree depends on the order of summation


def shuffled(n, seed=1):
    """Return 0..n-1 in the order that java.util.Random leaves them in."""
    state = (seed ^ 0x5DEECE66D) % 2**48
    order = list(range(n))

    def draw():
        nonlocal state
        state = (state * 0x5DEECE66D + 0xB) % 2**48
        return state >> 17

    for last in range(n - 1, 0, -1):
        bound = last + 1
        if bound & (bound - 1) == 0:
            place = (bound * draw()) >> 31
        else:
            number = draw()
            while number - number % bound + bound > 2**31:  # the last, incomplete run of remainders
                number = draw()
            place = number % bound
        order[last], order[place] = order[place], order[last]
    return np.array(order)


def wekas_order(values):
    """Return the order into which Weka's quicksort puts values; of equal ones it is peculiar."""
    index = list(range(len(values)))

    def put_in_order(a, b):
        if values[index[a]] > values[index[b]]:
            index[a], index[b] = index[b], index[a]

    def sort(low, high):
        if high - low == 1:
            put_in_order(low, high)
        elif high - low == 2:
            put_in_order(low, low + 1)
            put_in_order(low, high)
            put_in_order(low + 1, high)
        elif high > low:
            middle = (low + high) // 2
            put_in_order(low, middle)
            put_in_order(low, high)
            put_in_order(middle, high)
            index[middle], index[high - 1] = index[high - 1], index[middle]
            pivot, i, j = values[index[high - 1]], low, high - 1
            while True:
                i, j = i + 1, j - 1
                while values[index[i]] < pivot:
                    i += 1
                while values[index[j]] > pivot:
                    j -= 1
                if i >= j:
                    break
                index[i], index[j] = index[j], index[i]
            index[i], index[high - 1] = index[high - 1], index[i]
            sort(low, i - 1)
            sort(i + 1, high)

    sort(0, len(values) - 1)
    return np.array(index)


def grow_as_weka(X, y, rows, least, depth=0):
    """Grow with plain running sums, over rows in the order that the features before have left them in."""

    def sums(of):
        one = two = 0.0
        for value in of:
            one += value
            two += value * value
        return one, two

    def variance(n, one, two):
        return abs((n * two - one * one) / (n * n))

    n = len(rows)
    node = Node(rows, depth)
    if n < 4 or np.sqrt(variance(n, *sums(y[rows].tolist()))) < least:
        return node
    fewest, best = max(1, n // 5), -1e20
    for feature in range(X.shape[1]):
        rows = rows[wekas_order(X[rows, feature].tolist())]
        values, targets = X[rows, feature].tolist(), y[rows].tolist()
        whole = variance(n, *sums(targets)) ** 0.2
        (left, left_two), (right, right_two) = sums(targets[:fewest]), sums(targets[fewest:])
        own = None
        for k in range(fewest + 1, n - fewest):
            target = targets[k - 1]
            left, left_two = left + target, left_two + target * target
            right, right_two = right - target, right_two - target * target
            if values[k] - values[k - 1] < 1e-10:
                continue
            low, high = variance(k, left, left_two) ** 0.2, variance(n - k, right, right_two) ** 0.2
            g = whole - k / n * low - (n - k) / n * high
            if own is None or g > own[0]:
                own = (g, (values[k] + values[k - 1]) / 2)
        if own is not None and own[0] > best + 1e-6:
            best, node.feature, node.threshold = own[0], feature, own[1]
    node.rows = rows
    if node.feature is not None:
        goes_left = X[rows, node.feature] <= node.threshold
        node.left = grow_as_weka(X, y, rows[goes_left], least, depth + 1)
        node.right = grow_as_weka(X, y, rows[~goes_left], least, depth + 1)
    return node


def fit_as_weka(X, y):
    """Fit Weka's tree with its defaults; features of a single value must have been left out."""
    root = grow_as_weka(X, y, shuffled(len(y)), 0.05 * np.std(y))
    prune(X, y, root, np.std(y), True)
    root.smoothing = True
    return root
