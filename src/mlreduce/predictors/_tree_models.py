"""Linear models at the nodes of a grown tree, pruning, and smoothing.

The backward elimination drops one feature after the other from a regression. It holds the inverse of the features'
Gram matrix: dropping feature j takes a rank-one term off the inverse, moves the coefficients along its column, and adds
``b_j^2 / P_jj`` to the squared errors, so that a step costs k^2 and no regression is solved again.

Compiled functions that call each other are in one file: Numba's cache tracks changes only in the file of the calling
function.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.predictors._tree_growth import Growth, IntArray
from mlreduce.validation import FloatArray, is_sparse

# Added to the diagonal of the standardised features' Gram matrix.
_RIDGE = 1e-8
# Largest standardised coefficient of a model whose features are not collinear.
_LARGEST_COEFFICIENT = 1.5
# Where the inverse of the Gram matrix exceeds what independent features have by this factor, taking a rank-one term off
# it loses digits, and it is computed anew.
_INFLATED = 1e5
# Below this share of the node's squares a regression leaves nothing to explain.
_EXACT = 1e-13
# Criteria, and coefficients as shares of each other, that differ by less are equal: rounding must not decide.
_SAME_CRITERION, _SAME_COEFFICIENT = 1e-9, 1e-6
_PARAMETER_WEIGHT = 2.0
_LEAST_ERROR = 1e-5
_SMOOTHING = 15.0


class Rows(NamedTuple):
    """A feature matrix for compiled loops: dense, or the three arrays of CSR; the other is empty."""

    sparse: bool
    #: Of shape (n_samples, n_features).
    table: FloatArray
    indptr: IntArray
    indices: IntArray
    values: FloatArray

    @classmethod
    def from_features(cls, X: Any) -> Rows:
        """Wrap a dense or CSR matrix; read-only arrays are copied, as Numba would compile them anew."""
        if not is_sparse(X):
            empty = np.zeros(0, np.int64)
            return cls(False, np.require(X, np.float64, ["C", "W"]), empty, empty, np.zeros(0))
        indptr, indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
        return cls(True, np.zeros((0, 0)), indptr, indices, np.require(X.data, np.float64, ["C", "W"]))


class Tree(NamedTuple):
    """A finished model tree, its nodes in preorder."""

    #: Of shape (n_nodes,). The feature that a node tests, -1 for a leaf.
    feature: IntArray
    #: Of shape (n_nodes,). Rows with at most this value go to the next node, the others to ``right``.
    threshold: FloatArray
    #: Of shape (n_nodes,).
    right: IntArray
    #: Of shape (n_nodes,). Training rows of a node.
    n_samples: IntArray
    #: Of shape (n_nodes,). Linear models of the leaves.
    intercept: FloatArray
    #: Of shape (n_nodes + 1,). Leaf i's model has the entries ``model_ptr[i]:model_ptr[i + 1]``.
    model_ptr: IntArray
    model_features: IntArray
    coefficients: FloatArray


class _Models(NamedTuple):
    """Models of the nodes of a grown tree, and what pruning makes of the nodes."""

    intercept: FloatArray
    #: Of shape (n_nodes, 2). Node i's model has the entries ``pointer[i, 0]:pointer[i, 1]`` of ``features`` and
    #: ``values``.
    pointer: IntArray
    features: IntArray
    values: FloatArray
    leaf: NDArray[np.bool_]
    #: -1 for the root.
    parent: IntArray
    parameters: IntArray
    #: Of the subtree: parameters, and squared errors of its models.
    error: FloatArray


class _Work(NamedTuple):
    """Work arrays of a node: by feature of X, by feature of a regression (two), and by row (two)."""

    place: IntArray
    lists: IntArray
    numbers: FloatArray
    order: IntArray
    spare: IntArray
    distances: FloatArray


def finish(rows: Rows, targets: FloatArray, growth: Growth, n_features: int, pruning: bool, smoothing: bool) -> Tree:
    """Fit the models of a grown tree's nodes, prune it and smooth its leaves."""
    nodes, n = len(growth.feature), len(growth.order)
    tests = np.cumsum(np.append(0, growth.feature >= 0))
    most = np.minimum(tests[growth.end] - tests[:-1], n_features)  # features of each node's model
    size, widest = int(most.sum()), int(most.max())
    models = _Models(
        growth.mean.copy(), np.zeros((nodes, 2), np.int64), np.zeros(size, np.int64), np.zeros(size),
        growth.feature < 0, np.full(nodes, -1), np.ones(nodes, np.int64), growth.squares.copy(),
    )  # fmt: skip
    work = _Work(
        np.full(n_features, -1), np.zeros((4, widest), np.int64), np.zeros((6, widest)), growth.order.copy(),
        np.zeros(n, np.int64), np.zeros(n),
    )  # fmt: skip
    _finish(rows, targets, growth, pruning, models, work)
    return _compact(growth, models, n_features, smoothing)


