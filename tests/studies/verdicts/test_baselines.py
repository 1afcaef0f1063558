"""A verdict needs its baseline: the rule on printed numbers that are made up, and what it does to claims."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest
from planted_scores import SETS, results

from mlreduce_studies.verdicts.audit import AUDIT_COLUMNS
from mlreduce_studies.verdicts.baselines import (
    BASELINE,
    PRINTED_COLUMNS,
    baselines,
    lacking_baseline,
    printed_cells,
    without_baseline,
)
from mlreduce_studies.verdicts.claims import judge_claims, weakness_of
from mlreduce_studies.verdicts.judging import combined, judge
from mlreduce_studies.verdicts.reading import Claim
from mlreduce_studies.verdicts.sensitivity import sensitivity
from mlreduce_studies.verdicts.statements import Line, Statement

SELECT = {"protocol": "p", "predictor": "knn", "sizes": [20, 40]}
STATEMENT = Statement("better", ("mine",), ("other",), ("macro-f1",), SELECT, margin=0.01)
LINE = Line("", STATEMENT, SETS, "most")


def printed(method="other", reproduced=(True, True), **changes):
    """Two printed numbers, at 20 and 40 %, on the first data set, each with whether it is reproduced."""
    place = {"protocol": "p", "dataset": SETS[0], "predictor": "knn", "measure": "macro-f1"} | changes
    rows = [
        place | {"method": method, "size_percent": size, "reproduced": own}
        for size, own in zip((20, 40), reproduced, strict=True)
    ]
    return pd.DataFrame(rows)[list(PRINTED_COLUMNS)]


def test_most_is_more_than_half():
    cells = printed(reproduced=(True, False))
    assert lacking_baseline(cells, (), LINE) == "other 1 of 2"
    more = pd.concat([cells, printed(reproduced=(True, True), dataset=SETS[1])], ignore_index=True)
    assert lacking_baseline(more, (), LINE) == ""
    one_of_three = pd.concat([cells, printed(reproduced=(False, True), dataset=SETS[1])[:1]], ignore_index=True)
    assert lacking_baseline(one_of_three, (), LINE) == "other 1 of 3"


@pytest.mark.parametrize(
    "changes",
    [{"protocol": "q"}, {"dataset": "elsewhere"}, {"predictor": "ridge"}, {"measure": "rmse"}, {"method": "third"}],
)
def test_numbers_that_a_setting_is_not_about_do_not_count(changes):
    assert lacking_baseline(printed(reproduced=(False, False), **changes), (), LINE) == ""
    assert lacking_baseline(printed(reproduced=(False, False)), (), LINE) == "other 0 of 2"


def test_sizes_are_those_of_the_side_that_a_method_is_on():
    at_forty = replace(STATEMENT, than_select=SELECT | {"sizes": [40]})
    cells = printed(reproduced=(False, True))
    assert lacking_baseline(cells, (), replace(LINE, statement=at_forty)) == ""
    assert lacking_baseline(cells, (), LINE) == "other 1 of 2"


def test_where_nothing_is_printed_nothing_is_lacking():
    assert lacking_baseline(None, (), LINE) == ""
    assert lacking_baseline(printed()[:0], (), LINE) == ""


def test_a_proposed_method_needs_no_printed_numbers_but_on_the_second_side():
    missed = printed("mine", (False, False))
    assert lacking_baseline(missed, ("mine",), LINE) == ""
    assert lacking_baseline(missed, (), LINE) == "mine 0 of 2"
    turned = replace(LINE, statement=replace(STATEMENT, methods=("other",), than=("mine",)))
    assert lacking_baseline(missed, ("mine",), turned) == "mine 0 of 2"


def test_each_baseline_is_counted_by_itself():
    two = replace(LINE, statement=replace(STATEMENT, than=("other", "third")))
    cells = pd.concat([printed(), printed("third", (False, True))], ignore_index=True)
    assert lacking_baseline(cells, ("mine",), two) == "third 1 of 2"
    related = replace(STATEMENT, than=("mine",), options={"relative_to": "third", "control": "fourth"})
    assert {method for method, _ in baselines(related, ("mine",))} == {"mine", "third", "fourth"}
    assert lacking_baseline(cells, ("mine",), replace(LINE, statement=related)) == "third 1 of 2"


def test_printed_cells_are_those_of_the_audit_and_ratios_of_times():
    cells = [("table1", "p", "a", "other", word) for word in ("reproduced", "near", "differs", "failed", "not run")]
    audit = pd.DataFrame(cells, columns=["table", "protocol", "dataset", "method", "verdict"])
    audit = audit.reindex(columns=list(AUDIT_COLUMNS)).assign(size_percent=20)
    ratios = pd.DataFrame(
        {
            "dataset": "a",
            "method": ["base", "in", "out", "unprinted"],
            "printed_ratio": [1, 8, 8, None],
            "ratio": [1, 4, 3.9, 2],
        }
    )
    found = printed_cells(audit, {"table1": {"measure": "rmse", "predictor": "knn"}}, ratios)
    assert tuple(found.columns) == PRINTED_COLUMNS
    assert found.index.is_unique
    assert found["reproduced"].tolist() == [True, False, False, False, True, True, False]
    assert found["measure"].tolist() == ["rmse"] * 4 + ["seconds"] * 3
    seconds = Statement("smaller", ("base",), ("in", "out"), ("seconds",), {"protocol": "p"}, margin=0.1, relative=True)
    assert lacking_baseline(found, ("base",), Line("", seconds, ("a",), "all")) == "out 0 of 1"
    assert printed_cells(audit[:0], {}).empty


@pytest.mark.parametrize(("gain", "verdict"), [(0.05, "confirmed"), (-0.05, "refuted"), (0.01, "undecided")])
def test_every_verdict_is_withheld(gain, verdict):
    planted = results(dict.fromkeys(SETS, gain), noise=0.02 if verdict == "undecided" else 0.003)
    assert judge(planted, LINE).verdict == verdict
    kept = judge(replace(planted, printed=printed()), LINE)
    assert (kept.verdict, without_baseline(kept.evidence)) == (verdict, "")
    found = judge(replace(planted, printed=printed(reproduced=(False, False))), LINE)
    assert found.verdict == BASELINE
    said = f"Printed numbers of the baseline that are reproduced: other 0 of 2. By our scores alone: {verdict}."
    assert without_baseline(found.evidence) == said
    assert found.p_for == kept.p_for


def test_a_claim_has_none_where_a_setting_that_counts_has_none():
    assert combined(["confirmed", BASELINE]) == BASELINE
    assert combined([BASELINE, "not run"]) == "not run"
    planted = replace(results(dict.fromkeys(SETS, 0.05)), printed=printed(reproduced=(False, False)))
    entry = {
        **{"id": "x", "kind": "better", "method": "mine", "than": "other", "quantity": "macro-f1", "wording": "plain"},
        **{"select": {"protocol": "p", "predictor": "knn"}, "margin": 0.01, "margin_because": "m", "open": "o"},
    }
    own = {"name": "printed", "select": {"sizes": [20, 40]}}
    other = {"name": "not printed", "select": {"sizes": [100]}}
    cases = {BASELINE: (other, own), "confirmed": (other, own | {"shown": True})}
    for verdict, settings in cases.items():
        claim = Claim("x", "c", "w", "", {}, "plain", "x", False, (), entry | {"settings": list(settings)})
        judged = judge_claims([claim], planted, SETS)
        assert judged.claims["verdict"].tolist() == [verdict]
        assert judged.lines["verdict"].tolist() == ["confirmed", BASELINE]
        assert len(sensitivity([claim], planted, SETS)) == (0 if verdict == BASELINE else 72)


@pytest.mark.parametrize(
    ("changes", "weakness"),
    [
        ({}, ""),
        ({"wording": "sometimes"}, "one data set suffices"),
        ({"datasets": ["a"]}, "on a alone"),
        ({"first": "b"}, "on b alone"),
        ({"by_construction": "it is the optimum"}, "by construction: it is the optimum"),
        (
            {"kind": "bound", "quantity": "seconds", "at_most": 300},
            "seconds of today's machine against a printed limit",
        ),
        ({"kind": "bound", "quantity": "directions", "at_most": 300}, ""),
        ({"wording": "sometimes", "datasets": ["a"]}, "one data set suffices; on a alone"),
    ],
)
def test_what_says_little_follows_from_the_declaration(changes, weakness):
    entry = {"id": "x", "kind": "better", "method": "mine", "than": "other", "quantity": "macro-f1", "wording": "plain"}
    entry |= {"select": {"protocol": "p"}} | changes
    claim = Claim("x", "c", "w", "", {}, entry["wording"], "x", False, (), entry)
    assert weakness_of(claim, SETS) == weakness


def test_the_only_data_set_of_a_study_is_not_one_of_several():
    entry = {"kind": "better", "method": "mine", "than": "other", "quantity": "macro-f1", "wording": "plain"}
    claim = Claim("x", "c", "w", "", {}, "plain", "x", False, (), entry | {"id": "x", "select": {"protocol": "p"}})
    assert weakness_of(claim, ("a",)) == ""
    proved = replace(claim, proof={"verdict": "proved", "derivation": "d", "test": "t"})
    assert weakness_of(proved, SETS) == weakness_of(replace(claim, unchecked="the data are lost"), SETS) == ""
