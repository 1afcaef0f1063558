"""Splitters that keep the shares of labels: what they promise, beside the rule by loops and an integer program."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from skmultilearn.model_selection import IterativeStratification

import mlreduce
from mlreduce.exceptions import DataError
from mlreduce.model_selection import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    iterative_stratification,
    multilabel_train_test_split,
)


@st.composite
def problems(draw):
    """Labels, of which many have as many rows as there are parts, and sizes of the parts."""
    n_rows, n_labels = draw(st.integers(3, 20)), draw(st.integers(1, 9))
    labels = draw(arrays(np.int64, (n_rows, n_labels), elements=st.integers(0, 3))) == 0
    if draw(st.booleans()):
        n_parts = draw(st.integers(2, min(n_rows, 5)))
        return labels.astype(int), [n_rows // n_parts + (part < n_rows % n_parts) for part in range(n_parts)]
    n_test = draw(st.integers(1, n_rows - 1))
    return labels.astype(int), [n_rows - n_test, n_test]


def can_be_dealt(labels, sizes):
    """Return whether any parts of these sizes have all labels with as many rows as parts, by an integer program."""
    n_parts = len(sizes)
    needed = labels[:, labels.sum(axis=0) >= n_parts].T
    in_parts = sp.kron(np.eye(n_parts), np.vstack([np.ones(len(labels)), needed]))
    once = sp.kron(np.ones((1, n_parts)), np.eye(len(labels)))
    low = np.concatenate([np.r_[size, np.ones(len(needed))] for size in sizes])
    high = np.concatenate([np.r_[size, np.full(len(needed), np.inf)] for size in sizes])
    constraints = [LinearConstraint(in_parts, low, high), LinearConstraint(once, 1, 1)]
    n_cells = n_parts * len(labels)
    return milp(np.zeros(n_cells), constraints=constraints, integrality=1, bounds=Bounds(0, 1)).status == 0


def missing(labels, part, n_parts):
    needed = labels.sum(axis=0) >= n_parts
    return sum(int((labels[part == number][:, needed].sum(axis=0) == 0).sum()) for number in range(n_parts))


@given(problems(), st.sampled_from([1, 2]), st.integers(0, 3))
def test_each_label_with_enough_rows_is_in_every_part_wherever_that_is_possible(problem, order, seed):
    labels, sizes = problem
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        part = iterative_stratification(labels, sizes, order=order, random_state=seed)
    assert np.bincount(part, minlength=len(sizes)).tolist() == sizes
    assert bool(said) == (missing(labels, part, len(sizes)) > 0) == (not can_be_dealt(labels, sizes))


def test_four_rows_whose_six_pairs_have_labels_of_their_own_are_warned_about():
    labels = np.zeros((4, 6), dtype=int)
    for label, pair in enumerate(combinations(range(4), 2)):
        labels[list(pair), label] = 1
    assert not can_be_dealt(labels, [2, 2])
    with pytest.warns(UserWarning, match="2 of 6 labels are missing in one of 2 parts though as many rows have them"):
        iterative_stratification(labels, [2, 2])


def test_warning_counts_the_labels_of_the_best_assignment():
    """The search ends some steps after the assignment that it returns."""
    labels = (np.random.default_rng(1).random((200, 200)) < 0.03).astype(int)
    with pytest.warns(UserWarning, match="labels are missing") as warned:
        part = iterative_stratification(labels, [40] * 5, random_state=1)
    counts = np.array([labels[part == number].sum(axis=0) for number in range(5)])
    n_missing = ((counts == 0).any(axis=0) & (labels.sum(axis=0) >= 5)).sum()
    assert str(warned[0].message).startswith(f"{n_missing} of 200 labels")


def dealt_by_loops(labels, sizes, order, seed):
    """The rule as it is said, in fractions of the sizes, without exchanges."""
    random = np.random.RandomState(seed)
    rows, draws = random.permutation(len(labels)), random.random_sample(len(labels))
    sets = {}
    for row in rows:
        own = np.flatnonzero(labels[row])
        sets[row] = {(label,) for label in own} | (set(combinations(own, 2)) if order == 2 else set())
    groups = sorted(set().union(*sets.values()), key=lambda group: (len(group), group))
    shares = np.ones(len(sizes)) / len(sizes) if max(sizes) - min(sizes) <= 1 else np.array(sizes) / sum(sizes)
    lacking = {group: shares * sum(group in own for own in sets.values()) for group in groups}
    part, room = {}, list(sizes)
    while len(part) < len(rows):
        left = {group: [row for row in rows if row not in part and group in sets[row]] for group in groups}
        rarest = min((group for group in groups if left[group]), key=lambda group: len(left[group]), default=None)
        for row in left.get(rarest, [row for row in rows if row not in part]):
            lack = [round(float(lacking[rarest][j]), 9) if rarest else 0 for j in range(len(sizes))]
            wishes = {j: (lack[j], room[j]) for j in range(len(sizes)) if room[j]}
            best = [j for j, wish in wishes.items() if wish == max(wishes.values())]
            part[row] = best[int(draws[rows.tolist().index(row)] * len(best))]
            room[part[row]] -= 1
            for group in sets[row]:
                lacking[group][part[row]] -= 1
    return np.array([part[row] for row in range(len(labels))])


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("sizes", [[14, 13, 13], [10, 10, 10, 10], [31, 9]])
def test_dealing_by_the_rule_as_it_is_said(order, sizes):
    labels = (np.random.default_rng(0).random((40, 5)) < [0.4, 0.3, 0.3, 0.2, 0.15]).astype(int)
    part = iterative_stratification(labels, sizes, order=order, random_state=5)
    np.testing.assert_array_equal(part, dealt_by_loops(labels, sizes, order, 5))


def rare_labels(seed, n_rows=400, n_labels=30):
    """Labels whose frequencies fall like those of tags, some of them with fewer than ten rows."""
    return (np.random.default_rng(seed).random((n_rows, n_labels)) < 0.5 / np.arange(1, n_labels + 1)).astype(int)


def deviation(labels, folds):
    """Mean deviation of the odds of each label in each fold from those in all rows (LD of Sechidis et al.)."""
    odds = [labels[rows].sum(axis=0) / (1 - labels[rows]).sum(axis=0) for rows in folds]
    return float(np.abs(odds - labels.sum(axis=0) / (1 - labels).sum(axis=0)).mean())


def folds_of(splitter, labels):
    return [test for _, test in splitter.split(labels, labels)]


@pytest.mark.parametrize("seed", range(3))
def test_shares_are_kept_better_than_by_scikit_multilearn_and_by_chance(seed):
    labels = rare_labels(seed)
    np.random.seed(seed)  # noqa: NPY002 -- the seed of scikit-multilearn is NumPy's own
    theirs = folds_of(IterativeStratification(10, order=1), labels)
    ours = folds_of(MultilabelStratifiedKFold(10, random_state=seed), labels)
    second = folds_of(MultilabelStratifiedKFold(10, order=2, random_state=seed), labels)
    chance = folds_of(KFold(10, shuffle=True, random_state=seed), labels)
    assert deviation(labels, ours) < deviation(labels, theirs) < deviation(labels, chance)
    assert deviation(labels, second) < 0.5 * deviation(labels, chance)
    pairs = np.column_stack([labels[:, a] * labels[:, b] for a, b in combinations(range(5), 2)])
    assert deviation(pairs, second) < deviation(pairs, ours)


def test_exchanges_keep_the_shares_of_the_other_labels():
    """Forty labels with hardly more rows than folds, which cannot be dealt alone, beside twenty frequent ones."""
    even = chance = 0.0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        labels = np.zeros((300, 60), dtype=int)
        labels[:, 40:] = rng.random((300, 20)) < 0.3
        for label in range(40):
            labels[rng.choice(300, rng.integers(10, 16), replace=False), label] = 1
        folds = folds_of(MultilabelStratifiedKFold(10, random_state=seed), labels)
        assert all((labels[test].sum(axis=0) > 0).all() for test in folds)
        even += deviation(labels, folds)
        chance += deviation(labels, folds_of(KFold(10, shuffle=True, random_state=seed), labels))
    assert even < 0.75 * chance


@pytest.mark.parametrize("order", [1, 2])
def test_form_of_labels_changes_nothing(order):
    labels = rare_labels(0, 120, 8)
    part = iterative_stratification(labels, [40] * 3, order=order)
    unknown = np.where((labels == 0) & (np.arange(120) % 3 == 0)[:, np.newaxis], np.nan, labels)
    stored = sp.coo_array(unknown)
    for same in (
        labels.astype(bool), labels * 2 - 1, pd.DataFrame(labels), labels.tolist(),
        np.asfortranarray(labels, dtype=float),
        sp.csr_array(labels), sp.csc_matrix(labels), unknown, pd.DataFrame(unknown), stored,
    ):  # fmt: skip
        np.testing.assert_array_equal(iterative_stratification(same, [40] * 3, order=order), part)
    assert (iterative_stratification(labels, [40] * 3, order=order, random_state=1) != part).any()


def test_folds_test_each_row_once_in_each_repetition():
    labels = rare_labels(1, 103, 9)
    splitter = MultilabelStratifiedKFold(4, n_repeats=2)
    splits = list(splitter.split(np.zeros((103, 1)), labels))
    assert splitter.get_n_splits() == len(splits) == 8
    for half in (splits[:4], splits[4:]):
        np.testing.assert_array_equal(np.sort(np.concatenate([test for _, test in half])), np.arange(103))
        assert [len(test) for _, test in half] == [26, 26, 26, 25]
    for train, test in splits:
        np.testing.assert_array_equal(np.setdiff1d(np.arange(103), test), train)
    assert any((one[1] != other[1]).any() for one, other in zip(splits[:3], splits[4:7], strict=True))
    for one, other in zip(splits, splitter.split(labels, sp.csr_array(labels)), strict=True):
        np.testing.assert_array_equal(one[1], other[1])


@pytest.mark.parametrize(
    "sizes", [{}, {"test_size": 0.3}, {"test_size": 7}, {"train_size": 0.5}, {"test_size": 0.2, "train_size": 31}]
)
def test_parts_have_the_sizes_of_train_test_split(sizes):
    labels = rare_labels(2, 101, 6)
    X = pd.DataFrame({"row": range(101)})
    names = [f"row {row}" for row in range(101)]
    expected = [len(part) for part in train_test_split(labels, **sizes)]
    train, test, Y_train, Y_test, names_train, names_test = multilabel_train_test_split(
        X, sp.csr_array(labels), names, stratify=labels, **sizes
    )
    assert [len(train), len(test)] == expected
    assert not set(train["row"]) & set(test["row"])
    for part, own, named in ((train, Y_train, names_train), (test, Y_test, names_test)):
        np.testing.assert_array_equal(own.toarray(), labels[part["row"]])
        assert named == [names[row] for row in part["row"]]
        assert (labels[part["row"]][:, labels.sum(axis=0) >= 2].sum(axis=0) > 0).all()
    splitter = MultilabelStratifiedShuffleSplit(2, **(sizes or {"test_size": 0.25}))
    (one, tested), (other, _) = splitter.split(X, labels)
    np.testing.assert_array_equal(one, train["row"])
    np.testing.assert_array_equal(tested, test["row"])
    assert (one != other).any()


def test_they_are_splitters_of_scikit_learn():
    X, Y = mlreduce.load_dataset("planted-300", return_X_y=True)
    model = mlreduce.MLKNN()
    for cv in (MultilabelStratifiedKFold(3), MultilabelStratifiedShuffleSplit(3, test_size=0.2, order=2)):
        by_hand = [model.fit(X[train], Y[train]).score(X[test], Y[test]) for train, test in cv.split(X, Y)]
        np.testing.assert_array_equal(cross_val_score(model, X, Y, cv=cv), by_hand)
        search = GridSearchCV(model, {"n_neighbors": [5, 10]}, cv=cv).fit(X, Y)
        np.testing.assert_array_equal(search.cv_results_["split1_test_score"][1], by_hand[1])
    assert repr(MultilabelStratifiedKFold(3)).startswith("MultilabelStratifiedKFold(n_repeats=1, n_splits=3, order=1")


LABELS = np.eye(6, 2, dtype=int)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: iterative_stratification(LABELS, [3, 4]), r"add up to the 6 rows; got \[3, 4\]"),
        (lambda: iterative_stratification(None, [3, 3]), "y to be passed, but the target y is None"),
        (lambda: iterative_stratification([{1}, {2}], [1, 1]), "MultiLabelBinarizer"),
        (lambda: iterative_stratification(LABELS, [6, 0]), "sizes must be integers of at least 1"),
        (lambda: iterative_stratification(LABELS, [3, 3], order=3), r"order must be 1 \(labels\) or 2"),
        (lambda: iterative_stratification(LABELS * 2, [3, 3]), "labels must be 0/1 or -1/1"),
        (lambda: list(MultilabelStratifiedKFold(1).split(LABELS, LABELS)), "n_splits must be an integer >= 2; got 1"),
        (lambda: list(MultilabelStratifiedKFold(7).split(LABELS, LABELS)), "6 rows are too few for 7 folds"),
        (lambda: list(MultilabelStratifiedKFold(2).split(LABELS)), "needs the labels y to keep their shares"),
        (lambda: list(MultilabelStratifiedKFold(2).split(LABELS[:4], LABELS)), "inconsistent numbers of samples"),
        (
            lambda: list(MultilabelStratifiedKFold(2).split(LABELS, LABELS, groups=[0, 0, 1, 1, 2, 2])),
            "does not keep groups together; sklearn.model_selection.GroupKFold",
        ),
        (lambda: list(MultilabelStratifiedShuffleSplit(0).split(LABELS, LABELS)), "n_splits must be an integer >= 1"),
        (lambda: multilabel_train_test_split(LABELS, test_size=6), "test_size=6"),
        (lambda: multilabel_train_test_split(), "there is nothing to split"),
    ],
)
def test_what_cannot_be_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_refusals_are_of_the_library():
    with pytest.raises(DataError, match="too few"):
        next(MultilabelStratifiedKFold(7).split(LABELS, LABELS))
