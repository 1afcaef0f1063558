from __future__ import annotations

import itertools

import pandas as pd
import pytest
from claim_summaries import CURVES, check, known, summary

MEASURES = ["hamming-loss", "instance-f1"]
PANELS = CURVES | {"measures": MEASURES, "predictors": ["r", "q"]}


def areas(values, errors=0.01):
    """Make areas from {(data set, predictor, measure): {method: goodness}}; a loss is one minus that."""
    cells = {}
    for (d, predictor, measure), methods in values.items():
        for m, good in methods.items():
            mean = good if measure == "instance-f1" else 1 - good
            cells[d, m, predictor, measure] = {"predictor": predictor, "measure": measure, "mean": mean, "se": errors}
    return summary(cells, size=0.0)


def panels(datasets="de", **methods):
    """Make values that are the same in all panels."""
    return {key: dict(methods) for key in itertools.product(datasets, ("r", "q"), MEASURES)}


def best(values, method="a", datasets="de", **changes):
    methods = list(next(iter(values.values())))
    return check("best-in-most", areas(values), known(datasets), method=method, methods=methods, **(PANELS | changes))


def changed(values, number, **methods):
    """Change methods in the first panels."""
    return {key: own | (methods if i < number else {}) for i, (key, own) in enumerate(values.items())}


ORDERED = panels(a=0.9, b=0.8, c=0.7)


@pytest.mark.parametrize(
    ("number", "to", "verdict"),
    [
        *[
            (0, 0.1, "confirmed"),
            (3, 0.1, "confirmed"),
            (4, 0.1, "undecided"),
            (5, 0.1, "refuted"),
            (8, 0.1, "refuted"),
        ],
        *[(3, 0.8, "confirmed"), (5, 0.8, "undecided"), (8, 0.8, "undecided")],
    ],
)
def test_best_in_most(number, to, verdict):
    assert best(changed(ORDERED, number, a=to))[0] == verdict


def test_best_in_most_counts_by_predictor():
    verdict, evidence = best(changed(changed(ORDERED, 4, a=0.1), 1, c=0.95))
    assert verdict == "undecided"
    assert evidence == (
        "a has the best area in 4 of 8 panels (2 data sets, 2 predictors, 2 measures): 2 of 4 with r and 2 of 4 with "
        "q; ahead of the second by more than 2 standard errors in 4. Panels in which another is the best: b 3, c 1."
    )


def test_a_lead_within_the_errors_counts_but_is_not_clear():
    values = changed(ORDERED, 3, a=0.828)  # two standard errors of a difference of means with 0.01 each are 0.0283
    values = changed(values, 1, b=0.828)
    verdict, evidence = best(values)
    assert verdict == "confirmed"
    assert "in 7 of 8 panels" in evidence
    assert "by more than 2 standard errors in 5; it shares the lead in 1." in evidence
    assert "by more than 1 standard error in 7;" in best(values, tolerance_se=1)[1]


def test_best_in_most_takes_the_panels_it_was_told_to():
    worse = areas(panels(a=0.1, b=0.8, c=0.7))
    others = [
        *(worse.assign(**{k: v}) for k, v in {"protocol": "x", "predictor": "x", "measure": "subset-accuracy"}.items()),
        *(worse.assign(**{k: v}) for k, v in {"size_percent": 20, "energy": 0.9, "dataset": "x"}.items()),
        worse.assign(method="x", mean=0.0),
    ]
    table = pd.concat([areas(ORDERED), *others])
    alone = best(ORDERED)
    arguments = PANELS | {"method": "a", "methods": ["a", "b", "c"]}
    assert check("best-in-most", table, known("de"), **arguments) == alone
    assert check("best-in-most", table, known("de"), **(arguments | {"predictors": ["r"]}))[0] == "confirmed"


def test_a_missing_panel_is_missing():
    values = dict(ORDERED)
    del values["e", "q", "instance-f1"]
    verdict, evidence = best(values)
    assert verdict == "undecided"
    assert evidence.startswith(
        "Missing from this run: e. On the rest: a has the best area in 4 of 4 panels (1 data set,"
    )
    table = areas(ORDERED)
    gone = table[(table["dataset"] != "d") | (table["method"] != "c") | (table["predictor"] != "r")]
    arguments = PANELS | {"method": "a", "methods": ["a", "b", "c"]}
    assert check("best-in-most", gone, known("de"), **arguments)[1].startswith("Missing from this run: d (c). On")


