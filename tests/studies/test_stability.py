from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import spearmanr

from mlreduce.exceptions import DataError
from mlreduce.stats.stability import order_correlation, stability_index
from mlreduce_studies.tables import make_table, table_parts
from mlreduce_studies.tables.stability import STABILITY_COLUMNS, stability_parts, stability_table


def by_the_book(selected):
    """The definition, feature by feature with the sample variance as it is taught."""
    n_selections, n_features = len(selected), len(selected[0])
    mean_size = sum(sum(row) for row in selected) / n_selections
    total = 0.0
    for feature in range(n_features):
        column = [float(row[feature]) for row in selected]
        mean = sum(column) / n_selections
        total += sum((value - mean) ** 2 for value in column) / (n_selections - 1)
    share = mean_size / n_features
    return 1 - (total / n_features) / (share * (1 - share))


@given(arrays(bool, st.tuples(st.integers(2, 6), st.integers(1, 8))))
def test_the_index_is_its_definition(selected):
    index = stability_index(selected)
    if selected.all() or not selected.any():
        assert np.isnan(index)
    else:
        assert index == pytest.approx(by_the_book(selected.tolist()), abs=1e-12)
        assert -1 / (len(selected) - 1) - 1e-12 <= index <= 1


def random_selections(n_selections, n_features, size, seed=0):
    rng = np.random.default_rng(seed)
    selected = np.zeros((n_selections, n_features), dtype=bool)
    for row in selected:
        row[rng.permutation(n_features)[:size]] = True
    return selected


def kuncheva(selected):
    n_features, size = selected.shape[1], int(selected[0].sum())
    expected = size**2 / n_features
    pairs = itertools.combinations(selected, 2)
    return np.mean([((one & other).sum() - expected) / (size - expected) for one, other in pairs])


@pytest.mark.parametrize("size", [1, 3, 10, 19])
def test_of_one_size_it_is_kunchevas_index(size):
    selected = random_selections(7, 20, size)
    assert stability_index(selected) == pytest.approx(kuncheva(selected), abs=1e-12)


def ranking(orders, method="a", dataset="d", protocol="p", first=0):
    """Make rankings from a list of features a split, the best first."""
    rows = [
        ("s", protocol, dataset, method, split, feature, rank, -float(rank))
        for split, order in enumerate(orders, start=first)
        for rank, feature in enumerate(order, start=1)
    ]
    names = ["study", "protocol", "dataset", "method", "split", "feature", "rank", "score"]
    return pd.DataFrame(rows, columns=names).sample(frac=1, random_state=0)


def stability(rankings, methods, size_percents):
    return stability_table(rankings, {"methods": methods, "size_percents": size_percents})


ORDERS = [[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1, 0]]


def select(orders, size, n_features):
    selected = np.zeros((len(orders), n_features), dtype=bool)
    for row, order in zip(selected, orders, strict=True):
        row[order[:size]] = True
    return selected


@pytest.mark.parametrize(("percent", "size"), [(1, 1), (12, 1), (25, 2), (49, 3), (50, 4), (99, 7)])
def test_sizes_are_rounded_down_and_at_least_one(percent, size):
    (row,) = stability(ranking(ORDERS), ["a"], [percent]).to_dict("records")
    assert row["stability"] == pytest.approx(stability_index(select(ORDERS, size, 8)))
    assert row["splits"] == 3
    assert np.isnan(row["order_correlation"])


def test_features_that_a_split_does_not_rank():
    """Feature 4 is constant in the first split: of five features each split takes half of the four it may, two."""
    orders = [[0, 1, 2, 3], [4, 0, 1, 2, 3], [0, 4, 3, 2, 1]]
    (row,) = stability(ranking(orders), ["a"], [50]).to_dict("records")
    assert row["stability"] == pytest.approx(stability_index(select(orders, 2, 5)))


OTHERS = [[3, 2, 1, 0, 4, 5, 6, 7], [1, 0, 2, 3, 4, 5, 7, 6], [7, 5, 6, 4, 3, 2, 1, 0]]


