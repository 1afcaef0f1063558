"""Version 1 of the benchmark, withdrawn: its page, and no ranking on any page without the predictor."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import mlreduce
from mlreduce.methods import evidence
from mlreduce.stats.ranking import WHOLE
from mlreduce_studies.benchmark.protocol import Protocol
from mlreduce_studies.gathering.rankings import MAIN

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "benchmarks"))

import update_results  # noqa: E402
import withdrawn  # noqa: E402
import withdrawn_runs  # noqa: E402
from reducebench import Pieces  # noqa: E402

#: How a predictor is named on pages.
NAMED = r"ridge|ml-knn|ML-kNN|flda|pcut|knn|linear"


@pytest.mark.slow
@pytest.mark.promise
def test_the_page_is_what_the_scores_give():
    text = withdrawn.PAGE.read_text(encoding="utf-8")
    assert withdrawn.page_of(text) == text, "run: python benchmarks/withdrawn.py page"


def test_scores_run_again_are_those_of_the_list():
    pieces = Pieces(Protocol(PROJECT, ties="expected"), withdrawn_runs.AGAIN)
    pieces.check()
    assert {piece.study for piece in pieces.listed()} >= {"benchmark-coders"}


@pytest.mark.slow
@pytest.mark.promise
def test_two_names_of_one_model_have_the_same_scores_with_ties_in_expectation_alone():
    fair, counted = (withdrawn.coders_again(expected)[["br", "plst", "cplst"]] for expected in (True, False))
    assert len(fair) > 30
    assert fair.sub(fair["br"], axis=0).abs().to_numpy().max() <= 1e-5  # decimals of a piece
    assert counted.sub(counted["br"], axis=0).abs().to_numpy().max() > 0.05


@pytest.mark.parametrize("number", [3, 4, 5])
def test_the_probability_of_a_correlation_by_chance_is_scipys(number):
    order = np.arange(number)
    for other in np.random.default_rng(0).permuted(np.tile(order, (6, 1)), axis=1):
        found = stats.kendalltau(order, other, method="exact")
        assert withdrawn.by_chance(found.statistic, number) == pytest.approx(found.pvalue)


def test_a_word_that_the_scores_do_not_show_is_refused():
    assert withdrawn.left("holds", given=True) == "holds"
    with pytest.raises(ValueError, match="the scores no longer show that an answer holds"):
        withdrawn.left("holds", given=False)


# No ranking without its predictor


def test_every_ranking_of_methods_has_one_predictor():
    rows = pd.read_csv(evidence.RANKS).fillna({"predictor": ""})
    methods = rows[rows["family"].ne("predictors") | rows["method"].eq("majority-labels")]
    places = methods.groupby(["study", "protocol", "predictor"]).ngroups
    assert places > 10
    assert not rows["predictor"].str.contains(r"[ ,]").any()
    # Where a study has ridge regression among others, its ranking alone is advised by.
    for study, of in rows[rows["predictor"] != ""].groupby("study"):
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
    assert "with ridge regression" in use
    assert "benchmark-withdrawn.md" in use
    for family in ("projection", "selection", "labelspace"):
        first, then, _ = evidence.choices(family)
        assert f"`{first.method}` ({first.near:.2f}, nothing reduced)" in use
        assert f"`{then[0].method}` ({then[0].near:.2f}" in use
        assert f"| `{first.method}` {first.near:.2f} (" in guide
    assert "withdrawn" in guide


@pytest.mark.parametrize("page", ["which-method.md", "peers.md"])
def test_every_table_of_a_ranking_is_introduced_by_its_predictor(page):
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- evidence ([\w-]+): begin -->\n(.*?)\n\|", text, re.DOTALL)
    assert blocks
    for name, head in blocks:
        spec = update_results.EVIDENCE[name]
        if not (spec.of or spec.mixed):  # there predictors are the rows, or a part of each method
            assert re.search(rf"With .*({NAMED})", head), name
            assert spec.predictor in {MAIN, "ml-knn", "kernel-ridge"}


def test_pages_on_version_1_lead_to_what_was_wrong():
    for page in ("benchmark.md", "which-method.md", "peers.md", "index.md"):
        assert "benchmark-withdrawn" in (PROJECT / "docs" / page).read_text(encoding="utf-8"), page
    data = mlreduce.load_dataset("planted-300")
    assert "benchmark-withdrawn" in str(mlreduce.recommend(data.X, data.Y, goal="projection"))
