"""A method that raises on one split: what is left, what is said, and what runs again."""

from __future__ import annotations

import pandas as pd
import pytest
from project import SEPARATE, STUDY, Project

pytestmark = pytest.mark.slow
OPTIONS = (*SEPARATE, "methods=pca,mine", "name=demo")
SENTENCE = (
    "mlreduce: 1 cell failed: small halves planted-300 mine ridge on split 1: RuntimeError: the marker. All reasons "
    f"are in {STUDY}/failures.csv and under the tables; the next run tries the cells again."
)


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    """A run in which a method failed on split 1: do not edit."""
    project = Project(tmp_path_factory.mktemp("failed"))
    project.mark(1)
    project.output = project.run(*OPTIONS, fails=True)
    return project


@pytest.fixture
def again(failed, tmp_path):
    return failed.copy(tmp_path / "again")


@pytest.mark.promise
def test_the_rest_is_made_and_the_reason_is_recorded(failed):
    assert failed.output.count(SENTENCE) == 1
    base = failed.path(STUDY)
    (cell,) = pd.read_csv(base / "failures.csv", keep_default_na=False).to_dict("records")
    assert (cell["method"], cell["split"], cell["step"], cell["error"]) == ("mine", 1, "reduce", "RuntimeError")
    assert cell["where"].startswith("mlreduce/projection/mine.py:")
    scores = pd.read_parquet(base / "scores.parquet").groupby("method")["split"].agg(set)
    assert scores.to_dict() == {"mine": {0}, "pca": {0, 1}}
    note = "ran on 1 of 2 splits; RuntimeError: the marker (reduce, split 1)"
    assert note in (base / "table-loss.md").read_text()
    assert note in (base.parent / "site" / "papers" / f"{base.name}.html").read_text()


def scores_of(project):
    """The scores of the two methods, in the order of the file."""
    scores = pd.read_parquet(project.path(f"{STUDY}/scores.parquet"))
    return scores[scores["method"].isin(["pca", "mine"])].reset_index(drop=True)


@pytest.mark.promise
def test_the_next_run_tries_it_again(again, undisturbed):
    before = again.tree()
    planned = again.plan(*OPTIONS)
    assert (planned["fit"], planned["predict"]) == (1, 1)
    assert again.tree() == before
    again.path("marker").unlink()
    again.run(*OPTIONS)
    pd.testing.assert_frame_equal(scores_of(again), scores_of(undisturbed))
    assert pd.read_csv(again.path(f"{STUDY}/failures.csv")).empty


def test_it_is_tried_until_it_is_there(again, undisturbed):
    kept = again.results()
    assert again.run(*OPTIONS, fails=True).count(SENTENCE) == 1
    assert again.results() == kept
    assert again.plan(*OPTIONS, "retry_failed=false") == {}
    again.path("marker").unlink()
    again.run(*OPTIONS)
    assert again.plan(*OPTIONS) == {}
    pd.testing.assert_frame_equal(scores_of(again), scores_of(undisturbed))
