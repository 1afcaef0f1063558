"""Models for the nodes of a grown tree, pruning, and smoothing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlreduce.compiled import compiled
from mlreduce.predictors._tree_growth import Growth, IntArray
from mlreduce.predictors._tree_regression import Rows, eliminate, scatter
from mlreduce.validation import FloatArray

__all__ = ["Tree", "finish"]

_PARAMETER_WEIGHT = 2.0
_LEAST_ERROR = 1e-5
_SMOOTHING = 15.0


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
        Of a leaf's linear model.
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
def _room(array: Any, needed: int) -> Any:
    """Return an array with room for more entries."""
    if needed <= len(array):
        return array
    longer = np.zeros(max(needed, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


@compiled
def _inflation(n: int, parameters: int) -> float:
    """Return the factor by which a model's error on new rows is taken to exceed that on its own."""
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
        features = _distinct(growth.feature[node : growth.end[node]])
        for at in range(len(features)):
            place[features[at]] = at
        chosen = np.sort(growth.order[growth.first[node] : growth.last[node]])
        n = len(chosen)
        gram, cross, mean, deviation = scatter(rows, chosen, features, place, targets, growth.mean[node])
        for at in range(len(features)):
            place[features[at]] = -1
        active = np.flatnonzero(deviation > 0.0)
        for one in active:
            cross[one] /= deviation[one]
            for two in active:
                gram[one, two] /= deviation[one] * deviation[two]
        active, coefficients, model_error = eliminate(gram, cross, growth.squares[node], n, active)
        in_order = np.argsort(active)
        model_features, model_values = (
            _room(model_features, used + len(active)),
            _room(model_values, used + len(active)),
        )
        pointer[node, 0] = used
        for one in in_order:
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
def _distinct(features: IntArray) -> IntArray:
    """Return the distinct features of some nodes, ascending; leaves have -1."""
    ordered = np.sort(features)
    kept = np.empty(len(ordered), np.int64)
    count, before = 0, -1
    for feature in ordered:
        if feature > before:
            kept[count] = feature
            count += 1
            before = feature
    return kept[:count]


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
        weights[:step] *= n / (n + _SMOOTHING)
        weights[step] = _SMOOTHING / (n + _SMOOTHING)
        node = parent[node]
    return weights
