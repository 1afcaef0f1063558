"""Splitters that keep the shares of the labels: iterative stratification of first and second order.

They go wherever scikit-learn takes ``cv=``: `cross_val_score`, `GridSearchCV`, `mlreduce.compare`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator, BaseShuffleSplit, ShuffleSplit
from sklearn.utils import _safe_indexing, check_consistent_length, check_random_state, indexable

from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled, compiled_part
from mlreduce.validation import FloatArray, check_count, check_known_labels

__all__ = [
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "iterative_stratification",
    "multilabel_train_test_split",
]

# Exchanges of rows without progress after which the search for a part without missing labels ends.
_PATIENCE = 500


def iterative_stratification(
    y: Any, sizes: Sequence[int], *, order: int = 1, random_state: Any = 0, rest: bool = False
) -> NDArray[np.int64]:
    """Assign rows to parts of given sizes so that each part has its share of each label.

    The label with the fewest unassigned rows comes first, and each of its rows goes to the part that lacks most of the
    label; ties are broken by the room that is left, then at random. Rows without labels fill the parts in the end. In
    the second order, pairs of labels that rows have together are treated in the same way as labels. Last, rows are
    exchanged until each label that as many rows have as there are parts is in every part.

    Parameters
    ----------
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
        Labels in {0, 1} or {-1, 1}. A cell that is not known, NaN, counts as a label that the row does not have.
    sizes : sequence of int
        How many rows each part gets, at least 1; together ``n_samples``.
    order : {1, 2}, default=1
        1 for labels alone, 2 for labels and pairs of labels.
    random_state : int, RandomState instance or None, default=0
        Breaks ties; None assigns differently on each call.
    rest : bool, default=False
        Whether the last part is what is left over: labels may be missing there.

    Returns
    -------
    ndarray of int, shape (n_samples,)
        The number of the part of each row.

    Raises
    ------
    DataError
        If a label is not 0/1 or -1/1, the sizes do not add up to the rows, or the order is neither 1 nor 2.

    Warns
    -----
    UserWarning
        If a label that has enough rows is missing in a part. With many labels there may be no other way: of four rows,
        each two of which share a label, no two parts of two rows have all six labels.

    References
    ----------
    Sechidis, Tsoumakas and Vlahavas, "On the stratification of multi-label data", ECML PKDD 2011.

    Szymanski and Kajdanowicz, "A network perspective on stratification of multi-label data", LIDTA 2017.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.model_selection import iterative_stratification
    >>> Y = mlreduce.load_dataset("planted-300").Y
    >>> part = iterative_stratification(Y, [200, 100])
    >>> Y[:, 0].sum(), Y[part == 1, 0].sum()
    (np.int64(154), np.int64(51))
    """
    positive = _positive(y)
    n_samples, n_labels = positive.shape
    wanted = np.asarray(sizes)
    if wanted.ndim != 1 or wanted.dtype.kind not in "iu" or (wanted < 1).any() or wanted.sum() != n_samples:
        raise DataError(f"sizes must be integers of at least 1 that add up to the {n_samples} rows; got {sizes!r}")
    if order not in (1, 2):
        raise DataError(f"order must be 1 (labels) or 2 (labels and pairs of labels); got {order!r}")
    wanted = wanted.astype(np.int64)
    random = check_random_state(random_state)
    rows = random.permutation(n_samples)
    shuffled = positive[rows]
    # Folds whose sizes differ by the remainder alone have equal shares of the labels.
    shares = np.ones_like(wanted) if np.ptp(wanted) <= 1 else wanted
    assigned = shuffled if order == 1 else _with_pairs(shuffled)
    part = _assign(_make_table(assigned), wanted, shares, random.random_sample(n_samples))
    n_covered = len(wanted) - rest
    counts = np.array([shuffled[part == number].sum(axis=0) for number in range(len(wanted))], dtype=np.int64)
    needed = counts.sum(axis=0) >= n_covered
    if (counts[:n_covered, needed] == 0).any():
        parts = _make_parts(part, counts, shares, needed, n_covered)
        _exchange(_make_table(shuffled), parts, random.random_sample(1009), _PATIENCE)
        counts = np.array([shuffled[part == number].sum(axis=0) for number in range(len(wanted))])
        missing = np.flatnonzero(needed & (counts[:n_covered] == 0).any(axis=0))
        if len(missing):
            warnings.warn(
                f"{len(missing)} of {n_labels} labels are missing in one of {n_covered} parts though as many rows have "
                f"them, among them column {missing[0]}; no exchange of rows puts them into all",
                stacklevel=2,
            )
    result = np.empty(n_samples, dtype=np.int64)
    result[rows] = part
    return result


class MultilabelStratifiedKFold(BaseCrossValidator):
    """K folds, each with its share of each label: iterative stratification, of first or second order.

    Each row tests once in each repetition, and the sizes of the folds differ by at most one row. Each label that at
    least ``n_splits`` rows have is in every fold; where no exchange of rows does that, a warning names the label.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    n_repeats : int, default=1
        Number of repetitions with other folds.
    order : {1, 2}, default=1
        1 keeps shares of labels, 2 those of pairs of labels, too.
    random_state : int, RandomState instance or None, default=0
        Breaks ties; None assigns differently on each call.

    See Also
    --------
    iterative_stratification : The algorithm, and its sources.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.model_selection import MultilabelStratifiedKFold
    >>> from sklearn.model_selection import cross_val_score
    >>> X, Y = mlreduce.load_dataset("planted-300", return_X_y=True)
    >>> folds = MultilabelStratifiedKFold(3)
    >>> [Y[test, 0].sum() for train, test in folds.split(X, Y)]
    [np.int64(51), np.int64(51), np.int64(52)]
    >>> cross_val_score(mlreduce.make("ml-knn"), X, Y, cv=folds, scoring="f1_micro").shape
    (3,)
    """

    def __init__(self, n_splits: int = 5, *, n_repeats: int = 1, order: int = 1, random_state: Any = 0) -> None:
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.order = order
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits, ``n_splits * n_repeats``; the arguments are not used.

        Parameters
        ----------
        X, y, groups : object
            Not used.

        Returns
        -------
        int
            Each is yielded by ``split``.
        """
        return check_count(self.n_splits, "n_splits", least=2) * check_count(self.n_repeats, "n_repeats")

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the indices of the training and test rows, sorted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Only its number of rows counts.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
            Labels in {0, 1} or {-1, 1}; NaN, not known, counts as 0.
        groups : None
            Groups are refused: rows are assigned one by one.

        Yields
        ------
        train, test : ndarray of int

        Raises
        ------
        DataError
            If a label is not 0/1 or -1/1, or there are fewer rows than folds.
        """
        self.get_n_splits()
        n_samples = _check_rows(self, X, y, groups)
        if n_samples < self.n_splits:
            raise DataError(f"{n_samples} rows are too few for {self.n_splits} folds")
        sizes = [len(rows) for rows in np.array_split(np.arange(n_samples), self.n_splits)]
        random = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            part = iterative_stratification(y, sizes, order=self.order, random_state=random)
            for number in range(self.n_splits):
                yield np.flatnonzero(part != number), np.flatnonzero(part == number)


class MultilabelStratifiedShuffleSplit(BaseShuffleSplit):
    """Random splits into training and test rows, each with its share of each label: iterative stratification.

    The sizes are those of ``sklearn.model_selection.ShuffleSplit``. Each label that at least two rows have is in both
    parts; where no exchange of rows does that, a warning names the label.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits, each with new parts.
    test_size, train_size : float, int or None, default=None
        Share of the rows, or their number; None is what the other leaves, 0.1 to test where both are None.
    order : {1, 2}, default=1
        1 keeps shares of labels, 2 those of pairs of labels, too.
    random_state : int, RandomState instance or None, default=0
        Breaks ties; None assigns differently on each call.

    See Also
    --------
    iterative_stratification : The algorithm, and its sources.
    multilabel_train_test_split : One such split of arrays.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.model_selection import MultilabelStratifiedShuffleSplit
    >>> X, Y = mlreduce.load_dataset("planted-300", return_X_y=True)
    >>> drawn = MultilabelStratifiedShuffleSplit(2, test_size=0.2)
    >>> [(len(test), Y[test, 0].sum()) for train, test in drawn.split(X, Y)]
    [(60, np.int64(31)), (60, np.int64(31))]
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        order: int = 1,
        random_state: Any = 0,
    ) -> None:
        super().__init__(n_splits, test_size=test_size, train_size=train_size, random_state=random_state)
        self.order = order

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the indices of the training and test rows, sorted.

        Parameters
        ----------
        X, y, groups
            As of `MultilabelStratifiedKFold.split`.

        Yields
        ------
        train, test : ndarray of int

        Raises
        ------
        DataError
            If a label is not 0/1 or -1/1.
        ValueError
            If the sizes do not fit the rows, with scikit-learn's message.
        """
        check_count(self.n_splits, "n_splits")
        n_samples = _check_rows(self, X, y, groups)
        sizing = ShuffleSplit(1, test_size=self.test_size, train_size=self.train_size, random_state=0)
        sizes = [len(rows) for rows in next(sizing.split(np.empty(n_samples)))]
        left = n_samples - sum(sizes)
        random = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            part = iterative_stratification(
                y, sizes + [left] * (left > 0), order=self.order, random_state=random, rest=left > 0
            )
            yield np.flatnonzero(part == 0), np.flatnonzero(part == 1)


def multilabel_train_test_split(
    *arrays: Any,
    test_size: float | None = None,
    train_size: float | None = None,
    stratify: Any = None,
    order: int = 1,
    random_state: Any = 0,
) -> list[Any]:
    """Split arrays into training and test rows, each part with its share of each label.

    As ``sklearn.model_selection.train_test_split``, which cannot stratify by more than one label.

    Parameters
    ----------
    *arrays : array-like, sparse matrix or DataFrame
        With the same number of rows.
    test_size, train_size : float, int or None, default=None
        Share of the rows, or their number; None is what the other leaves, 0.25 to test where both are None.
    stratify : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels), or None, default=None
        The labels in {0, 1} or {-1, 1}; None for the last of the arrays.
    order : {1, 2}, default=1
        1 keeps shares of labels, 2 those of pairs of labels, too.
    random_state : int, RandomState instance or None, default=0
        Breaks ties; None assigns differently on each call.

    Returns
    -------
    list
        Of each array the training and the test rows, in their order.

    Raises
    ------
    DataError
        If there is no array, or a label is not 0/1 or -1/1.

    See Also
    --------
    iterative_stratification : The algorithm, and its sources.

    Examples
    --------
    >>> import mlreduce
    >>> from mlreduce.model_selection import multilabel_train_test_split
    >>> X, Y = mlreduce.load_dataset("planted-300", return_X_y=True)
    >>> X_train, X_test, Y_train, Y_test = multilabel_train_test_split(X, Y, test_size=0.2)
    >>> len(X_test), Y_test[:, 0].sum()
    (60, np.int64(31))
    """
    if not arrays:
        raise DataError("there is nothing to split: give X and Y")
    given = indexable(*arrays)
    labels = arrays[-1] if stratify is None else stratify
    if test_size is None and train_size is None:
        test_size = 0.25
    splitter = MultilabelStratifiedShuffleSplit(
        1, test_size=test_size, train_size=train_size, order=order, random_state=random_state
    )
    parts = next(splitter.split(given[0], labels))
    return [_safe_indexing(array, rows) for array in given for rows in parts]


def _check_rows(splitter: Any, X: Any, y: Any, groups: Any) -> int:
    """Return the number of rows."""
    if groups is not None:
        raise DataError(
            f"{type(splitter).__name__} assigns rows one by one and does not keep groups together; "
            "sklearn.model_selection.GroupKFold and GroupShuffleSplit do"
        )
    if y is None:
        raise DataError(f"{type(splitter).__name__} needs the labels y to keep their shares; y is None")
    check_consistent_length(X, y)
    return _n_rows(y)


def _n_rows(y: Any) -> int:
    return int(y.shape[0] if hasattr(y, "shape") else len(y))


def _positive(y: Any) -> sp.csr_array:
    """Return which labels rows are known to have."""
    labels, _ = check_known_labels(y, 0 if y is None else _n_rows(y), sparse=True)
    positive = sp.csr_array(labels)
    positive.sort_indices()
    return positive


class _Table(NamedTuple):
    """Labels of each row, and rows of each label, in compressed form."""

    starts: NDArray[np.int64]
    labels: NDArray[np.int64]
    begins: NDArray[np.int64]
    rows: NDArray[np.int64]


def _make_table(labels: sp.csr_array) -> _Table:
    return _Table(*_compressed_rows(labels), *_compressed_rows(labels.T.tocsr()))


def _compressed_rows(matrix: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the rows of a sparse matrix begin, and their columns."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)


def _with_pairs(positive: sp.csr_array) -> sp.csr_array:
    """Return the labels of each row, and the pairs of labels that it has, as columns."""
    n_samples, n_labels = positive.shape
    starts, codes = _pairs(*_compressed_rows(positive), n_labels)
    met, columns = np.unique(codes, return_inverse=True)
    pairs = sp.csr_array((np.ones(len(columns)), columns, starts), shape=(n_samples, len(met)))
    return sp.csr_array(sp.hstack([positive, pairs], format="csr"))


@compiled
def _pairs(
    starts: NDArray[np.int64], labels: NDArray[np.int64], n_labels: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of labels of each row as numbers, rows in compressed form before and after."""
    ends = np.zeros_like(starts)
    for row in range(len(starts) - 1):
        width = starts[row + 1] - starts[row]
        ends[row + 1] = ends[row] + width * (width - 1) // 2
    codes = np.empty(ends[-1], dtype=np.int64)
    at = 0
    for row in range(len(starts) - 1):
        for first in range(starts[row], starts[row + 1]):
            for second in range(first + 1, starts[row + 1]):
                codes[at] = labels[first] * n_labels + labels[second]
                at += 1
    return ends, codes


