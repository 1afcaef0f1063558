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
    use = re.search(r"\*\*To use\*\*.*?<!-- opening: end -->", readme)[0]
    guide = (PROJECT / "docs" / "which-method.md").read_text(encoding="utf-8")
    for predictor, named in (("ridge", "With ridge regression, "), ("ml-knn", "With ML-kNN, ")):
        sentence = use[use.index(named) :].partition(". ")[0]
        for family in ("projection", "selection", "labelspace"):
            first, then, controls = evidence.choices(family, evidence.Wanted(predictor))
            (whole,) = (one for one in controls if one.method in WHOLE)
            assert f"`{first.method}` ({first.near:.2f}" in sentence
            assert f"`{whole.method}` ({whole.near:.2f})" in sentence
            assert first != whole or f"`{then[0].method}` ({then[0].near:.2f}" in sentence
            assert f"| `{first.method}` {first.near:.2f} (" in guide


@pytest.mark.parametrize("page", ["which-method.md", "peers.md"])
def test_every_table_of_a_ranking_is_introduced_by_its_predictor(page):
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- evidence ([\w-]+): begin -->\n(.*?)\n\|", text, re.DOTALL)
    assert blocks
    for name, head in blocks:
        spec = update_results.EVIDENCE[name]
        if not (spec.of or spec.mixed):  # there predictors are the rows, or a part of each method
            assert re.search(rf"With .*({NAMED})", head), name
            assert spec.predictor in {MAIN, "ml-knn", "k-nn", "kernel-ridge"}


def test_pages_lead_to_what_was_wrong_with_version_1():
    for page in ("benchmark.md", "which-method.md", "peers.md", "index.md"):
        assert "benchmark-withdrawn" in (PROJECT / "docs" / page).read_text(encoding="utf-8"), page
