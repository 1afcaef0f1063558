"""Random splits into training and test rows: one seed, any order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mlreduce.datasets.duplicates import first_equal_rows
from mlreduce.evaluation.seeds import derive_seed
from mlreduce.exceptions import DataError
from mlreduce.validation import check_memory, is_sparse


class Split(NamedTuple):
    """Row numbers of one split, each sorted."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    #: Further rows, by which parameters may be searched; None where there are none.
    validation: NDArray[np.int64] | None = None
    #: Those of the training rows whose labels are known; None where all are.
    labelled: NDArray[np.int64] | None = None


class Parts(NamedTuple):
    """Row numbers of three parts, each sorted; together all rows."""

    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


def random_order(n_samples: int, number: int, seed: int, dataset: str) -> NDArray[np.int32]:
    """Random order of the rows for one split, shape (n_samples,).

    Every training fraction takes its rows from the front of the same order, so that protocols are compared on nested
    training sets.
    """
    rng = np.random.default_rng(derive_seed(seed, dataset, "split", number))
    return rng.permutation(n_samples).astype(np.int32)


def random_orders(n_samples: int, n_splits: int, seed: int, dataset: str) -> NDArray[np.int32]:
    """`random_order` of the first splits, shape (n_splits, n_samples)."""
    return np.array([random_order(n_samples, i, seed, dataset) for i in range(n_splits)])


def split_rows(order: NDArray[np.integer], train_fraction: float | str) -> Split:
    """Take floor(train_fraction * n_samples) rows from the front of an order to train, the others to test.

    The fraction is taken as the decimal number it prints as, so that 0.7 of 10 rows is 7. Raises DataError if it is not
    in (0, 1), or leaves fewer than two rows to train or none to test.
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

    There are at least two folds, numbered from 0. Raises DataError if there are fewer rows than folds.
    """
    if len(order) < max(folds, 3):
        raise DataError(f"{len(order)} rows are too few for {folds} folds")
    parts = np.array_split(np.asarray(order, dtype=np.int64), folds)
    return Split(np.sort(np.concatenate(parts[:fold] + parts[fold + 1 :])), np.sort(parts[fold]))


def sample_rows(order: NDArray[np.integer], train_rows: int, test_fraction: float | str) -> Split:
    """Take a number of rows from the front of an order to train, and a fraction of all, the next, to test.

    At least two train. The fraction is taken as the decimal number it prints as, and rounded down. Raises DataError if
    there are too few rows.
    """
    fraction = Fraction(str(test_fraction))
    n_test = len(order) * fraction.numerator // fraction.denominator
    if n_test < 1 or train_rows + n_test > len(order):
        raise DataError(f"{len(order)} rows are too few for {train_rows} to train and {test_fraction} of all to test")
    rows = np.asarray(order[: train_rows + n_test], dtype=np.int64)
    return Split(np.sort(rows[:train_rows]), np.sort(rows[train_rows:]))


def three_parts(labels: Any, rng: np.random.Generator) -> Parts:
    """Deal the rows to three parts of one size, in each of which every label has nearly a third of its rows.

    The sizes of the parts differ by one at most; the first are the larger ones. Rows with the most labels are assigned
    first, and of those the rows with the same labels one after another, in random order. Each goes to the part that
    lacks the most, counting together what it lacks of each of the row's labels and of rows at all; among equals to the
    one that lacks the most rows, then to the first. Labels of NaN, not known, count as 0. Raises DataError if there are
    fewer than four rows: two to train, and one in each of the others.
    """
    n_samples = labels.shape[0]
    if n_samples < 4:
        raise DataError(f"{n_samples} rows are too few for three parts; four are the least")
    order = rng.permutation(n_samples)
    if is_sparse(labels):
        check_memory(4.0 * math.prod(labels.shape), "dealing rows to three parts by their labels", "take random parts")
        labels = labels.toarray()
    Y = np.asarray(labels)[order] == 1
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


def random_parts(labels: Any, number: int, seed: int, dataset: str) -> Parts:
    """`three_parts` of one split."""
    return three_parts(labels, np.random.default_rng(derive_seed(seed, dataset, "parts", number)))