def alike(gaps, errors=0.01, datasets="de", **changes):
    """Put a and b as far apart as given, relative to a mean of 0.5, in the first panels; 0.01 in the others."""
    values = {}
    for key, gap in itertools.zip_longest(itertools.product(datasets, ("r", "q"), MEASURES), gaps, fillvalue=0.01):
        values[key] = {"a": 0.5 + gap / 4, "b": 0.5 - gap / 4, "c": 0.5}  # losses of 0.5 on average, too
    arguments = PANELS | {"methods": ["a", "b", "c"], "within": 0.1} | changes
    return check("alike-on", areas(values, errors), known(datasets), **arguments)


@pytest.mark.parametrize(
    ("gaps", "changes", "verdict"),
    [
        ([], {}, "confirmed"),
        ([0.1] * 8, {}, "confirmed"),
        ([0.101], {}, "undecided"),
        ([0.101], {"within": 0.2}, "confirmed"),
        ([0.2] * 3, {}, "undecided"),
        ([0.2] * 4, {}, "refuted"),
        ([0.15] * 8, {}, "undecided"),  # farther apart by 0.025, where two standard errors are 0.028
        ([0.15] * 8, {"tolerance_se": 1}, "refuted"),
        ([0.15] * 8, {"errors": 0.001}, "refuted"),
        ([0.08] * 8, {"errors": 0.001}, "confirmed"),
        ([0.18] * 4, {"methods": ["a", "c"]}, "confirmed"),
    ],
)
def test_alike_on(gaps, changes, verdict):
    changes = dict(changes)
    assert alike(gaps, changes.pop("errors", 0.01), **changes)[0] == verdict


def test_alike_on_says_how_far_apart_and_where():
    _, evidence = alike([0.01, 0.02, 0.03, 0.2, 0.01, 0.4])
    assert evidence == (
        "The best and the worst area of a, b and c are within 10 % of the mean in 6 of 8 panels (2 data sets, 2 "
        "predictors, 2 measures), and farther apart by more than 2 standard errors in 2. Median gaps: d 2.5 %, at most "
        "20.0 % (instance-f1 with q); e 1.0 %, at most 40.0 % (instance-f1 with r)."
    )


SUITING = PANELS | {"methods": ["a", "b"], "than": ["x", "y"], "control": "r"}


def suits(counts, datasets="defgh", **changes):
    """Let a method be clearly better than the control in all panels of its first data sets, and equal in others."""
    values = {}
    for number, d in enumerate(datasets):
        values |= panels(d, r=0.5, **{m: 0.6 if number < n else 0.5 for m, n in counts.items()})
    return check("suits-more", areas(values), known(datasets), **(SUITING | changes))


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ({"a": 5, "b": 4, "x": 3, "y": 0}, "confirmed"),
        ({"a": 5, "b": 4, "x": 4, "y": 0}, "undecided"),
        ({"a": 5, "b": 3, "x": 4, "y": 0}, "undecided"),
        ({"a": 5, "b": 2, "x": 3, "y": 3}, "refuted"),
        ({"a": 5, "b": 5, "x": 5, "y": 5}, "refuted"),
        ({"a": 1, "b": 2, "x": 3, "y": 4}, "refuted"),
    ],
)
def test_suits_more(counts, verdict):
    assert suits(counts)[0] == verdict


def test_suits_more_names_the_others():
    _, evidence = suits({"a": 5, "b": 4, "x": 3, "y": 0})
    assert evidence == (
        "Data sets of 5 on which the area is better than that of r by more than 2 standard errors in most panels (2 "
        "predictors, 2 measures) and worse in none: a 5; b 4 (not h); x 3 (not g and h); y 0 (not d, e, f, g and h)."
    )


@pytest.mark.parametrize(
    ("good", "bad", "suited"),
    [(4, 0, True), (3, 0, True), (2, 0, False), (3, 1, False), (0, 0, False), (0, 4, False)],
)
def test_suits_is_better_in_most_panels_and_worse_in_none(good, bad, suited):
    values = panels("d", r=0.5, a=0.5, x=0.5)
    values = changed(changed(values, good + bad, a=0.4), good, a=0.6)
    arguments = SUITING | {"methods": ["a"], "than": ["x"]}
    verdict, evidence = check("suits-more", areas(values), known("d"), **arguments)
    assert (verdict == "confirmed") == suited
    assert f"a {int(suited)}" in evidence


def test_better_than_the_control_is_beyond_the_errors():
    values = panels("d", r=0.5, a=0.528, x=0.5)  # two standard errors are 0.0283
    arguments = SUITING | {"methods": ["a"], "than": ["x"]}
    assert check("suits-more", areas(values), known("d"), **arguments)[0] == "refuted"
    assert check("suits-more", areas(values), known("d"), **arguments, tolerance_se=1)[0] == "confirmed"