@compiled
def _assign(table: _Table, sizes: NDArray[np.int64], shares: NDArray[np.int64], draws: FloatArray) -> NDArray[np.int64]:
    """Assign rows to parts label by label, the rarest label first."""
    n_rows, n_labels, n_parts = len(table.starts) - 1, len(table.begins) - 1, len(sizes)
    part = np.full(n_rows, -1)
    room = sizes.copy()
    total = shares.sum()
    # Integers make ties exact: ``total`` times the number of rows of a label that a part lacks.
    lacking = np.empty((n_parts, n_labels), dtype=np.int64)
    left = table.begins[1:] - table.begins[:-1]
    for number in range(n_parts):
        lacking[number] = shares[number] * left
    first = 0
    while first < n_labels:
        rarest = _find_rarest(left, first)
        for place in range(table.begins[rarest], table.begins[rarest + 1]):
            row = table.rows[place]
            if part[row] >= 0:
                continue
            chosen = _choose_part(room, lacking, rarest, draws[row])
            part[row] = chosen
            room[chosen] -= 1
            for at in range(table.starts[row], table.starts[row + 1]):
                left[table.labels[at]] -= 1
                lacking[chosen, table.labels[at]] -= total
        # Labels without rows left stay so: the next search starts behind them.
        while first < n_labels and left[first] == 0:
            first += 1
    for row in range(n_rows):
        if part[row] < 0:  # rows without labels fill the parts evenly
            part[row] = _choose_part(room, lacking, -1, draws[row])
            room[part[row]] -= 1
    return part


