from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.model_selection import KFold

from mlreduce.evaluation.seeds import derive_seed
from mlreduce.evaluation.splitting import (
    fold_rows,
    random_orders,
    random_parts,
    sample_rows,
    split_rows,
    take_splits,
    three_parts,
)
from mlreduce.exceptions import DataError


def spread(labels, parts):
    """By how much the numbers of each label's rows differ between the parts."""
    return np.ptp([labels[part].sum(axis=0) for part in parts], axis=0)


label_matrices = st.tuples(st.integers(4, 40), st.integers(1, 6)).flatmap(
    lambda shape: arrays(int, shape, elements=st.integers(0, 1))
)


@given(label_matrices, st.integers(0, 5))
def test_three_parts_are_a_partition(labels, seed):
    parts = three_parts(labels, np.random.default_rng(seed))
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(len(labels)))
    assert all((np.diff(part) > 0).all() for part in parts)
    assert [len(part) for part in parts] == [len(part) for part in np.array_split(np.arange(len(labels)), 3)]


@given(st.lists(st.integers(0, 3), min_size=4, max_size=60), st.integers(0, 5))
def test_with_one_label_a_row_every_label_is_divided_as_evenly_as_can_be(classes, seed):
    labels = np.eye(4, dtype=int)[classes]
    assert spread(labels, three_parts(labels, np.random.default_rng(seed))).max() <= 1


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_with_many_labels_every_label_is_divided_nearly_evenly(rng, share):
    labels = (rng.random((700, 20)) < share * rng.uniform(0.2, 2, 20)).astype(int)
    of_labels = spread(labels, three_parts(labels, rng))
    assert of_labels.max() <= 4  # at random it is 20 and more
    assert of_labels.mean() < 2


def test_chance_decides_which_rows_and_no_sizes(rng):
    labels = (rng.random((200, 5)) < 0.3).astype(int)
    one, same, other = (three_parts(labels, np.random.default_rng(seed)) for seed in (0, 0, 1))
    for a, b, c in zip(one, same, other, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(labels[a].sum(axis=0), labels[c].sum(axis=0))
        assert len(np.intersect1d(a, c)) < 0.6 * len(a)


def test_dealing_row_by_row_by_the_rule(rng):
    """The rule as it is said, by loops over rows that come in the order of the generator."""
    labels = (rng.random((60, 4)) < 0.4).astype(int)
    order = np.random.default_rng(3).permutation(60).tolist()
    sets = {row: tuple(labels[row]) for row in order}
    dealt = [[], [], []]

    def lacks(part, row):
        rows = 20 - len(part)
        own = [labels[:, k].sum() / 3 - sum(labels[i, k] for i in part) for k in range(4) if labels[row, k]]
        return rows > 0, round(rows + sum(own), 9), rows

    for row in sorted(order, key=lambda row: (-sum(sets[row]), sets[row], order.index(row))):
        best = max(range(3), key=lambda number, row=row: (*lacks(dealt[number], row), -number))
        dealt[best].append(row)
    for part, expected in zip(three_parts(labels, np.random.default_rng(3)), dealt, strict=True):
        assert part.tolist() == sorted(expected)


def test_too_few_rows_are_refused():
    with pytest.raises(DataError, match="3 rows are too few for three parts"):
        three_parts(np.eye(3), np.random.default_rng(0))


@given(st.integers(4, 60), st.fractions(min_value="1/10", max_value="9/10"))
def test_splits_part_the_rows(n, fraction):
    decimal = f"{float(fraction):.3f}"
    order = np.random.default_rng(0).permutation(n)
    n_train = int(np.floor(round(float(decimal) * 1000) * n / 1000))
    if n_train < 2:
        with pytest.raises(DataError, match="rows are too few"):
            split_rows(order, decimal)
        return
    train, test = split_rows(order, decimal)[:2]
    assert len(train) == n_train
    np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(n))


