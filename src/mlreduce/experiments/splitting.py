"""Random splits into training and test rows: one seed, any order."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mlreduce.datasets.files import read_arrays
from mlreduce.exceptions import DataError
from mlreduce.experiments.seeds import derive_seed

__all__ = [
    "Parts",
    "Split",
    "draw_splits",
    "fold_rows",
    "load_splits",
    "random_orders",
    "random_parts",
    "sample_rows",
    "split_rows",
    "three_parts",
]


class Split(NamedTuple):
    """Row numbers of one split, each sorted.

    Attributes
    ----------
    train, test : ndarray of int
    validation : ndarray of int or None
        Rows beside both, by which parameters may be searched; None where there are none.
    labelled : ndarray of int or None
        Those of the training rows whose labels are known; None where all are.
    """

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    validation: NDArray[np.int64] | None = None
    labelled: NDArray[np.int64] | None = None


class Parts(NamedTuple):
    """Row numbers of three parts, each sorted; together all rows."""

    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


def random_orders(n_samples: int, n_splits: int, seed: int, dataset: str) -> NDArray[np.int32]:
    """Return one random order of the rows a split, shape (n_splits, n_samples).

    Split number i is the same whatever ``n_splits`` is. Every training fraction takes its rows from the front of
    the same order, so that protocols are compared on nested training sets.
    """
    orders = np.empty((n_splits, n_samples), dtype=np.int32)
    for i in range(n_splits):
        orders[i] = np.random.default_rng(derive_seed(seed, dataset, "split", i)).permutation(n_samples)
    return orders


def split_rows(order: NDArray[np.integer], train_fraction: float | str) -> Split:
    """Take floor(train_fraction * n_samples) rows from the front of an order to train, the others to test.

    Parameters
    ----------
    order : ndarray of shape (n_samples,)
    train_fraction : float or str
        In (0, 1); taken as the decimal number it prints as, so that 0.7 of 10 rows is 7.

    Raises
    ------
    DataError
        If the fraction is not in (0, 1), or leaves fewer than two rows to train or none to test.
    """
    fraction = Fraction(str(train_fraction))
    if not 0 < fraction < 1:
        raise DataError(f"the training fraction must lie between 0 and 1; got {train_fraction}")
    n_train = len(order) * fraction.numerator // fraction.denominator
    if n_train < 2 or n_train >= len(order):
        raise DataError(
            f"{len(order)} rows are too few: {train_fraction} of them leave {n_train} to train and "
            f"{len(order) - n_train} to test; two and one are the least"
        )
    rows = np.asarray(order, dtype=np.int64)
    return Split(np.sort(rows[:n_train]), np.sort(rows[n_train:]))


def fold_rows(order: NDArray[np.integer], folds: int, fold: int) -> Split:
    """Cut an order into folds of nearly equal size; one of them tests, the others train.

    Parameters
    ----------
    order : ndarray of shape (n_samples,)
    folds : int
        At least 2, and at most the number of rows.
    fold : int
        In 0..folds - 1.

    Raises
    ------
    DataError
        If there are fewer rows than folds.
    """
    if len(order) < max(folds, 3):
        raise DataError(f"{len(order)} rows are too few for {folds} folds")
    parts = np.array_split(np.asarray(order, dtype=np.int64), folds)
    return Split(np.sort(np.concatenate(parts[:fold] + parts[fold + 1 :])), np.sort(parts[fold]))


def sample_rows(order: NDArray[np.integer], train_rows: int, test_fraction: float | str) -> Split:
    """Take a number of rows from the front of an order to train, and a fraction of all, the next, to test.

    Parameters
    ----------
    order : ndarray of shape (n_samples,)
    train_rows : int
        At least 2.
    test_fraction : float or str
        Of all rows, rounded down; taken as the decimal number it prints as.

    Raises
    ------
    DataError
        If there are too few rows.
    """
    fraction = Fraction(str(test_fraction))
    n_test = len(order) * fraction.numerator // fraction.denominator
    if n_test < 1 or train_rows + n_test > len(order):
        raise DataError(f"{len(order)} rows are too few for {train_rows} to train and {test_fraction} of all to test")
    rows = np.asarray(order[: train_rows + n_test], dtype=np.int64)
    return Split(np.sort(rows[:train_rows]), np.sort(rows[train_rows:]))


def three_parts(labels: NDArray[Any], rng: np.random.Generator) -> Parts:
    """Deal the rows to three parts of one size, in each of which every label has nearly a third of its rows.

    The sizes of the parts differ by one at most; the first are the larger ones. Rows with the most labels are dealt
    first, and of those the rows with the same labels one after another, in random order. Each goes to the part that
    lacks the most, counting together what it lacks of each of the row's labels and of rows at all; among equals to
    the one that lacks the most rows, then to the first.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, n_labels)
        In {0, 1}.
    rng : Generator
        Decides which of the rows with the same labels goes where.

    Raises
    ------
    DataError
        If there are fewer than four rows: two to train, and one in each of the others.
    """
    n_samples = len(labels)
    if n_samples < 4:
        raise DataError(f"{n_samples} rows are too few for three parts; four are the least")
    order = rng.permutation(n_samples)
    Y = np.asarray(labels)[order] != 0
    _, same = np.unique(Y, axis=0, return_inverse=True)
    part = np.empty(n_samples, dtype=np.int8)
    room = np.array([len(rows) for rows in np.array_split(order, 3)])
    # Three times what each part lacks: integers, so that ties are ties.
    lacking = np.tile(Y.sum(axis=0), (3, 1))
    for row in np.lexsort((same, -Y.sum(axis=1))):
        wanted = lacking[:, Y[row]].sum(axis=1) + 3 * room
        chosen = np.lexsort((-room, -wanted, room == 0))[0]
        part[row] = chosen
        room[chosen] -= 1
        lacking[chosen, Y[row]] -= 3
    return Parts(*(np.sort(order[part == number]) for number in range(3)))


def random_parts(labels: NDArray[Any], n_splits: int, seed: int, dataset: str) -> NDArray[np.int8]:
    """Return to which part of `three_parts` each row belongs, one drawing a split, shape (n_splits, n_samples).

    0 is the training part, 1 validation, 2 test. Split number i is the same whatever ``n_splits`` is.
    """
    parts = np.empty((n_splits, len(labels)), dtype=np.int8)
    for i in range(n_splits):
        rng = np.random.default_rng(derive_seed(seed, dataset, "parts", i))
        for number, rows in enumerate(three_parts(labels, rng)):
            parts[i, rows] = number
    return parts


def draw_splits(labels: NDArray[Any], n_splits: int, seed: int, dataset: str, in_parts: bool) -> dict[str, Any]:
    """Return what a file of splits holds, for `load_splits`: ``orders`` and, where they are asked for, ``parts``."""
    drawn: dict[str, NDArray[np.integer]] = {"orders": random_orders(len(labels), n_splits, seed, dataset)}
    if in_parts:
        drawn["parts"] = random_parts(labels, n_splits, seed, dataset)
    return drawn


def _partly_labelled(split: Split, order: NDArray[np.integer], share: float | str) -> Split:
    """Keep the labels of a share of the training rows, the first of the order."""
    rows = np.asarray(order, dtype=np.int64)
    train = rows[np.isin(rows, split.train)]
    fraction = Fraction(str(share))
    number = max(1, len(train) * fraction.numerator // fraction.denominator)
    return split if number == len(train) else split._replace(labelled=np.sort(train[:number]))


def load_splits(path: str | Path, protocol: Mapping[str, Any], batch: str) -> dict[int, Split]:
    """Read a batch of splits from a file of orders.

    Parameters
    ----------
    path : path
        ``.npz`` file with ``orders``, from `random_orders`, and ``parts``, from `random_parts`, if they are asked for.
    protocol : dict
        ``{"train": fraction}``, as for `split_rows`, or ``{"folds": number}``: split i is then fold ``i % folds`` of
        the order number ``i // folds``, so that more splits than folds are repeated cross validation. Or
        ``{"train_rows": number, "test": fraction}``, as for `sample_rows`. Or ``{"parts": "test"}`` or
        ``{"parts": "validation"}``: the first of `three_parts` trains, and the one named tests; where it is the third,
        the second is kept for validation. Beside one of these ``{"labelled": share}`` of the training rows whose labels
        are known.
    batch : str
        First and last number, as in "000-099".

    Raises
    ------
    DataError
        If the file is not whole or does not hold these splits.
    """
    first, _, last = batch.partition("-")
    stored = read_arrays(path, "file of splits", ("orders", "parts") if "parts" in protocol else ("orders",))
    orders = stored["orders"]
    if int(last) >= len(orders):
        raise DataError(f"{path}: holds {len(orders)} splits; split {int(last)} was asked for")
    splits = {}
    for number in range(int(first), int(last) + 1):
        order = orders[number]
        if "train" in protocol:
            split = split_rows(order, protocol["train"])
        elif "train_rows" in protocol:
            split = sample_rows(order, protocol["train_rows"], protocol["test"])
        elif "parts" in protocol:
            train, validation, test = (np.flatnonzero(stored["parts"][number] == part) for part in range(3))
            split = Split(train, test, validation) if protocol["parts"] == "test" else Split(train, validation)
        else:
            folds = int(protocol["folds"])
            order = orders[number // folds]
            split = fold_rows(order, folds, number % folds)
        splits[number] = _partly_labelled(split, order, protocol["labelled"]) if "labelled" in protocol else split
    return splits