@compiled_part
def _scatter(
    rows: Rows, chosen: IntArray, features: IntArray, targets: FloatArray, mean_target: float, work: _Work
) -> tuple[FloatArray, FloatArray]:
    """Return the centred features' Gram matrix and products with the targets.

    Leaves mean and deviation of each in the first two rows of ``work.numbers``. A feature that is constant on the
    chosen rows gets the deviation 0.
    """
    k = len(features)
    mean, deviation, lowest, highest = work.numbers[0], work.numbers[1], work.numbers[2], work.numbers[3]
    for at in range(k):
        mean[at], deviation[at] = 0.0, 0.0
        lowest[at], highest[at] = np.inf, -np.inf
    if rows.sparse:
        gram = _sparse_gram(rows, chosen, k, targets, mean_target, work)
    else:
        gram = _dense_gram(rows, chosen, features, targets, mean_target, work)
    for at in range(k):
        if lowest[at] < highest[at] and gram[at, at] > 0.0:
            deviation[at] = np.sqrt(gram[at, at] / (len(chosen) - 1))
    return gram, work.numbers[4, :k]


@compiled_part
def _sparse_gram(
    rows: Rows, chosen: IntArray, k: int, targets: FloatArray, mean_target: float, work: _Work
) -> FloatArray:
    """Return the centred Gram matrix of the k features that ``work.place`` numbers, by the stored values alone.

    Updates their means, extremes and products with the targets, in ``work.numbers``.
    """
    n, gram = len(chosen), np.zeros((k, k))
    mean, lowest, highest, cross = work.numbers[0], work.numbers[2], work.numbers[3], work.numbers[4, :k]
    values, counts, entries = work.numbers[5], work.lists[2], work.lists[3]
    for one in range(k):
        cross[one], counts[one] = 0.0, 0
    for row in chosen:
        size = 0
        distance = targets[row] - mean_target
        for t in range(rows.indptr[row], rows.indptr[row + 1]):
            at = work.place[rows.indices[t]]
            if at >= 0:
                value = rows.values[t]
                entries[size], values[size] = at, value
                size += 1
                counts[at] += 1
                mean[at] += value
                cross[at] += value * distance
                lowest[at], highest[at] = min(lowest[at], value), max(highest[at], value)
        for one in range(size):
            line = gram[entries[one]]
            for two in range(size):
                line[entries[two]] += values[one] * values[two]
    residue = 0.0  # deviations from the mean add up to rounding error
    for row in chosen:
        residue += targets[row] - mean_target
    for one in range(k):
        mean[one] /= n
        cross[one] -= mean[one] * residue
    for one in range(k):
        for two in range(k):
            gram[one, two] -= n * mean[one] * mean[two]
        if counts[one] < n:
            lowest[one], highest[one] = min(lowest[one], 0.0), max(highest[one], 0.0)
    return gram


@compiled_part
def _dense_gram(
    rows: Rows, chosen: IntArray, features: IntArray, targets: FloatArray, mean_target: float, work: _Work
) -> FloatArray:
    """Return the features' centred Gram matrix, by BLAS; updates the same statistics as `_sparse_gram`."""
    n, k = len(chosen), len(features)
    mean, lowest, highest, cross = work.numbers[0], work.numbers[2], work.numbers[3], work.numbers[4, :k]
    gram, table = np.empty((k, k)), np.empty((n, k))
    for i in range(n):
        row = chosen[i]
        for at in range(k):
            value = rows.table[row, features[at]]
            table[i, at] = value
            mean[at] += value
            lowest[at], highest[at] = min(lowest[at], value), max(highest[at], value)
    for at in range(k):
        mean[at] /= n
    distances = work.distances[:n]
    for i in range(n):
        distances[i] = targets[chosen[i]] - mean_target
        for at in range(k):
            table[i, at] -= mean[at]
    np.dot(table.T, table, gram)
    np.dot(table.T, distances, cross)
    return gram


