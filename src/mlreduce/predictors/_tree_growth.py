"""Growing an M5' model tree: the best split of a node by sweeps over sorted columns.

Sums over targets are sums of integers. A node's targets, less their mean, are rounded to multiples of a power of two so
fine that 63 bits just hold their sum; integers add up to the same in any order, so that the tree cannot depend on the
order of the rows. It matters here more than elsewhere: the fifth root in the gain makes much of a rounding error, and a
pure side has a variance of exactly zero.

Compiled functions that call each other are in one file: Numba's cache tracks changes only in the file of the calling
function.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.predictors._tree_columns import RANK_SHIFT, ROW_BITS, Columns
from mlreduce.validation import FloatArray

IntArray: TypeAlias = NDArray[np.int64]

# A side with less than this share of its node's variance is pure.
_PURE = 1e-9
# A boundary must beat an earlier one of its feature by more than the first, one of an earlier feature by the second.
_SAME_GAIN, _BETTER_FEATURE = 1e-9, 1e-6
# And by more than rounding errors, a share of the fifth root of the node's variance.
_ROUNDING = 1e-12
_NO_GAIN = -1e20
# A node whose standard deviation is below this share of that of all rows is not split.
_LEAF_DEVIATION = 0.05
# Bits that a sum may take: 63 and a sign, some to spare for rounding.
_SUM_BITS = 61

# The bits of a float are about its logarithm; a fifth of them and four fifths of those of 1 are about its fifth root,
# which is at most 3.5 % too low or too high with what is subtracted.
_ROOT_BITS = np.float32((0.8 * 127 - 0.035) * 2**23)
_FIFTH, _FOUR_FIFTHS = np.float32(0.2), np.float32(0.8)
_NEXT_TO_ZERO = np.float32(1e-35)
# Bound of the relative error of the approximate fifth roots after two steps of Newton's iteration.
_QUICK_ERROR = 1.1e-5


class Growth(NamedTuple):
    """An unpruned tree, its nodes in preorder: the left child of a node is the next one."""

    #: The feature that a node tests, -1 for a leaf.
    feature: IntArray
    #: Rows with at most this value go left.
    threshold: FloatArray
    #: The right child, and the first node after the subtree.
    right: IntArray
    end: IntArray
    #: A node's rows are ``order[first:last]``.
    first: IntArray
    last: IntArray
    order: IntArray
    #: Of the node's targets: the mean, and the sum of squared distances from it.
    mean: FloatArray
    squares: FloatArray


class _Sums(NamedTuple):
    """Sum and sum of squares of a node's rounded targets, and the units that they are in."""

    total: np.int64
    squares: np.int64
    unit: float
    square_unit: float


class _Buffers(NamedTuple):
    """Work arrays of a sweep: sums up to each entry, ranks of the values, 1 / n, and rows for approximate roots.

    The last two are the bits of ``quick`` and ``guess``.
    """

    sums: FloatArray
    squares: FloatArray
    ranks: IntArray
    reciprocal: FloatArray
    quick: NDArray[np.float32]
    guess: NDArray[np.float32]
    quick_bits: NDArray[np.int32]
    guess_bits: NDArray[np.int32]


class _Stack(NamedTuple):
    """Work arrays of the nodes in progress and of those waiting, and of a split of rows.

    The node of depth t in progress has the sections ``begin[t, j] .. begin[t, j] + length[t, j]`` of the columns, of
    which its left child has the first ``left[t, j]``. Nodes waiting: parent, side (0 the root, 1 left, 2 right),
    first and last row, depth.
    """

    begin: IntArray
    length: IntArray
    left: IntArray
    waiting: IntArray
    entries: IntArray
    scaled: IntArray
    spare: IntArray
    goes_left: IntArray


