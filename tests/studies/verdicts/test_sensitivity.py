"""Claims judged in other ways, and claims counted by groups."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from planted_scores import SETS, results

from mlreduce_studies.verdicts.claims import judge_claims
from mlreduce_studies.verdicts.columns import CLAIM_COLUMNS, CLASSES, VERDICTS, summary_counts, verdicts_sentence
from mlreduce_studies.verdicts.reading import Claim
from mlreduce_studies.verdicts.sensitivity import Variant, sensitivity, stays, variants

ENTRY = {
    "id": "x",
    "kind": "better",
    "method": "mine",
    "than": "other",
    "quantity": "macro-f1",
    "select": {"protocol": "p"},
    "wording": "plain",
}


def claim(**changes):
    return Claim("x", "c", "w", "", {}, "plain", "x", False, (), ENTRY | changes)


@pytest.fixture(scope="module")
def planted():
    """Mine is better by a margin and a half on six data sets, and worse on two."""
    return results({name: 0.015 if name in SETS[:6] else -0.05 for name in SETS})


def verdict(table, **changes):
    way = Variant(**changes)
    own = table.set_index(list(Variant._fields)).loc[tuple(way)]
    return str(own["verdict"])


def test_each_way_changes_what_it_says(planted):
    table = sensitivity([claim()], planted, SETS)
    assert len(table) == len(list(variants()))
    assert verdict(table) == "confirmed"
    assert verdict(table, margin=2.0) == "refuted"
    assert verdict(table, margin=0.5) == "confirmed"
    assert verdict(table, scope="all") == "refuted"
    assert verdict(table, combination="any") == "confirmed"


def test_the_first_way_is_that_of_the_verdicts(planted):
    own = claim(open="o", settings=[{"name": "a"}, {"name": "b", "margin": 0.03}, {"name": "c", "shown": True}])
    table = sensitivity([own], planted, SETS)
    judged = judge_claims([own], planted, SETS).claims
    assert verdict(table) == judged["verdict"][0] == "undecided"
    assert verdict(table, settings="first") == "confirmed"


def test_what_results_do_not_decide_is_left_out(planted):
    unchecked = replace(claim(), unchecked="the data are lost")
    proved = replace(claim(), proof={"verdict": "proved", "derivation": "d", "test": "t"})
    assert sensitivity([unchecked, proved], planted, SETS).empty


def test_how_many_verdicts_stay():
    ways = list(variants())
    rows = [("a", *way, "confirmed") for way in ways]
    rows += [("b", *way, "refuted" if way.margin == 2.0 else "confirmed") for way in ways]
    found = stays(pd.DataFrame(rows, columns=["id", *Variant._fields, "verdict"]))
    assert len(found) == len(ways) - 1
    doubled = found[found["margin"] == 2.0]
    assert (doubled["stay"].unique().tolist(), doubled["turned"].unique().tolist()) == ([0.5], [1])
    assert (found[found["margin"] != 2.0]["stay"] == 1).all()


def test_groups_and_questions_of_ours_are_counted_apart():
    rows = [
        ("a", "confirmed", "g", False),
        ("b", "refuted", "g", False),
        ("c", "proved", "c", False),
        ("d", "cannot be checked", "d", False),
        ("f", "baseline not reproduced", "f", False),
        ("h", "false by algebra", "h", False),
        ("i", "not run", "d", False),
        ("e", "confirmed", "e", True),
    ]
    claims = pd.DataFrame(rows, columns=["id", "verdict", "group", "own"]).reindex(columns=list(CLAIM_COLUMNS))
    assert verdicts_sentence(claims) == (
        "Of 7 claims of the paper: 1 confirmed, 1 refuted, 1 baseline not reproduced, 1 proved, 1 false by algebra, "
        "1 not run, 1 cannot be checked. They rest on 5 comparisons: 2 mixed, 1 proved, 1 baseline not reproduced, "
        "1 false by algebra. Of 1 questions and readings of ours: 1 confirmed."
    )
    counts = summary_counts(claims)
    assert counts == {
        **{"confirmed": 1, "refuted": 1, "undecided": 0, "baseline not reproduced": 1},
        **{"proved": 1, "false by algebra": 1, "not judged": 2},
    }
    assert sum(counts.values()) == (~claims["own"].astype(bool)).sum()
    assert sum(CLASSES.values(), ()) == VERDICTS
