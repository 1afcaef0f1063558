"""Sentences on why a claim has its verdict, and the texts to copy that go with it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_run import METHODS, planted_run

from mlreduce.stats.margins import wins_ties_losses
from mlreduce_studies.site import claim_texts
from mlreduce_studies.site.papers import claims_of, telling_claims
from mlreduce_studies.site.reasons import first_sentence, reason, scope, telling_pair
from mlreduce_studies.site.runs import read_run

LINE = {"kind": "better", "measures": "hamming-loss", "holds": "all", "margin": "0.01", "evidence": "Seen. Not this."}
numbers = st.floats(-0.1, 0.1).map(lambda value: round(value, 4))


def rows(differences, method="a", other="b", margin=0.01):
    counts = [wins_ties_losses([difference], margin) for difference in differences]
    names = [f"d{number}" for number in range(len(differences))]
    table = pd.DataFrame({"method": method, "other": other, "dataset": names, "difference": differences})
    return table.assign(margin=margin, **dict(zip(("wins", "ties", "losses"), np.transpose(counts), strict=True)))


def line(differences, verdict="undecided", **changed):
    datasets = " ".join(f"d{number}" for number in range(len(differences)))
    return LINE | {"datasets": datasets, "verdict": verdict} | changed


@given(st.lists(numbers, min_size=2, max_size=6))
def test_the_sentence_counts_as_the_margin_does_and_names_what_is_against(differences):
    own = line(differences, "refuted")
    said = reason(own, telling_pair(own, rows(differences)))
    wins, ties, losses = wins_ties_losses(differences, 0.01)
    n = len(differences)
    assert (
        f"; {wins} better, {ties} within the margin of 0.01, {losses} worse of {n} data sets, claimed: better" in said
    )
    assert (
        f"Hamming loss: {abs(np.mean(differences)):.3g} {'better' if np.mean(differences) >= 0 else 'worse'} " in said
    )
    named = said.partition("; against it: ")[2]
    against = {f"d{number}" for number, own in enumerate(differences) if own <= 0.01}
    shown = {part.strip().split(" ")[0] for part in named.split(",")} if named else set()
    assert shown <= against
    assert len(shown) == min(4, len(against))


@given(st.lists(numbers, min_size=2, max_size=5), st.sampled_from(["better", "no-worse", "similar", "worse"]))
def test_a_data_set_counts_where_the_difference_is_where_the_kind_asks_for_it(differences, kind):
    inside = {
        "better": lambda own: own > 0.01,
        "no-worse": lambda own: own >= -0.01,
        "similar": lambda own: abs(own) <= 0.01,
        "worse": lambda own: own < -0.01,
    }[kind]
    pair = telling_pair(line(differences, kind=kind), rows(differences))
    assert pair.holds.tolist() == [inside(own) for own in differences]
    assert all(pair.inside[number] >= -1e-9 for number in np.flatnonzero(pair.holds))


def test_of_several_pairs_the_least_favourable_is_named():
    table = pd.concat([rows([0.05, 0.06]), rows([0.05, 0.0], other="c"), rows([0.02, 0.02], other="d")])
    own = line([0.0, 0.0], "undecided", kind="best")
    said = reason(own, telling_pair(own, table))
    assert said.startswith("a against c, the least favourable of 3 pairs by Hamming loss: 0.025 better on average")


def test_without_differences_the_evidence_speaks():
    assert telling_pair(line([0.1], kind="bound"), pd.DataFrame()) is None
    assert reason(line([0.1], kind="bound"), None) == "Seen."
    assert first_sentence("x = 0.5 and no more") == "x = 0.5 and no more"


@pytest.mark.parametrize(
    ("holds", "number", "said"),
    [
        ("all", 1, "on d0"), ("all", 2, "on both data sets"), ("all", 3, "on all 3 data sets"),
        ("most", 3, "on most of 3 data sets"), ("2", 3, "on at least 2 of 3 data sets"),
        ("tendency", 6, "as a tendency over 6 data sets"),
    ],
)  # fmt: skip
def test_scope_in_words(holds, number, said):
    assert scope(line([0.0] * number, holds=holds)) == said


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    (own,) = read_run(planted_run(tmp_path_factory.mktemp("results") / "run")).studies
    return own


def test_a_claim_has_a_reason_a_citation_and_a_text_that_disputes_it(study):
    (claim,) = claims_of(study)
    assert claim["why"].startswith(f"{METHODS[-1]} against ")
    assert telling_claims([claim]) == [claim]
    assert f"Verdict: {claim['verdict']}" in claim["disagreement"]
    for part in (claim["id"], claim["claim"], "p for 0.001, against 1", "splits 4", "Python 3", claim["why"]):
        assert part in claim["disagreement"]
    assert "python -m mlreduce_studies.verdicts results/run/planted" in claim["disagreement"]
    assert claim["citation"].startswith("@misc{mlreduce-better,")
    assert claim["citation"].count("{") == claim["citation"].count("}")


def test_an_issue_is_filled_in_where_the_project_has_an_address(study, monkeypatch):
    (claim,) = claims_of(study)
    for addresses in ([], ["Issues, https://code.mlreduce.example/issues"], ["Issues, javascript:alert(1)"]):
        monkeypatch.setattr(claim_texts, "_project", lambda addresses=addresses: {"Project-URL": addresses})
        assert claim_texts.issue_link(study, claim, claim["disagreement"]) == ""
    own = {"Project-URL": ["Repository, https://git.ours.org/a", "Issues, https://git.ours.org/a/issues"]}
    monkeypatch.setattr(claim_texts, "_project", lambda: own)
    address = urlsplit(claim_texts.issue_link(study, claim, claim["disagreement"]))
    assert address.path == "/a/issues/new"
    assert parse_qs(address.query)["body"] == [claim["disagreement"]]
    short = parse_qs(urlsplit(claim_texts.issue_link(study, claim, "x" * 10_000)).query)
    assert list(short) == ["title"]


def test_telling_claims_are_the_main_one_and_the_largest_effects():
    def claim(name, verdict, margins, where="Section 2", group=None, **changed):
        own = {"id": name, "verdict": verdict, "margins": margins, "where": where, "group": group or name}
        return own | {"effect": "x", "judged_by": "results", "own": False} | changed

    claims = [
        claim("first", "confirmed", 1.0),
        claim("main", "undecided", 0.1, "Abstract; Table 2"),
        claim("same", "refuted", 9.0, group="main"),
        claim("false", "refuted", 3.0),
        claim("true", "confirmed", 2.0),
        claim("ours", "confirmed", 99.0, own=True),
        claim("proof", "proved", 0.0, judged_by="mathematics"),
        claim("unknown", "confirmed", 50.0, effect=""),
    ]
    assert [own["id"] for own in telling_claims(claims)] == ["main", "true", "false"]
    assert [own["id"] for own in telling_claims(claims[:1])] == ["first"]
    assert telling_claims(claims[6:7]) == []
