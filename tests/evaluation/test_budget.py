"""Comparisons within limits: fits are ended, instances sampled and methods left out, as the result notes."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

import mlreduce
from mlreduce.datasets.embedded import planted
from mlreduce.evaluation import budget, jobs
from mlreduce.exceptions import ConfigurationError, MLReduceError

OPTIONS = {"predictors": ["linear"], "cv": 3, "sizes": [40], "measures": ["micro-f1"]}


@pytest.fixture(scope="module")
def large():
    return planted(n_samples=1200, n_features=10, n_labels=5, n_latent=2, n_distractors=2).data


@pytest.fixture
def clock(monkeypatch):
    """Processes in which a fit to so many rows takes the seconds of ``takes``, by a clock of their own."""
    clock = SimpleNamespace(now=0.0, takes={}, fits=[])
    clock.monotonic = lambda: clock.now

    class Process:
        def __init__(self, gigabytes):
            pass

        def start(self, common, methods, seconds):
            return True

        def run(self, job, common, path, seconds):
            rows = len(common.settings["rule"]["rows"][0][0])
            clock.fits.append((job.method.label, job.fold, rows))
            takes = clock.takes.get(job.method.label, lambda rows: rows / 1000)(rows)
            if isinstance(takes, str) or takes > seconds:
                clock.now += 0 if isinstance(takes, str) else seconds
                return takes if isinstance(takes, str) else "time", seconds
            clock.now += takes
            return budget._run_limited(job, common, path, 100.0), takes

        def end(self):
            pass

    monkeypatch.setattr(budget, "_Process", Process)
    monkeypatch.setattr(budget, "time", clock)
    monkeypatch.setattr("mlreduce.evaluation.compare.time", clock)
    return clock


def compare(data, methods, seconds, **options):
    return mlreduce.compare(data, None, methods, time_budget=seconds, **{**OPTIONS, **options})


def test_where_the_time_suffices_the_scores_are_those_without_a_budget(large, clock):
    found = compare(large, ["pca", "pls"], 100)
    pd.testing.assert_frame_equal(found.scores, mlreduce.compare(large, None, ["pca", "pls"], **OPTIONS).scores)
    assert found.settings["notes"] == []
    assert [rows for _, fold, rows in clock.fits if fold == 0] == [166, 166, 800, 800]


def test_instances_are_sampled_where_all_take_too_long(large, clock):
    clock.takes["pls"] = lambda rows: (rows / 300) ** 2
    with pytest.warns(
        UserWarning, match=r"stratified sample of [\d,]+ of the 1,200 instances: all are expected"
    ) as warned:
        found = compare(large, ["pca", "pls"], 15)
    assert len(warned) == 1
    assert found.settings["notes"] == [str(warned[0].message)]
    number = found.settings["data"]["instances"]
    assert 400 < number < 1200
    assert found.scores.groupby("method")["split"].nunique().to_dict() == {"pca": 3, "pls": 3}
    assert clock.now <= 15
    assert f"stratified sample of {number:,}" in str(found)
    limit = found.settings["memory_limit"]
    assert str(found).startswith(f"Comparison on 'planted': 2 methods, 3 folds, within 15 s and {limit:.3g} GB\n")
    assert 0 < limit < budget.available_gigabytes()


@pytest.mark.parametrize(
    ("takes", "reason"),
    [
        (lambda rows: "memory" if rows > 500 else 0.1, r"pls needs more than 3 GB on 1,200"),
        (lambda rows: 1e9 if rows > 500 else 0.1, r"pls took more than [\d.]+ s on 1,200"),
        (lambda rows: "lost" if rows > 500 else 0.1, r"pls lost its process, most often since memory ran out on 1,200"),
    ],
)
def test_more_instances_than_a_method_takes_are_not_taken(large, clock, takes, reason):
    clock.takes["pls"] = takes
    with pytest.warns(UserWarning, match=f"a stratified sample of 250 of the 1,200 instances: {reason}"):
        found = compare(large, ["pca", "pls"], 60, memory_limit=3)
    assert found.settings["data"]["instances"] == 250
    assert found.scores.groupby("method")["split"].nunique().to_dict() == {"pca": 3, "pls": 3}
    assert clock.now <= 60


@pytest.mark.parametrize("takes", [1e9, "memory", "lost"])
def test_a_method_that_is_over_its_limits_on_few_instances_is_left_out(large, clock, takes):
    clock.takes["pls"] = lambda rows: takes
    with pytest.warns(UserWarning, match="pls is left out: with the predictors it .* on 250 instances and one fold"):
        found = compare(large, ["pls", "pca"], 60)
    assert list(found.settings["methods"]) == ["pca"]
    assert found.settings["data"]["instances"] == 1200
    assert clock.now <= 60
    with pytest.raises(MLReduceError, match="nothing could be compared: pls is left out"):
        compare(large, ["pls"], 60)


def test_methods_too_slow_for_two_folds_are_left_out(large, clock):
    clock.takes |= {"pls": lambda rows: 16, "pca": lambda rows: 8, "mvmd": lambda rows: 2}
    with pytest.warns(UserWarning, match="pls is left out|a stratified sample") as warned:
        found = compare(large, ["pls", "pca", "mvmd"], 50)
    assert [str(one.message).split(":")[0] for one in warned] == [
        "pls is left out",
        "compared on a stratified sample of 250 of the 1,200 instances",
    ]
    assert set(found.scores["method"]) == {"pca", "mvmd"}
    assert found.scores["split"].nunique() == 3


def test_what_is_stored_is_not_run_again_and_another_call_goes_on(large, clock, tmp_path):
    with pytest.warns(UserWarning, match="stratified sample"):
        first = compare(large, ["pca"], 2.5, store=tmp_path)
    clock.fits.clear()
    second = compare(large, ["pca"], 60, store=tmp_path)
    assert first.settings["data"]["instances"] < second.settings["data"]["instances"] == 1200
    assert not {rows for _, _, rows in clock.fits} & {166}
    clock.fits.clear()
    pd.testing.assert_frame_equal(compare(large, ["pca"], 60, store=tmp_path).scores, second.scores)
    assert clock.fits == []


def test_what_does_not_start_in_time_is_no_methods_fault(large, clock, monkeypatch):
    monkeypatch.setattr(budget._Process, "start", lambda self, common, methods, seconds: False)
    with pytest.raises(MLReduceError, match="compared: the time budget of 9 s ended before the first fit"):
        compare(large, ["pca"], 9)


def test_given_rows_and_groups_are_not_sampled(large, clock):
    rows = np.arange(1200)
    pairs = [(rows[:900], rows[900:]), (rows[300:], rows[:300])]
    assert compare(large, ["pca"], 60, cv=pairs).settings["data"]["instances"] == 1200
    assert compare(large, ["pca"], 60, groups=rows // 10).settings["data"]["instances"] == 1200
    assert {rows for _, _, rows in clock.fits} == {900, 800}


def test_a_sample_has_the_shares_of_the_labels(large):
    part = budget.sampled(large, 300, 0)
    assert part.Y.shape == (300, 5)
    assert np.abs(part.Y.mean(axis=0) - large.Y.mean(axis=0)).max() < 0.02
    assert budget.sampled(large, 1200, 0) is large


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"time_budget": -1}, "time_budget must be a number of seconds, at least 0, or None; got -1"),
        ({"memory_limit": "8GB"}, "memory_limit must be a number of gigabytes, at least 0, or None; got '8GB'"),
    ],
)
def test_limits_are_numbers(large, limits, message):
    with pytest.raises(ConfigurationError, match=message):
        mlreduce.compare(large, None, ["pca"], **OPTIONS, **limits)


class Endless(TransformerMixin, BaseEstimator):
    """Never ends, or takes more memory than there is."""

    def __init__(self, endless=True):
        self.endless = endless

    def fit(self, X, y):
        while self.endless:
            pass
        self.most_ = np.ones(400_000_000)
        return self

    def transform(self, X):
        return X


@pytest.mark.slow
def test_endless_fits_are_ended_and_memory_is_limited():
    data = planted(n_samples=4000, n_features=60, n_labels=12, n_latent=3, n_distractors=2).data
    methods = {
        "pca": "pca",
        "endless": Endless(),
        "large": Endless(endless=False),
        "mvmd": "mvmd",
    }
    began = time.monotonic()
    with pytest.warns(UserWarning, match="is left out|a stratified sample"):
        found = mlreduce.compare(data, None, methods, n_jobs=2, time_budget=30, memory_limit=4, progress=False)
    assert time.monotonic() - began <= 36
    left_out = sorted(note.split(",")[0] for note in found.settings["notes"] if "left out" in note)
    assert [note.split(" on ")[0] for note in left_out][1] == (
        "large is left out: with the predictors it needs more than 2 GB"
    )
    assert left_out[0].startswith("endless is left out: with the predictors it took more than ")
    assert set(found.scores["method"]) == {"pca", "mvmd"}
    assert found.settings["memory_limit"] == 4
    assert jobs.ends_fits()