def _partly_labelled(split: Split, order: NDArray[np.integer], share: float | str) -> Split:
    """Keep the labels of a share of the training rows, the first of the order."""
    rows = np.asarray(order, dtype=np.int64)
    train = rows[np.isin(rows, split.train)]
    fraction = Fraction(str(share))
    number = max(1, len(train) * fraction.numerator // fraction.denominator)
    return split if number == len(train) else split._replace(labelled=np.sort(train[:number]))


def take_splits(
    labels: Any, protocol: Mapping[str, Any], numbers: Iterable[int], seed: int, dataset: str, features: Any = None
) -> dict[int, Split]:
    """Split the rows of a data set by a protocol, with the seed of the study and the name of the data set.

    Split number i is the same whatever other splits are taken, so that jobs may take any of them. The protocol is one
    of ``{"train": fraction}``, see `split_rows`; ``{"folds": number}``, where split i is fold ``i % folds`` of the
    order number ``i // folds``, so that more splits than folds are repeated cross validation, or with ``shuffle`` false
    of the rows as they are; ``{"train_rows": number, "test": fraction}``, see `sample_rows`; ``{"parts": "test"}`` or
    ``{"parts": "validation"}``, where the first of `three_parts` trains and the one named tests; where the third tests,
    the second is for validation; ``{"rows": [[train, test], ...]}``, the row numbers themselves.

    Optionally it has ``labelled``: the share of the training rows whose labels are known; and, but with ``parts``,
    ``stratify``: "first" or "second", the order of the `iterative_stratification` that deals the rows; and
    ``duplicates``: "together", with which rows with the same ``features`` are a group, dealt by its first row, and
    never on both sides of a split.
    """
    if "duplicates" in protocol:
        rule = {key: value for key, value in protocol.items() if key != "duplicates"}
        first, group = np.unique(first_equal_rows(features), return_inverse=True)
        dealt = take_splits(labels[first], rule, numbers, seed, dataset)
        return {number: _expanded(split, group) for number, split in dealt.items()}
    splits, orders = {}, {}
    for number in numbers:
        if "rows" in protocol:
            splits[number] = Split(*(np.asarray(rows, dtype=np.int64) for rows in protocol["rows"][number]))
            continue
        drawn = number // int(protocol["folds"]) if "folds" in protocol else number
        if drawn not in orders:
            shuffled = protocol.get("shuffle", True)
            n_samples = labels.shape[0]
            orders[drawn] = random_order(n_samples, drawn, seed, dataset) if shuffled else np.arange(n_samples)
            if "stratify" in protocol:
                orders[drawn] = _stratify(labels, protocol, orders[drawn], derive_seed(seed, dataset, "deal", drawn))
        order = orders[drawn]
        if "parts" in protocol:
            train, validation, test = random_parts(labels, number, seed, dataset)
            split = Split(train, test, validation) if protocol["parts"] == "test" else Split(train, validation)
        else:
            split = _take(order, protocol, number)
        splits[number] = _partly_labelled(split, order, protocol["labelled"]) if "labelled" in protocol else split
    return splits


def _expanded(split: Split, group: NDArray[np.intp]) -> Split:
    """Return a split of groups as one of the rows in them."""

    def rows(groups: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.flatnonzero(np.isin(group, groups)).astype(np.int64)

    optional = [None if part is None else rows(part) for part in split[2:]]
    return Split(rows(split.train), rows(split.test), *optional)


def _take(order: NDArray[np.integer], protocol: Mapping[str, Any], number: int) -> Split:
    """Take the rows of a split from an order."""
    if "train" in protocol:
        return split_rows(order, protocol["train"])
    if "train_rows" in protocol:
        return sample_rows(order, protocol["train_rows"], protocol["test"])
    return fold_rows(order, int(protocol["folds"]), number % int(protocol["folds"]))


def _stratify(labels: Any, protocol: Mapping[str, Any], order: NDArray[np.int32], seed: int) -> NDArray[np.int32]:
    """Move rows of a random order so that the parts that a protocol takes from it have their shares of the labels."""
    from mlreduce.model_selection import iterative_stratification  # compiled loops, which few studies need

    split = _take(order, protocol, 0)
    sizes = [len(split.train), len(split.test)]
    if "folds" in protocol:
        sizes = [len(rows) for rows in np.array_split(order, int(protocol["folds"]))]
    rest = len(order) - sum(sizes)
    part = iterative_stratification(
        labels,
        sizes + [rest] * (rest > 0),
        order={"first": 1, "second": 2}[protocol["stratify"]],
        random_state=seed,
        rest=rest > 0,
    )
    return order[np.argsort(part[order], kind="stable")]