@compiled_part
def _invert(gram: FloatArray, active: IntArray, inverse: FloatArray) -> None:
    """Write the inverse of a block of the Gram matrix plus the ridge."""
    ridge, size = _RIDGE, len(active)
    block = np.empty((size, size))
    good = False
    while not good:
        for one in range(size):
            for two in range(size):
                block[one, two] = gram[active[one], active[two]]
            block[one, one] += ridge
        inverted = np.linalg.inv(block)
        good = True
        for one in range(size):
            for two in range(size):
                inverse[one, two] = inverted[one, two]
            good &= inverse[one, one] > 0.0
        ridge *= 10.0


@compiled_part
def _extreme(coefficients: FloatArray, active: IntArray, size: int, sign: float) -> int:
    """Return the position of the largest (sign 1) or smallest (-1) coefficient; ties go to the first feature."""
    most = sign * abs(coefficients[0])
    for one in range(1, size):
        most = max(most, sign * abs(coefficients[one]))
    most, best = abs(most), -1
    for one in range(size):
        equal = abs(abs(coefficients[one]) - most) <= _SAME_COEFFICIENT * most
        if equal and (best < 0 or active[one] < active[best]):
            best = one
    return best


@compiled_part
def _squared_error(
    gram: FloatArray, cross: FloatArray, total: float, coefficients: FloatArray, active: IntArray, size: int
) -> float:
    """Return ``||y - S b||^2`` as a quadratic form, whose error is of second order in that of b."""
    value = total
    for one in range(size):
        line = gram[active[one]]
        image = 0.0
        for two in range(size):
            image += line[active[two]] * coefficients[two]
        value += coefficients[one] * (image - 2.0 * cross[active[one]])
    return max(value, 0.0)


@compiled_part
def _solve(cross: FloatArray, active: IntArray, inverse: FloatArray, coefficients: FloatArray) -> None:
    for one in range(len(active)):
        value = 0.0
        for two in range(len(active)):
            value += inverse[one, two] * cross[active[two]]
        coefficients[one] = value


@compiled_part
def _eliminate(
    gram: FloatArray, cross: FloatArray, total: float, n: int, active: IntArray
) -> tuple[IntArray, FloatArray, float]:
    """Return the features that stay in a node's model, their standardised coefficients, and its squared error.

    Every function is called in one place: Numba compiles a callee once more for each call.
    """
    size = len(active)
    inverse, coefficients, line = np.empty((size, size)), np.empty(size), np.empty(size)
    deviation = np.sqrt(total / (n - 1))
    error = first_error = penalised = total
    first_count, criterion = 0, 0.0
    stale, collinear = True, True
    while size:
        if stale:
            _invert(gram, active[:size], inverse)
            _solve(cross, active[:size], inverse, coefficients)
            stale = False
        removed = _extreme(coefficients, active, size, 1.0 if collinear else -1.0)
        pivot, value = inverse[removed, removed], coefficients[removed]
        if collinear:  # collinear features have large coefficients of opposite signs
            if abs(value) <= _LARGEST_COEFFICIENT * deviation:
                collinear = False
                error = _squared_error(gram, cross, total, coefficients, active, size)
                if error <= _EXACT * total:
                    break
                first_error, first_count = error, size + 1
                penalised = error
                for one in range(size):
                    penalised += _RIDGE * (coefficients[one] * coefficients[one])
                criterion = (n - first_count) + 2.0 * first_count
                continue
        else:
            without = penalised + value * value / pivot
            shrunk = 0.0
            for one in range(size):
                if one != removed:
                    shared = inverse[removed, one] if one < removed else inverse[one, removed]
                    left = coefficients[one] - shared * value / pivot
                    shrunk += left * left
            new_error = max(without - _RIDGE * shrunk, 0.0)
            new_criterion = new_error / first_error * (n - first_count) + 2.0 * size
            if not new_criterion < criterion - _SAME_CRITERION * n:
                break
            criterion, penalised, error = new_criterion, without, new_error
        stale = pivot * gram[active[removed], active[removed]] > _INFLATED
        size -= 1
        _leave_out(inverse, coefficients, active, size, removed, line)
    return active[:size], coefficients[:size], error


