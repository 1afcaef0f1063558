"""Cosines and correlations between instances, of given pairs or of all.

Cosine, Pearson's and Spearman's are inner products of transformed rows; sparse rows stay sparse. Kendall's counts pairs
of features for every pair of instances.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import scipy.stats
from numpy.typing import NDArray

from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.linalg.distances import row_blocks, squared_norms
from mlreduce.linalg.utilities import quotient, scaled
from mlreduce.validation import FloatArray, is_sparse

__all__ = ["SIMILARITIES", "all_similarities", "pair_blocks", "similarities_of"]

#: Names of the similarities.
SIMILARITIES = ("cosine", "pearson", "spearman", "kendall")

# Scatter of constant rows by rounding error, relative to their sum of squares: of centred rows, and as a difference of
# squares.
_NONE_CENTRED = (8 * np.finfo(float).eps) ** 2
_NONE_SUBTRACTED = 64 * np.finfo(float).eps


# Bytes of the rows of a block of pairs: its temporary arrays fit into the L2 cache.
_PAIR_BYTES = 2**19


class _Rows(NamedTuple):
    """Rows u and numbers o such that the similarity of two instances is ``u_i'u_j - o_i o_j``."""

    units: Any
    offsets: FloatArray


def pair_blocks(X: Any, n_items: int, n_pairs: int = 1) -> list[slice]:
    """Return blocks of items, each of ``n_pairs`` pairs of rows of X, that need little memory."""
    stored = 3 * (X.nnz // X.shape[0] + 1) if is_sparse(X) else X.shape[1]
    return row_blocks(n_items, n_pairs * stored, _PAIR_BYTES)


def similarities_of(X: Any, kind: str, first: NDArray[np.intp], second: NDArray[np.intp]) -> FloatArray:
    """Return the similarities of pairs of instances, in [-1, 1].

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    kind : {"cosine", "pearson", "spearman", "kendall"}
        Equal values have their mean rank; Kendall's is tau-b. Constant rows (for "cosine" zero rows) have similarity 0
        to all.
    first, second : ndarray of shape (n_pairs,)
        Row numbers.

    Returns
    -------
    ndarray of shape (n_pairs,)
    """
    if kind == "kendall":
        rows = _without_zeros(sp.csr_array(X))
        return _kendall(rows.indptr, rows.indices, rows.data, first, second, X.shape[1])
    units, offsets = _prepared(X, kind)
    similarities = np.empty(len(first))
    for block in pair_blocks(units, len(first)):
        left, right = units[first[block]], units[second[block]]
        if is_sparse(units):
            similarities[block] = np.asarray(left.multiply(right).sum(axis=1)).reshape(-1)
        else:
            similarities[block] = np.einsum("ij,ij->i", left, right)
    return np.clip(similarities - offsets[first] * offsets[second], -1.0, 1.0)


def all_similarities(X: Any, kind: str) -> FloatArray:
    """Return the similarities of all pairs of instances, shape (n_samples, n_samples), symmetric.

    Parameters
    ----------
    X, kind
        As of `similarities_of`.
    """
    n_samples = X.shape[0]
    if kind == "kendall":
        first, second = np.triu_indices(n_samples, 1)
        upper = np.zeros((n_samples, n_samples))
        upper[first, second] = similarities_of(X, kind, first, second)
        return upper + upper.T
    units, offsets = _prepared(X, kind)
    products = units @ units.T
    matrix: FloatArray = products.toarray() if is_sparse(products) else products
    matrix -= np.outer(offsets, offsets)
    return np.clip((matrix + matrix.T) / 2, -1.0, 1.0)


def _prepared(X: Any, kind: str) -> _Rows:
    if kind == "cosine":
        return _Rows(scaled(X, quotient(1.0, np.sqrt(squared_norms(X)))), np.zeros(X.shape[0]))
    if kind == "spearman":
        X = _sparse_ranks(X) if is_sparse(X) else scipy.stats.rankdata(X, axis=1)
    squares, n_features = squared_norms(X), X.shape[1]
    means = np.asarray(X.mean(axis=1)).reshape(-1)
    if not is_sparse(X):
        X = X - means[:, np.newaxis]
        scatter = squared_norms(X)
        scatter[scatter <= _NONE_CENTRED * squares] = 0.0
        return _Rows(scaled(X, quotient(1.0, np.sqrt(scatter))), np.zeros(X.shape[0]))
    scatter = squares - n_features * means**2
    scatter[scatter <= _NONE_SUBTRACTED * squares] = 0.0
    roots = np.sqrt(scatter)
    return _Rows(scaled(X, quotient(1.0, roots)), np.sqrt(n_features) * quotient(means, roots))


def _without_zeros(X: Any) -> Any:
    """Return a copy of a CSR matrix in canonical format without stored zeros."""
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def _sparse_ranks(X: Any) -> Any:
    """Return each row's ranks less the rank of its zeros, so that zeros stay zero."""
    X = _without_zeros(X)
    sizes = np.diff(X.indptr)
    rows = np.repeat(np.arange(X.shape[0]), sizes)
    order = np.lexsort((X.data, rows))
    values = X.data[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(rows) > 0) | (np.diff(values) > 0)]) if len(rows) else np.arange(0)
    equal = np.diff(np.r_[starts, len(rows)])
    ranks = np.repeat(starts - X.indptr[rows[starts]] + (equal + 1) / 2, equal)
    zeros, negative = X.shape[1] - sizes, np.bincount(rows[X.data < 0], minlength=X.shape[0])
    ranks += np.where(values > 0, zeros[rows], 0) - (negative + (zeros + 1) / 2)[rows]
    of_entries = np.empty(len(rows))
    of_entries[order] = ranks
    return sp.csr_array((of_entries, X.indices, X.indptr), shape=X.shape)


