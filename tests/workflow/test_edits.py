"""Results are compared with what is planned, also where Snakemake's records are gone: what was edited is made anew."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from project import shared

pytestmark = pytest.mark.slow

OPTIONS = ("--config", "studies=edited/study.yaml", "datasets=own.yaml", "name=edited")
STUDY = """
title: "A study that is edited"
protocols: {halves: {train: 0.6}}
scaling: none
dimensions: {halves: {default: [2]}}
scales:
  demo: {datasets: [shop, stall], splits: 2, timed: 1}
  paper: {datasets: [shop, stall], splits: 2}
methods:
  plain: {pca: {}, mddmp: {}}
  own: {mine: {}}
predictors:
  ridge: {alpha: 1.0}
sizes: [50, 100]
measures: [hamming-loss, macro-f1]
tables:
  table1: {caption: "Hamming loss", measure: hamming-loss, predictor: ridge, methods: [pca, mine]}
  table-times: {kind: times, caption: "Seconds to fit", methods: [pca, mddmp]}
figures:
  figure1: {kind: dimensions, caption: "The loss", measure: hamming-loss, predictor: ridge, methods: [pca, mine]}
"""
CLAIM = """
- id: edited-at-most-a-half
  claim: Its loss is at most a half.
  where: Table 1
  shown_in: [table1]
  kind: bound
  method: mine
  quantity: hamming-loss
  at_most: 0.5
  wording: every
  select: {protocol: halves, predictor: ridge, sizes: [100]}
"""
FILES = {
    "edited/study.yaml": STUDY,
    "edited/claims.yaml": CLAIM,
    "edited/published.csv": "paper,table,dataset,method,size_percent,mean,se\nedited,table1,shop,pca,100,0.25,0.01\n",
    "edited/published-datasets.csv": (
        "paper,place,dataset,instances,features,labels,cardinality\nedited,Section 1,shop,60,4,,\n"
    ),
}

# File, what is replaced, by what (None: appended), and the first steps that run again.
EDITS = {
    "protocol": ("edited/study.yaml", "train: 0.6", "train: 0.3", {"fit", "time"}),
    "splits": ("edited/study.yaml", "splits: 2, timed", "splits: 3, timed", {"fit"}),
    "dimensions": ("edited/study.yaml", "default: [2]", "default: [3]", {"predict"}),
    "scaling": ("edited/study.yaml", "scaling: none", "scaling: standard", {"fit", "time"}),
    "parameter": ("edited/study.yaml", "mddmp: {}", "mddmp: {coding: binary}", {"fit", "time"}),
    "a method more": (
        "edited/study.yaml",
        "own: {mine: {}}",
        "own: {mine: {}, again: {method: mine}}",
        {"fit", "time"},
    ),
    "a data set less": ("edited/study.yaml", "demo: {datasets: [shop, stall]", "demo: {datasets: [shop]", {"gather"}),
    "predictor": ("edited/study.yaml", "alpha: 1.0", "alpha: 2.0", {"predict"}),
    "sizes": ("edited/study.yaml", "sizes: [50, 100]", "sizes: [25, 100]", {"predict"}),
    "measures": ("edited/study.yaml", "[hamming-loss, macro-f1]", "[hamming-loss, micro-f1]", {"predict"}),
    "decision": ("edited/study.yaml", "scaling: none", "scaling: none\ndecision: one-threshold", {"predict"}),
    "timed splits": ("edited/study.yaml", "timed: 1", "timed: 2", {"time"}),
    "title": ("edited/study.yaml", "that is edited", "that was edited", {"site"}),
    "caption of a table": ("edited/study.yaml", '"Hamming loss"', '"Loss"', {"tables"}),
    "caption of a figure": ("edited/study.yaml", '"The loss"', '"Loss"', {"figures"}),
    "published numbers": ("edited/published.csv", "0.25", "0.24", {"audit"}),
    "published sizes": ("edited/published-datasets.csv", "60,4", "61,4", {"audit"}),
    "claim": ("edited/claims.yaml", "at_most: 0.5", "at_most: 0.4", {"audit"}),
    "data": ("shop.csv", "0,1\n", "1,1\n", {"prepare"}),
    "entry of data": ("own.yaml", "labels: {last: 2}", "labels: {last: 2}, drop: [b]", {"prepare"}),
    "method": ("src/mlreduce/projection/mine.py", "time.sleep(0.1)", "time.sleep(0.2)", {"fit", "time"}),
    "code of a measure": ("src/mlreduce/metrics/label.py", None, "_MORE = 1\n", {"predict"}),
    "code of a predictor": ("src/mlreduce/predictors/ridge.py", None, "_MORE = 1\n", {"predict"}),
    "code of a reader": ("src/mlreduce/datasets/readers/tables.py", None, "_MORE = 1\n", {"prepare"}),
    "code of a table": ("src/mlreduce_studies/tables/sizes.py", None, "_MORE = 1\n", {"tables"}),
    "code of a verdict": ("src/mlreduce_studies/verdicts/judging.py", None, "_MORE = 1\n", {"audit"}),
    "script": ("workflow/scripts/fit.py", None, "_MORE = 1\n", {"fit"}),
}
SETTINGS = {"figure_formats=svg,png": {"figures"}, "page=single": {"site"}}


def write(project):
    project.path("edited").mkdir()
    for name, text in FILES.items():
        project.path(name).write_text(text)
    rng = np.random.default_rng(0)
    for name in ("shop", "stall"):
        X = rng.standard_normal((60, 4)).round(3)
        rows = np.column_stack([X, X[:, :2] + 0.5 * X[:, 2:] > 0])
        lines = [",".join([*map(str, row[:4]), *(str(int(label)) for label in row[4:])]) for row in rows]
        project.path(f"{name}.csv").write_text("\n".join(["a,b,c,d,x,y", *lines]) + "\n")
    entries = "".join(
        f"  {name}: {{reader: tables, features: {name}.csv, labels: {{last: 2}}}}\n" for name in ("shop", "stall")
    )
    project.path("own.yaml").write_text(f"datasets:\n{entries}")


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """A finished run: do not edit."""
    return shared(tmp_path_factory, "edited", OPTIONS, write)


@pytest.fixture
def again(ended, tmp_path):
    return ended.copy(tmp_path / "again")


def planned(project, *settings):
    """Return the jobs planned with Snakemake's records and without them."""
    known = project.plan(*OPTIONS, *settings)
    shutil.rmtree(project.path(".snakemake"))
    return known, project.plan(*OPTIONS, *settings)


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_noticed_with_and_without_the_records_of_snakemake(again, name):
    file, old, new, first = EDITS[name]
    if old is None:
        again.path(file).write_text(again.path(file).read_text() + new)
    else:
        again.edit(file, old, new)
    known, unknown = planned(again)
    assert first <= known.keys()
    assert unknown == known


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_is_noticed_with_and_without_the_records_of_snakemake(again, setting):
    known, unknown = planned(again, setting)
    assert SETTINGS[setting] <= known.keys()
    assert unknown == known