def test_of_draws_the_mean_is_given_and_how_far_they_agree():
    both = pd.concat([ranking(ORDERS, "a-0"), ranking(OTHERS, "a-1"), ranking(ORDERS, "a-other")])
    (row,) = stability(both, ["a"], [50]).to_dict("records")
    means = [stability_index(select(orders, 4, 8)) for orders in (ORDERS, OTHERS)]
    assert row["stability"] == pytest.approx(np.mean(means))
    expected = [spearmanr(np.argsort(one), np.argsort(other))[0] for one, other in zip(ORDERS, OTHERS, strict=True)]
    assert row["order_correlation"] == pytest.approx(np.mean(expected))


def test_pairs_of_draws_are_averaged_within_a_split_first():
    third = [[7, 6, 5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5, 6, 7], ORDERS[2]]
    draws = [ORDERS, OTHERS, third]
    rows = pd.concat([ranking(orders, f"a-{number}") for number, orders in enumerate(draws)])
    splits = [
        np.mean([spearmanr(np.argsort(one), np.argsort(other))[0] for one, other in itertools.combinations(own, 2)])
        for own in zip(*draws, strict=True)
    ]
    assert order_correlation(rows) == pytest.approx(np.mean(splits))
    assert np.isnan(order_correlation(rows[rows["method"] == "a-0"]))
    assert np.isnan(order_correlation(rows.iloc[:0]))


def everything():
    return pd.concat(
        [
            ranking(ORDERS, "a-0"),
            ranking(OTHERS, "a-1"),
            ranking(ORDERS, "b"),
            ranking(ORDERS, "b", "c"),
            ranking(OTHERS, "b", protocol="q"),
        ]
    )


def test_the_table_is_tidy_and_has_what_was_ranked():
    table = stability(everything(), ["b", "a", "absent"], [50, 25])
    assert tuple(table.columns) == STABILITY_COLUMNS
    keys = table[["protocol", "dataset", "method", "size_percent"]].to_numpy().tolist()
    cells = [("p", "c", "b"), ("p", "d", "a"), ("p", "d", "b"), ("q", "d", "b")]
    assert keys == [[*cell, percent] for cell in cells for percent in (25, 50)]
    shuffled = everything().sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(stability(shuffled, ["b", "a"], [25, 50]), table)
    assert stability(everything().iloc[:0], ["a"], [10]).empty


def test_a_part_a_size_and_one_of_the_draws(tmp_path):
    spec = {"kind": "stability", "caption": "Stability", "methods": ["a", "b"], "size_percents": [25, 50]}
    table, markdown, latex = make_table(everything(), spec, "table-stability")
    parts = list(stability_parts(table, spec))
    assert [key for key, *_ in parts] == ["p-25", "p-50", "p-draws", "q-25", "q-50"]
    assert [title for _, title, *_ in parts[1:3]] == [
        "p, 50 % of the features, 3 splits",
        "p, correlation of draws, 3 splits",
    ]
    _, _, header, rows = parts[1]
    assert header == ["dataset", "a", "b"]
    assert [row[0] for row in rows] == ["c", "d"]
    assert rows[0][1:] == ["", f"{stability_index(select(ORDERS, 4, 8)):.3f}"]
    assert parts[2][2] == ["dataset", "a"]
    assert [row[0] for row in parts[2][3]] == ["d"]
    assert "## p, 50 % of the features, 3 splits\n\n| dataset | a | b |" in markdown
    assert "\n\nStability of the selected features over the splits" in markdown
    assert r"\label{tab:table-stability-p-draws}" in latex
    table.to_csv(tmp_path / "t.csv", index=False)
    assert table_parts(pd.read_csv(tmp_path / "t.csv"), spec) == parts


def test_rankings_that_are_none_are_named():
    rows = ranking(ORDERS)
    with pytest.raises(DataError, match="split 0 of method 'a' on data set 'd' ranks feature 3 twice"):
        stability(pd.concat([rows, rows.query("split == 0 and feature == 3")]), ["a"], [50])
    for other in (ranking(OTHERS[:2], "a-1"), ranking(OTHERS, "a-1", first=1)):
        with pytest.raises(DataError, match="the draws of 'a' on data set 'd' are of different splits"):
            stability(pd.concat([ranking(ORDERS, "a-0"), other]), ["a"], [50])
