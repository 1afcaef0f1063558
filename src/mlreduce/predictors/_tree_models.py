"""Linear models at the nodes of a grown tree, pruning, and smoothing.

The backward elimination drops one feature after the other from a regression. It holds the inverse of the features'
Gram matrix: dropping feature j takes a rank-one term off the inverse, moves the coefficients along its column, and adds
``b_j^2 / P_jj`` to the squared errors, so that a step costs k^2 and no regression is solved again.

Compiled functions that call each other are in one file: Numba's cache only tracks changes in a function's own file
alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlreduce.linalg.compiled import compiled
from mlreduce.predictors._tree_growth import Growth, IntArray
from mlreduce.validation import FloatArray, is_sparse

__all__ = ["Rows", "Tree", "finish"]

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
    """A feature matrix for compiled loops: dense, or the three arrays of CSR; the other is empty.

    Attributes
    ----------
    sparse : bool
    table : ndarray of shape (n_samples, n_features)
    indptr, indices, values : ndarray
    """

    sparse: bool
    table: FloatArray
    indptr: IntArray
    indices: IntArray
    values: FloatArray

    @classmethod
    def of(cls, X: Any) -> Rows:
        """Wrap a dense or CSR matrix; read-only arrays are copied, as Numba would compile them anew."""
        if not is_sparse(X):
            empty = np.zeros(0, np.int64)
            return cls(False, np.require(X, np.float64, ["C", "W"]), empty, empty, np.zeros(0))
        indptr, indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
        return cls(True, np.zeros((0, 0)), indptr, indices, np.require(X.data, np.float64, ["C", "W"]))


class Tree(NamedTuple):
    """A finished model tree, its nodes in preorder.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,), int64
        The feature that a node tests, -1 for a leaf.
    threshold : ndarray of shape (n_nodes,)
        Rows with at most this value go to the next node, the others to ``right``.
    right : ndarray of shape (n_nodes,), int64
    n_samples : ndarray of shape (n_nodes,), int64
        Training rows of a node.
    intercept : ndarray of shape (n_nodes,)
        Linear models of the leaves.
    model_ptr : ndarray of shape (n_nodes + 1,), int64
        Leaf i's model has the entries ``model_ptr[i]:model_ptr[i + 1]``.
    model_features : ndarray, int64
    coefficients : ndarray
    """

    feature: IntArray
    threshold: FloatArray
    right: IntArray
    n_samples: IntArray
    intercept: FloatArray
    model_ptr: IntArray
    model_features: IntArray
    coefficients: FloatArray


def finish(rows: Rows, targets: FloatArray, growth: Growth, n_features: int, pruning: bool, smoothing: bool) -> Tree:
    """Fit the models of a grown tree's nodes, prune it and smooth its leaves."""
    return Tree(*_finish(rows, targets, growth, n_features, pruning, smoothing))