@compiled
def _kendall(
    indptr: NDArray[np.integer[Any]],
    indices: NDArray[np.integer[Any]],
    data: FloatArray,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    n_features: int,
) -> FloatArray:
    """Return Kendall's tau-b of pairs of rows of a CSR matrix without stored zeros.

    Features that are zero in both rows are one item of that multiplicity. Items are sorted by the values of the first
    row, then of the second; discordant pairs are the inversions of the second, counted by merge sort.
    """
    taus = np.zeros(len(first))
    for pair in range(len(first)):
        left, right = (
            slice(indptr[first[pair]], indptr[first[pair] + 1]),
            slice(indptr[second[pair]], indptr[second[pair] + 1]),
        )
        x, y, weights = _merged(indices[left], data[left], indices[right], data[right], n_features)
        order = np.argsort(y, kind="mergesort")
        order = order[np.argsort(x[order], kind="mergesort")]
        x, y, weights = x[order], y[order], weights[order]
        ties_x, ties_both = _tied_pairs(x, x, weights), _tied_pairs(x, y, weights)
        y, weights, discordant = _sorted_with_inversions(y, weights)
        ties_y = _tied_pairs(y, y, weights)
        total = n_features * (n_features - 1.0) / 2.0
        untied = (total - ties_x) * (total - ties_y)
        if untied > 0.0:
            taus[pair] = (total - ties_x - ties_y + ties_both - 2.0 * discordant) / np.sqrt(untied)
    return taus


@compiled_part
def _merged(
    left: NDArray[np.integer[Any]],
    left_values: FloatArray,
    right: NDArray[np.integer[Any]],
    right_values: FloatArray,
    n_features: int,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the values of two sparse rows at the features that either stores, and how many features each represents.

    The features that neither stores are one last item.
    """
    most = len(left) + len(right) + 1
    x, y, weights = np.zeros(most), np.zeros(most), np.ones(most)
    one = other = size = 0
    while one < len(left) or other < len(right):
        from_left = other == len(right) or (one < len(left) and left[one] <= right[other])
        from_right = one == len(left) or (other < len(right) and right[other] <= left[one])
        if from_left:
            x[size] = left_values[one]
            one += 1
        if from_right:
            y[size] = right_values[other]
            other += 1
        size += 1
    if size < n_features:
        weights[size] = n_features - size
        size += 1
    return x[:size], y[:size], weights[:size]


@compiled_part
def _tied_pairs(x: FloatArray, y: FloatArray, weights: FloatArray) -> float:
    """Return the number of pairs of features with equal x and equal y; items are sorted by both."""
    ties = run = 0.0
    for item in range(len(x)):
        same = item > 0 and x[item] == x[item - 1] and y[item] == y[item - 1]
        run = run + weights[item] if same else weights[item]
        if item + 1 == len(x) or x[item + 1] != x[item] or y[item + 1] != y[item]:
            ties += run * (run - 1.0) / 2.0
    return ties


@compiled_part
def _sorted_with_inversions(y: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return values and weights in the order of the values, and the weighted number of inversions, by merge sort."""
    discordant, width, size = 0.0, 1, len(y)
    other_y, other_weights = np.empty(size), np.empty(size)
    while width < size:
        for start in range(0, size, 2 * width):
            middle, stop = min(start + width, size), min(start + 2 * width, size)
            waiting = 0.0  # weight of the first run's items that are not merged yet
            for item in range(start, middle):
                waiting += weights[item]
            low, high = start, middle
            for place in range(start, stop):
                if high == stop or (low < middle and y[low] <= y[high]):
                    other_y[place], other_weights[place] = y[low], weights[low]
                    waiting -= weights[low]
                    low += 1
                else:
                    other_y[place], other_weights[place] = y[high], weights[high]
                    discordant += waiting * weights[high]
                    high += 1
        y, other_y = other_y, y
        weights, other_weights = other_weights, weights
        width *= 2
    return y, weights, discordant