def test_published_split_of_yeast_and_decimal_fractions():
    assert [len(part) for part in split_rows(np.arange(2417), 0.9)[:2]] == [2175, 242]
    assert len(split_rows(np.arange(10), 0.7).train) == 7


@pytest.mark.parametrize("fraction", [0, 1, 1.5, -0.1])
def test_impossible_fractions(fraction):
    with pytest.raises(DataError, match="between 0 and 1"):
        split_rows(np.arange(9), fraction)


def test_more_splits_keep_the_first_and_other_names_differ():
    few, many = random_orders(30, 3, 1, "a"), random_orders(30, 5, 1, "a")
    np.testing.assert_array_equal(few, many[:3])
    assert (random_orders(30, 3, 1, "b") != few).any()
    assert (random_orders(30, 3, 2, "a") != few).any()
    assert len({tuple(order) for order in many}) == 5


def test_seeds_depend_on_every_part():
    seeds = {derive_seed(*parts) for parts in [(1, "a", 2), (1, "a", 3), (1, "b", 2), (2, "a", 2), (1, "a2"), (1, "a")]}
    assert len(seeds) == 6
    assert derive_seed(2012, "yeast", "pbr", 3) == derive_seed(2012, "yeast", "pbr", 3)


def test_folds_part_the_rows_and_repeat_with_the_next_order():
    splits = take_splits(np.zeros((23, 1)), {"folds": 5}, range(7), 1, "a")
    tests = [splits[i].test for i in range(5)]
    np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(23))
    assert {len(test) for test in tests} == {4, 5}
    for split in splits.values():
        np.testing.assert_array_equal(np.sort(np.r_[split.train, split.test]), np.arange(23))
    np.testing.assert_array_equal(splits[5].test, fold_rows(random_orders(23, 7, 1, "a")[1], 5, 0).test)
    with pytest.raises(DataError, match="4 rows are too few for 5 folds"):
        fold_rows(np.arange(4), 5, 0)


def test_folds_of_consecutive_rows():
    splits = take_splits(np.zeros((23, 1)), {"folds": 5, "shuffle": False}, range(5), 1, "a")
    expected = KFold(5).split(np.zeros(23))
    for split, (train, test) in zip(splits.values(), expected, strict=True):
        np.testing.assert_array_equal(split.train, train)
        np.testing.assert_array_equal(split.test, test)


def test_sampled_rows_are_disjoint_and_as_many_as_asked():
    orders = random_orders(50, 3, 1, "d")
    split = sample_rows(orders[2], 20, 0.1)
    assert (len(split.train), len(split.test)) == (20, 5)
    assert not set(split.train) & set(split.test)
    with pytest.raises(DataError, match="50 rows are too few for 46 to train"):
        sample_rows(orders[0], 46, 0.1)


@pytest.mark.parametrize("stratify", ["first", "second"])
@pytest.mark.parametrize("protocol", [{"folds": 7}, {"train": 0.7}, {"train_rows": 60, "test": 0.2}])
def test_stratified_splits_have_the_sizes_of_random_ones_and_all_labels(protocol, stratify, rng):
    labels = (rng.random((150, 9)) < np.linspace(0.08, 0.5, 9)).astype(int)
    random, even = (
        take_splits(labels, rule, range(7), 1, "a") for rule in (protocol, protocol | {"stratify": stratify})
    )
    parts = 7 if "folds" in protocol else 2
    enough = labels[:, labels.sum(axis=0) >= parts]
    assert enough.shape[1] > 5
    for split, other in zip(even.values(), random.values(), strict=True):
        assert [len(split.train), len(split.test)] == [len(other.train), len(other.test)]
        assert not set(split.train) & set(split.test)
        assert (enough[split.test].sum(axis=0) > 0).all()
        assert (enough[split.train].sum(axis=0) > 0).all()
    spreads = [spread(labels, [split.test for split in splits.values()]).sum() for splits in (even, random)]
    assert spreads[0] < spreads[1]
    assert len({tuple(split.test) for split in even.values()}) == 7
    if "folds" in protocol:
        np.testing.assert_array_equal(np.sort(np.concatenate([even[i].test for i in range(7)])), np.arange(150))