def grow(columns: Columns, targets: FloatArray, min_instances: int) -> Growth:
    """Grow a tree until nodes have fewer than ``min_instances`` rows, vary little, or have no boundary that is allowed.

    All targets share the columns.
    """
    n, d = len(targets), len(columns.zero_rank)
    right, end, first, last = np.zeros((4, 2 * n), np.int64)
    threshold, mean, node_squares = np.zeros((3, 2 * n))
    growth = Growth(np.full(2 * n, -1), threshold, right, end, first, last, np.arange(n), mean, node_squares)

    sums, squares = np.zeros((2, n + 1))
    reciprocal = np.append(0.0, 1.0 / np.arange(1, n + 2))
    quick, guess = np.zeros((2, 2 * n + 2), np.float32)
    quick_bits, guess_bits = quick.view(np.int32), guess.view(np.int32)
    ranks = np.zeros(n + 2, np.int64)
    buffers = _Buffers(sums, squares, ranks, reciprocal, quick, guess, quick_bits, guess_bits)

    depths = int(np.log(n + 1.0) / np.log(1.25)) + 8  # a child has at most four fifths of the rows
    begin, length, left = np.zeros((3, depths, d), np.int64)
    waiting, scaled = np.zeros((depths + 2, 5), np.int64), np.zeros((n, 2), np.int64)
    spare, goes_left = np.zeros((2, n), np.int64)
    stack = _Stack(begin, length, left, waiting, columns.entries.copy(), scaled, spare, goes_left)

    middle = 0.5 * float(targets.min()) + 0.5 * float(targets.max())
    nodes = _grow(columns, np.ascontiguousarray(targets), middle, min_instances, growth, buffers, stack)
    return Growth(*(part if name == "order" else part[:nodes] for name, part in growth._asdict().items()))


@compiled_part
def _finest_scale(largest: float, count: int) -> float:
    """Return the finest power of two that keeps the sum of ``count`` numbers up to ``largest`` within 63 bits."""
    if largest == 0.0:
        return 1.0
    bits = _SUM_BITS - np.ceil(np.log2(count)) - np.ceil(np.log2(largest))
    return float(2.0 ** min(max(bits, -1000.0), 1000.0))


@compiled_part
def _describe(targets: FloatArray, rows: IntArray, centre: float, scaled: IntArray) -> tuple[float, _Sums]:
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
    return mean, _Sums(total, squares, 1.0 / scale, 1.0 / square_scale)


@compiled_part
def _quick_weights(
    sums: FloatArray, squares: FloatArray, left_count: int, totals: tuple[float, float], n: int, buffers: _Buffers
) -> float:
    """Write ``n_l v_l^(1/5) + n_r v_r^(1/5)`` of successive boundaries into ``buffers.quick``; return the lowest.

    Variances are shares of the node's. It is in single precision and without a power function, in loops that vectorise.
    """
    length = len(sums)
    share = n / (totals[1] - totals[0] * totals[0] / n)
    quick, guess = buffers.quick, buffers.guess
    bits, root_bits = buffers.quick_bits, buffers.guess_bits
    lefts, rights = buffers.reciprocal[left_count:], buffers.reciprocal[n - left_count - length + 1 :]
    for u in range(length):
        left, right = lefts[u], rights[length - 1 - u]
        other = totals[0] - sums[u]
        low = (squares[u] - sums[u] * sums[u] * left) * left * share
        high = (totals[1] - squares[u] - other * other * right) * right * share
        quick[u] = np.float32(low) if low > _PURE else _NEXT_TO_ZERO
        quick[length + u] = np.float32(high) if high > _PURE else _NEXT_TO_ZERO
    for u in range(2 * length):
        root_bits[u] = np.int32(_ROOT_BITS + _FIFTH * np.float32(bits[u]))
    for u in range(2 * length):  # two steps of Newton's iteration
        root, value = guess[u], quick[u]
        power = root * root
        root = _FOUR_FIFTHS * root + _FIFTH * value / (power * power)
        power = root * root
        guess[u] = _FOUR_FIFTHS * root + _FIFTH * value / (power * power)
    lowest = np.float32(np.inf)
    for u in range(length):
        weight = np.float32(left_count + u) * guess[u] + np.float32(n - left_count - u) * guess[length + u]
        quick[u] = weight
        lowest = min(lowest, weight)
    return float(lowest)


