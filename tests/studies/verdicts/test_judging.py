"""Verdicts on lines: planted differences, invariances, what is not run, and the words of the evidence."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_scores import SETS, results

from mlreduce_studies.verdicts.judging import combined, decided, evidence_of, judge
from mlreduce_studies.verdicts.statements import Line, Statement
from mlreduce_studies.verdicts.weighing import difference, most_cells


def statement(kind="better", **changes):
    own = {"methods": ("mine",), "than": ("other",), "quantities": ("macro-f1",), "select": {"protocol": "p"}}
    return Statement(**{"kind": kind, **own, "margin": 0.01} | changes)


def line(kind="better", datasets=SETS, holds="all", **changes):
    return Line("", statement(kind, **changes), tuple(datasets), holds)


@pytest.mark.parametrize(
    ("kind", "gain", "verdict"),
    [
        ("better", 0.05, "confirmed"),
        ("better", 0.0, "refuted"),
        ("better", -0.05, "refuted"),
        ("no-worse", 0.05, "confirmed"),
        ("no-worse", 0.0, "confirmed"),
        ("no-worse", -0.05, "refuted"),
        ("similar", 0.0, "confirmed"),
        ("similar", 0.05, "refuted"),
        ("similar", -0.05, "refuted"),
        ("worse", -0.05, "confirmed"),
        ("worse", 0.0, "refuted"),
        ("best", 0.05, "confirmed"),
        ("among-best", 0.0, "confirmed"),
    ],
)
@pytest.mark.parametrize("holds", ["all", "most", 5, "tendency"])
@pytest.mark.rotating
def test_planted_differences(kind, gain, verdict, holds):
    assert judge(results(dict.fromkeys(SETS, gain)), line(kind, holds=holds)).verdict == verdict


def test_how_many_must_hold():
    some = results({name: 0.05 if name in SETS[:6] else -0.05 for name in SETS})
    assert judge(some, line(holds="all")).verdict == "refuted"
    assert judge(some, line(holds="most")).verdict == "confirmed"
    assert judge(some, line(holds=6)).verdict == "confirmed"
    assert judge(some, line(holds=7)).verdict == "refuted"


def test_a_difference_at_the_margin_is_undecided_and_says_what_would_decide():
    found = judge(results({"a": 0.02}, noise=0.03, splits=5), line(datasets="a"))
    assert found.verdict == "undecided"
    assert "splits of the same differences" in found.evidence
    mixed = results(dict(zip(SETS, (0.05, 0.04, 0.03, 0.02, -0.005, 0.05, 0.0, 0.0), strict=True)))
    near = judge(mixed, line(holds="tendency"))
    assert near.verdict == "undecided"
    assert "data sets of the same differences" in near.evidence


def test_the_two_sides_mirror_each_other():
    """What speaks for "better" of one speaks for "worse" of the other."""
    found = results({name: 0.01 * i for i, name in enumerate(SETS)}, noise=0.05)
    mine = judge(found, line())
    turned = judge(found, line("worse", methods=("other",), than=("mine",)))
    assert (mine.p_for, mine.p_against) == pytest.approx((turned.p_for, turned.p_against))


def test_less_of_a_loss_is_better():
    found = results(dict.fromkeys(SETS, -0.05))
    losses = replace(found, scores=found.scores.assign(measure="hamming-loss"))
    assert judge(losses, line(quantities=("hamming-loss",))).verdict == "confirmed"
    assert judge(losses, line("smaller", quantities=("hamming-loss",))).verdict == "confirmed"
    assert judge(losses, line("larger", quantities=("hamming-loss",))).verdict == "refuted"


def test_cells_each_most_and_mean():
    found = results(dict.fromkeys(SETS, 0.05))
    worse = (found.scores["size_percent"] == 20) & (found.scores["method"] == "mine")
    scores = found.scores.assign(value=found.scores["value"] - 0.08 * worse)
    mixed = replace(found, scores=scores)
    every = {"protocol": "p", "sizes": [20, 40, 100]}
    assert judge(mixed, line(cells="each", select=every)).verdict == "refuted"
    assert judge(mixed, line(cells="most", select=every)).verdict == "confirmed"
    assert judge(mixed, line(select=every)).verdict == "confirmed"  # the mean is .05 - .08 / 3
    assert judge(mixed, line(select={"protocol": "p", "sizes": [20]})).verdict == "refuted"


@pytest.mark.parametrize("kind", ["better", "no-worse", "similar", "worse", "smaller"])
@given(
    st.lists(st.lists(st.sampled_from([-0.03, -0.01, 0.0, 0.01, 0.03]), min_size=4, max_size=4), min_size=2, max_size=7)
)
def test_most_cells_on_each_split(kind, values):
    """Where all splits are alike, more than half of the cells are in their intervals, or they are not."""
    cells = [difference(statement(kind), np.array(own), 0.01, 0.1) for own in values]
    found = most_cells(cells)
    for split in range(4):
        inside = sum(own.low <= own.values[split] <= own.high for own in cells)
        assert (found.values[split] >= 0) == (inside > len(cells) / 2)


def test_many_neighbouring_cells_decide_as_few():
    """A gain on every one of 54 sizes is as certain as on one of them: cells are no tests of their own."""
    sizes = tuple(range(1, 55))
    many = results(dict.fromkeys(SETS, 0.05), sizes=sizes)
    select = {"protocol": "p", "sizes": list(sizes)}
    assert judge(many, line(cells="most", holds="most", select=select)).verdict == "confirmed"
    assert (
        judge(many, line("no-worse", cells="most", methods=("other",), than=("mine",), select=select)).verdict
        == "refuted"
    )


def test_the_second_method_may_have_another_size():
    found = results(dict.fromkeys(SETS, 0.0))
    steps = found.scores["size_percent"].map({20: 0.0, 40: 0.0, 100: 0.1})
    rising = replace(found, scores=found.scores.assign(value=found.scores["value"] + steps))
    select = {"protocol": "p", "sizes": [20]}
    for sizes, verdict in (([20], "refuted"), ([100], "confirmed")):
        own = line("worse", select=select, than_select={"protocol": "p", "sizes": sizes})
        assert judge(rising, own).verdict == verdict


def test_a_relative_margin_is_of_the_second_method():
    found = results(dict.fromkeys(SETS, 0.03), noise=0.001)
    assert judge(found, line(margin=0.02, relative=True)).verdict == "confirmed"  # .02 of about .5
    assert judge(found, line(margin=0.2, relative=True)).verdict == "refuted"


def test_ratios():
    found = results({"a": 0.0})
    about = {"about": 2.0, "factor": 1.1}
    own = {"datasets": "a", "quantities": ("seconds",), "select": {}, "margin": None}
    assert judge(found, line("ratio", options=about, **own)).verdict == "confirmed"
    assert judge(found, line("ratio", options={"at_least": 1.5}, **own)).verdict == "confirmed"
    assert judge(found, line("ratio", options={"at_least": 3}, **own)).verdict == "refuted"
    assert judge(found, line("ratio", options={"at_most": 1.5}, **own)).verdict == "refuted"
    assert "ratio 1.98" in judge(found, line("ratio", options=about, **own)).evidence


@pytest.mark.parametrize("here", [4.0, 0.25])
def test_a_ratio_nearer_one_than_on_other_data_sets(here):
    """In either direction: a quarter is as far from one as four."""
    ratios = {"a": here, "b": 2.0, "c": 1.1}
    times = [
        (name, method, split, (ratio if method == "mine" else 1.0) * (1 + 0.001 * split))
        for name, ratio in ratios.items()
        for method, other in (("mine", 0), ("other", 1))
        for split in range(other, 10)
    ]
    columns = ["dataset", "method", "split", "seconds"]
    found = replace(results(dict.fromkeys(ratios, 0.0)), times=pd.DataFrame(times, columns=columns))
    own = {"quantities": ("seconds",), "select": {}, "margin": None}
    others = {"nearer_one_than_on": ("b", "c")}
    far = judge(found, line("ratio", datasets="a", options=others, **own))
    assert (far.verdict, far.evidence) == (
        "refuted",
        "mine and other: on a the ratio is farther from one by a factor of 2 (b), 3.64 (c).",
    )
    near = judge(found, line("ratio", datasets="c", options={"nearer_one_than_on": ("a", "b")}, **own))
    assert near.verdict == "confirmed"
    assert (
        judge(found, line("ratio", datasets="b", options={"nearer_one_than_on": ("a", "c")}, **own)).verdict
        == "refuted"
    )


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [(100, "confirmed"), (99, "refuted"), ("labels", "refuted"), ("min(labels, features)", "refuted")],
)
def test_bounds_hold_on_every_split(limit, verdict):
    own = line(
        "bound", quantities=("directions",), select={"protocol": "p", "sizes": [100]}, options={"at_most": limit}
    )
    assert judge(results(dict.fromkeys(SETS, 0.0)), own).verdict == verdict


def test_falling_and_rising_with_size():
    found = results(dict.fromkeys(SETS, 0.0))
    steps = found.scores["size_percent"].map({20: 0.0, 40: 0.05, 100: 0.1})
    rising = replace(found, scores=found.scores.assign(value=found.scores["value"] + steps))
    select = {"protocol": "p", "sizes": [20, 40, 100]}
    for direction, verdict in (("rises", "confirmed"), ("falls", "refuted")):
        own = line("monotone", select=select, options={"direction": direction})
        assert judge(rising, own).verdict == verdict
        assert judge(found, own).verdict == "refuted"  # it stays where it is


def three(gains, **options):
    """Scores of "mine", "other" and "third", better than "other" by the gains of the two on each data set."""
    first = results({name: own for name, (own, _) in gains.items()}, **options)
    second = results({name: own for name, (_, own) in gains.items()}, **options)
    third = second.scores[second.scores["method"] == "mine"].assign(method="third")
    return replace(first, scores=pd.concat([first.scores, third], ignore_index=True))


def test_of_several_methods_some_may_be_asked_to_hold():
    found = three(dict.fromkeys(SETS, (0.05, -0.05)))
    both = {"methods": ("mine", "third"), "than": ("other",)}
    assert judge(found, line(**both)).verdict == "refuted"
    assert judge(found, line(methods_hold=1, **both)).verdict == "confirmed"
    assert judge(found, line(methods_hold=2, **both)).verdict == "refuted"


@pytest.mark.parametrize(("mine", "third", "verdict"), [(6, 2, "confirmed"), (2, 6, "refuted"), (4, 4, "refuted")])
def test_more_data_sets_than_another_above_a_control(mine, third, verdict):
    gains = {name: (0.05 * (i < mine), 0.05 * (i < third)) for i, name in enumerate(SETS)}
    own = line("more-datasets", than=("third",), options={"control": "other"})
    assert judge(three(gains, noise=0.0003), own).verdict == verdict


def test_differences_relative_to_a_third_method():
    """A gain of a tenth over "other" with both predictors, whose levels differ, is the same gain."""
    found = results(dict.fromkeys(SETS, 0.05), noise=1e-5)
    twice = found.scores.assign(predictor="tree", value=2 * found.scores["value"])
    both = replace(found, scores=pd.concat([found.scores, twice], ignore_index=True))
    select = {"protocol": "p", "predictor": "knn"}
    own = {"than": ("mine",), "select": select, "than_select": select | {"predictor": "tree"}, "margin": 0.001}
    assert judge(both, line("similar", options={"relative_to": "other"}, **own)).verdict == "confirmed"
    assert judge(both, line("similar", **own)).verdict == "refuted"


@pytest.mark.parametrize(("sign", "verdict"), [(1, "confirmed"), (-1, "refuted")])
def test_correlation_of_two_quantities_over_methods(sign, verdict):
    found = three(dict.fromkeys(SETS, (0.1, 0.2)), noise=1e-3)
    other = found.scores.assign(measure="micro-f1", value=sign * found.scores["value"])
    both = replace(found, scores=pd.concat([found.scores, other], ignore_index=True))
    own = {"methods": ("mine", "other", "third"), "than": (), "quantities": ("macro-f1", "micro-f1")}
    found = judge(both, line("correlation", options={"at_least": 0.5}, **own))
    assert found.verdict == verdict
    assert f"Rank correlation {sign:.2f}" in found.evidence


@pytest.mark.parametrize(("at_least", "verdict"), [(0.5, "confirmed"), (0.51, "refuted")])
def test_bounds_on_a_quotient_of_a_gathered_table(at_least, verdict):
    table = pd.DataFrame({"dataset": "a", "nystrom": ["half", "whole"], "cells": 100, "holds": [50, 7]})
    found = replace(results({"a": 0.0}), tables={"theorem": table})
    spec = {"name": "theorem", "column": "holds", "over": "cells", "where": {"nystrom": "half"}}
    own = line("bound", "a", methods=(), than=(), quantities=(), options={"at_least": at_least, "table": spec})
    assert judge(found, own).verdict == verdict
    rows = replace(own, statement=replace(own.statement, options={"at_least": 1, "table": spec | {"where": {}}}))
    assert judge(found, rows).verdict == "not run"  # two rows


@pytest.mark.parametrize(("zeros", "verdict"), [(0.3, "confirmed"), (0.2, "refuted"), (0.1, "refuted")])
def test_a_number_of_a_table_that_is_larger_than_on_each_of_other_data_sets(zeros, verdict):
    table = pd.DataFrame({"dataset": ["a", "b", "c"], "zeros": [zeros, 0.2, 0.0]})
    found = replace(results(dict.fromkeys("abc", 0.0)), tables={"datasets": table})
    options = {"table": {"name": "datasets", "column": "zeros"}, "more_than_on": ("b", "c")}
    own = line("bound", "a", methods=(), than=(), quantities=(), options=options)
    assert judge(found, own).verdict == verdict
    without = replace(found, tables={"datasets": table[table["dataset"] != "c"]})
    assert judge(without, own).verdict == "not run"


def test_the_part_of_an_error_that_is_gone():
    rows = [
        ("a", m, s, d, e)
        for m, ends in (("mine", (4, 1)), ("other", (4, 2)))
        for d in range(9)
        for s, e in zip((5, 80), ends, strict=True)
    ]
    errors = pd.DataFrame(rows, columns=["dataset", "method", "size_percent", "draw", "value"])
    found = replace(results({"a": 0.0}), errors=errors)
    own = {"quantities": ("approximation-error-fall",), "select": {"sizes": [5, 80]}}
    assert "mean difference 0.25" in judge(found, line("larger", "a", **own)).evidence
    assert judge(found, line("larger", "a", margin=0.24, **own)).verdict == "confirmed"
    assert judge(found, line("larger", "a", margin=0.26, **own)).verdict == "refuted"


def test_rank_is_bounded_by_the_training_rows():
    limits = {"min(rows, features)": "confirmed", "min(labels, features)": "refuted"}
    found = results(dict.fromkeys(SETS, 0.0), sizes=(10,))
    for limit, verdict in limits.items():
        own = {"quantities": ("directions",), "select": {"protocol": "p"}, "options": {"at_most": limit}}
        assert judge(found, line("bound", **own)).verdict == verdict
    few = replace(found, parts=lambda protocol, dataset: (9, 1))
    own = {"quantities": ("directions",), "select": {"protocol": "p"}, "options": {"at_most": "min(rows, features)"}}
    assert judge(few, line("bound", **own)).verdict == "refuted"


def test_no_worse_with_a_margin_of_nothing_allows_equality():
    equal = results({"a": 0.0}, noise=0.0)
    assert judge(equal, line("no-worse", "a", margin=0)).verdict == "confirmed"
    assert judge(equal, line("better", "a", margin=0)).verdict == "refuted"


@pytest.mark.parametrize(
    "changes",
    [
        {"datasets": ("a", "z")},
        {"methods": ("absent",)},
        {"quantities": ("approximation-error",)},
        {"select": {"protocol": "elsewhere"}},
        {"datasets": "a", "holds": "tendency"},
    ],
)
def test_without_the_results_it_is_not_run_and_says_what_lacks(changes):
    found = judge(results(dict.fromkeys(SETS, 0.05)), line(**changes))
    assert found.verdict == "not run"
    assert math.isnan(found.p_for)
    assert found.evidence.startswith("Not run: ")


def test_splits_on_which_a_method_failed_are_left_out():
    found = results({"a": 0.05})
    failed = (found.scores["split"] < 5) & (found.scores["method"] == "other")
    fewer = replace(found, scores=found.scores.assign(value=found.scores["value"].mask(failed)))
    rest = replace(found, scores=found.scores[found.scores["split"] >= 5])
    one, two = judge(fewer, line(datasets="a")), judge(rest, line(datasets="a"))
    assert (one.p_for, one.p_against) == (two.p_for, two.p_against)
    none = replace(found, scores=found.scores[found.scores["method"] == "mine"])
    assert judge(none, line(datasets="a")).evidence == "Not run: other on a."


def test_one_split_decides_nothing():
    assert judge(results(dict.fromkeys(SETS, 0.05), splits=1), line()).verdict == "not run"


def test_the_order_of_rows_and_methods_does_not_matter():
    found = results({name: 0.01 * i for i, name in enumerate(SETS)}, noise=0.05)
    shuffled = replace(found, scores=found.scores.sample(frac=1, random_state=1))
    for holds in ("most", "tendency"):
        first, second = judge(found, line(holds=holds)), judge(shuffled, line(holds=holds))
        assert (first.p_for, first.p_against) == pytest.approx((second.p_for, second.p_against))


def test_evidence_names_wins_means_and_ends():
    found = judge(results({"a": 0.05, "b": 0.0, "c": -0.05}, noise=1e-6), line(datasets="abc"))
    assert "mine and other: 1 wins, 1 ties, 1 losses; mean difference" in found.evidence
    assert "from -0.05 (c) to 0.05 (a)" in found.evidence


@pytest.mark.parametrize(("kind", "effect"), [("better", 1.0), ("no-worse", -1.0), ("similar", 1.0)])
def test_at_the_margin_hardly_any_false_statement_is_confirmed(kind, effect):
    """A difference of exactly the margin is on the border of all three: at most one in twenty may be confirmed."""
    rng, share, splits, margin = np.random.default_rng(3), 0.1, 10, 0.01
    own, confirmed = statement(kind), 0
    for _ in range(400):
        common = rng.normal(0, 0.01 * np.sqrt(share))
        values = effect * margin + common + rng.normal(0, 0.01 * np.sqrt(1 - share), splits)
        gathered = {"a": {("mine", "other"): {"mean": difference(own, values, margin, share)}}}
        confirmed += decided(evidence_of(Line("", own, ("a",), "all"), gathered)) == "confirmed"
    assert confirmed <= 400 * 0.05 + 3 * np.sqrt(400 * 0.05 * 0.95)
    assert confirmed > 0


def test_settings_together():
    assert combined(["confirmed", "confirmed"]) == "confirmed"
    assert combined(["refuted", "refuted"]) == "refuted"
    assert combined(["confirmed", "refuted"]) == "undecided"
    assert combined(["confirmed", "undecided"]) == "undecided"
    assert combined(["confirmed", "not run"]) == "not run"
