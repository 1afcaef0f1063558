"""GMBA: gradient steps on the margin of the label graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mlreduce.complexity import Complexity
from mlreduce.exceptions import DataError
from mlreduce.linalg.contents import order_by_content
from mlreduce.linalg.distances import Distances, nearest, row_blocks
from mlreduce.registry import register
from mlreduce.selection.base import Selector, check_variant
from mlreduce.selection.label_graph import LabelGraph
from mlreduce.validation import (
    FloatArray,
    Size,
    as_dense,
    check_count,
    check_memory,
    check_option,
    check_range,
    is_sparse,
)

#: What the seed of `GMBA` draws.
VISITS = ("content", "position")

# Rounding error of a sum of products, relative to the sum of their sizes.
_ROUNDING = 64 * np.finfo(float).eps


@register("gmba")
class GMBA(Selector):
    """Graph-margin based multi-label feature selection (GMBA): instances with the same labels near, others by a margin.

    Similar to an instance are those whose label sets have at least ``s_min`` similarity (hits) and dissimilar to all
    others (its misses). Its loss is small where its nearest hits are near, and the misses farther than they by a
    margin. Weights of the features start at 1 and take a step of length ``step`` down the gradient of the loss of one
    instance after the other. The random order of the instances matters, see ``n_orders``.

    Instances with fewer than ``n_neighbors`` hits or misses are skipped. Labels may be unknown, NaN in ``y``: two
    instances are compared by the labels that are known of both, and are neither hit nor miss if there are none.

    Parameters
    ----------
    k : int, float, str or None, default=0.5
        Number of features to keep: a number, a fraction in (0, 1) or "50%", or None for all.
    n_neighbors : int, default=3
        Number of nearest hits, >= 1.
    s_min : float, default=1.0
        Least similarity of a hit, in (0, 1]; 1 means the same labels.
    miss_weight : float, default=1.0
        Weight of the misses relative to the hits, lambda in the paper, >= 0.
    step : float, default=0.9
        Length of a step, beta in the paper, > 0.
    max_iter : int or None, default=None
        Number of steps; None for one per instance. Further passes use another random order.
    n_orders : int, default=30
        Number of random orders over which the weights are averaged; the paper has one.
    visits : {"content", "position"}, default="content"
        What the seed draws: instances by what they hold, so that the order of the rows makes no difference, or rows.
    variant : {"equations", "published-code"}, default="equations"
        The published code departs from the equations in three places: the similarity of a hit is looked up at its
        position among the hits instead of its row; of the nearest hits the r-th counts ``n_neighbors + 1 - r`` times;
        misses on the very edge of the margin do not count, which the nearest often is.
    random_state : int, RandomState instance or None, default=None
        Seed of the orders.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The weights: the larger, the better the feature.
    n_skipped_ : int
        Number of skipped instances among those visited.
    n_iter_ : int
        Number of steps in each order.
    ranking_ : ndarray of shape (n_features,), int
        1 is the best feature; of equal scores the first column comes first. Constant features come last.
    n_features_in_, n_informative_ : int
        Number of features, and of those that are not constant in ``X``.
    feature_names_in_, label_names_ : ndarray of str, list of str
        Only when ``X``, or ``y``, had names of columns.

    Notes
    -----
    Neighbours, margins and which misses count are of unweighted distances (equations 10 and 15). The gradient is then
    the weight times a factor independent of the weights, computed by matrix products.

    References
    ----------
    Yan and Li (2016), "Graph-margin based multi-label feature selection", equations 2-16.

    Examples
    --------
    >>> import mlreduce
    >>> data = mlreduce.load_dataset("planted-300")
    >>> method = mlreduce.GMBA(k=5, n_orders=3, random_state=0).fit(data.X, data.Y)
    >>> method.transform(data.X).shape
    (300, 5)
    """

    complexity = Complexity("d n^2", "n^2 + n d", least_bytes=0.7)
    takes_unknown_cells = True
    takes_sparse_labels = True

    def __init__(
        self,
        k: Size = 0.5,
        n_neighbors: int = 3,
        s_min: float = 1.0,
        miss_weight: float = 1.0,
        step: float = 0.9,
        max_iter: int | None = None,
        n_orders: int = 30,
        visits: Literal["content", "position"] = "content",
        variant: Literal["equations", "published-code"] = "equations",
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.n_neighbors = n_neighbors
        self.s_min = s_min
        self.miss_weight = miss_weight
        self.step = step
        self.max_iter = max_iter
        self.n_orders = n_orders
        self.visits = visits
        self.variant = variant
        self.random_state = random_state

    def _scores(self, X: Any, labels: Any) -> FloatArray:
        if check_option(self.visits, "visits", VISITS) == "content":
            rows = order_by_content(X, labels if is_sparse(labels) else np.nan_to_num(labels, nan=-1.0))
            X, labels = X[rows], labels[rows]
        slopes = _Slopes(
            X,
            labels,
            check_count(self.n_neighbors, "n_neighbors"),
            self._similarity_of_hits(),
            check_range(self.miss_weight, "miss_weight", 0),
            check_variant(self.variant),
        )
        step = check_range(self.step, "step", 0, open_ends=True)
        max_iter = X.shape[0] if self.max_iter is None else check_count(self.max_iter, "max_iter")
        n_orders, random = check_count(self.n_orders, "n_orders"), check_random_state(self.random_state)
        visits = [_visits(X.shape[0], max_iter, random) for _ in range(n_orders)]
        # One pass needs the numbers of an instance once, in the order of the steps; more passes keep them.
        once = n_orders == 1 and max_iter <= X.shape[0]
        stored = None if once else slopes.of_used_rows()
        total = np.zeros(X.shape[1])
        for order in visits:
            weights = np.ones(X.shape[1])
            for block in slopes.in_order(order) if stored is None else _rows_in_order(*stored, order):
                for slope in block:
                    gradient = weights * slope
                    norm = np.sqrt(np.square(gradient).sum())  # the same sum on all processors
                    if norm > 0:
                        weights -= (step / norm) * gradient
            total += weights
        self.n_iter_ = max_iter
        self.n_skipped_ = np.count_nonzero(slopes.skipped)
        return total / n_orders

    def _similarity_of_hits(self) -> float:
        if check_range(self.s_min, "s_min", 0, 1) == 0:
            raise DataError("s_min must be greater than 0: at 0 every instance is similar to every other")
        return float(self.s_min)


def _visits(n_samples: int, max_iter: int, random: np.random.RandomState) -> NDArray[np.intp]:
    """Return the instance of each step: consecutive random orders."""
    passes = [random.permutation(n_samples) for _ in range(-(-max_iter // n_samples))]
    return np.concatenate(passes)[:max_iter]


def _rows_in_order(table: FloatArray, places: NDArray[np.intp], order: NDArray[np.intp]) -> Iterator[FloatArray]:
    """Yield the rows of a table in which instances have places, -1 for none."""
    for place in places[order]:
        if place >= 0:
            yield table[place : place + 1]


class _Slopes:
    """The gradient of each instance's loss, divided by the weights; ``as_published`` follows the published code."""

    def __init__(
        self, X: Any, labels: Any, n_neighbors: int, s_min: float, miss_weight: float, as_published: bool
    ) -> None:
        # Centred, since squares of differences are computed from squares and products.
        self._X = X if is_sparse(X) else X - X.mean(axis=0)
        self._squares = X.multiply(X).tocsr() if is_sparse(X) else np.square(self._X)
        self._distances, self._graph = Distances(X), LabelGraph(labels)
        self._n_neighbors, self._s_min, self._miss_weight = n_neighbors, s_min, miss_weight
        self._as_published = as_published
        #: Instances visited that have too few hits or misses.
        self.skipped = np.zeros(X.shape[0], dtype=bool)

    def in_order(self, order: NDArray[np.intp]) -> Iterator[FloatArray]:
        """Yield the numbers of the instances in an order, in blocks of rows; zeros for skipped ones."""
        for rows in row_blocks(len(order), max(self._X.shape)):
            yield self._slopes_of_rows(order[rows])

    def of_used_rows(self) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return the numbers of the instances that are not skipped, and the row of each instance; -1 for skipped ones.

        Raises DataError if there is no memory for them.
        """
        n_samples, n_features = self._X.shape
        every = np.arange(n_samples)
        used = np.concatenate([~self._neighbours(every[rows])[3] for rows in row_blocks(*[n_samples] * 2)])
        number = int(np.count_nonzero(used))
        check_memory(
            8.0 * number * n_features,
            f"a table of the gradients of {number} instances",
            "take n_orders=1, which needs none, or fewer features or instances",
            (n_features, "features"),
        )
        table, filled = np.empty((number, n_features)), 0
        for rows, block in zip(row_blocks(n_samples, max(self._X.shape)), self.in_order(every), strict=True):
            part = block[used[rows]]
            table[filled : filled + len(part)] = part
            filled += len(part)
        return table, np.where(used, np.cumsum(used) - 1, -1)

    def _neighbours(
        self, rows: NDArray[np.intp]
    ) -> tuple[FloatArray, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return similarities to all instances, which of them are hits and misses, and where either are too few."""
        similarity = self._graph.of(rows)
        hit = similarity >= self._s_min
        miss = self._graph.comparable(rows) & ~hit
        few = np.minimum(np.count_nonzero(hit, axis=1), np.count_nonzero(miss, axis=1)) < self._n_neighbors
        return similarity, hit, miss, few

    def _slopes_of_rows(self, rows: NDArray[np.intp]) -> FloatArray:
        slopes = np.zeros((len(rows), self._X.shape[1]))
        similarity, hit, miss, few = self._neighbours(rows)
        self.skipped[rows[few]] = True
        used = np.flatnonzero(~few)
        if len(used):
            slopes[used] = self._slopes_of_used_rows(rows[used], similarity[used], hit[used], miss[used])
        return slopes

    def _slopes_of_used_rows(
        self, rows: NDArray[np.intp], similarity: FloatArray, hit: NDArray[np.bool_], miss: NDArray[np.bool_]
    ) -> FloatArray:
        line = np.arange(len(rows))
        distances = self._distances.compute(rows)
        hits = nearest(np.where(hit, distances, np.inf), self._n_neighbors)
        misses = distances  # of no miss infinite
        of_hits = distances[line[:, np.newaxis], hits]
        misses[~miss] = np.inf
        margin = np.abs(of_hits[:, 0] - misses.min(axis=1))
        weights = np.zeros(similarity.shape)  # of each miss, over the nearest hits
        features = as_dense(self._X[rows])
        slopes = np.zeros(features.shape)
        for rank in range(self._n_neighbors):
            reach = (margin + of_hits[:, rank])[:, np.newaxis]
            inside = misses < reach if self._as_published else misses <= reach
            like = similarity[line, hits[:, rank]][:, np.newaxis]
            excess = np.where(inside, like - similarity, 0.0)
            times = float(self._n_neighbors - rank if self._as_published else 1)
            excess *= times * self._miss_weight
            weights += excess
            near = times * self._first_similarity(similarity, hit, hits[:, rank]) + excess.sum(axis=1)
            slopes += near[:, np.newaxis] * np.square(features - as_dense(self._X[hits[:, rank]]))
        # sum_j w_j (x_i - x_j)^2 without the differences of pairs
        squares = weights.sum(axis=1)[:, np.newaxis] * np.square(features) + _product(weights, self._squares)
        products = 2.0 * features * _product(weights, self._X)
        far = squares - products
        # Steps have a fixed length, so that rounding errors of a zero gradient must be zero.
        size = squares + np.abs(products) + slopes
        slopes -= far
        slopes[np.abs(slopes) <= _ROUNDING * size] = 0.0
        slopes *= 2.0
        return slopes

    def _first_similarity(
        self, similarity: FloatArray, hit: NDArray[np.bool_], chosen: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the factor of the distance of a hit: its similarity."""
        line = np.arange(len(chosen))
        if self._as_published:
            chosen = np.cumsum(hit, axis=1)[line, chosen] - 1
        return similarity[line, chosen]


def _product(weights: FloatArray, X: Any) -> FloatArray:
    """Return ``WX`` of an array, mostly zeros, and an array or CSR matrix.

    Added up in the order of the rows, whatever the processor: on some data the steps amplify rounding errors until the
    ranking depends on them.
    """
    return np.asarray((X.T @ weights.T).T) if is_sparse(X) else np.asarray(sp.csr_array(weights) @ X)