def test_too_few_rows_are_refused_whether_stratified_or_not():
    for more in ({}, {"stratify": "first"}):
        with pytest.raises(DataError, match="4 rows are too few for 5 folds"):
            take_splits(np.ones((4, 1)), {"folds": 5, **more}, [0], 1, "a")


PROTOCOLS = [
    {"train": 0.8}, {"folds": 5}, {"train_rows": 10, "test": 0.2}, {"parts": "test"}, {"parts": "validation"},
    {"train": 0.8, "stratify": "first"}, {"folds": 5, "stratify": "second"},
    {"train_rows": 10, "test": 0.2, "stratify": "first"},
]  # fmt: skip


@pytest.mark.parametrize("protocol", [own | more for own in PROTOCOLS for more in ({}, {"labelled": 0.5})])
def test_a_split_is_the_same_whatever_others_are_taken(protocol, rng):
    labels = (rng.random((30, 3)) < 0.4).astype(int)
    all_of_them, one = (take_splits(labels, protocol, numbers, 1, "a") for numbers in (range(4), [2]))
    assert list(one) == [2]
    for own, other in zip(one[2], all_of_them[2], strict=True):
        np.testing.assert_array_equal(own, other)
    if "labelled" in protocol:
        assert set(one[2].labelled) < set(one[2].train)
        assert len(one[2].labelled) == len(one[2].train) // 2
    else:
        assert one[2].labelled is None


def test_a_protocol_in_parts_tests_on_the_third_and_keeps_the_second():
    labels = np.eye(30, 3, dtype=int)
    chosen, final = (take_splits(labels, {"parts": part}, [1], 1, "a")[1] for part in ("validation", "test"))
    train, validation, test = random_parts(labels, 1, 1, "a")
    for split, tested, kept in ((chosen, validation, None), (final, test, validation)):
        np.testing.assert_array_equal(split.train, train)
        np.testing.assert_array_equal(split.test, tested)
        np.testing.assert_array_equal(split.validation, kept)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_array], ids=["dense", "csr", "coo"])
@pytest.mark.parametrize(
    "protocol", [{"folds": 4}, {"train": 0.7, "labelled": 0.5}, {"train_rows": 12, "test": 0.2}, {"parts": "test"}]
)
def test_rows_with_the_same_features_are_on_one_side(protocol, form, rng):
    X = rng.integers(0, 3, (90, 3)).astype(float)
    X[X == 0] *= -1  # -0 is 0
    Y = (rng.random((90, 4)) < 0.4).astype(int)
    rule = protocol | {"duplicates": "together"} | ({} if "parts" in protocol else {"stratify": "first"})
    n_distinct = len(np.unique(X, axis=0))
    tested = []
    for split in take_splits(Y, rule, range(4), 1, "a", form(X)).values():
        sides = [{tuple(row) for row in X[rows]} for rows in split[:2]]
        assert sides[0].isdisjoint(sides[1])
        for rows, side in zip(split[:2], sides, strict=True):  # all rows of a group
            np.testing.assert_array_equal(rows, [row for row in range(90) if tuple(X[row]) in side])
        if split.labelled is not None:
            assert set(split.labelled) < set(split.train)
        tested.append(sides[1])
    if "folds" in protocol:
        assert len(set.union(*tested)) == n_distinct
        assert sum(map(len, tested)) == n_distinct


def test_without_duplicates_nothing_changes(rng):
    X, Y = rng.normal(size=(40, 3)), (rng.random((40, 4)) < 0.4).astype(int)
    rule = {"folds": 4, "stratify": "first"}
    plain, together = (take_splits(Y, own, range(4), 1, "a", X) for own in (rule, rule | {"duplicates": "together"}))
    for number, split in plain.items():
        np.testing.assert_array_equal(split.train, together[number].train)
