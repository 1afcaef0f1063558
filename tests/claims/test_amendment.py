"""The amendment of the frozen edition: its changes follow from rules, and the edition as frozen from the scores."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from mlreduce.configuration import read_yaml
from mlreduce_studies.verdicts.__main__ import kept
from mlreduce_studies.verdicts.baselines import BASELINE, without_baseline
from mlreduce_studies.verdicts.claims import judge_claims
from mlreduce_studies.verdicts.columns import CLASSES, SUMMARY
from mlreduce_studies.verdicts.judging import combined

PROJECT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("update_results", PROJECT / "docs" / "update_results.py")
update_results = importlib.util.module_from_spec(spec)
spec.loader.exec_module(update_results)

REFERENCE = update_results.REFERENCE
RUN = [*filter(update_results.is_run, update_results.STUDIES)]
FROZEN = update_results.as_frozen().set_index("id")


@pytest.fixture(scope="module")
def changes():
    return update_results.amended_claims()


def test_the_edition_as_frozen_is_what_the_scores_say_without_the_rule():
    """Of every claim that results judge: its settings by our scores alone give the verdict as frozen."""
    judged = 0
    for path in sorted(REFERENCE.glob("*/claims-lines.csv")):
        lines = pd.read_csv(path).query("counted")
        alone = lines["evidence"].map(without_baseline).str.extract(r"By our scores alone: (\w+)\.")[0]
        assert alone.notna().equals(lines["verdict"] == BASELINE), path
        for claim, verdicts in alone.fillna(lines["verdict"]).groupby(lines["id"]):
            assert combined(verdicts.tolist()) == FROZEN.loc[claim, "verdict"], claim
            judged += 1
    assert judged > 150


@pytest.mark.parametrize("study", ["plst-2010"])
def test_judged_anew_a_study_has_both_verdicts(study):
    claims, results, datasets = kept(REFERENCE / study, PROJECT)
    committed = pd.read_csv(REFERENCE / study / "claims.csv").set_index("id")
    after = judge_claims(claims, results, datasets).claims.set_index("id")
    before = judge_claims(claims, replace(results, printed=None), datasets).claims.set_index("id")
    assert after["verdict"].equals(committed["verdict"])
    assert before["verdict"].equals(FROZEN.loc[before.index, "verdict"])
    assert (after["verdict"] != before["verdict"]).any()


def test_a_claim_changes_by_a_rule_alone(changes):
    assert changes[["before", "after", "was_own", "is_own"]].notna().all(axis=None)
    assert set(changes["rule"]) == {"", "baseline", "reading", "reading and baseline"}
    of_baseline = changes["rule"].str.contains("baseline")
    assert (changes.loc[of_baseline, "after"] == BASELINE).all()
    assert (changes.loc[~of_baseline, "after"] == changes.loc[~of_baseline, "before"]).all()
    assert (changes.loc[changes["rule"].str.contains("reading"), "is_own"]).all()
    assert not set(changes["before"]) & {BASELINE}
    withheld = set(changes.loc[of_baseline, "before"])
    assert withheld == {"confirmed", "refuted", "undecided"}, "the rule is for verdicts of every kind"


def test_a_reading_of_ours_has_its_reason_and_no_other_claim_is_counted_as_ours(changes):
    for study in RUN:
        for claim in update_results.claims_of(study):
            own = changes.set_index("id").loc[claim.id]
            assert ("reading_because" in claim.entry) == ("reading" in own["rule"]), claim.id
            assert own["is_own"] == claim.own
            assert ("our reading" in claim.claim) == (
                "reading" in own["rule"] or "our reading" in FROZEN.loc[claim.id, "claim"]
            )


def test_counts_before_and_after_add_up(changes):
    rows = dict(re.findall(r"^\| ([^|]+?) \| (\d+ \| \d+) \|$", update_results.amendment(), re.MULTILINE))
    counts = {name: [int(number) for number in both.split(" | ")] for name, both in rows.items()}
    for side in (0, 1):
        assert sum(counts[name][side] for name in (*SUMMARY, "counted as ours")) == len(changes)
        named = [number[side] for name, number in counts.items() if name.startswith("headline claims ")]
        assert sum(named) == len(RUN)
    papers = update_results.committed_claims().query("not own")
    assert sum(counts[verdict][1] for verdict in SUMMARY) == len(papers)
    assert set(papers["verdict"]) <= {verdict for verdicts in CLASSES.values() for verdict in verdicts}


def test_the_amendment_is_one_dated_entry_with_its_reason():
    amendments = read_yaml(PROJECT / "papers" / "frozen.yaml")["amendments"]
    entries = [change for change in amendments if "docs/verdicts.md#amendment" in change["why"]]
    assert len({(change["date"], change["why"]) for change in entries}) == 1
    assert entries[0]["date"] == "2026-11-28"
    files = {own["file"] for own in entries}
    changed = {
        f"papers/{study}/claims.yaml"
        for study in update_results.amended_claims().query("rule.str.contains('reading')")["study"]
    }
    assert changed | {"src/mlreduce_studies/verdicts/baselines.py", "src/mlreduce_studies/verdicts/judging.py"} <= files


def test_the_headline_claims_come_first():
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    found = " ".join(readme[readme.index("Each paper reports") : readme.index("## What to use")].split())
    places = [found.index(word) for word in ("- [", "headline", "By experiments", "by mathematics")]
    assert places == sorted(places)
    headline = update_results.committed_claims().query("headline").set_index("study")
    verdicts = headline["verdict"]
    assert len(verdicts) == len(RUN)
    number = (verdicts == "confirmed").sum()
    assert f"So {number or 'none'} of {len(RUN)} headline claims {'are' if number > 1 else 'is'} confirmed" in found
    papers = (PROJECT / "docs" / "papers.md").read_text(encoding="utf-8")
    header = papers[papers.index("<!-- papers: begin -->") :].splitlines()[2]
    assert header.split(" | ")[1] == "headline claim"
    for study in RUN:
        first = update_results.claims(study).splitlines()[4]
        claim = headline.loc[study]
        assert claim["claim"] in first
        assert f"**{claim['verdict']}**" in first