@compiled_part
def _gain(one: float, two: float, count: int, totals: tuple[float, float], n: int) -> float:
    """Return ``v^(1/5) - n_l/n v_l^(1/5) - n_r/n v_r^(1/5)``, v the variances of a node and its sides."""
    variance = (totals[1] - totals[0] * totals[0] / n) / n
    other = totals[0] - one
    low = (two - one * one / count) / count
    high = (totals[1] - two - other * other / (n - count)) / (n - count)
    low_root = low**0.2 if low > _PURE * variance else 0.0
    high_root = high**0.2 if high > _PURE * variance else 0.0
    return float(variance**0.2 - count / n * low_root - (n - count) / n * high_root)


@compiled_part
def _add_up(
    section: IntArray, zero_rank: int, zeros: int, totals: tuple[float, float], scaled: IntArray, about: _Sums,
    buffers: _Buffers,
) -> int:  # fmt: skip
    """Write the sums up to each entry of a column, the zeros among them; return how many entries are negative."""
    sums, squares, ranks = buffers.sums, buffers.squares, buffers.ranks
    one, two = np.int64(0), np.int64(0)
    negative = 0
    for t in range(len(section)):
        row = section[t] & ROW_BITS
        one += scaled[row, 0]
        two += scaled[row, 1]
        sums[t], squares[t] = one * about.unit, two * about.square_unit
        rank = section[t] >> RANK_SHIFT
        ranks[t] = rank
        negative += rank < zero_rank
    if zeros:  # the remainder belongs to them
        shift, square_shift = (about.total - one) * about.unit, (about.squares - two) * about.square_unit
        for t in range(len(section), negative, -1):
            sums[t], squares[t], ranks[t] = sums[t - 1] + shift, squares[t - 1] + square_shift, ranks[t - 1]
        sums[negative], squares[negative], ranks[negative] = shift, square_shift, zero_rank
        if negative:
            sums[negative] += sums[negative - 1]
            squares[negative] += squares[negative - 1]
    return negative


