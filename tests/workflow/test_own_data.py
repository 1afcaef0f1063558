"""Data of one's own: where results go, what is said of the papers, and what cannot be read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import yaml

from mlreduce.datasets.data import MultiLabelData
from mlreduce_studies.study import PAPERS, study_files

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4)).round(3)
Y = (X @ RNG.standard_normal((4, 3)) > 0).astype(int)


def write(project, features, labels, separators=",,", reader="tables"):
    """Write two tables and a catalogue with the data set `mine`."""
    for name, names, table, separator in zip("fl", ("abcd", "xyz"), (features, labels), separators, strict=True):
        rows = [names, *table]
        project.path(f"{name}.csv").write_text("\n".join(separator.join(map(str, row)) for row in rows) + "\n")
    catalogue(project, {"reader": "tables", "features": "f.csv", "labels": "l.csv"})


def write_meka(project):
    names = [*(f"@attribute {name} {{0,1}}" for name in "xyz"), *(f"@attribute {name} numeric" for name in "abcd")]
    rows = [",".join(map(str, [*y, *x])) for x, y in zip(X, Y, strict=True)]
    project.path("meka.arff").write_text("\n".join(["@relation 'songs: -C 3'", *names, "@data", *rows]) + "\n")
    catalogue(project, {"reader": "arff", "data": ["meka.arff"], "labels": {"last": 3}})


def catalogue(project, entry):
    project.path("own.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))


DEFAULTS = ("--config", "datasets=own.yaml", "run_on=mine")
OPTIONS = (*DEFAULTS, "splits=2", "studies=cplst-2012", "methods=plst,occa")


@pytest.mark.slow
@pytest.mark.promise
def test_own_data_have_a_comparison_a_folder_and_a_title(project):
    """With the defaults, as documented; a dry run writes nothing, and no other run replaces what is there."""
    write(project, X, Y)
    before = project.tree()
    assert project.plan(*DEFAULTS)["fit"] == 1
    assert project.tree() == before
    project.run(*DEFAULTS)
    base = project.path("results/demo-mine")
    assert {path.name for path in project.path("results").iterdir()} >= {"data", "demo-mine"}
    assert not project.path("results/demo").exists()
    ranked = pd.read_csv(base / "comparison" / "table-micro-f1.csv")
    assert set(ranked["dataset"]) == {"mine"}
    assert ranked["method"].nunique() == 7
    assert ranked["mean"].notna().all()
    audit = (base / "comparison" / "audit.md").read_text()
    assert audit == "The claims and printed numbers of the papers are about other data than these.\n"
    report = (base / "site" / "index.html").read_text()
    assert "<h1>mlreduce on mine</h1>" in report
    assert "comparison on mine." in report
    assert 'class="verdict undecided"' not in report
    before = project.tree()
    said = project.run(*DEFAULTS, "name=demo-mine", "splits=2", fails=True)
    assert "splits not given there and 2 here" in said
    assert "name=demo-mine-2-splits" in said
    assert len(said.splitlines()) <= 10
    assert project.tree() == before


@pytest.mark.slow
def test_every_paper_runs_on_own_data(project):
    write(project, X, Y)
    papers = list(study_files(project.folder, [PAPERS]))
    project.run(*DEFAULTS, "splits=2", f"studies={','.join(papers)}")
    base = project.path("results/demo-mine-2-splits")
    for paper in papers:
        audit = (base / paper / "audit.md").read_text()
        assert audit == "The claims and printed numbers of the papers are about other data than these.\n"
    ratios = pd.read_csv(base / "qpfs-lowrank-2016" / "ratios.csv")
    assert ratios["ratio"].notna().any()
    assert ratios["printed_ratio"].isna().all()
    said = f"No claim and no printed number of {', '.join(papers)} is about these data."
    assert said in (base / "site" / "index.html").read_text()


def with_text(x):
    return [[*row[:3], "red" if row[0] > 0 else "blue"] for row in x]


def with_gap(x):
    return [[*row[:3], "" if number == 3 else row[3]] for number, row in enumerate(x.tolist())]


UNREADABLE = {
    "text": (
        lambda project: write(project, with_text(X), Y),
        "f.csv: the column 'd' is not numeric, it holds text such",
    ),
    "missing": (lambda project: write(project, with_gap(X), Y), "mine contains NaN in column 3 ('d'), row 3"),
    "remedy": (lambda project: write(project, with_gap(X), Y), "NaN by the training rows of each split: impute: mean"),
    "labels 1/2": (lambda project: write(project, X, Y + 1), "l.csv: the label 'y' is 2 in data row 1; labels must be"),
    "words": (
        lambda project: write(project, X, np.where(Y, "loved", "hated")),
        "has the value 'hated'; labels are 0/1",
    ),
    "semicolons": (lambda project: write(project, X, Y, ";,"), "are the cells separated by ';'? Give sep=';'"),
    "meka": (write_meka, "the option -C 3 of Meka's in its relation declares the first 3"),
    "first": (
        lambda project: catalogue(project, {"reader": "arff", "data": ["x.arff"], "labels": {"front": 6}}),
        "own.yaml: datasets.mine.labels: unknown key 'front'; did you mean 'first'",
    ),
    "few rows": (lambda project: write(project, X[:2], np.eye(2, 3, dtype=int) | 1), "2 rows are too few"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNREADABLE)
def test_data_that_cannot_be_read_are_refused(project, kind):
    spoil, sentence = UNREADABLE[kind]
    spoil(project)
    output = project.run(*OPTIONS, fails=True)
    assert sentence in output
    said = [line for line in output.splitlines() if not line.startswith("[")]  # without the lines of finished jobs
    assert len(said) <= 10
    # It is the data's failure and no method's.
    assert "cells failed" not in output
    assert not list(project.path("results").glob("*/cplst-2012/scores/**/*.parquet"))


@pytest.mark.slow
def test_a_missing_value_is_filled_by_each_split(project):
    """By projections and label coders; without a factorisation of all rows."""
    write(project, with_gap(X), Y)
    catalogue(project, {"reader": "tables", "features": "f.csv", "labels": "l.csv", "impute": "mean"})
    output = project.run(*DEFAULTS, "splits=2", "studies=comparison,cplst-2012")
    assert "cells failed" not in output
    for study in ("comparison", "cplst-2012"):
        scores = pd.read_parquet(project.path("results/demo-mine-2-splits") / study / "scores.parquet")
        assert len(scores)
        assert np.isfinite(scores["value"]).all()
    assert not list(project.path("results").rglob("*.design.npz"))


@pytest.mark.slow
def test_known_labels_are_measured_where_others_are_not(project):
    """What needs all labels has failed cells, with the sentence that says so."""
    unknown = np.random.default_rng(1).random(Y.shape) < 0.2
    write(project, X, np.where(unknown, "?", Y))
    output = project.run(*DEFAULTS, "splits=2", "studies=comparison", "methods=pca,mddmp,rcca", fails=True)
    assert "DataError: y is NaN in column" in output
    (base,) = project.path("results").glob("demo-mine*/comparison")
    scores, failures = pd.read_parquet(base / "scores.parquet"), pd.read_csv(base / "failures.csv")
    assert set(failures["method"]) == {"rcca"}
    assert set(scores["method"]) == {"pca", "mddmp"}
    assert np.isfinite(scores["value"]).all()
    (prepared,) = project.path("results/data").glob("mine*.npz")
    np.testing.assert_array_equal(MultiLabelData.load(prepared).Y, np.where(unknown, np.nan, Y))