@compiled_part
def _find_rarest(left: NDArray[np.int64], first: int) -> int:
    """Return the label with the fewest rows left, but at least one, from the label ``first`` on."""
    rarest = first
    for label in range(first, len(left)):
        if left[label] > 0 and (left[rarest] == 0 or left[label] < left[rarest]):
            rarest = label
        if left[rarest] == 1:  # none can be rarer
            break
    return rarest


@compiled_part
def _choose_part(room: NDArray[np.int64], lacking: NDArray[np.int64], label: int, draw: float) -> int:
    """Return the part that lacks most of a label (-1 for none), then the one with most room, then one by the draw."""
    chosen, ties = -1, 0
    # The first pass counts the parts that tie, the second takes one of them: lists would be allocated for each row.
    for again in range(2):
        nth = int(draw * ties)
        ties = 0
        for number in range(len(room)):
            if room[number] == 0:
                continue
            better = 0
            if chosen >= 0 and label >= 0:
                better = lacking[number, label] - lacking[chosen, label]
            if chosen >= 0 and better == 0:
                better = room[number] - room[chosen]
            if chosen < 0 or better > 0:
                chosen, ties = number, 1
            elif better == 0:
                if again == 1 and ties == nth:
                    chosen = number
                ties += 1
    return chosen


class _Parts(NamedTuple):
    """An assignment of rows to parts, which exchanges of rows change in place."""

    #: Of shape (n_rows,). The part of each row.
    part: NDArray[np.int64]
    #: Of shape (n_parts, n_labels). How many rows of each part have each label.
    counts: NDArray[np.int64]
    #: Of shape (n_parts, largest size) and (n_parts,). The rows of each part, and their number.
    members: NDArray[np.int64]
    sizes: NDArray[np.int64]
    #: Of shape (n_rows,). Where each row is among the members of its part.
    place: NDArray[np.int64]
    #: Of shape (n_parts,). Shares of the parts in the labels, as integers.
    shares: NDArray[np.int64]
    #: Of shape (n_labels,). How many rows have each label.
    totals: NDArray[np.int64]
    #: Of shape (n_labels,). Labels that must be in each of the first ``n_covered`` parts.
    needed: NDArray[np.bool_]
    n_covered: int