@compiled_part
def _leave_out(
    inverse: FloatArray, coefficients: FloatArray, active: IntArray, last: int, removed: int, line: FloatArray
) -> None:
    """Drop a feature from a regression in place. The last takes its place.

    Only the lower triangle of the inverse is updated.
    """
    pivot = inverse[removed, removed]
    for one in range(last + 1):
        line[one] = inverse[removed, one] if one < removed else inverse[one, removed]
    share = coefficients[removed] / pivot
    for one in range(last + 1):
        factor = line[one] / pivot
        coefficients[one] -= share * line[one]
        for two in range(one + 1):
            inverse[one, two] -= factor * line[two]
    for one in range(removed):
        inverse[removed, one] = inverse[last, one]
    inverse[removed, removed] = inverse[last, last]
    for one in range(removed + 1, last):
        inverse[one, removed] = inverse[last, one]
    coefficients[removed], active[removed] = coefficients[last], active[last]


@compiled_part
def _inflation(n: int, parameters: int) -> float:
    """Return the assumed ratio of a model's error on new rows to its training error."""
    return (n + _PARAMETER_WEIGHT * parameters) / (n - parameters) if n > parameters else 10.0


@compiled
def _finish(rows: Rows, targets: FloatArray, growth: Growth, pruning: bool, models: _Models, work: _Work) -> None:
    """Fit the models and prune. Arrays are made outside: calls that make one are slow to compile."""
    leaf, parent, pointer, intercept = models.leaf, models.parent, models.pointer, models.intercept
    parameters, error = models.parameters, models.error
    mean, deviation = work.numbers[0], work.numbers[1]
    used = 0
    nodes = len(growth.feature)
    least_error = _LEAST_ERROR * np.sqrt(growth.squares[0] / growth.last[0]) if nodes else 0.0
    for node in range(nodes - 1, -1, -1):  # children come after their parents
        if leaf[node]:
            continue
        left, right = node + 1, growth.right[node]
        parent[left], parent[right] = node, node
        # Those tested at the node or below, in the tree as it was grown.
        features = _distinct(growth.feature, node, growth.end[node], work.place, work.lists[0])
        _merge(work.order, growth.first[node], growth.first[right], growth.last[node], work.spare)
        chosen = work.order[growth.first[node] : growth.last[node]]
        n = len(chosen)
        gram, cross = _scatter(rows, chosen, features, targets, growth.mean[node], work)
        for feature in features:
            work.place[feature] = -1
        active = _standardise(gram, cross, deviation, len(features), work.lists[1])
        active, coefficients, model_error = _eliminate(gram, cross, growth.squares[node], n, active)
        _sort_together(active, coefficients)
        pointer[node, 0] = used
        for one in range(len(active)):
            value = coefficients[one] / deviation[active[one]]
            models.features[used], models.values[used] = features[active[one]], value
            intercept[node] -= value * mean[active[one]]
            used += 1
        pointer[node, 1] = used
        size = len(active) + 1
        below_count, below_error = parameters[left] + parameters[right] + 1, error[left] + error[right]
        parameters[node], error[node] = below_count, below_error
        if pruning:
            expected = np.sqrt(model_error / n) * _inflation(n, size)
            if expected <= np.sqrt(below_error / n) * _inflation(n, below_count) or expected < least_error:
                leaf[node], parameters[node], error[node] = True, size, model_error


@compiled_part
def _merge(order: IntArray, first: int, middle: int, last: int, spare: IntArray) -> None:
    """Merge the rows of two children, each ascending, in place. Those of a leaf are: parting a node keeps the order."""
    for at in range(first, middle):
        spare[at] = order[at]
    left, right = first, middle
    for at in range(first, last):
        if right == last or (left < middle and spare[left] < order[right]):
            order[at] = spare[left]
            left += 1
        else:
            order[at] = order[right]
            right += 1


