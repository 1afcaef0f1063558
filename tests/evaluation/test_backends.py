"""Comparisons and searches in the processes of joblib's backends, those of a Dask cluster among them."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import joblib
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

import mlreduce
from mlreduce.evaluation import jobs
from mlreduce.evaluation.store import Store
from mlreduce.exceptions import ConfigurationError, MLReduceError

pytestmark = pytest.mark.rotating

# A coder, whose factorised features travel too, and one that draws.
METHODS = ("mddmp", "plst", "random-projection")


def compare(data, store=None, **options):
    settings = {"cv": 3, "sizes": [40], "measures": ["micro-f1", "ranking-loss"], "progress": False}
    return mlreduce.compare(data, None, METHODS, ["ridge"], store=store, **{**settings, **options})


@pytest.fixture(scope="module")
def expected(data):
    return compare(data).scores


def assert_same(found, expected):
    pd.testing.assert_frame_equal(found.scores, expected, check_exact=True)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason='Dask is not installed: pip install "mlreduce[test]"')
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as cluster,
        distributed.Client(cluster),
    ):
        yield cluster


def test_on_dask_scores_are_the_same_and_what_was_kept_is_not_fitted_again(
    data, expected, cluster, tmp_path, monkeypatch
):
    with joblib.parallel_config("dask"):
        assert_same(compare(data), expected)
        now = iter(range(100))
        monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: next(now)))
        monkeypatch.setattr("mlreduce.evaluation.compare.time", SimpleNamespace(monotonic=lambda: 0))
        with pytest.warns(UserWarning, match="the time budget of 4.5 s ended with 4 fits to do"):
            compare(data, tmp_path, time_budget=4.5)
        assert len(list(tmp_path.iterdir())) == 5
        assert_same(compare(data, tmp_path), expected)
    assert next(now) == 6  # without a budget nobody asks


def test_on_dask_what_jobs_share_is_sent_once(data, cluster, monkeypatch):
    sent = []
    monkeypatch.setattr(
        jobs.Common, "__getstate__", lambda common: sent.append(common) or vars(common).copy(), raising=False
    )
    with joblib.parallel_config("dask"):
        compare(data)
    assert len(sent) == 1


@pytest.mark.parametrize("backend", ["dask", "loky"])
@pytest.mark.parametrize(("reduction", "size"), [(mlreduce.MVMD(), "n_components"), (mlreduce.MLFS(), "k")])
def test_a_search_in_other_processes_finds_the_same(data, backend, reduction, size, request):
    """Both pickle what they send."""
    if backend == "dask":
        request.getfixturevalue("cluster")
    model = Pipeline([("reduction", reduction), ("predictor", mlreduce.MLKNN())])
    search = GridSearchCV(model, {f"reduction__{size}": [2, 4], "predictor__n_neighbors": [5, 10]}, cv=2)
    alone = search.fit(data.X, data.Y).cv_results_["mean_test_score"]
    with joblib.parallel_config(backend, n_jobs=2):
        assert search.fit(data.X, data.Y).cv_results_["mean_test_score"].tolist() == alone.tolist()


def test_in_other_processes_scores_are_the_same(data, expected):
    assert_same(compare(data, n_jobs=2, measures=["ranking-loss", "micro-f1"]), expected)


# Ray's has the same base as that of multiprocessing: neither gives results as they come.
@pytest.mark.parametrize("backend", ["threading", pytest.param("multiprocessing", marks=pytest.mark.slow)])
def test_on_other_backends_scores_are_the_same(data, expected, backend, tmp_path):
    with joblib.parallel_config(backend, n_jobs=2):
        assert_same(compare(data, tmp_path), expected)
    assert len(list(tmp_path.iterdir())) == 9


@pytest.mark.slow
def test_without_a_worker_it_says_so(data):
    distributed = pytest.importorskip("distributed", reason='Dask is not installed: pip install "mlreduce[test]"')
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as none,
        distributed.Client(none, set_as_default=False) as client,
        joblib.parallel_config("dask", client=client, wait_for_workers_timeout=0.1),
        pytest.raises(ConfigurationError, match="can run nothing; is there a cluster"),
    ):
        compare(data)


# After the tests on the processes that it ends: to start others takes seconds.
@pytest.mark.slow
def test_a_lost_process_is_named(data, monkeypatch):
    monkeypatch.setattr(jobs, "run_job", lambda job, common: os._exit(1))
    with pytest.raises(MLReduceError, match="a process was lost in the middle of a fit"):
        compare(data, n_jobs=2)


SCRIPT = """
import os, signal, sys
import joblib
from distributed import Client, LocalCluster
from sklearn.base import BaseEstimator, TransformerMixin
import mlreduce
from mlreduce.evaluation.store import Store

@mlreduce.register("first-two")
class FirstTwo(TransformerMixin, BaseEstimator):
    def fit(self, X, y):
        return self
    def transform(self, X):
        return X[:, :2]

def main(store, killed):
    data = mlreduce.load_dataset("planted-300")
    write = Store.write
    def then_kill(self, key, content):
        write(self, key, content)
        if killed:
            killed.clear()
            for pid in client.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)
    Store.write = then_kill
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        with joblib.parallel_config("dask"):
            mlreduce.compare(data, None, ["first-two", "plst"], ["ridge"], cv=5, sizes=[20], store=store)

if __name__ == "__main__":
    main(sys.argv[1], ["both"] * (sys.argv[2] == "kill"))
"""


@pytest.mark.slow
def test_on_dask_it_goes_on_after_workers_were_killed(tmp_path):
    pytest.importorskip("distributed", reason='Dask is not installed: pip install "mlreduce[test]"')
    (tmp_path / "script.py").write_text(SCRIPT)

    def run(store, what):
        command = [sys.executable, "script.py", store, what]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
        return ended, {path.name: path.read_bytes() for path in (tmp_path / store).iterdir()}

    ended, some = run("kept", "kill")
    assert "a process was lost in the middle of a fit" in ended.stderr
    assert 1 <= len(some) < 10
    ended, every = run("kept", "")
    assert ended.returncode == 0
    assert some.items() <= every.items()  # seconds of fits differ where one is fitted again
    _, apart = run("apart", "")
    assert scores_of(tmp_path / "kept", every) == scores_of(tmp_path / "apart", apart)


def scores_of(folder, files):
    store = Store(folder, jobs.FORM)
    return {name: store.read(name.removesuffix(".json"))["scores"] for name in files}
