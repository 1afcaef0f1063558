"""What a comparison keeps: nothing is lost, half written, or taken for something else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin

import mlreduce
from mlreduce.evaluation import jobs
from mlreduce.evaluation.store import digest
from mlreduce.exceptions import MLReduceError
from mlreduce.model_selection import MultilabelStratifiedKFold

QUICK = {"cv": 2, "sizes": [40], "measures": ["micro-f1"]}


@pytest.fixture
def runs(monkeypatch):
    """The method and fold of each fit."""
    seen = []
    work = jobs.run_job

    def counted(job, common):
        seen.append((job.method.label, job.fold))
        return work(job, common)

    monkeypatch.setattr(jobs, "run_job", counted)
    return seen


def compare(data, store, methods=("pca", "pls"), predictors=("linear",), **options):
    return mlreduce.compare(data, None, methods, predictors, store=store, **{**QUICK, **options})


def test_what_was_done_is_not_done_again(data, tmp_path, runs):
    first = compare(data, tmp_path)
    assert runs == [("pca", 0), ("pls", 0), ("pca", 1), ("pls", 1)]
    runs.clear()
    again = compare(data, tmp_path, ["pls", "pca"], margin=0.1)
    assert runs == []
    pd.testing.assert_frame_equal(again.scores, first.scores)
    more = compare(data, tmp_path, ["pca", "mvmd", "pls"])
    assert runs == [("mvmd", 0), ("mvmd", 1)]
    pd.testing.assert_frame_equal(more.scores, compare(data, None, ["pca", "pls", "mvmd"]).scores)
    runs.clear()
    compare(data, tmp_path, repeats=2)
    assert runs == [("pca", 2), ("pls", 2), ("pca", 3), ("pls", 3)]


@pytest.mark.parametrize(
    "options",
    [
        {"sizes": [50]},
        {"cv": 3},
        {"measures": ["macro-f1"]},
        {"predictors": ["ridge"]},
        {"scaling": "none"},
        {"random_state": 1},
        {"methods": {"pca": {"method": "pca", "n_components": 3}, "pls": {"method": "pls", "n_components": 3}}},
    ],
)
@pytest.mark.rotating
def test_what_differs_is_done_anew(data, tmp_path, runs, options):
    compare(data, tmp_path)
    runs.clear()
    compare(data, tmp_path, **options)
    assert len(runs) == 2 * options.get("cv", 2)


def test_other_data_versions_and_sources_are_done_anew(data, tmp_path, runs, monkeypatch):
    compare(data, tmp_path)
    for X, Y in ((data.X + 1, data.Y), (data.X, 1 - data.Y)):
        runs.clear()
        mlreduce.compare(X, Y, ["pca", "pls"], ["linear"], store=tmp_path, **QUICK)
        assert len(runs) == 4
    runs.clear()
    monkeypatch.setattr("mlreduce.evaluation.compared.version", lambda name: "another")
    compare(data, tmp_path)
    assert len(runs) == 4
    monkeypatch.setattr("mlreduce.registry._at_run_time", {})
    for factor, expected in ((2, 2), (2, 0), (3, 2)):
        module = tmp_path / f"own_{factor}.py"
        module.write_text(
            "from sklearn.base import BaseEstimator, TransformerMixin\n"
            "class Own(TransformerMixin, BaseEstimator):\n"
            "    def fit(self, X, y):\n        return self\n"
            f"    def transform(self, X):\n        return X[:, :{factor}]\n"
        )
        monkeypatch.syspath_prepend(tmp_path)
        own = __import__(module.stem).Own
        mlreduce.register("own")(own)
        runs.clear()
        compare(data, tmp_path, ["own"])
        assert len(runs) == expected


def test_sparse_data_are_the_same_after_use(data, tmp_path, runs):
    X = sp.csr_array(data.X)
    for expected in (2, 0):
        runs.clear()
        mlreduce.compare(X, data.Y, ["pca"], ["linear"], store=tmp_path, **QUICK)
        assert len(runs) == expected
        X.has_canonical_format  # noqa: B018 - SciPy remembers the answer in the matrix


def as_kept(key, content):
    """What the store keeps, whatever the content is."""
    return json.dumps({"digest": digest(key, content), "content": content})


WRONG = {
    **{text: lambda key, own, text=text: text for text in ("", "\udcff", "[]", '{"content": 1}')},
    "deep": lambda key, own: "[" * 1000 + "]" * 1000,
    "a deep content": lambda key, own: '{"digest": "", "content": ' + "[" * 1000 + "]" * 1000 + "}",
    "a number of 5,000 digits": lambda key, own: "1" * 5000,
    "no digest": lambda key, own: json.dumps({"content": own}),
    "no content": lambda key, own: as_kept(key, None),
    "a list": lambda key, own: as_kept(key, []),
    "parts missing": lambda key, own: as_kept(key, {"scores": []}),
    "scores that are no rows": lambda key, own: as_kept(key, own | {"scores": [1, 2]}),
    "rows that are short": lambda key, own: as_kept(key, own | {"scores": [row[1:] for row in own["scores"]]}),
    "values that are text": lambda key, own: as_kept(key, own | {"scores": [[*own["scores"][0][:-1], "best"]]}),
    "a fit of another kind": lambda key, own: as_kept(key, own | {"fit": [1]}),
    "failures that are a number": lambda key, own: as_kept(key, own | {"failures": 3}),
}


def last_digit_changed(key, own):
    """The file with another last digit of its first score."""
    text, score = as_kept(key, own), str(own["scores"][0][-1])
    return text.replace(score, score[:-1] + ("1" if score[-1] != "1" else "2"), 1)


@pytest.mark.parametrize("wrong", [*WRONG, "a changed digit", "that of another", "a folder"])
@pytest.mark.rotating
def test_damaged_files_are_made_anew(data, tmp_path, runs, wrong):
    first = compare(data, tmp_path)
    file, other, *_ = sorted(tmp_path.iterdir())
    content = json.loads(file.read_text())["content"]
    if wrong == "a folder":  # which stays, and is not used
        file.unlink()
        file.mkdir()
        (file / "thesis.txt").write_text("mine")
    else:
        make = WRONG | {"a changed digit": last_digit_changed, "that of another": lambda *_: other.read_text()}
        file.write_text(make[wrong](file.stem, content), errors="surrogateescape")
    runs.clear()
    pd.testing.assert_frame_equal(compare(data, tmp_path).scores, first.scores)
    assert len(runs) == 1
    assert wrong != "a folder" or (file / "thesis.txt").read_text() == "mine"


def test_interrupted_at_any_fit_it_goes_on(data, tmp_path, runs, monkeypatch):
    work = jobs.run_job

    def interrupted(job, common):
        if (job.method.label, job.fold) == ("pls", 0):
            raise KeyboardInterrupt
        return work(job, common)

    with monkeypatch.context() as context:
        context.setattr(jobs, "run_job", interrupted)
        with pytest.raises(KeyboardInterrupt):
            compare(data, tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    runs.clear()
    found = compare(data, tmp_path)
    assert runs == [("pls", 0), ("pca", 1), ("pls", 1)]
    pd.testing.assert_frame_equal(found.scores, compare(data, None).scores)


SCRIPT = """
import time
import mlreduce
from mlreduce.evaluation import store
from mlreduce.datasets.embedded import planted

