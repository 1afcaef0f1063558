"""Decision trees whose classes are sets of labels: of all trees the values of the features are divided once.

Values of a feature are divided into at most 64 intervals, called levels here. A node holds how many of its rows, and
of its rows with each label, are in each level; of two children the rows of the smaller one are counted, and the larger
one has the rest. Counts are integers, so that a tree does not depend on the order of the rows.

Compiled functions that call each other are in one file: Numba's cache tracks changes only in the file of the calling
function.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.predictors._tree_growth import IntArray
from mlreduce.predictors._tree_models import Rows
from mlreduce.validation import FloatArray, check_memory, is_sparse

Int32Array: TypeAlias = NDArray[np.int32]

#: Intervals that the values of a feature are divided into.
N_LEVELS = 64
# A split is better than another one by more than rounding errors.
_BETTER = 1.0 + 1e-12
# Values that are sorted at once.
_SORTED = 2**20


class Levels(NamedTuple):
    """The entries of a feature matrix as numbers of levels; of sparse features without those in the level of zero.

    Attributes
    ----------
    indptr : ndarray of shape (n_samples + 1,)
        Where the entries of each row begin.
    entries : ndarray of int32
        Levels, ascending in each row: those of the first feature come first, in ascending order of its values.
    feature : ndarray of shape (n_levels,)
        The feature of each level.
    threshold : ndarray of shape (n_levels,)
        The boundary above a negative level, and below another one.
    rows : ndarray of shape (n_levels,)
        Number of rows that have an entry in each level.
    negative : ndarray of bool, shape (n_levels,)
        Whether the level has negative values. A split puts it on one side with all before it, or all behind it.
    """

    indptr: IntArray
    entries: Int32Array
    feature: Int32Array
    threshold: FloatArray
    rows: IntArray
    negative: NDArray[np.bool_]


class Forest(NamedTuple):
    """Trees, one after the other.

    Attributes
    ----------
    feature : ndarray of shape (n_nodes,)
        The feature that a node tests, -1 for a leaf.
    threshold : ndarray of shape (n_nodes,)
        Rows with at most this value go to the left.
    children : ndarray of shape (n_nodes, 2)
        The left and the right child; of a leaf the class, twice.
    roots : ndarray of shape (n_trees,)
    """

    feature: IntArray
    threshold: FloatArray
    children: IntArray
    roots: IntArray

    @classmethod
    def of(cls, trees: list[tuple[IntArray, FloatArray, IntArray]]) -> Forest:
        """Join trees that were grown."""
        sizes = [len(feature) for feature, _, _ in trees]
        feature, threshold, children = (np.concatenate(parts) for parts in zip(*trees, strict=True))
        roots = np.cumsum([0, *sizes])[:-1]
        children[feature >= 0] += np.repeat(roots, sizes)[feature >= 0, np.newaxis]
        return cls(feature, threshold, children, roots)

    def predict(self, features: Any) -> Int32Array:
        """Return the class of each row by each tree, of shape (n_samples, n_trees)."""
        return _classes(self, Rows.from_features(features), features.shape[1])


def divide(features: Any) -> Levels:
    """Divide the values of each feature into levels, of about as many rows each where there are more values."""
    sparse, (n, n_features) = is_sparse(features), features.shape
    table = features.tocsc() if sparse else features
    ends = table.indptr if sparse else np.arange(n_features + 1) * n
    entries, parts, n_levels = np.empty(ends[-1], dtype=np.int32), [], 0
    first = 0
    while first < n_features:
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + _SORTED, side="right")) - 1)
        values = table.data[ends[first] : ends[last]] if sparse else table[:, first:last].T.ravel()
        columns = np.repeat(np.arange(first, last), np.diff(ends[first : last + 1]))
        zeros = np.arange(first, last)[np.diff(ends[first : last + 1]) < n]
        size = len(columns)  # zeros without an entry follow, with their numbers as weights
        own, smallest, largest, feature = _divide_columns(
            np.append(columns, zeros),
            np.append(values, np.zeros(len(zeros))),
            np.append(np.ones(size), n - np.diff(ends)[zeros]),
        )
        entries[ends[first] : ends[last]] = own[:size] + n_levels
        starts, negative = np.diff(feature, prepend=-1) > 0, smallest < 0
        # Of negative levels the boundary is the one above, of others the one below.
        one = np.where(negative, largest, np.where(starts, -np.inf, np.roll(largest, 1)))
        other = np.where(negative, np.where(np.roll(starts, -1), np.inf, np.roll(smallest, -1)), smallest)
        middle = 0.5 * one + 0.5 * other
        threshold = np.where((middle >= one) & (middle < other), middle, one)
        implied = np.zeros(len(feature), dtype=bool)
        implied[own[size:]] = True
        parts.append((feature, threshold, negative, implied))
        n_levels += len(feature)
        first = last
    levels, threshold, negative, implied = (np.concatenate(part) for part in zip(*parts, strict=True))
    if sparse:
        stored = sp.csc_array((entries + 1, table.indices, table.indptr), shape=table.shape)
        stored.data *= ~implied[entries]
        stored.eliminate_zeros()
        by_row = stored.tocsr()
        indptr, entries = by_row.indptr.astype(np.int64), by_row.data - np.int32(1)
    else:
        indptr, entries = np.arange(n + 1) * n_features, entries.reshape(-1, n).T.ravel()
    rows = np.bincount(entries, minlength=len(levels))
    return Levels(indptr, entries, levels.astype(np.int32), threshold, rows, negative)


def _divide_columns(
    columns: IntArray, values: FloatArray, weights: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray, IntArray]:
    """Return the level of each value of some columns, smallest and largest value of each, and its column."""
    order = np.lexsort([values, columns])
    values, columns, weights = values[order], columns[order], weights[order]
    new_column = np.diff(columns, prepend=-1) > 0
    new_value = new_column | (np.diff(values, prepend=0.0) != 0)
    starts = np.flatnonzero(new_column)
    part = np.cumsum(new_column) - 1
    distinct = np.add.reduceat(new_value, starts, dtype=np.int64)
    # What share of its column's rows is before each value; of few values, each has a level.
    before = np.cumsum(weights) - weights
    before = np.maximum.accumulate(np.where(new_value, before, 0.0)) - before[starts][part]
    share = before * N_LEVELS // np.add.reduceat(weights, starts)[part]
    new = new_column | (new_value & ((distinct <= N_LEVELS)[part] | (np.diff(share, prepend=0) > 0)))
    level = np.empty(len(values), dtype=np.int64)
    level[order] = np.cumsum(new) - 1
    begins = np.flatnonzero(new)
    return level, values[begins], values[np.append(begins[1:], len(values)) - 1], columns[begins]


class _Labels(NamedTuple):
    """The labels of each row: those of row i are ``present[indptr[i]:indptr[i + 1]]``."""

    indptr: IntArray
    present: IntArray


class _Counts(NamedTuple):
    """Counts of the nodes that wait, one after the other.

    Attributes
    ----------
    active : ndarray of shape (capacity,)
        Levels that a node's rows have, ascending.
    counts : ndarray of int32, shape (capacity, n_labels + 1)
        Of these rows how many have each label, and how many there are.
    place : ndarray of shape (n_levels,)
        Where a level's counts are, while rows are added.
    """

    active: Int32Array
    counts: Int32Array
    place: Int32Array


class _Nodes(NamedTuple):
    """The nodes of a tree; of a leaf ``children`` are its first and last row in ``order``."""

    feature: IntArray
    threshold: FloatArray
    children: IntArray
    order: IntArray


def grow(levels: Levels, labels: Any, classes: IntArray) -> tuple[IntArray, FloatArray, IntArray]:
    """Grow a tree until all rows of each leaf have one class; return features, thresholds and children of the nodes.

    A split is the one of the smallest Gini impurity, summed over the labels. The class of a leaf is the most frequent
    one of its rows, the first of several.
    """
    n, n_labels = labels.shape
    rows = sp.csr_array(labels)
    most = int(np.diff(levels.indptr).max(initial=0))
    # A smaller child has at most half of the rows, and of the levels no more than entries.
    capacity = sum(min(len(levels.feature), (n >> depth) * most) for depth in range(n.bit_length() + 1))
    check_memory(
        4.0 * capacity * (n_labels + 1),
        f"counts of {n_labels} labels for {capacity} intervals of values",
        "take fewer features or labels, or set estimator",
    )
    nodes = _Nodes(np.full(2 * n, -1), np.zeros(2 * n), np.zeros((2 * n, 2), np.int64), np.arange(n))
    counts = np.zeros((capacity, n_labels + 1), np.int32)
    n_nodes = _grow(
        levels,
        _Labels(rows.indptr.astype(np.int64), rows.indices.astype(np.int64)),
        _Counts(np.empty(capacity, np.int32), counts, np.full(len(levels.feature), -1, np.int32)),
        nodes,
        np.zeros((2 * n.bit_length() + 4, 5), np.int64),
        np.zeros((3, n_labels + 1), np.int64),
        np.empty(n, np.int64),
    )
    feature, threshold = nodes.feature[:n_nodes].copy(), nodes.threshold[:n_nodes].copy()
    children = nodes.children[:n_nodes].copy()
    for leaf in np.flatnonzero(feature < 0):
        found, often = np.unique(classes[nodes.order[slice(*children[leaf])]], return_counts=True)
        children[leaf] = found[often.argmax()]
    return feature, threshold, children


@compiled_part
def _best_split(levels: Levels, active: Int32Array, counts: Int32Array, totals: IntArray, inside: IntArray) -> int:
    """Return the place of the level of the best split of a node, -1 where all rows have the same levels.

    Negative levels of a feature are summed from the first on, the others from the last on.
    """
    n, n_labels, chosen = totals[-1], len(totals) - 1, -1
    best, best_scale, all_squares = -1.0, 1.0, np.int64(0)
    for label in range(n_labels):
        all_squares += totals[label] * totals[label]
    last = 0
    while last < len(active):
        first, feature = last, levels.feature[active[last]]
        while last < len(active) and levels.feature[active[last]] == feature:
            last += 1
        middle = first
        while middle < last and levels.negative[active[middle]]:
            middle += 1
        for start, stop, step in ((first, middle, 1), (last - 1, middle - 1, -1)):
            size = squares = crossed = np.int64(0)
            inside[:] = 0
            for at in range(start, stop, step):
                size += counts[at, n_labels]
                if size == n:
                    break
                for label in range(n_labels):
                    number = counts[at, label]
                    if number:
                        squares += number * (2 * inside[label] + number)
                        crossed += number * totals[label]
                        inside[label] += number
                scale = float(size) * (n - size)  # fractions are compared without dividing
                purity = float(squares) * (n - size) + float(all_squares - 2 * crossed + squares) * size
                if purity * best_scale > best * scale:
                    best, best_scale, chosen = purity * _BETTER, scale, at
    return chosen


@compiled_part
def _part_rows(levels: Levels, rows: IntArray, active: Int32Array, chosen: int, spare: IntArray) -> int:
    """Move the rows on the left of a split to the front; return how many they are."""
    level, entries = active[chosen], levels.entries
    feature, negative = levels.feature[level], levels.negative[level]
    # Levels on the side of the chosen one are those of the feature from its first one, or to its last one.
    lowest, highest = level, level
    for other in active:
        if levels.feature[other] == feature and (other < level) == negative:
            lowest, highest = min(lowest, other), max(highest, other)
    left, right = 0, 0
    for row in rows:
        start, stop = levels.indptr[row], levels.indptr[row + 1]
        end = stop
        while start < stop:
            middle = (start + stop) // 2
            if entries[middle] < lowest:
                start = middle + 1
            else:
                stop = middle
        if (start < end and entries[start] <= highest) == negative:
            rows[left] = row
            left += 1
        else:
            spare[right] = row
            right += 1
    rows[left:] = spare[:right]
    return left


@compiled_part
def _count_rows(levels: Levels, labels: _Labels, rows: IntArray, counts: _Counts, sign: int) -> None:
    """Add rows to the counts of their levels, or take them out of these."""
    last = counts.counts.shape[1] - 1
    for row in rows:
        for t in range(levels.indptr[row], levels.indptr[row + 1]):
            line = counts.counts[counts.place[levels.entries[t]]]
            line[last] += sign
            for u in range(labels.indptr[row], labels.indptr[row + 1]):
                line[labels.present[u]] += sign


@compiled_part
def _count_apart(levels: Levels, labels: _Labels, rows: IntArray, counts: _Counts, begin: int, end: int) -> int:
    """Count rows of a node in new places from ``end`` on, and return how many levels they have."""
    active, place = counts.active, counts.place
    for row in rows:
        for t in range(levels.indptr[row], levels.indptr[row + 1]):
            place[levels.entries[t]] = -2
    last = end
    for t in range(begin, end):
        level = active[t]
        if place[level] == -2:
            place[level], active[last] = last, level
            counts.counts[last] = 0
            last += 1
    _count_rows(levels, labels, rows, counts, 1)
    return last - end


@compiled_part
def _take_out(counts: _Counts, begin: int, end: int, moved: int) -> int:
    """Take counts, those of some levels from ``end`` on, out of a node's, and return how many levels are left."""
    active, numbers, last = counts.active, counts.counts, counts.counts.shape[1] - 1
    kept, other = begin, end
    for t in range(begin, end):
        if other < end + moved and active[other] == active[t]:
            for label in range(last + 1):
                numbers[t, label] -= numbers[other, label]
            other += 1
        if numbers[t, last] > 0:
            if kept < t:
                active[kept] = active[t]
                for label in range(last + 1):
                    numbers[kept, label] = numbers[t, label]
            kept += 1
    return kept - begin


