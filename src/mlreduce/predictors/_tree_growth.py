"""Growing an M5' model tree.

Sums over targets are sums of integers. A node's targets, less their mean, are rounded to multiples of a power of two so
fine that 63 bits just hold their sum; integers add up to the same in any order, so that the tree cannot depend on the
order of the rows. It matters here more than elsewhere: the fifth root in the gain makes much of a rounding error, and a
pure side has a variance of exactly zero.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlreduce.compiled import compiled
from mlreduce.predictors._tree_columns import RANK_SHIFT, ROW_BITS, Columns
from mlreduce.predictors._tree_splits import Buffers, IntArray, Sums, best_split
from mlreduce.validation import FloatArray

__all__ = ["Growth", "grow"]

# A node whose standard deviation is below this share of that of all rows is not split.
_LEAF_DEVIATION = 0.05
# Bits that a sum may take: 63 and a sign, some to spare for rounding.
_SUM_BITS = 61


class Growth(NamedTuple):
    """An unpruned tree, its nodes in preorder: the left child of a node is the next one.

    Attributes
    ----------
    feature : ndarray of int64
        The feature that a node tests, -1 for a leaf.
    threshold : ndarray of float64
        Rows with at most this value go left.
    right, end : ndarray of int64
        The right child, and the first node after the subtree.
    first, last : ndarray of int64
        A node's rows are ``order[first:last]``.
    order : ndarray of int64
    mean, squares : ndarray of float64
        Of the node's targets: the mean, and the sum of squared distances from it.
    """

    feature: IntArray
    threshold: FloatArray
    right: IntArray
    end: IntArray
    first: IntArray
    last: IntArray
    order: IntArray
    mean: FloatArray
    squares: FloatArray


def grow(columns: Columns, targets: FloatArray, min_instances: int) -> Growth:
    """Grow a tree until nodes have fewer than ``min_instances`` rows, vary little, or have no boundary that is allowed.

    Parameters
    ----------
    columns : Columns
        Shared by all targets.
    targets : ndarray of shape (n_samples,)
    min_instances : int
    """
    return Growth(*_grow(columns, np.ascontiguousarray(targets), min_instances))


@compiled
def _finest_scale(largest: float, count: int) -> float:
    """Return the finest power of two that keeps the sum of ``count`` numbers up to ``largest`` within 63 bits."""
    if largest == 0.0:
        return 1.0
    bits = _SUM_BITS - np.ceil(np.log2(count)) - np.ceil(np.log2(largest))
    return float(2.0 ** min(max(bits, -1000.0), 1000.0))


@compiled
def _describe(targets: FloatArray, rows: IntArray, centre: float, scaled: IntArray) -> tuple[float, Sums]:
    """Return the mean of some rows' targets and their sums, the same whatever the order of the rows.

    Leaves the rounded distances from the mean and their squares in ``scaled``.
    """
    largest = 0.0
    for row in rows:
        largest = max(largest, abs(targets[row] - centre))
    scale = _finest_scale(largest, len(rows))
    total = np.int64(0)
    for row in rows:
        total += np.int64(np.rint((targets[row] - centre) * scale))
    mean = centre + total / scale / len(rows)
    largest = 0.0
    for row in rows:
        largest = max(largest, abs(targets[row] - mean))
    scale, square_scale = _finest_scale(largest, len(rows)), _finest_scale(largest * largest, len(rows))
    total, squares = np.int64(0), np.int64(0)
    for row in rows:
        distance = targets[row] - mean
        one, two = np.int64(np.rint(distance * scale)), np.int64(np.rint(distance * distance * square_scale))
        scaled[row, 0], scaled[row, 1] = one, two
        total += one
        squares += two
    return mean, Sums(total, squares, 1.0 / scale, 1.0 / square_scale)


@compiled
def _part(section: IntArray, goes_left: IntArray, spare: IntArray) -> int:
    """Move the entries of rows that go left to the front, keeping the order on both sides; return how many they are."""
    left, right = 0, 0
    for t in range(len(section)):
        entry = section[t]
        side = goes_left[entry & ROW_BITS]
        section[left] = entry
        spare[right] = entry
        left += side
        right += 1 - side
    section[left:] = spare[:right]
    return left


@compiled
def _grow(columns: Columns, targets: FloatArray, min_instances: int) -> tuple[Any, ...]:
    n, d = len(targets), len(columns.zero_rank)
    entries = columns.entries.copy()
    feature, threshold = np.full(2 * n, -1), np.zeros(2 * n)
    right, end = np.zeros(2 * n, np.int64), np.zeros(2 * n, np.int64)
    first, last = np.zeros(2 * n, np.int64), np.zeros(2 * n, np.int64)
    mean, squares = np.zeros(2 * n), np.zeros(2 * n)
    order, spare, goes_left = np.arange(n), np.empty(n, np.int64), np.zeros(n, np.int64)
    scaled = np.zeros((n, 2), np.int64)
    reciprocal = np.zeros(n + 2)
    reciprocal[1:] = 1.0 / np.arange(1.0, n + 2)
    quick, guess = np.zeros(2 * n + 2, np.float32), np.zeros(2 * n + 2, np.float32)
    buffers = Buffers(np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 2, np.int64), reciprocal, quick, guess)

    # The node of depth t that is at work has the sections begin[t, j] .. begin[t, j] + length[t, j] of the columns, of
    # which its left child has the first left[t, j]. A child has at most four fifths of the rows, which bounds depth.
    depths = int(np.log(n + 1.0) / np.log(1.25)) + 8
    begin, length = np.zeros((depths, d), np.int64), np.zeros((depths, d), np.int64)
    left = np.zeros((depths, d), np.int64)
    begin[0], length[0] = columns.indptr[:-1], columns.indptr[1:] - columns.indptr[:-1]

    # Nodes to come: parent, side (0 the root, 1 left, 2 right), first and last row, depth.
    waiting = np.zeros((depths + 2, 5), np.int64)
    waiting[0] = np.array([-1, 0, 0, n, 0])
    pending, nodes, least_deviation = 1, 0, 0.0
    while pending:
        pending -= 1
        parent, side, start, stop, depth = waiting[pending]
        node = nodes
        nodes += 1
        if side == 2:
            right[parent] = node
        first[node], last[node], end[node] = start, stop, node + 1
        rows, count = order[start:stop], stop - start
        centre = mean[parent] if side else 0.5 * targets.min() + 0.5 * targets.max()
        mean[node], about = _describe(targets, rows, centre, scaled)
        squares[node] = about.squares * about.square_unit
        deviation = np.sqrt(squares[node] / count)
        if side == 0:
            least_deviation = _LEAF_DEVIATION * deviation
        if count < min_instances or deviation < least_deviation or deviation == 0.0:
            continue
        if side == 1:
            begin[depth], length[depth] = begin[depth - 1], left[depth - 1]
        elif side == 2:
            begin[depth] = begin[depth - 1] + left[depth - 1]
            length[depth] = length[depth - 1] - left[depth - 1]
        best, limit = best_split(columns, entries, begin[depth], length[depth], count, scaled, about, buffers)
        if best < 0:
            continue
        feature[node], threshold[node] = best, limit
        for row in rows:  # rows that the column has no entry for are zeros
            goes_left[row] = limit >= 0.0
        for t in range(begin[depth, best], begin[depth, best] + length[depth, best]):
            value = columns.levels[columns.level_ptr[best] + (entries[t] >> RANK_SHIFT)]
            goes_left[entries[t] & ROW_BITS] = value <= limit
        middle = start + _part(rows, goes_left, spare)
        if max(middle - start, stop - middle) >= min_instances:
            for j in range(d):
                size = length[depth, j]
                left[depth, j] = (
                    _part(entries[begin[depth, j] : begin[depth, j] + size], goes_left, spare) if size else 0
                )
        waiting[pending] = np.array([node, 2, middle, stop, depth + 1])
        waiting[pending + 1] = np.array([node, 1, start, middle, depth + 1])
        pending += 2
    for node in range(nodes - 1, -1, -1):  # children come after their parents
        if feature[node] >= 0:
            end[node] = end[right[node]]
    nodewise = (feature[:nodes], threshold[:nodes], right[:nodes], end[:nodes], first[:nodes], last[:nodes])
    return (*nodewise, order, mean[:nodes], squares[:nodes])
