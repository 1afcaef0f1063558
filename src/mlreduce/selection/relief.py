"""MLRF: multi-label ReliefF."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.linalg.distances import Distances, nearest, row_blocks
from mlreduce.registry import register
from mlreduce.selection.base import Selector, check_variant
from mlreduce.validation import FloatArray, Size, as_dense, check_count, check_memory, is_sparse


@register("mlrf")
class MLRF(Selector):
    """Multi-label ReliefF (MLRF): differences to the nearest misses minus those to the nearest hits.

    Each label of an instance is compared with each label that it does not have: the nearest instances with the former
    are hits, the nearest with the latter and without the former are misses. Misses count by the share of their label
    among the labels that the instance does not have. With one label an instance this is ReliefF over all instances.
    Labels may be unknown, NaN in ``y``: an instance neither has nor lacks an unknown label. The published code takes
    none.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    n_neighbors : int, default=3
        Hits, and misses of each label, >= 1; where there are fewer, all of them.
    variant : {"equations", "published-code", "pairs"}, default="equations"
        The published code of Yan and Li (2016) takes hits and "misses" from instances with and without a label, never
        across, counts an instance among its neighbours, and reads positions in these lists as row numbers, so
        that the outcome depends on a random order. "pairs" is another reading of Kong et al.: each pair of labels is a
        problem of two classes, the instances with the one and not the other, and the scores are the means of ReliefF's
        over the pairs, with differences of the features as they are given.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in the published code; unused otherwise.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        In [-1, 1] for the equations.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    References
    ----------
    Kong, Ding, Huang and Zhao, "Multi-label ReliefF and F-statistic feature selections for image annotation", CVPR
    2012; differences relative to a feature's range and priors as in Kononenko, "Estimating attributes", ECML 1994.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.MLRF(k=5).fit(data.X, data.Y)
    >>> method.get_feature_names_out(data.feature_names)
    array(['x5', 'x14', 'x21', 'x22', 'x25'], dtype=object)
    """

    complexity = Complexity("d n^2 + 10 n^2 q", "n^2 + n d + n q + q^2", least_bytes=1)
    takes_unknown_cells = True

    def __init__(
        self,
        k: Size = 0.5,
        n_neighbors: int = 3,
        variant: Literal["equations", "published-code", "pairs"] = "equations",
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.n_neighbors = n_neighbors
        self.variant = variant
        self.random_state = random_state

    def _scores(self, X: Any, labels: FloatArray) -> FloatArray:
        n_neighbors = check_count(self.n_neighbors, "n_neighbors")
        if check_variant(self.variant, "pairs"):
            if np.isnan(labels).any():
                raise DataError('y has unknown labels (NaN), which MLRF does not take with variant="published-code"')
            return _as_published(X, labels, n_neighbors, check_random_state(self.random_state))
        labels = np.ascontiguousarray(labels)  # loops are compiled for each layout of what they are given
        scores, present, absent = np.zeros(X.shape[1]), labels == 1, labels == 0
        if not present.any():
            return scores
        # How many instances have one label and not the other.
        apart = (present.T.astype(np.float64) @ absent.astype(np.float64)).astype(np.int64)
        if self.variant == "pairs":
            return _score_pairs(X, present, absent, apart, n_neighbors)
        distances = Distances(X)
        priors = present.sum(axis=0) / present.sum()
        scaled = _in_units_of_range(X)
        of_labels, members = map(np.ascontiguousarray, np.nonzero(present.T))
        every = np.arange(len(labels))[np.newaxis]
        bounds = np.searchsorted(of_labels, np.arange(labels.shape[1] + 1))
        for rows in row_blocks(len(labels), len(labels)):
            number = np.arange(rows.start, rows.stop)
            weights = _weights_of_neighbours(
                distances.compute(number), number, present, absent, members, bounds, apart, priors, n_neighbors
            )
            _add_weighted_differences(scores, scaled, number, every, weights)
        scores /= present.sum()
        return scores


def _in_units_of_range(X: Any) -> FloatArray:
    """Return dense features over their ranges, refused before they are copied where memory does not suffice."""
    check_memory(
        8.0 * math.prod(X.shape),
        f"a dense copy of {X.shape[0]} x {X.shape[1]} features",
        "select features by another method first",
        (X.shape[1], "features"),
    )
    dense = np.ascontiguousarray(as_dense(X)) if is_sparse(X) else np.array(X, order="C")
    spread = dense.max(axis=0) - dense.min(axis=0)
    dense /= np.where(spread > 0, spread, 1.0)
    return dense


@compiled
def _weights_of_neighbours(
    distances: FloatArray,
    rows: NDArray[np.intp],
    present: NDArray[np.bool_],
    absent: NDArray[np.bool_],
    members: NDArray[np.intp],
    bounds: NDArray[np.intp],
    apart: NDArray[np.int64],
    priors: FloatArray,
    n_neighbors: int,
) -> FloatArray:
    """Return how much the difference of each instance to some ``rows`` counts: less than zero for hits.

    ``members`` are the instances of each label, one label after the other from ``bounds`` on.
    """
    n_labels = present.shape[1]
    weights = np.zeros(distances.shape)
    heap = np.zeros(min(n_neighbors, len(present)), dtype=np.intp)
    of_members = np.zeros(len(members))
    for place in range(len(rows)):
        row, far = rows[place], distances[place]
        for which in range(len(members)):
            of_members[which] = far[members[which]]
        rest = 0.0  # share of the labels that the instance does not have
        for each in range(n_labels):
            if absent[row, each]:
                rest += priors[each]
        for label in range(n_labels):
            if not present[row, label]:
                continue
            for other in range(n_labels):
                hits = other == label
                if not absent[row, other] and not hits:
                    continue
                n_hits = bounds[label + 1] - bounds[label] - 1
                full = min(n_neighbors, n_hits if hits else apart[other, label])
                # Misses are the instances of the other label that lack this one; hits have it.
                lacking = present[:, label] if hits else absent[:, label]
                span = slice(bounds[other], bounds[other + 1])
                _fill_nearest(heap, full, row, members[span], of_members[span], lacking, far)
                for which in range(full):
                    weights[place, heap[which]] += -1.0 / full if hits else priors[other] / rest / full
    return weights


@compiled_part
def _fill_nearest(
    heap: NDArray[np.intp],
    full: int,
    row: int,
    members: NDArray[np.intp],
    of_members: FloatArray,
    lacking: NDArray[np.bool_],
    far: FloatArray,
) -> None:
    """Fill a heap, the farthest first, with the ``full`` members nearest to a row.

    One pass without sorting: few members are nearer than the farthest in the heap so far.
    """
    held, reach = 0, np.inf if full else -np.inf
    for which in range(len(members)):
        if of_members[which] >= reach:
            continue
        candidate = members[which]
        if candidate == row or not lacking[candidate]:
            continue
        if held < full:
            heap[held] = candidate
            held += 1
            if held < full:
                continue
            for top in range(full // 2 - 1, -1, -1):
                _sift(heap, full, top, far)
        else:
            heap[0] = candidate
            _sift(heap, full, 0, far)
        reach = far[heap[0]]


@compiled_part
def _sift(heap: NDArray[np.intp], size: int, top: int, far: FloatArray) -> None:
    """Move an instance down a heap with the farthest on top; of equally far ones the last is the farthest."""
    while 2 * top + 1 < size:
        child = 2 * top + 1
        if child + 1 < size:
            one, other = heap[child], heap[child + 1]
            if far[other] > far[one] or (far[other] == far[one] and other > one):
                child += 1
        one, other = heap[top], heap[child]
        if far[one] > far[other] or (far[one] == far[other] and one > other):
            return
        heap[top], heap[child] = other, one
        top = child


@compiled
def _add_weighted_differences(
    scores: FloatArray, X: FloatArray, rows: NDArray[np.intp], others: NDArray[np.intp], weights: FloatArray
) -> None:
    """Add ``w |x_i - x_j|`` to the scores, for each of some rows i and of its others j, or of those of all."""
    for place in range(len(rows)):
        features, neighbours = X[rows[place]], others[min(place, len(others) - 1)]
        for which in range(others.shape[1]):
            weight = weights[place, which]
            if weight != 0.0:
                values = X[neighbours[which]]
                for feature in range(len(scores)):
                    scores[feature] += weight * abs(features[feature] - values[feature])


def _score_pairs(
    X: Any,
    present: NDArray[np.bool_],
    absent: NDArray[np.bool_],
    apart: NDArray[np.int64],
    n_neighbors: int,
) -> FloatArray:
    """Return the mean over the pairs of labels of ReliefF's scores for the instances with one of them and no more."""
    dense, scores, distances = np.ascontiguousarray(as_dense(X)), np.zeros(X.shape[1]), Distances(X)
    every = np.arange(len(present))[np.newaxis]
    for block in row_blocks(len(present), len(present)):
        number = np.arange(block.start, block.stop)
        of_block = distances.compute(number)
        of_block[np.arange(len(number)), number] = np.inf
        weights = _weights_within_pairs(
            np.argsort(of_block, axis=1, kind="stable"), number, present, absent, apart, n_neighbors
        )
        _add_weighted_differences(scores, dense, number, every, weights)
    n_pairs = np.count_nonzero(np.triu((apart > 0) & (apart.T > 0), 1))
    return scores / max(n_pairs, 1)