@pytest.mark.parametrize("setting", ["seed=7", "splits=3", "methods=pca", "run_on=shop"])
def test_results_of_other_settings_are_refused_without_the_records_of_snakemake(again, setting):
    shutil.rmtree(again.path(".snakemake"))
    assert "holds the results of another run" in again.run(*OPTIONS, setting, fails=True)


def test_results_that_are_moved_without_the_records_of_snakemake_stay(ended, tmp_path):
    moved = ended.copy(tmp_path / "moved")
    shutil.rmtree(moved.path(".snakemake"))
    assert moved.plan(*OPTIONS) == {}


def test_what_is_edited_is_run_again_without_the_records_of_snakemake(again):
    table = again.path("results/edited/edited/table1.csv")
    former = table.read_text()
    again.edit("edited/study.yaml", "train: 0.6", "train: 0.3")
    shutil.rmtree(again.path(".snakemake"))
    assert "fit" in again.run(*OPTIONS)
    assert table.read_text() != former
    assert again.plan(*OPTIONS) == {}
    shutil.rmtree(again.path(".snakemake"))
    assert again.plan(*OPTIONS) == {}


@pytest.mark.parametrize("text", [None, "done\n", "done\nmade of something else\n"], ids=["none", "old", "other"])
def test_results_that_do_not_say_what_they_were_made_of_are_made_anew(again, text):
    log = again.path("results/edited/edited/logs/fit/shop/all/all.log")
    assert log.read_text().startswith("done\nmade of ")
    log.unlink() if text is None else log.write_text(text)
    assert again.plan(*OPTIONS) == {}
    shutil.rmtree(again.path(".snakemake"))
    assert again.plan(*OPTIONS)["fit"] == 1
