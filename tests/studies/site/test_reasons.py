"""Sentences on why a claim has its verdict, and the texts to copy that go with it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_run import METHODS, planted_run

from mlreduce.stats.margins import wins_ties_losses
from mlreduce_studies.runs import open_run, read_run
from mlreduce_studies.site import claim_texts
from mlreduce_studies.site.papers import audit_of, claims_of, headline_claim, questions
from mlreduce_studies.verdicts.columns import summary_counts
from mlreduce_studies.verdicts.reasons import (
    LONGEST,
    agreement,
    first_sentence,
    reason,
    scope,
    telling_pair,
)

PROJECT = Path(__file__).parents[3]
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
def test_the_sentence_counts_as_the_margin_does_and_has_the_mean_difference(differences):
    own = line(differences, "refuted")
    said = reason(own, telling_pair(own, rows(differences)))
    wins, _, losses = wins_ties_losses(differences, 0.01)
    n, mean = len(differences), np.mean(differences)
    assert said == (
        f"a against b in Hamming loss: better on {wins} of {n} data sets (claimed: all {n}), worse on {losses}, "
        f"{abs(mean):.3g} {'better' if mean >= 0 else 'worse'} on average."
    )


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
    assert "a against c, least favourable of 3 pairs" in said
    assert "0.025 better on average" in said
    # Where one pair is enough, the verdict is explained by it.
    some = pd.concat([rows([0.0, 0.0]), rows([0.05, 0.06], other="c")])
    assert telling_pair(own | {"verdict": "confirmed"}, some).other == "c"


def test_of_one_data_set_the_sentence_has_its_difference():
    own = line([0.004], kind="no-worse", datasets="yeast")
    said = reason(own, telling_pair(own, rows([0.004])), "both settings agree")
    how = "0.004 better on d0 (claimed: no worse), less than the margin"
    assert said == f"a against b in Hamming loss: {how}; both settings agree."


@pytest.fixture(scope="module")
def committed():
    studies = open_run(PROJECT / "results" / "reference", PROJECT).studies
    return [(study, claims_of(study, drawn=False)) for study in studies]


def test_a_reason_has_25_words_at_most_for_every_committed_claim(committed):
    for study, claims in committed:
        for claim in claims:
            words = claim["why"].split()
            assert 2 <= len(words) <= LONGEST, (study.name, claim["id"], claim["why"])


def test_a_number_of_claims_leads_to_as_many_claims(committed):
    for study, claims in committed:
        numbers, classes = summary_counts(study.claims), audit_of(study)["classes"].values()
        counts = {verdict: number for own in classes for verdict, number in own.items()}
        assert sum(counts.values()) == sum(numbers.values()) == sum(not claim["own"] for claim in claims)
        for verdict, number in counts.items():
            shown = [claim for claim in claims if claim["verdict"] == verdict and not claim["own"]]
            assert len(shown) == number == numbers.get(verdict, number)


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
    assert scope(line([0.0] * number, holds=holds, margin="")) == said
    assert scope(line([0.0] * number, holds=holds)) == f"{said}, margin 0.01"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    (own,) = read_run(planted_run(tmp_path_factory.mktemp("results") / "run")).studies
    return own


def test_a_claim_has_a_reason_a_citation_and_a_text_that_disputes_it(study):
    (claim,) = claims_of(study)
    assert claim["why"].startswith(f"{METHODS[-1]} against ")
    assert headline_claim([claim]) is claim
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


def test_the_headline_is_what_the_page_names_or_the_largest_effect():
    def claim(name, verdict, margins, **changed):
        return {"id": name, "verdict": verdict, "margins": margins, "judged_by": "experiments", "own": False} | changed

    claims = [
        claim("first", "confirmed", 1.0),
        claim("false", "refuted", 3.0),
        claim("ours", "confirmed", 99.0, own=True),
        claim("proof", "proved", 0.0, judged_by="mathematics"),
        claim("unknown", "confirmed", 0.0),
    ]
    assert headline_claim(claims)["id"] == "false"
    assert headline_claim(claims, "proof")["id"] == "proof"
    assert headline_claim(claims[2:]) is None


def test_claims_of_one_question_have_a_summary():
    asked = ("a against b", "better")
    claims = [
        {"id": str(n), "asks": asked, "verdict": verdict} for n, verdict in enumerate(["confirmed", *["undecided"] * 2])
    ]
    other = {"id": "x", "asks": ("", ""), "verdict": "proved"}
    first, second = questions([claims[0], other, *claims[1:]])
    assert first["summary"] == "a against b, claimed better in 3 claims: 1 confirmed, 2 undecided."
    assert (first["claims"], second) == (claims, {"summary": "", "claims": [other]})


def test_settings_that_agree_in_words():
    assert agreement(["refuted", "refuted"]) == "both settings agree"