@compiled_part
def _best_split(
    columns: Columns, entries: IntArray, begin: IntArray, length: IntArray, n: int, scaled: IntArray, about: _Sums,
    buffers: _Buffers,
) -> tuple[int, float]:  # fmt: skip
    """Return the feature and threshold of a node's best split; feature -1 where no boundary is allowed."""
    totals = (about.total * about.unit, about.squares * about.square_unit)
    root = ((totals[1] - totals[0] * totals[0] / n) / n) ** 0.2
    fewest = max(1, n // 5) + 1  # rows of a child
    same, better = max(_SAME_GAIN, _ROUNDING * root), max(_BETTER_FEATURE, _ROUNDING * root)
    best_gain, best_feature, best_threshold = _NO_GAIN, -1, 0.0
    for feature in range(len(begin)):
        size = length[feature]
        zeros = n - size
        if size == 0 or (zeros > 0 and size < fewest):
            continue  # the zeros are more than a side may have
        section = entries[begin[feature] : begin[feature] + size]
        if zeros == 0 and section[0] >> RANK_SHIFT == section[size - 1] >> RANK_SHIFT:
            continue
        negative = _add_up(section, columns.zero_rank[feature], zeros, totals, scaled, about, buffers)
        ranks = buffers.ranks
        slots = size + (zeros > 0)
        # Boundaries lie after slots from .. until - 1. A slot is a row, but for the zeros, which are all in one.
        for part in range(1 + (zeros > 0)):
            start, until = (0, negative if zeros else slots) if part == 0 else (negative, slots)
            ahead = 0 if part == 0 else zeros - 1
            if zeros > 0 and negative == 0 and ranks[1] == ranks[slots - 1]:
                until = min(until, 1)  # zeros and one other value
            start, until = max(start, fewest - ahead - 1), min(until, n - fewest - ahead)
            if start >= until:
                continue
            lowest = _quick_weights(
                buffers.sums[start:until], buffers.squares[start:until], start + ahead + 1, totals, n, buffers
            )
            limit = _quick_limit(best_gain + better, root, n)
            if lowest > limit:
                continue
            for t in range(start, until):
                if ranks[t] == ranks[t + 1] or buffers.quick[t - start] > limit:
                    continue
                gain = _gain(buffers.sums[t], buffers.squares[t], t + ahead + 1, totals, n)
                if gain > best_gain + (same if best_feature == feature else better):
                    levels = columns.levels[columns.level_ptr[feature] :]
                    best_gain, best_feature = gain, feature
                    best_threshold = 0.5 * (levels[ranks[t]] + levels[ranks[t + 1]])
                    limit = _quick_limit(best_gain, root, n)
    return best_feature, best_threshold


@compiled_part
def _quick_limit(gain: float, root: float, n: int) -> float:
    """Return the quick weight above which a boundary cannot have more than a gain."""
    weight = 1.0 - gain / root
    return n * (weight + _QUICK_ERROR * (1.0 + abs(weight)))


@compiled_part
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
    for t in range(right):
        section[left + t] = spare[t]
    return left


@compiled
def _grow(
    columns: Columns, targets: FloatArray, middle: float, min_instances: int, growth: Growth, buffers: _Buffers,
    stack: _Stack,
) -> int:  # fmt: skip
    """Write the nodes of a tree, given the middle of the targets' range; return how many they are.

    Arrays are made outside: each kind of call that makes one costs a tenth of a second to compile.
    """
    n, d = len(targets), len(columns.zero_rank)
    feature, threshold, right, end = growth.feature, growth.threshold, growth.right, growth.end
    first, last, order, mean, squares = growth.first, growth.last, growth.order, growth.mean, growth.squares
    begin, length, left, waiting = stack.begin, stack.length, stack.left, stack.waiting
    entries, scaled, spare, goes_left = stack.entries, stack.scaled, stack.spare, stack.goes_left
    for j in range(d):
        begin[0, j], length[0, j] = columns.indptr[j], columns.indptr[j + 1] - columns.indptr[j]
    waiting[0, 0], waiting[0, 3] = -1, n
    pending, nodes, least_deviation = 1, 0, 0.0
    while pending:
        pending -= 1
        parent, side = waiting[pending, 0], waiting[pending, 1]
        start, stop, depth = waiting[pending, 2], waiting[pending, 3], waiting[pending, 4]
        node = nodes
        nodes += 1
        if side == 2:
            right[parent] = node
        first[node], last[node], end[node] = start, stop, node + 1
        rows, count = order[start:stop], stop - start
        centre = mean[parent] if side else middle
        mean[node], about = _describe(targets, rows, centre, scaled)
        squares[node] = about.squares * about.square_unit
        deviation = np.sqrt(squares[node] / count)
        if side == 0:
            least_deviation = _LEAF_DEVIATION * deviation
        if count < min_instances or deviation < least_deviation or deviation == 0.0:
            continue
        for j in range(d if side else 0):
            begin[depth, j] = begin[depth - 1, j] + (0 if side == 1 else left[depth - 1, j])
            length[depth, j] = left[depth - 1, j] if side == 1 else length[depth - 1, j] - left[depth - 1, j]
        best, limit = _best_split(columns, entries, begin[depth], length[depth], count, scaled, about, buffers)
        if best < 0:
            continue
        feature[node], threshold[node] = best, limit
        for row in rows:  # rows that the column has no entry for are zeros
            goes_left[row] = limit >= 0.0
        for t in range(begin[depth, best], begin[depth, best] + length[depth, best]):
            value = columns.levels[columns.level_ptr[best] + (entries[t] >> RANK_SHIFT)]
            goes_left[entries[t] & ROW_BITS] = value <= limit
        split = start + _part(rows, goes_left, spare)
        if max(split - start, stop - split) >= min_instances:
            for j in range(d):
                size = length[depth, j]
                left[depth, j] = (
                    _part(entries[begin[depth, j] : begin[depth, j] + size], goes_left, spare) if size else 0
                )
        for side in range(2, 0, -1):
            waiting[pending, 0], waiting[pending, 1], waiting[pending, 4] = node, side, depth + 1
            waiting[pending, 2], waiting[pending, 3] = (split, stop) if side == 2 else (start, split)
            pending += 1
    for node in range(nodes - 1, -1, -1):  # children come after their parents
        if feature[node] >= 0:
            end[node] = end[right[node]]
    return nodes