@compiled
def _weights_within_pairs(
    nearest_first: NDArray[np.intp],
    rows: NDArray[np.intp],
    present: NDArray[np.bool_],
    absent: NDArray[np.bool_],
    apart: NDArray[np.int64],
    n_neighbors: int,
) -> FloatArray:
    """Return how much the difference of each instance to some ``rows`` counts, each pair's instances as their mean.

    A hit has the label of the pair that the row has, a miss the other one, and neither has both. An instance without
    one of the two kinds is left out; in each row of ``nearest_first`` the row itself is the last.
    """
    n_labels, n_others = present.shape[1], nearest_first.shape[1] - 1
    weights = np.zeros(nearest_first.shape)
    for place in range(len(rows)):
        row = rows[place]
        for label in range(n_labels):
            if not present[row, label]:
                continue
            for other in range(n_labels):
                hits_left = min(n_neighbors, apart[label, other] - 1)
                misses_left = min(n_neighbors, apart[other, label])
                if not absent[row, other] or hits_left == 0 or misses_left == 0:
                    continue
                share = 1.0 / (apart[label, other] + apart[other, label])
                of_hit, of_miss = -share / hits_left, share / misses_left
                for which in range(n_others):
                    candidate = nearest_first[place, which]
                    if present[candidate, label] and absent[candidate, other]:
                        if hits_left > 0:
                            weights[place, candidate] += of_hit
                            hits_left -= 1
                    elif present[candidate, other] and absent[candidate, label] and misses_left > 0:
                        weights[place, candidate] += of_miss
                        misses_left -= 1
                    if hits_left == 0 and misses_left == 0:
                        break
    return weights


def _as_published(X: Any, labels: FloatArray, n_neighbors: int, random: np.random.RandomState) -> FloatArray:
    """Return the scores of the published code, which uses positions in a list as row numbers."""
    dense, scores = np.ascontiguousarray(as_dense(X)), np.zeros(X.shape[1])
    priors, order = labels.mean(axis=0), random.permutation(len(labels))
    distances, shares = Distances(X), labels * priors
    for block in row_blocks(len(labels), len(labels)):
        number = np.arange(block.start, block.stop)
        of_block = distances.compute(number)
        for label in range(labels.shape[1] - 1):
            with_label = labels[:, label] == 1
            if min(np.count_nonzero(with_label), np.count_nonzero(~with_label)) < n_neighbors:
                continue
            later = shares[:, label + 1 :].sum(axis=1) / (1.0 - priors[label])
            for side, sign in ((~with_label, 1.0), (with_label, -1.0)):
                rows = np.flatnonzero(side[number])
                places = nearest(of_block[rows][:, order[side[order]]], n_neighbors)
                counted = sign * later[places] / n_neighbors
                _add_weighted_differences(scores, dense, number[rows], places, counted)
    return scores
