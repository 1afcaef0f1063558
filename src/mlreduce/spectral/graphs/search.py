"""Searches for the nearest in rows of distances: one pass over a row, which keeps a short sorted list.

Instances may have several labels, and then a list for each, that of a *duplicate* (`mlreduce.spectral.duplication`).
Columns are met in ascending order and enter a list only if they are nearer than its last: of equally near ones the
first stays. Blocks of rows are small enough to stay in the cache between the product that makes them and the search.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled, insert
from mlreduce.linalg.distances import row_blocks
from mlreduce.validation import FloatArray

__all__ = ["nearest_between", "nearest_others", "nearest_within", "search_blocks"]

# Bytes of a block, and the least number of its rows: products of fewer would read the full matrix too often.
_BLOCK_BYTES = 2**21
_LEAST_ROWS = 128


def search_blocks(n_samples: int) -> list[slice]:
    """Split the instances into blocks whose rows of an n_samples x n_samples table stay in the cache."""
    return row_blocks(n_samples, n_samples, max(_BLOCK_BYTES, 8 * n_samples * _LEAST_ROWS))


def nearest_others(
    values: FloatArray, rows: slice, number: int, ties: FloatArray | None = None, order: NDArray[np.intp] | None = None
) -> NDArray[np.intp]:
    """Return the columns of the smallest entries of each row, in ascending order, without the column of the instance.

    Of equal entries those of smaller ``ties`` are taken, and of equal ones of these the first in ``order``; without
    ``ties`` the lower columns.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_samples)
    rows : slice
        The instances of the rows.
    number : int
        At most ``n_samples - 1``.
    ties : ndarray of shape (n_rows, n_samples) or None, default=None
    order : ndarray of shape (n_samples,) or None, default=None
        A permutation of the columns; needed with ``ties``.

    Returns
    -------
    ndarray of shape (n_rows, number)

    Raises
    ------
    DataError
        If a row has fewer than ``number`` finite entries.
    """
    if ties is not None:
        columns: NDArray[np.intp] = _nearest_by_two(values, ties, rows.start, order, number)
    else:
        everyone = np.arange(values.shape[1] + 1)
        ends = np.array([0, values.shape[1]])
        columns = nearest_within(values, rows.start, everyone, np.zeros_like(everyone), ends, everyone[:-1], number)
    if columns.min(initial=0) < 0:  # compiled code would read beyond its arrays
        raise DataError(
            "distances or proximities of instances are NaN or infinite: scale the features to the order of one"
        )
    return columns


@compiled
def _nearest_by_two(
    values: FloatArray, ties: FloatArray, first: int, order: NDArray[np.intp], number: int
) -> NDArray[np.intp]:
    """Return the columns of the smallest pairs of entries, compared first by ``values``."""
    nearest = np.full((len(values), number), -1, dtype=np.intp)
    smallest, second = np.empty(number), np.empty(number)
    for row in range(len(values)):
        line, other, mine = values[row], ties[row], nearest[row]
        smallest[:], second[:] = np.inf, np.inf
        for column in order:
            value, tie = line[column], other[column]
            if column == first + row or value > smallest[-1] or (value == smallest[-1] and tie >= second[-1]):
                continue
            rank = number - 1
            while rank > 0 and (smallest[rank - 1] > value or (smallest[rank - 1] == value and second[rank - 1] > tie)):
                smallest[rank], second[rank], mine[rank] = smallest[rank - 1], second[rank - 1], mine[rank - 1]
                rank -= 1
            smallest[rank], second[rank], mine[rank] = value, tie, column
    return nearest


@compiled
def nearest_within(
    values: FloatArray,
    first: int,
    starts: NDArray[np.intp],
    labels: NDArray[np.intp],
    ends: NDArray[np.intp],
    members: NDArray[np.intp],
    number: int,
) -> NDArray[np.intp]:
    """Return the nearest others of each duplicate in its class, as places in ``members``, -1 where there are fewer.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_samples)
        Distances of the instances from ``first`` on, finite.
    first : int
    starts : ndarray of shape (n_samples + 1,)
        Duplicates of instance i are ``starts[i]`` to ``starts[i + 1]``.
    labels : ndarray of shape (n_duplicates,)
    ends : ndarray of shape (n_labels + 1,)
        Members of class c are ``members[ends[c]]`` to ``members[ends[c + 1]]``, instances in ascending order.
    members : ndarray of shape (n_duplicates,)
    number : int
    """
    offset = starts[first]
    nearest = np.full((starts[first + len(values)] - offset, number), -1, dtype=np.intp)
    smallest = np.empty(number + 1)
    for row in range(len(values)):
        line = values[row]
        for copy in range(starts[first + row], starts[first + row + 1]):
            mine, worst = nearest[copy - offset], np.inf if number else -np.inf
            smallest[:] = np.inf
            for place in range(ends[labels[copy]], ends[labels[copy] + 1]):
                value = line[members[place]]
                if value < worst and members[place] != first + row:
                    insert(value, place, smallest[:number], mine)
                    worst = smallest[number - 1]
    return nearest


@compiled
def nearest_between(
    values: FloatArray, first: int, starts: NDArray[np.intp], labels: NDArray[np.intp], number: int
) -> NDArray[np.intp]:
    """Return the nearest instances with another label than each duplicate's, itself included; -1 where there are fewer.

    Parameters
    ----------
    values, first, starts, labels, number
        As of `nearest_within`.
    """
    offset = starts[first]
    nearest = np.full((starts[first + len(values)] - offset, number), -1, dtype=np.intp)
    for row in range(len(values)):
        line, begin = values[row], starts[first + row]
        size = starts[first + row + 1] - begin
        smallest = np.full((size, number), np.inf)
        bound = np.inf if size else -np.inf
        for other in range(values.shape[1]):
            value = line[other]
            if value >= bound:  # of all lists
                continue
            count = starts[other + 1] - starts[other]
            bound = 0.0
            for copy in range(size):
                near, mine = smallest[copy], nearest[begin - offset + copy]
                if value < near[number - 1] and (
                    count > 1 or (count == 1 and labels[starts[other]] != labels[begin + copy])
                ):
                    insert(value, other, near, mine)
                bound = max(bound, near[number - 1])
    return nearest
