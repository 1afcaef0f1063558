"""The ranking core: its mathematics, and the same numbers by plain loops."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlreduce.exceptions import DataError
from mlreduce.stats.ranking import CONTROLS, MARGIN, highlighted, one_variant, rank

COLUMNS = ["dataset", "method", "size", "value"]
SIZES = (10, 20, 100)


def cells(values):
    """Cells of {(data set, method): {size: value}}."""
    return pd.DataFrame([(d, m, s, v) for (d, m), own in values.items() for s, v in own.items()], columns=COLUMNS)


@st.composite
def comparisons(draw):
    """Data sets by methods by sizes, some of them failed; the last method may be a control with one size."""
    n_sets, n_methods = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    values = st.one_of(st.integers(0, 40).map(lambda i: i / 200), st.just(math.nan))
    found = {}
    for d in range(n_sets):
        for m in range(n_methods):
            sizes = SIZES[-1:] if m == n_methods - 1 and n_methods > 2 and draw(st.booleans()) else SIZES
            found[f"d{d}", f"m{m}"] = {size: draw(values) for size in sizes}
    return found


def by_loops(values, higher, margin):
    """The definitions, setting by setting."""
    methods = sorted({m for _, m in values})
    sums = {m: {"near": [], "rank": [], "won": []} for m in methods}
    for d in sorted({d for d, _ in values}):
        several = [set(values[d, m]) for m in methods if len(values[d, m]) > 1]
        sizes = sorted(set.intersection(*several) - {100}) if several else [None]
        found = {m: {"near": [], "rank": [], "won": []} for m in methods}
        for size in sizes:
            own = {}
            for m in methods:
                value = values[d, m][size] if len(values[d, m]) > 1 else next(iter(values[d, m].values()))
                own[m] = -math.inf if math.isnan(value) else value if higher else -value
            best = max(own.values())
            for m, value in own.items():
                above = sum(other > value for other in own.values())
                ties = sum(other == value for other in own.values())
                found[m]["rank"].append(above + (ties + 1) / 2)
                found[m]["near"].append(value > -math.inf and round(best - value, 12) <= margin)
                found[m]["won"].append(value > -math.inf and value == best)
        for m in methods:
            for name, own in found[m].items():
                sums[m][name].append(sum(own) / len(own))
    return {m: {name: sum(own) / len(own) for name, own in found.items()} for m, found in sums.items()}


@given(comparisons(), st.booleans(), st.sampled_from([0.0, 0.01, 0.05]))
def test_by_plain_loops(values, higher, margin):
    table = rank(cells(values), higher, margin).table
    for method, expected in by_loops(values, higher, margin).items():
        for name, value in expected.items():
            assert table.loc[method, name] == pytest.approx(value, abs=1e-12), (method, name)


@given(comparisons(), st.booleans(), st.randoms(use_true_random=False))
def test_bounds_and_what_changes_nothing(values, higher, random):
    given_cells = cells(values)
    made = rank(given_cells, higher)
    table = made.table
    assert ((table["low"] >= 0) & (table["low"] <= table["near"]) & (table["near"] <= table["high"])).all()
    assert (table["high"] <= 1).all()
    assert table["near"].is_monotonic_decreasing
    assert (table["won"] <= table["near"]).all()
    k = len(table)
    assert table["rank"].sum() == pytest.approx(k * (k + 1) / 2)
    order = [*range(len(given_cells))]
    random.shuffle(order)
    pd.testing.assert_frame_equal(rank(given_cells.iloc[order], higher).table, table)
    # Other names of methods: the same numbers under them.
    renamed = rank(given_cells.assign(method="z" + given_cells["method"]), higher).table.rename(lambda name: name[1:])
    pd.testing.assert_frame_equal(renamed.loc[table.index], table, check_names=False)


@given(comparisons(), st.integers(-3, 3))
def test_shifting_the_values_of_a_data_set_changes_no_rank(values, shift):
    moved = {(d, m): {s: v + shift * (d == "d0") for s, v in own.items()} for (d, m), own in values.items()}
    names = ["near", "low", "high", "rank", "won"]
    pd.testing.assert_frame_equal(rank(cells(moved), True).table[names], rank(cells(values), True).table[names])
    mirrored = {key: {s: -v for s, v in own.items()} for key, own in values.items()}
    pd.testing.assert_frame_equal(rank(cells(mirrored), False).table[names], rank(cells(values), True).table[names])


@given(comparisons())
def test_a_duplicated_method_shares_its_rank(values):
    table = rank(cells(values | {(d, "copy"): own for (d, m), own in values.items() if m == "m0"}), True).table
    alone = rank(cells(values), True).table
    for name in ("near", "rank", "won"):
        assert table.loc["copy", name] == table.loc["m0", name]
    assert table.loc["m0", "near"] == alone.loc["m0", "near"]
    assert table.loc["m0", "rank"] >= alone.loc["m0", "rank"]


@given(comparisons())
def test_a_method_always_within_the_margin_has_probability_one(values):
    higher = {
        d: max([0.0, *(v for (e, _), o in values.items() if e == d for v in o.values() if v == v)]) for d, _ in values
    }
    always = {(d, "always"): {100: best - MARGIN} for d, best in higher.items()}
    table = rank(cells(values | always), True).table
    assert table.loc["always", "near"] == table.loc["always", "high"] == 1
    assert table.loc["always", "low"] < 1  # one more data set may be otherwise
    many = {(f"{d}{i}", m): own for i in range(20) for (d, m), own in (values | always).items()}
    assert rank(cells(many), True).table.loc["always", "low"] > 0.7


def test_a_control_stands_at_every_size():
    values = {("a", "pca"): {10: 0.1, 20: 0.4, 100: 0.9}, ("a", "all-features"): {100: 0.3}}
    made = rank(cells(values), True)
    assert made.settings == 2  # nothing is reduced at 100 %
    assert made.table["rank"].to_dict() == {"all-features": 1.5, "pca": 1.5}
    assert made.table.loc["all-features", "mean"] == 0.3
    assert rank(cells({key: {100: own[100]} for key, own in values.items()}), True).table["rank"]["pca"] == 1


def test_sizes_are_those_that_all_have():
    values = {
        ("a", "x"): {10: 0.1, 20: 0.9},
        ("a", "y"): {10: 0.2, 50: 0.0},
        ("b", "x"): {20: 0.9},
        ("b", "y"): {50: 0.0},
    }
    made = rank(cells(values), True)
    assert made.by_set["rank"].to_dict("index") == {"a": {"x": 2, "y": 1}, "b": {"x": 1, "y": 2}}
    values["a", "z"] = {30: 0.1, 60: 0.1}
    values["b", "z"] = {30: 0.1}
    made = rank(cells(values), True)
    assert (made.data_sets, made.left_out) == (["b"], ["a"])


def test_what_failed_is_last_and_what_was_not_tried_leaves_a_data_set_out():
    values = {(d, m): {10: 0.1 * i, 20: 0.1 * i} for d in "ab" for i, m in enumerate("xyz", 1)}
    values["a", "z"] = {10: math.nan, 20: math.nan}
    made = rank(cells(values), True)
    assert made.by_set["rank"].loc["a"].to_dict() == {"x": 2, "y": 1, "z": 3}
    assert made.by_set["near"].loc["a", "z"] == 0
    assert made.by_set["mean"].loc["a", "z"] == pytest.approx(0.1)  # the value of the last
    del values["a", "z"]
    made = rank(cells(values), True)
    assert (made.data_sets, made.left_out) == (["b"], ["a"])


def test_predictors_are_settings():
    parts = [
        cells({("a", "x"): {10: x}, ("a", "y"): {10: 0.5}}).assign(predictor=p) for p, x in (("r", 0.1), ("k", 0.9))
    ]
    made = rank(pd.concat(parts), True)
    assert (made.settings, made.table["near"].to_dict()) == (2, {"x": 0.5, "y": 0.5})


def test_one_variant_per_method():
    names = {"slow": "plst", "fast": "plst", "random": "random-features", "pca-2": "pca", "pca": "pca"}
    rows = {"fast": 1.0, "slow": 2.0, "random-0": 3.0, "random-1": 5.0, "pca-2": 6.0, "pca": 7.0, "other": 8.0}
    given_cells = cells({("a", label): {10: value} for label, value in rows.items()})
    found = one_variant(given_cells, names, {"random": ["random-0", "random-1"]})
    assert found.set_index("method")["value"].to_dict() == {"plst": 2.0, "random-features": 4.0, "pca": 7.0}
    failed = given_cells.assign(value=given_cells["value"].where(given_cells["method"] != "random-1"))
    found = one_variant(failed, names, {"random": ["random-0", "random-1"]}).set_index("method")["value"]
    assert np.isnan(found["random-features"])


def test_the_front_is_what_nothing_dominates():
    values = {
        ("a", m): {10: v} for m, v in {"slow": 0.9, "fast": 0.5, "poor": 0.5, "unknown": 1.0, "as fast": 0.5}.items()
    }
    seconds = {"slow": 9.0, "fast": 1.0, "poor": 2.0, "as fast": 1.0}
    table = rank(cells(values), True, seconds=seconds).table
    assert set(table.index[table["front"]]) == {"slow", "fast", "as fast"}
    assert not rank(cells(values), True).table["front"].any()


def test_what_a_picture_names():
    table = pd.DataFrame(index=[*"abcdef", *CONTROLS, "g"])
    assert highlighted(table) == [*"abcde", *CONTROLS[:3]]
    assert highlighted(table.loc[["br", "a"]]) == ["br", "a"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "x", 10, 0.1), ("a", "x", 10, 0.2)], "method 'x' has several values on data set 'a' at size 10"),
        ([("a", "x", 10, 0.1), ("b", "y", 10, 0.2)], "no data set can be ranked: on each of them a method was not"),
    ],
)
def test_bad_input(rows, message):
    with pytest.raises(DataError, match=message):
        rank(pd.DataFrame(rows, columns=COLUMNS), True)
