"""What the withdrawal of version 1 of the benchmark asks for: no ranking on any page without the predictor."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pandas as pd
import pytest

from mlreduce.methods import evidence
from mlreduce.stats.ranking import WHOLE
from mlreduce_studies.gathering.rankings import MAIN

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "docs"))

import update_results  # noqa: E402

#: How a predictor is named on pages.
NAMED = r"ridge|nearest neighbours|ml-knn|ML-kNN|flda|pcut|knn|linear"


# No ranking without its predictor


def test_every_ranking_of_methods_has_one_predictor():
    rows = pd.read_csv(evidence.RANKS).fillna({"predictor": ""})
    methods = rows[rows["family"].ne("predictors") | rows["method"].eq("majority-labels")]
    places = methods.groupby(["study", "protocol", "predictor", "measure", "tuned"]).ngroups
    assert places > 10
    assert not rows["predictor"].str.contains(r"[ ,]").any()
    # Where a study that is none of the benchmark's has ridge regression among others, its ranking alone is there.
    others = rows[~rows["study"].str.startswith(evidence.BENCHMARK) & rows["predictor"].ne("")]
    for study, of in others.groupby("study"):
        if MAIN in set(of["predictor"]):
            assert set(of["predictor"]) == {MAIN}, study


def test_advice_has_ridge_regression_and_what_reduces_nothing():
    for family in ("projection", "selection", "labelspace"):
        first, then, controls = evidence.choices(family)
        assert {one.predictor for one in (first, *then, *controls)} == {MAIN}
        assert any(one.method in WHOLE for one in controls)


def test_readme_and_guide_name_the_predictor_nothing_reduced_and_the_same_first_methods():
    readme = " ".join((PROJECT / "README.md").read_text(encoding="utf-8").split())
    guide = (PROJECT / "docs" / "which-method.md").read_text(encoding="utf-8")
    for case, family in update_results.OPENING.items():
        sentence = readme[readme.index(f"**{case}**: with ridge regression") :].partition(". ")[0]
        ridge, neighbours = sentence.split("; with ML-kNN ")
        for predictor, part in (("ridge", ridge), ("ml-knn", neighbours)):
            first, then, controls = evidence.choices(family, evidence.Wanted(predictor))
            (whole,) = (one for one in controls if one.method in WHOLE)
            assert f"`{first.method}` ({first.near:.2f}" in part
            assert f"`{whole.method}` ({whole.near:.2f})" in part
            assert first != whole or f"`{then[0].method}` ({then[0].near:.2f}" in part
            assert f"| `{first.method}` {first.near:.2f} (" in guide


@pytest.mark.parametrize("page", ["which-method.md", "peers.md"])
def test_every_table_of_a_ranking_is_introduced_by_its_predictor(page):
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- evidence ([\w-]+): begin -->\n(.*?)\n\|", text, re.DOTALL)
    assert blocks
    for name, head in blocks:
        spec = update_results.EVIDENCE[name]
        if not spec.of:  # there predictors are the rows
            assert re.search(rf"With .*({NAMED})", head), name
            assert spec.predictor in {MAIN, "ml-knn", "k-nn", "kernel-ridge"}


def test_pages_lead_to_what_was_wrong_with_version_1():
    for page in ("benchmark.md", "which-method.md", "peers.md"):
        assert "benchmark-withdrawn" in (PROJECT / "docs" / page).read_text(encoding="utf-8"), page
