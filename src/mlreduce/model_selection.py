"""Splitters that keep the shares of the labels: iterative stratification of first and second order.

They go wherever scikit-learn takes ``cv=``: `cross_val_score`, `GridSearchCV`, `mlreduce.compare`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator, BaseShuffleSplit, ShuffleSplit
from sklearn.utils import check_consistent_length, check_random_state, indexable

from mlreduce.exceptions import DataError
from mlreduce.linalg.compiled import compiled
from mlreduce.validation import check_count, check_known_labels

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
    """Deal rows to parts of given sizes so that each part has its share of each label.

    The label that the fewest of the undealt rows have is dealt first, each of its rows to the part that lacks most of
    the label, among equals to the one with most room, then at random. Rows without labels fill the room that is left.
    In the second order, pairs of labels that rows have together are dealt in the same way as labels. Last, rows are
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
        Decides between equals; None deals otherwise on each call.
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
        each two of which share a label of their own, no two parts of two rows have all six labels.

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
        raise DataError(f"sizes must be whole numbers of at least 1 that add up to the {n_samples} rows; got {sizes!r}")
    if order not in (1, 2):
        raise DataError(f"order must be 1 (labels) or 2 (labels and pairs of labels); got {order!r}")
    wanted = wanted.astype(np.int64)
    random = check_random_state(random_state)
    rows = random.permutation(n_samples)
    shuffled = positive[rows]
    # Folds whose sizes differ by the remainder alone have equal shares of the labels.
    shares = np.ones_like(wanted) if np.ptp(wanted) <= 1 else wanted
    dealt = shuffled if order == 1 else _with_pairs(shuffled)
    part = _deal(*_lines(dealt), *_lines(dealt.T.tocsr()), wanted, shares, random.random_sample(n_samples))
    n_covered = len(wanted) - rest
    counts = np.array([shuffled[part == number].sum(axis=0) for number in range(len(wanted))], dtype=np.int64)
    needed = counts.sum(axis=0) >= n_covered
    if (counts[:n_covered, needed] == 0).any():
        lines = (*_lines(shuffled), *_lines(shuffled.T.tocsr()))
        _exchange(*lines, part, counts, shares, needed, n_covered, random.random_sample(1009), _PATIENCE)
        missing = np.flatnonzero(needed & (counts[:n_covered] == 0).any(axis=0))
        if len(missing):
            warnings.warn(
                f"{len(missing)} of {n_labels} labels are missing in one of {n_covered} parts though as many rows have "
                f"them, among them column {missing[0]}; no exchange of rows was found that puts them into all",
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
        How often the rows are dealt anew.
    order : {1, 2}, default=1
        1 keeps shares of labels, 2 those of pairs of labels, too.
    random_state : int, RandomState instance or None, default=0
        Decides between equals; None deals otherwise on each call.

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
        """Yield the numbers of the rows to train and to test, sorted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Only its number of rows counts.
        y : array-like, sparse matrix or DataFrame of shape (n_samples, n_labels) or (n_samples,)
            Labels in {0, 1} or {-1, 1}; NaN, not known, counts as 0.
        groups : None
            Groups are refused: rows are dealt one by one.

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
        Number of splits, each dealt anew.
    test_size, train_size : float, int or None, default=None
        Share of the rows, or their number; None is what the other leaves, 0.1 to test where both are None.
    order : {1, 2}, default=1
        1 keeps shares of labels, 2 those of pairs of labels, too.
    random_state : int, RandomState instance or None, default=0
        Decides between equals; None deals otherwise on each call.

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
        """Yield the numbers of the rows to train and to test, sorted.

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
            If the sizes do not fit the rows, as scikit-learn says it.
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
        Decides between equals; None deals otherwise on each call.

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
    return [_take(array, rows) for array in given for rows in parts]


def _take(array: Any, rows: NDArray[np.int64]) -> Any:
    if hasattr(array, "iloc"):
        return array.iloc[rows]
    return [array[row] for row in rows] if isinstance(array, (list, tuple)) else array[rows]


def _check_rows(splitter: Any, X: Any, y: Any, groups: Any) -> int:
    """Return the number of rows."""
    if groups is not None:
        raise DataError(
            f"{type(splitter).__name__} deals rows one by one and keeps no groups together; "
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


def _lines(matrix: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the rows of a sparse matrix begin, and their columns."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)


def _with_pairs(positive: sp.csr_array) -> sp.csr_array:
    """Return the labels of each row, and the pairs of labels that it has, as columns."""
    n_samples, n_labels = positive.shape
    starts, codes = _pairs(*_lines(positive), n_labels)
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
def _deal(
    starts: NDArray[np.int64],
    labels: NDArray[np.int64],
    begins: NDArray[np.int64],
    rows: NDArray[np.int64],
    sizes: NDArray[np.int64],
    shares: NDArray[np.int64],
    draws: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Deal rows to parts, label by label: labels of each row and rows of each label in compressed form."""
    n_rows, n_labels, n_parts = len(starts) - 1, len(begins) - 1, len(sizes)
    part = np.full(n_rows, -1)
    room = sizes.copy()
    total = shares.sum()
    # In integers, so that ties are ties: ``total`` times what a part lacks of a label.
    lacking = np.empty((n_parts, n_labels), dtype=np.int64)
    left = begins[1:] - begins[:-1]
    for number in range(n_parts):
        lacking[number] = shares[number] * left
    first = 0
    unlabelled = False
    while not unlabelled:
        while first < n_labels and left[first] == 0:
            first += 1
        rarest = first
        for label in range(first, n_labels):
            if 0 < left[label] < left[rarest]:
                rarest = label
            if left[rarest] == 1:
                break
        unlabelled = first == n_labels
        for place in range(0 if unlabelled else begins[rarest], n_rows if unlabelled else begins[rarest + 1]):
            row = place if unlabelled else rows[place]
            if part[row] >= 0:
                continue
            chosen, ties = -1, 0
            for again in range(2):  # how many parts are equal, then one of them
                nth = int(draws[row] * ties)
                ties = 0
                for number in range(n_parts):
                    if room[number] == 0:
                        continue
                    better = 0
                    if chosen >= 0 and not unlabelled:
                        better = lacking[number, rarest] - lacking[chosen, rarest]
                    if chosen >= 0 and better == 0:
                        better = room[number] - room[chosen]
                    if chosen < 0 or better > 0:
                        chosen, ties = number, 1
                    elif better == 0:
                        if again == 1 and ties == nth:
                            chosen = number
                        ties += 1
            part[row] = chosen
            room[chosen] -= 1
            for at in range(starts[row], starts[row + 1]):
                left[labels[at]] -= 1
                lacking[chosen, labels[at]] -= total
    return part


@compiled
def _exchange(
    starts: NDArray[np.int64],
    labels: NDArray[np.int64],
    begins: NDArray[np.int64],
    rows: NDArray[np.int64],
    part: NDArray[np.int64],
    counts: NDArray[np.int64],
    shares: NDArray[np.int64],
    needed: NDArray[np.bool_],
    n_covered: int,
    draws: NDArray[np.float64],
    patience: int,
) -> None:
    """Exchange rows between parts until no needed label is missing; ``part`` and ``counts`` are changed.

    Each step takes a part and a label that it lacks, and of all exchanges that bring a row with the label that after
    which the fewest are missing, then the one that keeps shares best. Rows that were exchanged stay for some steps.
    """
    n_rows, n_labels, n_parts = len(starts) - 1, counts.shape[1], len(shares)
    total = shares.sum()
    sizes = np.zeros(n_parts, dtype=np.int64)
    for row in range(n_rows):
        sizes[part[row]] += 1
    members = np.empty((n_parts, sizes.max()), dtype=np.int64)
    place = np.empty(n_rows, dtype=np.int64)
    sizes[:] = 0
    for row in range(n_rows):
        place[row] = sizes[part[row]]
        members[part[row], place[row]] = row
        sizes[part[row]] += 1
    totals = counts.sum(axis=0)
    free_at = np.zeros(n_rows, dtype=np.int64)
    of_row = np.full(n_labels, -1)
    best, fewest, since, step = part.copy(), n_labels * n_parts + 1, 0, 0
    while True:
        missing = 0
        for number in range(n_covered):
            for label in range(n_labels):
                missing += needed[label] and counts[number, label] == 0
        if missing < fewest:
            best[:], fewest, since = part, missing, step
        if missing == 0 or step - since >= patience:
            break
        nth = int(draws[step % len(draws)] * missing)
        to, wanted = 0, 0
        for number in range(n_covered):
            for label in range(n_labels):
                if needed[label] and counts[number, label] == 0:
                    if nth == 0:
                        to, wanted = number, label
                    nth -= 1
        step += 1
        comes, goes, missing_after, share_after = -1, -1, 0, 0
        for at in range(begins[wanted], begins[wanted + 1]):
            row = rows[at]
            source = part[row]
            for at_label in range(starts[row], starts[row + 1]):
                of_row[labels[at_label]] = row
            for seat in range(sizes[to]):
                other = members[to, seat]
                after, share = missing, 0
                for mover in (row, other):
                    for at_label in range(starts[mover], starts[mover + 1]):
                        label = labels[at_label]
                        # A label of both rows stays as it is: what the first was counted for is taken back.
                        back = mover == other and of_row[label] == row
                        giver, taker = (source, to) if mover == row or back else (to, source)
                        lost = giver < n_covered and counts[giver, label] == 1
                        won = taker < n_covered and counts[taker, label] == 0
                        change = (counts[taker, label] - counts[giver, label] + 1) * total
                        change -= (shares[taker] - shares[giver]) * totals[label]
                        after += (-1 if back else 1) * needed[label] * (lost - won)
                        share += (-1 if back else 1) * change
                if (free_at[row] > step or free_at[other] > step) and after >= fewest:
                    continue
                if comes < 0 or after < missing_after or (after == missing_after and share < share_after):
                    comes, goes, missing_after, share_after = row, other, after, share
        if comes < 0:
            continue
        source = part[comes]
        for mover, giver, taker in ((comes, source, to), (goes, to, source)):
            for at_label in range(starts[mover], starts[mover + 1]):
                counts[giver, labels[at_label]] -= 1
                counts[taker, labels[at_label]] += 1
            part[mover] = taker
            free_at[mover] = step + 1 + int(draws[(step + mover) % len(draws)] * min(10, n_rows // 2))
        place[comes], place[goes] = place[goes], place[comes]
        members[to, place[comes]] = comes
        members[source, place[goes]] = goes
    part[:] = best
