from __future__ import annotations

import pandas as pd
import pytest
from claim_summaries import COMPARING, OVERFITTING, check, known, summary


def compare(differences, datasets="defgh", **changes):
    """Make a of every data set as much worse than b as given, at 20 %; standard errors 0.03 and 0.04, so 0.05."""
    cells = {}
    for d in datasets:
        for percent in (20, 40):
            worse = differences.get(d, 0.0) if percent == 20 else 0.0
            cells[d, "a", percent] = {"size_percent": percent, "mean": 0.4 + worse, "se": 0.03}
            cells[d, "b", percent] = {"size_percent": percent, "mean": 0.4, "se": 0.04}
    arguments = COMPARING | changes
    return check("not-worse", summary(cells, measure=arguments["measure"]), known(datasets), **arguments)


@pytest.mark.parametrize(
    ("differences", "changes", "verdict"),
    [
        ({}, {}, "confirmed"),
        ({"d": 0.099}, {}, "confirmed"),
        ({"d": 0.101}, {}, "undecided"),
        ({"d": 0.101}, {"tolerance_se": 3}, "confirmed"),
        ({"d": 0.001}, {"tolerance_se": 0}, "undecided"),
        ({"d": -0.2}, {"tolerance_se": 0}, "confirmed"),
        ({"d": -0.2}, {"measure": "instance-f1"}, "undecided"),
        ({"d": 0.2}, {"measure": "instance-f1"}, "confirmed"),
        ({"d": 0.2, "e": 0.2}, {}, "undecided"),
        ({"d": 0.2, "e": 0.2}, {"most": True}, "confirmed"),
        ({"d": 0.2, "e": 0.2}, {"most": True, "datasets": "defg"}, "undecided"),
        ({"d": 0.2, "e": 0.2, "f": 0.2}, {}, "refuted"),
        ({"d": 0.2, "e": 0.2, "f": 0.2}, {"most": True}, "refuted"),
    ],
)
def test_not_worse(differences, changes, verdict):
    changes = dict(changes)
    assert compare(differences, changes.pop("datasets", "defgh"), **changes)[0] == verdict


def test_not_worse_names_where():
    _, evidence = compare({"d": 0.2, "f": 0.3})
    assert "a against b in hamming-loss: worse by more than 2 standard errors in 2 of 10 comparisons" in evidence
    assert "on 2 of 5 data sets: d (1 of 2, the farthest a 0.6000 and b 0.4000 at 20 %); f (1 of 2, " in evidence


def test_each_is_compared_with_each_other():
    cells = {("d", m): {"mean": v, "size_percent": 20} for m, v in {"a": 0.1, "b": 0.3, "x": 0.2, "y": 0.4}.items()}
    arguments = COMPARING | {"methods": ["a", "b"], "than": ["x", "y"], "size_percents": [20]}
    verdict, evidence = check("not-worse", summary(cells), known("d"), **arguments)
    assert verdict == "refuted"
    assert "1 of 4 comparisons" in evidence
    assert "b 0.3000 and x 0.2000" in evidence


def better(losses, datasets="defgh", **changes):
    """Compare a, with means at 20 and 40 % or 0.2, with b at 0.4; standard errors 0.03 and 0.04, so 0.05."""
    cells = {}
    for d in datasets:
        for percent, mean in zip((20, 40), losses.get(d, (0.2, 0.2)), strict=True):
            cells[d, "a", percent] = {"size_percent": percent, "mean": mean, "se": 0.03}
            cells[d, "b", percent] = {"size_percent": percent, "mean": 0.4, "se": 0.04}
    arguments = COMPARING | changes
    return check("better-on", summary(cells, measure=arguments["measure"]), known(datasets), **arguments)


@pytest.mark.parametrize(
    ("losses", "changes", "verdict"),
    [
        ({}, {}, "confirmed"),
        ({"d": (0.3, 0.349)}, {}, "confirmed"),
        ({"d": (0.3, 0.351)}, {}, "undecided"),
        ({"d": (0.3, 0.351)}, {"tolerance_se": 0.5}, "confirmed"),
        ({"d": (0.3, 0.349)}, {"tolerance_se": 2}, "undecided"),
        ({"d": (0.3, 0.4)}, {"tolerance_se": 0}, "undecided"),
        ({"d": (0.3, 0.351)}, {"somewhere": True}, "confirmed"),
        ({"d": (0.351, 0.351)}, {"somewhere": True}, "undecided"),
        ({"d": (0.3, 0.449)}, {"somewhere": True}, "confirmed"),
        ({"d": (0.3, 0.451)}, {"somewhere": True}, "undecided"),
        ({}, {"measure": "instance-f1"}, "refuted"),
        (dict.fromkeys("defgh", (0.5, 0.5)), {"measure": "instance-f1"}, "confirmed"),
        ({"d": (0.4, 0.4), "e": (0.4, 0.4)}, {}, "undecided"),
        ({"d": (0.4, 0.4), "e": (0.4, 0.4), "f": (0.4, 0.4)}, {}, "refuted"),
        ({"d": (0.4, 0.4), "e": (0.4, 0.4)}, {"at_least": 3}, "confirmed"),
        ({"d": (0.4, 0.4), "e": (0.4, 0.4)}, {"at_least": 4}, "undecided"),
        (dict.fromkeys("def", (0.4, 0.4)), {"at_least": 4}, "refuted"),
    ],
)
def test_better_on(losses, changes, verdict):
    assert better(losses, **changes)[0] == verdict


