"""The best split of a node of a model tree, by sweeps over sorted columns."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlreduce.compiled import compiled
from mlreduce.predictors._tree_columns import RANK_SHIFT, ROW_BITS, Columns
from mlreduce.validation import FloatArray

__all__ = ["Buffers", "IntArray", "Sums", "best_split"]

IntArray: TypeAlias = NDArray[np.int64]

# A side with less than this share of its node's variance is pure.
_PURE = 1e-9
# A boundary must beat an earlier one of its feature by more than the first, one of an earlier feature by the second.
_SAME_GAIN, _BETTER_FEATURE = 1e-9, 1e-6
_NO_GAIN = -1e20

# The bits of a float are about its logarithm; a fifth of them and four fifths of those of 1 are about its fifth root.
_ROOT_BITS = np.float32(0.8 * 127 * 2**23)
_FIFTH, _FOUR_FIFTHS = np.float32(0.2), np.float32(0.8)
_NEXT_TO_ZERO = np.float32(1e-35)
# Relative error of the quick fifth roots, with room.
_QUICK_ERROR = 5e-6


class Sums(NamedTuple):
    """Sum and sum of squares of a node's rounded targets, and the units that they are in."""

    total: np.int64
    squares: np.int64
    unit: float
    square_unit: float


class Buffers(NamedTuple):
    """Room for a sweep: sums up to each entry, ranks of the values, 1 / n, and two rows for quick fifth roots."""

    sums: FloatArray
    squares: FloatArray
    ranks: IntArray
    reciprocal: FloatArray
    quick: NDArray[np.float32]
    guess: NDArray[np.float32]


@compiled
def _quick_weights(
    sums: FloatArray, squares: FloatArray, left_count: int, totals: tuple[float, float], n: int, buffers: Buffers
) -> float:
    """Write ``n_l v_l^(1/5) + n_r v_r^(1/5)`` of successive boundaries into ``buffers.quick``; return the lowest.

    Variances are shares of the node's. It is in single precision and without a power function, in loops that vectorise.
    """
    length = len(sums)
    share = n / (totals[1] - totals[0] * totals[0] / n)
    quick, guess = buffers.quick, buffers.guess
    bits, root_bits = quick.view(np.int32), guess.view(np.int32)
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


@compiled
def _gain(one: float, two: float, count: int, totals: tuple[float, float], n: int) -> float:
    """Return ``v^(1/5) - n_l/n v_l^(1/5) - n_r/n v_r^(1/5)``, v the variances of a node and its sides."""
    variance = (totals[1] - totals[0] * totals[0] / n) / n
    other = totals[0] - one
    low = (two - one * one / count) / count
    high = (totals[1] - two - other * other / (n - count)) / (n - count)
    low_root = low**0.2 if low > _PURE * variance else 0.0
    high_root = high**0.2 if high > _PURE * variance else 0.0
    return float(variance**0.2 - count / n * low_root - (n - count) / n * high_root)


@compiled
def _add_up(
    section: IntArray, zero_rank: int, zeros: int, totals: tuple[float, float], scaled: IntArray, about: Sums,
    buffers: Buffers,
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
    if zeros:  # what is left over is theirs
        shift, square_shift = (about.total - one) * about.unit, (about.squares - two) * about.square_unit
        for t in range(len(section), negative, -1):
            sums[t], squares[t], ranks[t] = sums[t - 1] + shift, squares[t - 1] + square_shift, ranks[t - 1]
        sums[negative], squares[negative], ranks[negative] = shift, square_shift, zero_rank
        if negative:
            sums[negative] += sums[negative - 1]
            squares[negative] += squares[negative - 1]
    return negative


@compiled
def best_split(
    columns: Columns, entries: IntArray, begin: IntArray, length: IntArray, n: int, scaled: IntArray, about: Sums,
    buffers: Buffers,
) -> tuple[int, float]:  # fmt: skip
    """Return the feature and threshold of a node's best split; feature -1 where no boundary is allowed."""
    totals = (about.total * about.unit, about.squares * about.square_unit)
    root = ((totals[1] - totals[0] * totals[0] / n) / n) ** 0.2
    fewest = max(1, n // 5) + 1  # rows of a child
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
            limit = _quick_limit(best_gain + _BETTER_FEATURE, root, n)
            if lowest > limit:
                continue
            for t in range(start, until):
                if ranks[t] == ranks[t + 1] or buffers.quick[t - start] > limit:
                    continue
                gain = _gain(buffers.sums[t], buffers.squares[t], t + ahead + 1, totals, n)
                if gain > best_gain + (_SAME_GAIN if best_feature == feature else _BETTER_FEATURE):
                    levels = columns.levels[columns.level_ptr[feature] :]
                    best_gain, best_feature = gain, feature
                    best_threshold = 0.5 * (levels[ranks[t]] + levels[ranks[t + 1]])
                    limit = _quick_limit(best_gain, root, n)
    return best_feature, best_threshold


@compiled
def _quick_limit(gain: float, root: float, n: int) -> float:
    """Return the quick weight above which a boundary cannot have more than a gain."""
    weight = 1.0 - gain / root
    return n * (weight + _QUICK_ERROR * (1.0 + abs(weight)))
