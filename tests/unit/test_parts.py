from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlreduce.exceptions import DataError
from mlreduce.experiments.splitting import load_splits, random_orders, random_parts, three_parts


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


def test_a_protocol_in_parts_is_read_from_the_file(tmp_path, rng):
    labels = (rng.random((30, 3)) < 0.4).astype(int)
    parts = random_parts(labels, 3, 1, "a")
    np.testing.assert_array_equal(parts[:2], random_parts(labels, 2, 1, "a"))
    assert (
        len({row.tobytes() for row in [*parts, *random_parts(labels, 3, 2, "a"), *random_parts(labels, 3, 1, "b")]})
        == 9
    )
    np.savez(tmp_path / "p.npz", orders=random_orders(30, 3, 1, "a"), parts=parts)
    chosen, final = (load_splits(tmp_path / "p.npz", {"parts": part}, "001-002") for part in ("validation", "test"))
    assert list(final) == [1, 2]
    np.testing.assert_array_equal(final[1].train, chosen[1].train)
    np.testing.assert_array_equal(np.sort(np.r_[final[2].train, chosen[2].test, final[2].test]), np.arange(30))
    assert (parts[1, final[1].test] == 2).all()
    np.savez(tmp_path / "o.npz", orders=random_orders(30, 3, 1, "a"))
    with pytest.raises(DataError, match="'parts' is missing"):
        load_splits(tmp_path / "o.npz", {"parts": "test"}, "000-000")