def test_better_on_names_where_and_at_how_many_sizes():
    _, evidence = better({"d": (0.3, 0.4), "f": (0.3, 0.5)}, at_least=4)
    assert evidence == (
        "a against b in hamming-loss: better by more than 1 standard error at every size on 3 of 5 data sets, where 4 "
        "are claimed: e, g, h; sizes at which they are better on the others: d (1 of 2), f (1 of 2, worse at 1)."
    )
    _, evidence = better({}, datasets="d", somewhere=True, tolerance_se=2)
    assert evidence.endswith("more than 2 standard errors at a size or more and worse at none on 1 of 1 data set: d.")


def test_each_must_be_better_than_each_other():
    cells = {("d", m): {"mean": v, "size_percent": 20} for m, v in {"a": 0.1, "b": 0.3, "x": 0.2, "y": 0.4}.items()}
    arguments = COMPARING | {"methods": ["a", "b"], "than": ["x", "y"], "size_percents": [20]}
    table = summary(cells)
    assert check("better-on", table, known("d"), **arguments)[0] == "refuted"
    assert check("better-on", table, known("d"), **arguments | {"than": ["y"]})[0] == "confirmed"
    assert check("better-on", table, known("d"), **arguments | {"methods": ["a"]})[0] == "confirmed"


def test_one_predictor_against_another():
    cells = {(d, m, p): {"mean": 0.4, "size_percent": p} for d in "de" for m in "ab" for p in (20, 40)}
    good, bad = summary(cells, predictor="s", mean=0.3), summary(cells)
    good["mean"] = 0.3
    arguments = COMPARING | {"predictor": "s", "than_predictor": "r"}
    verdict, evidence = check("better-on", pd.concat([good, bad]), known("de"), **arguments)
    assert verdict == "confirmed"
    assert evidence.startswith("a with s against b with r in hamming-loss: ")
    assert check("better-on", pd.concat([good, bad]), known("de"), **arguments | {"than": ["a"]})[0] == "confirmed"
    turned = arguments | {"predictor": "r", "than_predictor": "s"}
    assert check("better-on", pd.concat([good, bad]), known("de"), **turned)[0] == "refuted"
    lacking = pd.concat([good[good.dataset != "e"], bad])
    verdict, evidence = check("better-on", lacking, known("de"), **arguments)
    assert verdict == "undecided"
    assert evidence.startswith("Missing from this run: e (a with s). On the rest: a with s against b with r")


def overfit(rises, cured_rises=None, **changes):
    """Make a's mean at 100 % exceed that at 40 %, its best, by so much a data set; errors 0.05 together."""
    tables = []
    for predictor, given in (("r", rises), ("s", cured_rises or {})):
        cells = {}
        for d, rise in given.items():
            for percent, mean in ((100, 0.3 + rise), (20, 0.35), (40, 0.3)):
                cells[d, "a", percent] = {"size_percent": percent, "mean": mean, "se": 0.04 if percent == 100 else 0.03}
        tables.append(summary(cells, predictor=predictor, measure=changes.get("measure", "hamming-loss")))
    return check("overfits", pd.concat(tables), known(rises), **(OVERFITTING | changes))


@pytest.mark.parametrize(
    ("rises", "changes", "verdict"),
    [
        ({"d": 0.11, "e": 0.3}, {}, "confirmed"),
        ({"d": 0.09, "e": 0.3, "f": 0.3}, {}, "undecided"),
        ({"d": 0.09, "e": 0.3}, {}, "refuted"),
        ({"d": 0.09, "e": 0.3}, {"tolerance_se": 1.5}, "confirmed"),
        ({"d": -0.2, "e": 0.3}, {"tolerance_se": 0}, "refuted"),
        ({"d": -0.2, "e": -0.2}, {"measure": "instance-f1"}, "confirmed"),
        ({"d": 0.2, "e": 0.2}, {"measure": "instance-f1"}, "refuted"),
    ],
)
def test_overfits(rises, changes, verdict):
    assert overfit(rises, **changes)[0] == verdict


def test_overfitting_cured_by_another_predictor():
    ill = {"d": 0.3, "e": 0.3}
    assert overfit(ill, {"d": 0.0, "e": 0.09}, cured_by="s") == (
        "confirmed",
        "As claimed on 2 of 2 data sets; hamming-loss at 100 % against the best of all sizes, where more than 2 "
        "standard errors are overfitting. "
        "d: a with r 0.6000 against 0.3000 at 40 %, overfits; a with s 0.3000 against 0.3000 at 40 %, does not. "
        "e: a with r 0.6000 against 0.3000 at 40 %, overfits; a with s 0.3900 against 0.3000 at 40 %, does not.",
    )
    assert overfit(ill, {"d": 0.0, "e": 0.2}, cured_by="s")[0] == "refuted"
    assert overfit({"d": 0.0, "e": 0.0}, {"d": 0.0, "e": 0.0}, cured_by="s")[0] == "refuted"
    verdict, evidence = overfit(ill, {"d": 0.0}, cured_by="s")
    assert verdict == "undecided"
    assert evidence.startswith("Missing from this run: e (a with s). On the rest: As claimed on 1 of 1 data set;")
    assert (
        overfit(ill, ill, cured_by="s", cured_methods=["b"])[1] == "Missing from this run: d (b with s), e (b with s)."
    )