@compiled_part
def _sum_labels(labels: _Labels, rows: IntArray, totals: IntArray) -> bool:
    """Write how many rows have each label, and how many there are; return whether all have the same labels."""
    totals[:] = 0
    totals[-1] = len(rows)
    for row in rows:
        for t in range(labels.indptr[row], labels.indptr[row + 1]):
            totals[labels.present[t]] += 1
    some = 0
    for total in totals:
        some += total != 0 and total != len(rows)
    return bool(some == 0)


@compiled
def _grow(
    levels: Levels, labels: _Labels, counts: _Counts, nodes: _Nodes, waiting: IntArray, sums: IntArray, spare: IntArray
) -> int:
    """Write the nodes of a tree; return how many they are.

    Of nodes that wait there are the number, first and last row, and where their levels are in ``active``. Those of the
    smaller child come after those of its parent, of which the larger child's are what is left.
    """
    totals, own, inside = sums[0], sums[1], sums[2]
    active, place, order = counts.active, counts.place, nodes.order
    size = 0
    for level in range(len(place)):
        if levels.rows[level] > 0:
            place[level], active[size], counts.counts[size, -1] = size, level, levels.rows[level]
            size += 1
    for row in range(len(order)):
        for u in range(labels.indptr[row], labels.indptr[row + 1]):
            for t in range(levels.indptr[row], levels.indptr[row + 1]):
                counts.counts[place[levels.entries[t]], labels.present[u]] += 1
    waiting[0, 2], waiting[0, 4] = len(order), size
    pending, n_nodes = 1, 1
    while pending:
        pending -= 1
        node, start, stop, begin, size = waiting[pending]
        chosen, end = -1, begin + size
        if not _sum_labels(labels, order[start:stop], totals):
            chosen = _best_split(levels, active[begin:end], counts.counts[begin:end], totals, inside)
        if chosen < 0:
            nodes.children[node, 0], nodes.children[node, 1] = start, stop
            continue
        level = active[begin + chosen]
        split = start + _part_rows(levels, order[start:stop], active[begin:end], chosen, spare)
        nodes.feature[node], nodes.threshold[node] = levels.feature[level], levels.threshold[level]
        nodes.children[node, 0], nodes.children[node, 1] = n_nodes, n_nodes + 1
        left_is_smaller = split - start <= stop - split
        first, last = (start, split) if left_is_smaller else (split, stop)
        moved = 0
        if _sum_labels(labels, order[first:last], own):
            for t in range(begin, end):
                place[active[t]] = t
            _count_rows(levels, labels, order[first:last], counts, -1)
        else:
            moved = _count_apart(levels, labels, order[first:last], counts, begin, end)
        kept = _take_out(counts, begin, end, moved)
        for smaller in range(2):  # the smaller child is next
            left = left_is_smaller == (smaller == 1)
            line = waiting[pending]
            line[0] = n_nodes if left else n_nodes + 1
            line[1], line[2] = (start, split) if left else (split, stop)
            line[3], line[4] = (end, moved) if smaller else (begin, kept)
            pending += 1
        n_nodes += 2
    return n_nodes


@compiled
def _classes(forest: Forest, rows: Rows, n_features: int) -> Int32Array:
    n = len(rows.indptr) - 1 if rows.sparse else len(rows.table)
    classes = np.empty((n, len(forest.roots)), np.int32)
    written = np.zeros(n_features)
    for row in range(n):
        if rows.sparse:
            for t in range(rows.indptr[row], rows.indptr[row + 1]):
                written[rows.indices[t]] = rows.values[t]
        values = written if rows.sparse else rows.table[row]
        for tree in range(len(forest.roots)):
            node = forest.roots[tree]
            while forest.feature[node] >= 0:
                node = forest.children[node, 1 if values[forest.feature[node]] > forest.threshold[node] else 0]
            classes[row, tree] = forest.children[node, 0]
        if rows.sparse:
            for t in range(rows.indptr[row], rows.indptr[row + 1]):
                written[rows.indices[t]] = 0.0
    return classes