@compiled_part
def _distinct(tested: IntArray, node: int, end: int, place: IntArray, features: IntArray) -> IntArray:
    """Return the distinct features that some nodes test, ascending, and note the place of each; leaves have -1."""
    count = 0
    for at in range(node, end):
        feature = tested[at]
        if feature >= 0 and place[feature] < 0:
            place[feature] = 0
            one = count
            while one > 0 and features[one - 1] > feature:
                features[one] = features[one - 1]
                one -= 1
            features[one] = feature
            count += 1
    for one in range(count):
        place[features[one]] = one
    return features[:count]


@compiled_part
def _standardise(gram: FloatArray, cross: FloatArray, deviation: FloatArray, size: int, active: IntArray) -> IntArray:
    """Divide by the deviations of the features that vary, in place, and return these features."""
    count = 0
    for one in range(size):
        if deviation[one] > 0.0:
            active[count] = one
            count += 1
    for at in range(count):
        one = active[at]
        cross[one] /= deviation[one]
        for then in range(count):
            gram[one, active[then]] /= deviation[one] * deviation[active[then]]
    return active[:count]


@compiled_part
def _sort_together(active: IntArray, coefficients: FloatArray) -> None:
    """Sort features, and their coefficients with them, in place."""
    for at in range(1, len(active)):
        feature, value, one = active[at], coefficients[at], at
        while one > 0 and active[one - 1] > feature:
            active[one], coefficients[one] = active[one - 1], coefficients[one - 1]
            one -= 1
        active[one], coefficients[one] = feature, value


def _compact(growth: Growth, models: _Models, n_features: int, smoothing: bool) -> Tree:
    """Leave out what was pruned, and fold the models above each leaf into its model."""
    remaining, node = [], 0
    while node < len(models.leaf):
        remaining.append(node)
        node = int(growth.end[node]) if models.leaf[node] else node + 1
    nodes = np.array(remaining)
    number, leaf = np.cumsum(np.bincount(nodes, minlength=len(models.leaf))) - 1, models.leaf[nodes]
    intercept, counts = np.zeros(len(nodes)), np.zeros(len(nodes) + 1, np.int64)
    parents, pointer, intercepts = models.parent.tolist(), models.pointer.tolist(), models.intercept.tolist()
    n_samples = growth.last - growth.first
    sizes = n_samples.tolist()
    sums = np.zeros(n_features)
    features, values = [np.zeros(0, np.int64)], [np.zeros(0)]
    for at in np.flatnonzero(leaf).tolist():
        path = [remaining[at]]
        while smoothing and parents[path[-1]] >= 0:
            path.append(parents[path[-1]])
        mixed = 0.0
        for weight, current in zip(_smoothing_weights([sizes[one] for one in path]), path, strict=True):
            mixed += weight * intercepts[current]
            first, last = pointer[current]
            sums[models.features[first:last]] += weight * models.values[first:last]
        intercept[at] = mixed
        present = np.flatnonzero(sums)
        features.append(present)
        values.append(sums[present])
        sums[present] = 0.0
        counts[at + 1] = len(present)
    return Tree(
        np.where(leaf, -1, growth.feature[nodes]), np.where(leaf, 0.0, growth.threshold[nodes]),
        np.where(leaf, 0, number[growth.right[nodes]]), n_samples[nodes], intercept, np.cumsum(counts),
        np.concatenate(features), np.concatenate(values),
    )  # fmt: skip


def _smoothing_weights(sizes: list[int]) -> list[float]:
    """Return the weights of the models from a leaf up to the root, given the rows of these nodes.

    On its way from a node of n rows to the parent, a model becomes ``(n m + 15 m_parent) / (n + 15)``.
    """
    weights = [1.0]
    for n in sizes[:-1]:
        share = n / (n + _SMOOTHING)
        weights = [weight * share for weight in weights]
        weights.append(_SMOOTHING / (n + _SMOOTHING))
    return weights
