from __future__ import annotations

import pytest
from claim_summaries import check, known, summary

COMMON = {"measure": "macro-f1", "predictor": "r", "protocol": "p"}


def table(means, measure="macro-f1"):
    """Means as {data set: {method: mean}}, at a size that stands for itself, and lies at another."""
    cells = {(d, m): {"mean": mean, "measure": measure} for d, own in means.items() for m, mean in own.items()}
    lies = {(d, m, 1): {"mean": 1 - mean, "measure": measure, "size_percent": 20} for (d, m), mean in
            ((key, cell["mean"]) for key, cell in cells.items())}  # fmt: skip
    return summary(cells | lies)


ORDERED = {"d": {"a": 0.9, "b": 0.8, "c": 0.4, "e": 0.3}, "f": {"a": 0.7, "b": 0.6, "c": 0.5, "e": 0.1}}


@pytest.mark.parametrize(
    ("methods", "than", "verdict"),
    [
        (["a", "b"], ["c", "e"], "confirmed"),
        (["c", "e"], ["a", "b"], "refuted"),
        (["a", "c"], ["b", "e"], "confirmed"),  # the best, and three of four pairs
        (["a", "e"], ["b", "c"], "refuted"),  # the best, but two of four pairs
        (["b", "c"], ["a", "e"], "refuted"),  # half of the pairs
    ],
)
def test_group_above(methods, than, verdict):
    assert check("group-above", table(ORDERED), known("df"), methods=methods, than=than, **COMMON)[0] == verdict


def test_group_above_on_some_data_sets():
    means = {name: {"a": 0.9, "b": 0.8} for name in "dfg"} | {"h": {"a": 0.1, "b": 0.8}}
    found = check("group-above", table(means), known("dfgh"), methods=["a"], than=["b"], **COMMON)
    assert found[0] == "undecided"
    assert "on 3 of 4 data sets" in found[1]
    assert "h best 0.1000 (a) against 0.8000 (b), 0 of 1 pair" in found[1]


@pytest.mark.parametrize(
    ("method", "verdict"), [("a", "refuted"), ("b", "refuted"), ("c", "confirmed"), ("e", "confirmed")]
)
def test_lagging(method, verdict):
    found = check("lagging", table(ORDERED), known("df"), method=method, methods=list("abce"), **COMMON)
    assert found[0] == verdict


def test_the_middle_rank_does_not_lag():
    means = {"d": {"a": 0.9, "b": 0.8, "c": 0.4}}
    assert check("lagging", table(means), known("d"), method="b", methods=list("abc"), **COMMON)[0] == "refuted"


@pytest.mark.parametrize(
    ("methods", "number", "verdict"),
    [
        ("ab", 2, "confirmed"),
        ("ab", 1, "confirmed"),
        ("ab", 3, "refuted"),
        ("ace", 1, "confirmed"),
        ("ace", 2, "refuted"),
    ],
)
def test_leading(methods, number, verdict):
    found = check(
        "leading", table(ORDERED), known("df"), methods=list(methods), among=list("abce"), number=number, **COMMON
    )
    assert found[0] == verdict


def test_leading_names_the_best_and_the_family():
    found = check("leading", table(ORDERED), known("df"), methods=["b"], among=list("abce"), number=1, **COMMON)[1]
    assert "d a 0.9000 (of the family 0.8000 at best)" in found


def test_a_loss_turns_the_order():
    losses = table(ORDERED, "hamming-loss")
    arguments = COMMON | {"measure": "hamming-loss"}
    assert (
        check("leading", losses, known("df"), methods=["e"], among=list("abce"), number=1, **arguments)[0]
        == "confirmed"
    )
    found = check("group-above", losses, known("df"), methods=["c", "e"], than=["a", "b"], **arguments)
    assert found[0] == "confirmed"
    assert "d best 0.3000 (e) against 0.8000 (b)" in found[1]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("group-above", {"methods": ["a"], "than": ["b"]}),
        ("lagging", {"method": "a", "methods": ["a", "b"]}),
        ("leading", {"methods": ["a"], "among": ["a", "b"], "number": 1}),
    ],
)
def test_a_gap_leaves_a_claim_undecided(name, arguments):
    means = {"d": {"a": 0.9, "b": 0.8}, "f": {"a": 0.7}}
    found = check(name, table(means), known("df"), **arguments, **COMMON)
    assert found[0] == "undecided"
    assert "Missing from this run: f (b)." in found[1]
    assert check(name, table({"d": {"c": 0.1}}), known("d"), **arguments, **COMMON)[0] == "undecided"


def test_a_percentage_is_another_size():
    arguments = {"methods": ["a"], "than": ["e"], "size_percent": 20}
    assert check("group-above", table(ORDERED), known("df"), **arguments, **COMMON)[0] == "refuted"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("not-worse", {"than": ["b"], "size_percents": [0], "tolerance_se": 1}),
        ("better-on", {"than": ["b"], "size_percents": [0], "tolerance_se": 1}),
        ("leading", {"among": ["a", "b"], "number": 1}),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_of_several_numbers_of_directions_the_largest_counts(name, arguments, order):
    """At ten directions b is above a, at all that each has a is above b: rows of the two numbers are never paired."""
    at = {("a", 10): 0.1, ("b", 10): 0.8, ("a", 50): 0.9, ("b", 40): 0.7}
    cells = {("d", m, size): {"mean": mean, "measure": "macro-f1", "size": size} for (m, size), mean in at.items()}
    both = summary(cells)[::order].reset_index(drop=True)
    assert check(name, both, known("d"), methods=["a"], **arguments, **COMMON)[0] == "confirmed"