def _make_parts(
    part: NDArray[np.int64],
    counts: NDArray[np.int64],
    shares: NDArray[np.int64],
    needed: NDArray[np.bool_],
    n_covered: int,
) -> _Parts:
    sizes = np.bincount(part, minlength=len(shares))
    members, place = np.zeros((len(shares), sizes.max()), dtype=np.int64), np.empty(len(part), dtype=np.int64)
    for number, size in enumerate(sizes):
        rows = np.flatnonzero(part == number)
        members[number, :size] = rows
        place[rows] = np.arange(size)
    return _Parts(part, counts, members, sizes, place, shares, counts.sum(axis=0), needed, n_covered)


@compiled
def _exchange(table: _Table, parts: _Parts, draws: FloatArray, patience: int) -> None:
    """Exchange rows between parts until no needed label is missing, or ``patience`` steps brought no progress.

    This is a tabu search. Each step takes a part and a label that is missing there, and makes the exchange that brings
    a row with this label and leaves the fewest labels missing, even if these are more than before. Rows that were
    exchanged are not moved for some steps, unless that gives the best assignment so far, or the search would reverse
    its steps. The best assignment is returned in ``parts.part``.
    """
    n_rows = len(parts.part)
    free_at = np.zeros(n_rows, dtype=np.int64)
    marks = np.full(len(parts.totals), -1)
    best, fewest, since, step = parts.part.copy(), len(parts.sizes) * len(parts.totals) + 1, 0, 0
    while True:
        missing, _, _ = _find_missing(parts, -1)
        if missing < fewest:
            best[:], fewest, since = parts.part, missing, step
        if missing == 0 or step - since >= patience:
            break
        _, to, label = _find_missing(parts, int(draws[step % len(draws)] * missing))
        step += 1
        row, other = _find_exchange(table, parts, to, label, fewest - missing, free_at > step, marks)
        if row < 0:
            continue
        _swap(table, parts, row, other)
        for moved in (row, other):
            free_at[moved] = step + 1 + int(draws[(step + moved) % len(draws)] * min(10, n_rows // 2))
    parts.part[:] = best


@compiled_part
def _find_missing(parts: _Parts, nth: int) -> tuple[int, int, int]:
    """Return how many needed labels parts lack in all, and the part and the label of the ``nth``."""
    missing, to, wanted = 0, 0, 0
    for number in range(parts.n_covered):
        for label in range(len(parts.totals)):
            if parts.needed[label] and parts.counts[number, label] == 0:
                if missing == nth:
                    to, wanted = number, label
                missing += 1
    return missing, to, wanted


@compiled_part
def _find_exchange(
    table: _Table,
    parts: _Parts,
    to: int,
    label: int,
    record: int,
    waiting: NDArray[np.bool_],
    marks: NDArray[np.int64],
) -> tuple[int, int]:
    """Return the row with a label and the row of part ``to`` whose exchange is best; -1 if all have to wait.

    An exchange that changes the number of missing labels by less than ``record`` is allowed for rows that wait, too.
    ``marks``, one per label, is a work array.
    """
    comes, goes, least, nearest = -1, -1, 0, 0
    for at in range(table.begins[label], table.begins[label + 1]):
        row = table.rows[at]
        for entry in range(table.starts[row], table.starts[row + 1]):
            marks[table.labels[entry]] = row
        for seat in range(parts.sizes[to]):
            other = parts.members[to, seat]
            missing, distance = _changes(table, parts, row, other, marks)
            if (waiting[row] or waiting[other]) and missing >= record:
                continue
            if comes < 0 or missing < least or (missing == least and distance < nearest):
                comes, goes, least, nearest = row, other, missing, distance
    return comes, goes


@compiled_part
def _changes(table: _Table, parts: _Parts, row: int, other: int, marks: NDArray[np.int64]) -> tuple[int, int]:
    """Return by how much an exchange changes the number of missing labels, and the distance to the shares.

    ``marks`` is ``row`` at the labels of this row.
    """
    source, to, total = parts.part[row], parts.part[other], parts.shares.sum()
    missing, distance = 0, 0
    for mover in (row, other):
        for entry in range(table.starts[mover], table.starts[mover + 1]):
            label = table.labels[entry]
            # A label of both rows does not move: what it counted for the first row is subtracted again.
            undone = mover == other and marks[label] == row
            giver, taker = (source, to) if mover == row or undone else (to, source)
            lost = giver < parts.n_covered and parts.counts[giver, label] == 1
            won = taker < parts.n_covered and parts.counts[taker, label] == 0
            change = (parts.counts[taker, label] - parts.counts[giver, label] + 1) * total
            change -= (parts.shares[taker] - parts.shares[giver]) * parts.totals[label]
            sign = -1 if undone else 1
            missing += sign * parts.needed[label] * (lost - won)
            distance += sign * change
    return missing, distance


@compiled_part
def _swap(table: _Table, parts: _Parts, row: int, other: int) -> None:
    """Exchange two rows of different parts."""
    source, to = parts.part[row], parts.part[other]
    for mover, giver, taker in ((row, source, to), (other, to, source)):
        for entry in range(table.starts[mover], table.starts[mover + 1]):
            parts.counts[giver, table.labels[entry]] -= 1
            parts.counts[taker, table.labels[entry]] += 1
        parts.part[mover] = taker
    parts.place[row], parts.place[other] = parts.place[other], parts.place[row]
    parts.members[to, parts.place[row]] = row
    parts.members[source, parts.place[other]] = other