write = store.Store.write
def slow(self, key, content):
    write(self, key, content)
    print("kept", flush=True)
    time.sleep(0.2)
store.Store.write = slow
data = planted(n_samples=90, n_features=10, n_labels=5, n_latent=2, n_distractors=2).data
mlreduce.compare(data, None, ["pca", "pls"], ["linear"], cv=10, sizes=[40], measures=["micro-f1"], store="kept")
"""


@pytest.mark.slow
def test_killed_it_goes_on(data, tmp_path, runs):
    (tmp_path / "script.py").write_text(SCRIPT)
    with subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(3):
            assert process.stdout.readline() == "kept\n"
        os.kill(process.pid, signal.SIGKILL)
    kept = tmp_path / "kept"
    files = [path for path in kept.iterdir() if path.suffix == ".json"]
    assert 3 <= len(files) < 20
    found = compare(data, kept, cv=10)
    assert len(runs) == 20 - len(files)
    pd.testing.assert_frame_equal(found.scores, compare(data, None, cv=10).scores)


def test_a_budget_leaves_whole_folds(data, tmp_path, runs, monkeypatch):
    """On a backend of joblib, where no fit is ended; for the others see test_budget.py."""
    monkeypatch.setattr("mlreduce.evaluation.compare.ends_fits", bool)
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    work = jobs.run_job

    def lasting(job, common):
        now[0] += 1
        return work(job, common)

    monkeypatch.setattr(jobs, "run_job", lasting)
    with pytest.warns(UserWarning, match="the time budget of 4.5 s ended with 1 fits to do") as warned:
        found = compare(data, tmp_path, cv=3, time_budget=4.5)
    assert len(warned) == 1
    assert set(found.scores["split"]) == {0, 1}
    assert found.scores.groupby("method")["split"].nunique().to_dict() == {"pca": 2, "pls": 2}
    runs.clear()
    now[0] = 0.0
    whole = compare(data, tmp_path, cv=3, time_budget=4.5)
    assert runs == [("pls", 2)]
    pd.testing.assert_frame_equal(whole.scores, compare(data, None, cv=3).scores)
    now[0] = 0.0
    with pytest.warns(UserWarning, match="5 fits to do"):
        partly = compare(data, None, cv=3, time_budget=0.5)
    assert set(partly.scores["method"]) == {"pca"}
    monkeypatch.setattr(time, "monotonic", iter(np.arange(100.0)).__next__)
    with pytest.raises(MLReduceError, match="the time budget of 0 s ended before the first fit"):
        compare(data, None, cv=3, time_budget=0)


class Fails(TransformerMixin, BaseEstimator):
    """Fails where the sum of the labels is as said."""

    def __init__(self, total=None):
        self.total = total

    def fit(self, X, y):
        if self.total in (None, int(y.sum())):
            raise RuntimeError("no <b>luck</b>")
        return self

    def transform(self, X):
        return X


@pytest.fixture
def failing(monkeypatch):
    monkeypatch.setattr("mlreduce.registry._at_run_time", {})
    mlreduce.register("fails")(Fails)


def test_what_failed_is_tried_again(data, tmp_path, runs, failing, monkeypatch):
    with pytest.warns(UserWarning, match="2 of 4 evaluations failed"):
        compare(data, tmp_path, ["pca", "fails"])
    runs.clear()
    monkeypatch.setattr(Fails, "fit", lambda self, X, y: self)  # as with more memory than before
    found = compare(data, tmp_path, ["pca", "fails"])
    assert runs == [("fails", 0), ("fails", 1)]
    assert found.failures.empty
    assert found.scores.equals(compare(data, None, ["pca", "fails"]).scores)


def test_what_fails_leaves_a_gap_and_is_said_once(data, tmp_path, failing):
    with pytest.warns(UserWarning, match="evaluations failed") as warned:
        found = compare(data, tmp_path, ["pca", "fails"], ["linear", "ridge"])
    assert [str(own.message) for own in warned] == [
        "4 of 8 evaluations failed, the first: fails with linear on fold 1: RuntimeError: no <b>luck</b>. All are in "
        "the attribute failures"
    ]
    assert warned[0].filename == __file__
    assert found.failures[["method", "predictor", "split"]].to_numpy().tolist() == [
        *(["fails", "linear", fold] for fold in (0, 1)),
        *(["fails", "ridge", fold] for fold in (0, 1)),
    ]
    assert list(found.table().index) == ["pca"]
    assert found.pairs().empty
    page = found.to_html(tmp_path / "page.html").read_text()
    assert "What failed" in page
    assert "no &lt;b&gt;luck" in page
    assert "4 evaluations failed" in page
    with pytest.raises(MLReduceError, match="nothing could be compared: fails: RuntimeError: no <b>luck"):
        compare(data, tmp_path, ["fails"])


def test_pairs_are_compared_on_the_folds_that_both_have(data, tmp_path, failing):
    whole = compare(data, None, ["pca", "pls"], cv=4)
    train, _ = next(MultilabelStratifiedKFold(4).split(data.X, data.Y))
    total = int(data.Y[train].sum())
    with pytest.warns(UserWarning, match="1 of 12"):
        found = compare(data, None, {"pca": "pca", "fails": {"method": "fails", "total": total}, "pls": "pls"}, cv=4)
    values = found.values()
    assert values["fails"].isna().tolist() == [True, False, False, False]
    pairs = found.pairs().set_index(["method", "than"])
    assert pairs.loc[("fails", "pca"), ["wins", "ties", "losses"]].sum() == 3
    assert pairs.loc[("pca", "pls")].equals(whole.pairs().set_index(["method", "than"]).loc[("pca", "pls")])
    assert found.statistics()["first"].sum() >= 3
    assert found.plot("pairs").figure is not None