@compiled
def _scatter(
    rows: Rows, chosen: IntArray, features: IntArray, place: IntArray, targets: FloatArray, mean_target: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the centred features' Gram matrix and products with the targets, and mean and deviation of each.

    A feature that is constant on the chosen rows gets the deviation 0.
    """
    n, k = len(chosen), len(features)
    gram, cross, mean, deviation = np.zeros((k, k)), np.zeros(k), np.zeros(k), np.zeros(k)
    lowest, highest = np.full(k, np.inf), np.full(k, -np.inf)
    if rows.sparse:
        counts = np.zeros(k, np.int64)
        found, values = np.empty(k, np.int64), np.empty(k)
        for row in chosen:
            size = 0
            distance = targets[row] - mean_target
            for t in range(rows.indptr[row], rows.indptr[row + 1]):
                at = place[rows.indices[t]]
                if at >= 0:
                    value = rows.values[t]
                    found[size], values[size] = at, value
                    size += 1
                    counts[at] += 1
                    mean[at] += value
                    cross[at] += value * distance
                    lowest[at], highest[at] = min(lowest[at], value), max(highest[at], value)
            for one in range(size):
                line = gram[found[one]]
                for two in range(size):
                    line[found[two]] += values[one] * values[two]
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
    else:
        table = np.empty((n, k))
        for i in range(n):
            row = chosen[i]
            for at in range(k):
                value = rows.table[row, features[at]]
                table[i, at] = value
                mean[at] += value
                lowest[at], highest[at] = min(lowest[at], value), max(highest[at], value)
        for at in range(k):
            mean[at] /= n
        distances = np.empty(n)
        for i in range(n):
            distances[i] = targets[chosen[i]] - mean_target
            for at in range(k):
                table[i, at] -= mean[at]
        gram = np.dot(table.T, table)
        cross = np.dot(table.T, distances)
    for at in range(k):
        if lowest[at] < highest[at] and gram[at, at] > 0.0:
            deviation[at] = np.sqrt(gram[at, at] / (n - 1))
    return gram, cross, mean, deviation


@compiled
def _inverse(gram: FloatArray, active: IntArray) -> FloatArray:
    """Return the inverse of a block of the Gram matrix plus the ridge."""
    ridge = _RIDGE
    block = np.empty((len(active), len(active)))
    while True:
        for one in range(len(active)):
            for two in range(len(active)):
                block[one, two] = gram[active[one], active[two]]
            block[one, one] += ridge
        inverse = np.asarray(np.linalg.inv(block))
        good = True
        for one in range(len(active)):
            good &= inverse[one, one] > 0.0
        if good:
            return inverse
        ridge *= 10.0


@compiled
def _extreme(coefficients: FloatArray, active: IntArray, size: int, sign: int) -> int:
    """Return the position of the largest (sign 1) or smallest (-1) coefficient; ties go to the first feature."""
    most = abs(coefficients[0])
    for one in range(1, size):
        most = max(most, abs(coefficients[one])) if sign > 0 else min(most, abs(coefficients[one]))
    best = -1
    for one in range(size):
        equal = abs(abs(coefficients[one]) - most) <= _SAME_COEFFICIENT * most
        if equal and (best < 0 or active[one] < active[best]):
            best = one
    return best


@compiled
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


@compiled
def _solve(cross: FloatArray, active: IntArray, inverse: FloatArray) -> FloatArray:
    coefficients = np.zeros(len(active))
    for one in range(len(active)):
        for two in range(len(active)):
            coefficients[one] += inverse[one, two] * cross[active[two]]
    return coefficients


@compiled
def _eliminate(
    gram: FloatArray, cross: FloatArray, total: float, n: int, active: IntArray
) -> tuple[IntArray, FloatArray, float]:
    """Return the features that stay in a node's model, their standardised coefficients, and its squared error."""
    size = len(active)
    if size == 0:
        return active, np.zeros(0), total
    inverse = _inverse(gram, active)
    coefficients = _solve(cross, active, inverse)
    deviation = np.sqrt(total / (n - 1))
    while size:  # collinear features have large coefficients of opposite signs
        gone = _extreme(coefficients, active, size, 1)
        if abs(coefficients[gone]) <= _LARGEST_COEFFICIENT * deviation:
            break
        size = _leave_out(gram, cross, inverse, coefficients, active, size, gone)
    error = _squared_error(gram, cross, total, coefficients, active, size)
    if error <= _EXACT * total:
        return active[:size], coefficients[:size], error
    first_error, first_count = error, size + 1
    penalised = error
    for one in range(size):
        penalised += _RIDGE * coefficients[one] ** 2
    criterion = (n - first_count) + 2.0 * first_count
    while size:
        gone = _extreme(coefficients, active, size, -1)
        pivot, value = inverse[gone, gone], coefficients[gone]
        without = penalised + value * value / pivot
        shrunk = 0.0
        for one in range(size):
            if one != gone:
                shared = inverse[gone, one] if one < gone else inverse[one, gone]
                shrunk += (coefficients[one] - shared * value / pivot) ** 2
        new_error = max(without - _RIDGE * shrunk, 0.0)
        new_criterion = new_error / first_error * (n - first_count) + 2.0 * size
        if not new_criterion < criterion - _SAME_CRITERION * n:
            break
        criterion, penalised, error = new_criterion, without, new_error
        size = _leave_out(gram, cross, inverse, coefficients, active, size, gone)
    return active[:size], coefficients[:size], error


@compiled
def _leave_out(
    gram: FloatArray, cross: FloatArray, inverse: FloatArray, coefficients: FloatArray, active: IntArray, size: int,
    gone: int,
) -> int:  # fmt: skip
    """Drop a feature from a regression in place; return how many are left. The last takes its place.

    Only the lower triangle of the inverse is kept.
    """
    pivot, last = inverse[gone, gone], size - 1
    line = np.empty(size)
    for one in range(size):
        line[one] = inverse[gone, one] if one < gone else inverse[one, gone]
    share = coefficients[gone] / pivot
    for one in range(size):
        factor = line[one] / pivot
        coefficients[one] -= share * line[one]
        for two in range(one + 1):
            inverse[one, two] -= factor * line[two]
    for one in range(gone):
        inverse[gone, one] = inverse[last, one]
    inverse[gone, gone] = inverse[last, last]
    for one in range(gone + 1, last):
        inverse[one, gone] = inverse[last, one]
    inflated = pivot * gram[active[gone], active[gone]] > _INFLATED
    coefficients[gone], active[gone] = coefficients[last], active[last]
    if inflated and last:
        anew = _inverse(gram, active[:last])
        solved = _solve(cross, active[:last], anew)
        for one in range(last):
            coefficients[one] = solved[one]
            for two in range(last):
                inverse[one, two] = anew[one, two]
    return last


@compiled
def _room(array: Any, needed: int) -> Any:
    """Return an array with a larger capacity."""
    if needed <= len(array):
        return array
    longer = np.zeros(max(needed, 2 * len(array)), array.dtype)
    for at in range(len(array)):
        longer[at] = array[at]
    return longer


@compiled
def _inflation(n: int, parameters: int) -> float:
    """Return the assumed ratio of a model's error on new rows to its training error."""
    return (n + _PARAMETER_WEIGHT * parameters) / (n - parameters) if n > parameters else 10.0


@compiled
def _finish(
    rows: Rows, targets: FloatArray, growth: Growth, n_features: int, pruning: bool, smoothing: bool
) -> tuple[Any, ...]:
    nodes = len(growth.feature)
    intercept, pointer = growth.mean.copy(), np.zeros((nodes, 2), np.int64)
    model_features, model_values = np.zeros(256, np.int64), np.zeros(256)
    used = 0
    place = np.full(n_features, -1)
    order, spare = growth.order.copy(), np.empty(len(growth.order), np.int64)
    leaf = growth.feature < 0
    parameters, error = np.ones(nodes, np.int64), growth.squares.copy()
    parent = np.full(nodes, -1)
    least_error = _LEAST_ERROR * np.sqrt(growth.squares[0] / growth.last[0]) if nodes else 0.0
    for node in range(nodes - 1, -1, -1):  # children come after their parents
        if leaf[node]:
            continue
        left, right = node + 1, growth.right[node]
        parent[left], parent[right] = node, node
        # Those tested at the node or below, in the tree as it was grown.
        features = _distinct(growth.feature, node, growth.end[node], place)
        _merge(order, growth.first[node], growth.first[right], growth.last[node], spare)
        chosen = order[growth.first[node] : growth.last[node]]
        n = len(chosen)
        gram, cross, mean, deviation = _scatter(rows, chosen, features, place, targets, growth.mean[node])
        for at in range(len(features)):
            place[features[at]] = -1
        active = _standardise(gram, cross, deviation)
        active, coefficients, model_error = _eliminate(gram, cross, growth.squares[node], n, active)
        _sort_together(active, coefficients)
        model_features, model_values = (
            _room(model_features, used + len(active)),
            _room(model_values, used + len(active)),
        )
        pointer[node, 0] = used
        for one in range(len(active)):
            value = coefficients[one] / deviation[active[one]]
            model_features[used], model_values[used] = features[active[one]], value
            intercept[node] -= value * mean[active[one]]
            used += 1
        pointer[node, 1] = used
        own = len(active) + 1
        below_count, below_error = parameters[left] + parameters[right] + 1, error[left] + error[right]
        parameters[node], error[node] = below_count, below_error
        if pruning:
            expected = np.sqrt(model_error / n) * _inflation(n, own)
            if expected <= np.sqrt(below_error / n) * _inflation(n, below_count) or expected < least_error:
                leaf[node], parameters[node], error[node] = True, own, model_error
    finished: tuple[Any, ...] = _compact(
        growth, leaf, parent, intercept, pointer, model_features, model_values, n_features, smoothing
    )
    return finished


@compiled
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


@compiled
def _distinct(tested: IntArray, node: int, end: int, place: IntArray) -> IntArray:
    """Return the distinct features that some nodes test, ascending, and note the place of each; leaves have -1."""
    kept, count = np.empty(end - node, np.int64), 0
    for at in range(node, end):
        feature = tested[at]
        if feature >= 0 and place[feature] < 0:
            place[feature] = 0
            one = count
            while one > 0 and kept[one - 1] > feature:
                kept[one] = kept[one - 1]
                one -= 1
            kept[one] = feature
            count += 1
    for one in range(count):
        place[kept[one]] = one
    return kept[:count]


@compiled
def _standardise(gram: FloatArray, cross: FloatArray, deviation: FloatArray) -> IntArray:
    """Divide by the deviations of the features that vary, in place, and return these features."""
    active, count = np.empty(len(deviation), np.int64), 0
    for one in range(len(deviation)):
        if deviation[one] > 0.0:
            active[count] = one
            count += 1
    for at in range(count):
        one = active[at]
        cross[one] /= deviation[one]
        for then in range(count):
            gram[one, active[then]] /= deviation[one] * deviation[active[then]]
    return active[:count]


@compiled
def _sort_together(active: IntArray, coefficients: FloatArray) -> None:
    """Sort features, and their coefficients with them, in place."""
    for at in range(1, len(active)):
        feature, value, one = active[at], coefficients[at], at
        while one > 0 and active[one - 1] > feature:
            active[one], coefficients[one] = active[one - 1], coefficients[one - 1]
            one -= 1
        active[one], coefficients[one] = feature, value


@compiled
def _compact(
    growth: Growth, leaf: Any, parent: IntArray, intercept: FloatArray, pointer: IntArray, model_features: IntArray,
    model_values: FloatArray, n_features: int, smoothing: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """Leave out what was pruned, and fold the models above each leaf into its own."""
    nodes = len(leaf)
    number, kept = np.full(nodes, -1), 0
    node = 0
    while node < nodes:
        number[node] = kept
        kept += 1
        node = growth.end[node] if leaf[node] else node + 1
    feature, threshold, right = np.full(kept, -1), np.zeros(kept), np.zeros(kept, np.int64)
    n_samples, intercepts, model_ptr = np.zeros(kept, np.int64), np.zeros(kept), np.zeros(kept + 1, np.int64)
    final_features, final_values = np.zeros(256, np.int64), np.zeros(256)
    sums = np.zeros(n_features)
    used = 0
    for node in range(nodes):
        at = number[node]
        if at < 0:
            continue
        n_samples[at] = growth.last[node] - growth.first[node]
        if not leaf[node]:
            feature[at], threshold[at] = growth.feature[node], growth.threshold[node]
            right[at] = number[growth.right[node]]
        else:
            weights = _smoothing_weights(growth, parent, node) if smoothing else np.ones(1)
            current, bottom, top = node, n_features, -1
            for weight in weights:
                intercepts[at] += weight * intercept[current]
                for t in range(pointer[current, 0], pointer[current, 1]):
                    one = model_features[t]
                    sums[one] += weight * model_values[t]
                    bottom, top = min(bottom, one), max(top, one)
                current = parent[current]
            final_features, final_values = _room(final_features, used + top + 1), _room(final_values, used + top + 1)
            for one in range(bottom, top + 1):
                if sums[one] != 0.0:
                    final_features[used], final_values[used] = one, sums[one]
                    used += 1
                    sums[one] = 0.0
        model_ptr[at + 1] = used
    return feature, threshold, right, n_samples, intercepts, model_ptr, final_features[:used], final_values[:used]


@compiled
def _smoothing_weights(growth: Growth, parent: IntArray, leaf: int) -> FloatArray:
    """Return the weights of the models from a leaf up to the root.

    On its way from a node of n rows to the parent, a model becomes ``(n m + 15 m_parent) / (n + 15)``.
    """
    length, node = 1, leaf
    while parent[node] >= 0:
        node = parent[node]
        length += 1
    weights, node = np.ones(length), leaf
    for step in range(1, length):
        n = growth.last[node] - growth.first[node]
        for one in range(step):
            weights[one] *= n / (n + _SMOOTHING)
        weights[step] = _SMOOTHING / (n + _SMOOTHING)
        node = parent[node]
    return weights
